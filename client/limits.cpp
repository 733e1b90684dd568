#include "client/limits.hpp"

#include <string_view>

#include "client/timers.hpp"

namespace xbind::client {
namespace {

constexpr Duration kMost = kClientTimers["answer-within-max"];
constexpr Duration kLeast = kClientTimers["limit-min"];

Result<void> in_range(std::string_view what, std::size_t value, std::size_t least,
                      std::size_t most) {
  if (value >= least && value <= most) return {};
  return fail(ErrorCode::kBadInput, "{} is {}, not in {} to {}", what, value, least, most);
}

Result<void> in_range(std::string_view what, Duration value, Duration least,
                      bool may_be_forever = false) {
  if (value >= least && value <= kMost) return {};
  if (may_be_forever && value == kForever) return {};
  return fail(ErrorCode::kBadInput, "{} is {} ns, not in {} ns to an hour", what, value.count(),
              least.count());
}

}  // namespace

Result<void> check(const Limits& limits) {
  if (!(limits.jitter >= 0 && limits.jitter <= 1)) {
    return fail(ErrorCode::kBadInput, "jitter is {}, not in 0 to 1", limits.jitter);
  }
  if (limits.back_off.min > limits.back_off.max) {
    return fail(ErrorCode::kBadInput, "the smallest back-off, {} ns, is above the largest, {} ns",
                limits.back_off.min.count(), limits.back_off.max.count());
  }
  for (const Result<void>& checked :
       {in_range("open_max", limits.open_max, 1, 4'000'000),
        in_range("requests_per_batch", limits.requests_per_batch, 1, 4096),
        in_range("the smallest back-off", limits.back_off.min, kLeast),
        in_range("the largest back-off", limits.back_off.max, kLeast),
        in_range("attach_answer", limits.attach_answer, kClientTimers["attach-answer-min"]),
        in_range("reach_within", limits.reach_within, kLeast, true),
        in_range("first_answer", limits.first_answer, kLeast, true)}) {
    if (!checked) return checked;
  }
  return {};
}

}  // namespace xbind::client
