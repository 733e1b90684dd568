#include "core/version.hpp"

namespace xbind {

std::string_view version() { return XBIND_VERSION; }

}  // namespace xbind
