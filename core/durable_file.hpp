// Replaces a small file as a whole, so that after any crash it has either the old or the new text.
#pragma once

#include <string>
#include <string_view>

#include "core/result.hpp"

namespace xbind {

// The new text is on the disk, under the file's name, before this returns; it is first written to
// `path`.new. kSystem: writing failed, and the old file stays; the text names the file and the
// reason. Blocks on the disk. One process a file; not for several threads at once.
Result<void> replace_file(const std::string& path, std::string_view text);

}  // namespace xbind
