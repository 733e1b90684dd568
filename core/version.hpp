// The version and revision of this build.
#pragma once

#include <string_view>

namespace xbind {

// "0.1.0": from project() in the root CMakeLists.txt.
std::string_view version();

// The git revision of the build, "8b9424e"; with a "+" when the tree differed from it. Empty when
// it was built outside git.
std::string_view revision();

}  // namespace xbind
