// The figures' folder: a CSV file and the pictures of every figure, figures.json, manifest.json and
// one page.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/figures/checks.hpp"
#include "bench/figures/figure.hpp"
#include "core/result.hpp"

namespace xbind::figures {

inline constexpr const char* kXbindPaper =
    "The paper: xbind: a CORBA connection management system for ATM switches (IEEE JSAC, 1998), "
    "sections III and IV. Its curves are not digitised; beside ours stand the numbers that its "
    "text "
    "gives. Latencies are setup latencies from the planned arrival, means over a run as in the "
    "paper.";

// The conditions of the run, for repeating it. None of them changes a number of the figures.
struct Manifest {
  std::string version;
  std::string revision;             // of the build; empty: unknown
  std::string date;                 // of the run, "2026-11-21"; empty: unknown
  std::string profile;              // "1999", "native"; of the Fairisle paper "fairisle"
  std::string paper = kXbindPaper;  // of whom the figures are, and how they are compared
  std::string source;               // PointSource::name()
  Scale scale;
  std::vector<std::pair<std::string, std::string>> constants;  // of the model, with units
  std::string unchecked;  // why real processes measured no point again; empty: they measured some
  std::vector<std::pair<std::string, std::string>>
      machine;  // where processes ran; empty: model alone
};

struct Made;
// "2 of 9 figures are reproduced, 5 partly, 2 not." and the figures that could not be made.
std::string summary_of(const std::vector<Made>& made);

// A figure, or the reason why it could not be made.
struct Made {
  std::string id;
  std::optional<Figure> figure;
  std::string error;
};

// kSystem: the folder cannot be created or written to. Called before any measurement.
Result<void> prepare_folder(const std::string& folder);
// Writes the files of one figure: ID.csv and, for each picture, NAME.svg and NAME.png.
Result<void> write_figure(const std::string& folder, const Figure& figure);
// Writes figures.json, manifest.json and index.html, which embeds the pictures.
Result<void> write_summary(const std::string& folder, const Manifest& manifest,
                           const std::vector<Made>& made, const std::vector<Check>& checks);

std::string figures_json(const Manifest& manifest, const std::vector<Made>& made,
                         const std::vector<Check>& checks);
std::string manifest_json(const Manifest& manifest);
// Draws the pictures again.
Result<std::string> figures_page(const Manifest& manifest, const std::vector<Made>& made,
                                 const std::vector<Check>& checks);

}  // namespace xbind::figures
