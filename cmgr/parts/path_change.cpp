#include "cmgr/parts/path_change.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace xbind::cmgr {
namespace {

constexpr std::uint16_t kNone = StepChange::kNone;

// Whether both paths go on alike behind these hops. Where links have been exchanged, a port leads
// elsewhere than it did.
bool leads_alike(const std::vector<PathStep>& from, std::size_t f, const std::vector<PathStep>& to,
                 std::size_t t) {
  if (f + 1 == from.size() || t + 1 == to.size()) return f + 1 == from.size() && t + 1 == to.size();
  return from[f + 1].at == to[t + 1].at && from[f + 1].input_port == to[t + 1].input_port;
}

// For each hop of `to`, the hop of `from` whose output link it shares and keeps, or none: the
// longest selection that is in the order of both paths. A shared link out of order would lead cells
// back to where they have been.
std::vector<std::uint16_t> links_kept(const std::vector<PathStep>& from,
                                      const std::vector<PathStep>& to) {
  std::vector<std::uint16_t> shared(to.size(), kNone);
  for (std::size_t i = 0; i < to.size(); ++i) {
    const auto same = std::find_if(from.begin(), from.end(), [&](const PathStep& step) {
      return step.at == to[i].at && step.output_port == to[i].output_port;
    });
    if (same == from.end()) continue;
    const auto f = static_cast<std::size_t>(same - from.begin());
    if (leads_alike(from, f, to, i)) shared[i] = static_cast<std::uint16_t>(f);
  }
  // Longest increasing subsequence; `before` links each element to its predecessor.
  std::vector<std::size_t> length(to.size(), 0);
  std::vector<std::size_t> before(to.size(), to.size());
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (shared[i] == kNone) continue;
    length[i] = 1;
    for (std::size_t j = 0; j < i; ++j) {
      if (shared[j] == kNone || shared[j] >= shared[i] || length[j] < length[i]) continue;
      length[i] = length[j] + 1;
      before[i] = j;
    }
  }
  std::vector<std::uint16_t> kept(to.size(), kNone);
  // Both paths end with the same link to the endpoint, so the longest selection ends there.
  for (std::size_t at = to.size() - 1; at < to.size(); at = before[at]) kept[at] = shared[at];
  return kept;
}

}  // namespace

std::vector<StepChange> change_of_path(const std::vector<PathStep>& from,
                                       const std::vector<PathStep>& to) {
  XB_CHECK(!from.empty() && !to.empty() && from.front().at == to.front().at &&
               from.front().input_port == to.front().input_port && from.back().at == to.back().at &&
               from.back().output_port == to.back().output_port,
           from.size(), to.size());
  const std::vector<std::uint16_t> kept = links_kept(from, to);
  std::vector<StepChange> changes;
  changes.reserve(to.size());
  for (std::size_t i = 0; i < to.size(); ++i) {
    // The hop of `from` that now receives the cells entering this hop.
    std::uint16_t here = kNone;
    if (i == 0) {
      here = 0;
    } else if (kept[i - 1] != kNone) {
      here = static_cast<std::uint16_t>(kept[i - 1] + 1);
    }
    using Kind = StepChange::Kind;
    if (kept[i] != kNone) {
      changes.push_back({kept[i] == here ? Kind::kStays : Kind::kJoins, kept[i]});
    } else {
      changes.push_back({here != kNone ? Kind::kTakesOver : Kind::kNew, here});
    }
  }
  return changes;
}

}  // namespace xbind::cmgr
