// The operator's drains on disk, so that they outlive RouteObject.
//
// A small text file, written whole for each order: a first line that names the form, one element a
// line (SWITCH, or SWITCH PORT), a last line with their number. The new file takes the old one's
// place in one step and is on the disk before the order is answered: whoever dies when, the file is
// one of the two. A file of another form is refused by its name and line, and never overwritten.
//
// Bounds: only what a topology has can be drained, so the file holds at most its switches, links
// and access lines; kDrainFileOctetsMax octets are read.
//
// Blocks on the disk. One process a file; not for several threads at once.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/path.hpp"
#include "core/result.hpp"

namespace xbind {

inline constexpr std::size_t kDrainFileOctetsMax = std::size_t{4} << 20;

// DIRECTORY/routeobject-NAME.drains
std::string drain_file_path(const std::string& directory, const std::string& name);

std::string drains_as_text(const std::vector<PathElement>& drains);
// kBadInput: not of this form, or an element twice; the text names `path` and the line.
Result<std::vector<PathElement>> drains_from_text(std::string_view text, const std::string& path);

// No file: no drains. kBadInput: as above, or too long. kSystem: it is there and cannot be read.
Result<std::vector<PathElement>> read_drains(const std::string& path);
// kSystem: it could not be written; the text names the file and the reason, and the old file stays.
Result<void> write_drains(const std::string& path, const std::vector<PathElement>& drains);

}  // namespace xbind
