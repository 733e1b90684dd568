// All figures of the Fairisle paper, from the points to the page.
#pragma once

#include <string>
#include <vector>

#include "bench/figures/output.hpp"
#include "core/result.hpp"

namespace xbind::fairisle {

// Makes the figures and writes the folder, which figures::prepare_folder() has accepted. Blocks for
// some seconds; the emulated switch's own costs are measured meanwhile, on this machine. Errors:
// sockets, files that cannot be written, pictures that cannot be drawn.
Result<std::vector<figures::Made>> reproduce(bool quick, figures::Manifest manifest,
                                             const std::string& folder,
                                             const figures::Bench::Progress& progress);

}  // namespace xbind::fairisle
