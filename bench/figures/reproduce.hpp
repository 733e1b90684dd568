// All figures, from the points to the page.
#pragma once

#include <string>
#include <vector>

#include "bench/figures/output.hpp"
#include "bench/model/paper.hpp"

namespace xbind::figures {

struct Reproduction {
  std::vector<Made> made;
  std::vector<Check> checks;

  // Independent of the verdicts.
  bool complete() const;
};

// Measures with `source`, checks with `checks` if given, and writes the folder, which
// prepare_folder() has accepted. A figure that cannot be made is named on the page and in the
// result; the others are still made. Errors: files that cannot be written, pictures that cannot be
// drawn.
Result<Reproduction> reproduce(PointSource& source, PointSource* checks, const Scale& scale,
                               Manifest manifest, const std::string& folder,
                               const Bench::Progress& progress);

// The model's constants and their origin in words, for the manifest.
std::vector<std::pair<std::string, std::string>> constants_of(const model::PaperHosts& hosts);

}  // namespace xbind::figures
