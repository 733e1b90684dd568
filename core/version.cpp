#include "core/version.hpp"

#include "revision.hpp"

namespace xbind {

std::string_view version() { return XBIND_VERSION; }
std::string_view revision() { return XBIND_REVISION; }

}  // namespace xbind
