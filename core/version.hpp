// The version of this build, "0.1.0": that of project() in the root CMakeLists.txt.
#pragma once

#include <string_view>

namespace xbind {

std::string_view version();

}  // namespace xbind
