// Which build this is.
#pragma once

#include <string_view>

namespace xbind {

// "0.1.0": that of project() in the root CMakeLists.txt.
std::string_view version();

// The revision that was built, "8b9424e"; with a "+" when the tree differed from it, empty when it was built
// outside git.
std::string_view revision();

}  // namespace xbind
