// Whether a driver's answer belongs to this request and has this cause.
#pragma once

#include <gmock/gmock.h>

namespace xbind {

MATCHER_P2(Answered, cookie, cause, "") { return arg.cookie == cookie && arg.cause == cause; }

}  // namespace xbind
