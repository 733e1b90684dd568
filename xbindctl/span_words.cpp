#include "xbindctl/span_words.hpp"

#include <fmt/format.h>

#include <chrono>

#include "core/utc_text.hpp"

namespace xbind::ctl {

std::string wall_time(std::uint64_t ns) {
  return utc_text(std::chrono::microseconds{static_cast<std::int64_t>(ns / 1'000)});
}

std::string in_us(std::int64_t ns) { return fmt::format("{:.1f}", static_cast<double>(ns) / 1e3); }

std::string took(const trace::Span& span) {
  if (span.end_ns == 0) return "-";
  return in_us(static_cast<std::int64_t>(span.end_ns - span.begin_ns));
}

std::string result_of(const trace::Span& span, const std::string& note) {
  std::string words = span.end_ns == 0             ? "under way"
                      : span.cause != Cause::kNone ? std::string{to_string(span.cause)}
                                                   : std::string{"done"};
  if (!span.detail.empty()) words += fmt::format(", {}", span.detail);
  if (!note.empty()) words += fmt::format("; {}", note);
  return words;
}

}  // namespace xbind::ctl
