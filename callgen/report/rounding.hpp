// Numbers as a person writes them, the same in the summary and on the page.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace xbind::callgen {

// On a page: a narrow space at which no line breaks.
inline constexpr std::string_view kNarrowSpace = "\u202f";

// 23998 -> "23 998".
std::string grouped(std::uint64_t number, std::string_view space = " ");

// About three digits: 0, 0.00012, 0.031, 0.31, 3.10, 31.0, 310, 3 100. Any finite number.
std::string rounded(double number, std::string_view space = " ");

}  // namespace xbind::callgen
