// The page of `run --live`: HTML, style and script in one text.
#pragma once

#include <string_view>

namespace xbind::callgen {

std::string_view live_page();

}  // namespace xbind::callgen
