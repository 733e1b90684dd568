// A plot as plain data, and its pictures, drawn by gnuplot: SVG for pages, PNG for files.
//
// gnuplot runs as a child process with the script, including the data, as its standard input. Of
// the environment only PATH has an effect, so the same plot gives the same SVG.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/result.hpp"

namespace xbind::plot {

enum class Look : std::uint8_t {
  kLine,        // points joined by lines
  kLinePoints,  // joined and marked
  kPoints,      // marked only
  kSteps,       // outline of a histogram
  kDashed,      // joined, dashed: predicted or published values
};

struct Series {
  std::string name;                               // in the key; empty: not in the key
  std::vector<std::pair<double, double>> points;  // NaN: a gap
  Look look = Look::kLinePoints;
  // Series with the same number (0 and up) share a colour, as a paper's value and ours; -1: the
  // next colour.
  int colour = -1;
};

// A text at a position in the plot's units, placed slightly to the right of it.
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
  // Bounds that are both 0 follow the data. On a logarithmic axis values not above 0 are gaps.
  std::pair<double, double> x_range{0, 0};
  std::pair<double, double> y_range{0, 0};
  // Positions on the x axis that show a word instead of a number; empty: numbers.
  std::vector<std::pair<double, std::string>> x_words{};
  std::vector<Series> series;
  std::vector<Remark> remarks;
  Key key = Key::kRight;  // beside the plot, where it hides nothing, or in one of its corners
  unsigned width = 760;   // pixels
  unsigned height = 460;
};

enum class Form : std::uint8_t { kSvg, kPng };

// The script for gnuplot, which writes the picture to its standard output. Names from callers (a
// title, a series) are quoted and cannot act as commands. A plot without points is an empty frame.
std::string script_of(const Plot& plot, Form form);

// check_gnuplot() is meant to be called before a long run. kSystem: gnuplot is missing (the text
// names its package), or it failed (with its message). kExhausted: a picture above 64 MiB. Both
// functions wait for the child to end; any thread.
Result<void> check_gnuplot();
Result<std::string> draw(const Plot& plot, Form form);

}  // namespace xbind::plot
