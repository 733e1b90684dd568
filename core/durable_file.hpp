// Small files that are replaced as a whole, so that after any crash they have either the old or the
// new text. Those under --state-dir are written and read by core/state_file.hpp.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace xbind {

// The new text is on the disk, under the file's name, before this returns; it is first written to
// `path`.new. kSystem: writing failed, and the old file stays; the text names the file and the
// reason. Blocks on the disk. One process a file; not for several threads at once.
Result<void> replace_file(const std::string& path, std::string_view text);
// The file's text; nullopt: there is no such file. Errors as of read_file().
Result<std::optional<std::string>> read_file_if_there(const std::string& path, std::size_t max);
// Whether replace_file() would succeed now: writes the draft and removes it again. The file stays
// as it is, and need not exist. Errors as of replace_file().
Result<void> try_file(const std::string& path, std::string_view text);
// Creates the directory of --state-dir with those above it; an empty path is no directory. Returns
// false, and logs it, if it cannot be created.
bool make_state_dir(const std::string& path);

}  // namespace xbind
