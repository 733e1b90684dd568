// The operator's drains on disk, so that they outlive RouteObject.
//
// A state file (core/state_file.hpp), rewritten whole for each order, whose content is one element
// a line: SWITCH, or SWITCH PORT. The new file replaces the old one in one step and is on the disk
// before the order is answered. So after any crash the file is either the old or the new one.
//
// Bounds: only elements of the topology can be drained, so the file lists at most its switches,
// links and access lines. At most kDrainFileOctetsMax octets are read.
//
// Blocks on the disk. One process a file; not for several threads at once.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/path.hpp"
#include "core/result.hpp"
#include "core/state_file.hpp"

namespace xbind {

inline constexpr std::size_t kDrainFileOctetsMax = std::size_t{4} << 20;

// DIRECTORY/routeobject-NAME.drains
std::string drain_file_path(const std::string& directory, const std::string& name);

std::string drains_as_text(const std::vector<PathElement>& drains);
// kBadInput: another format, not whole, or a repeated element; the text names `path`.
Result<std::vector<PathElement>> drains_from_text(std::string_view text, const std::string& path);

// Without a file there are no drains. Errors as above, and of read_state().
Result<std::vector<PathElement>> read_drains(const std::string& path);
// kSystem: writing failed; the text names the file and the reason, and the old file stays.
// `unwritten`: what the file should have then.
Result<void> write_drains(const std::string& path, const std::vector<PathElement>& drains,
                          Unwritten unwritten = Unwritten::kUndone);

}  // namespace xbind
