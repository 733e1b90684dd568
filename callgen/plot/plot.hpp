// A plot as plain data, and its pictures, drawn by gnuplot: SVG for pages, PNG for those who want a file.
//
// gnuplot runs as a child process with the script, data and all, as its standard input; nothing of the
// environment but PATH decides how a picture looks, so the same plot gives the same SVG.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/result.hpp"

namespace xbind::plot {

enum class Look : std::uint8_t {
  kLine,        // points joined
  kLinePoints,  // joined and marked
  kPoints,      // marked alone
  kSteps,       // a histogram's outline
  kDashed,      // joined, dashed: what was predicted or published
};

struct Series {
  std::string name;                               // in the key; empty: not there
  std::vector<std::pair<double, double>> points;  // not a number: a gap
  Look look = Look::kLinePoints;
  // Series share a colour when they share this, 0 and up: a paper's value and ours; -1: the next one.
  int colour = -1;
};

// A word at a place, in the plot's own units, a little to the right of it.
struct Remark {
  double x = 0;
  double y = 0;
  std::string text;
};

enum class Key : std::uint8_t { kRight, kTopLeft, kTopRight, kBottomRight, kNone };

struct Plot {
  std::string title;
  std::string x_label;  // with the unit
  std::string y_label;
  bool log_x = false;
  bool log_y = false;
  // Bounds that are both 0 follow the data. On a logarithmic axis what is not above 0 is a gap.
  std::pair<double, double> x_range{0, 0};
  std::pair<double, double> y_range{0, 0};
  // Places on the x axis that have a word instead of a number; none: numbers.
  std::vector<std::pair<double, std::string>> x_words{};
  std::vector<Series> series;
  std::vector<Remark> remarks;
  Key key = Key::kRight;  // beside the plot, where it hides nothing, or in a corner of it
  unsigned width = 760;   // pixels
  unsigned height = 460;
};

enum class Form : std::uint8_t { kSvg, kPng };

// The words that gnuplot is given; the picture goes to its standard output. What a caller names (a
// title, a series) reaches gnuplot as quoted text and cannot be a command. A plot without a single
// point is an empty frame.
std::string script_of(const Plot& plot, Form form);

// check_gnuplot() is for the time before a long run.
// kSystem: gnuplot is not there (the sentence names its package), or has failed (with what it said).
// kExhausted: a picture above 64 MiB. Both wait until the child has ended; any thread.
Result<void> check_gnuplot();
Result<std::string> draw(const Plot& plot, Form form);

}  // namespace xbind::plot
