// Small files that a daemon keeps across restarts (--state-dir). A file is replaced as a whole, so
// that after any crash it has either the old or the new text.
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
// `text`, whole lines, with a last line that has its length and its CRC-32: a file that was cut or
// written over is known by it. "# end: 123 octets, CRC-32 89abcdef".
std::string with_end_mark(std::string text);
// The text without that line. kBadInput: the line is missing, or differs from the text; the text of
// the error names `path`.
Result<std::string_view> without_end_mark(std::string_view text, const std::string& path);
// Creates the directory of --state-dir with those above it; an empty path is no directory. Returns
// false, and logs it, if it cannot be created.
bool make_state_dir(const std::string& path);

}  // namespace xbind
