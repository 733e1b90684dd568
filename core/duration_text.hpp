// Measured durations as text for people.
#pragma once

#include <string>

namespace xbind {

// "12.3 us", below a microsecond "310 ns": what took time is never 0. "-" for 0, which means that
// no time was measured. Not negative.
std::string duration_text(double ns);

}  // namespace xbind
