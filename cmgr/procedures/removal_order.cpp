#include "cmgr/procedures/removal_order.hpp"

#include <algorithm>
#include <memory>

#include "cmgr/parts/found_joints.hpp"

namespace xbind::cmgr {
namespace {

// Whether the hop has taken over from a hop of the connection: its removal leads the cells back.
bool leads_back(const Connection& connection, const FoundHop& found) {
  const LedgerHop& gone = found.hop;
  return !gone.superseded && std::ranges::any_of(connection.hops(), [&](const Hop& hop) {
    return hop.at == found.at && hop.leg == gone.key.leg &&
           hop.generation < gone.key.generation.value() &&
           hop.input_port == gone.cross_connect.input_port &&
           static_cast<Label>(hop.input_label) == gone.cross_connect.input_label;
  });
}

}  // namespace

std::optional<std::vector<FoundHop>> before_move(const std::vector<FoundHop>& hops) {
  const auto is_over = [](const FoundHop& upper, const FoundHop& lower) {
    return upper.hop.key.leg == lower.hop.key.leg && input_of(upper) == input_of(lower) &&
           upper.hop.key.generation > lower.hop.key.generation;
  };
  const auto is_taken_over = [](const FoundHop& hop) {
    return hop.hop.stage == HopStage::kCommitted && hop.hop.superseded;
  };
  Generation last{};
  for (const FoundHop& upper : hops) {
    if (upper.carries() && std::ranges::any_of(hops, [&](const FoundHop& lower) {
          return is_taken_over(lower) && is_over(upper, lower);
        })) {
      last = std::max(last, upper.hop.key.generation);
    }
  }
  if (last == Generation{}) return std::nullopt;
  std::vector<FoundHop> before = hops;
  for (FoundHop& hop : before) {
    if (hop.hop.key.generation == last) hop.hop.stage = HopStage::kRemoving;
  }
  for (FoundHop& hop : before) {
    const bool uppermost = std::ranges::none_of(before, [&](const FoundHop& upper) {
      return upper.hop.stage == HopStage::kCommitted && is_over(upper, hop);
    });
    if (is_taken_over(hop) && uppermost) hop.hop.superseded = false;
  }
  return before;
}

void arrange_removals(Connection& connection, const std::vector<const FoundHop*>& going,
                      std::vector<Debt>& debts) {
  std::vector<bool> leads(going.size());
  for (std::size_t i = 0; i < going.size(); ++i) leads[i] = leads_back(connection, *going[i]);
  std::shared_ptr<const void> first = connection.observed().led_back.lock();
  if (!first && std::ranges::find(leads, true) != leads.end()) {
    first = std::make_shared<const int>();
    connection.note().led_back = first;
  }
  for (std::size_t i = 0; i < going.size(); ++i) {
    if (leads[i]) {
      debts[i].before = first;
    } else {
      debts[i].after = first;
    }
  }
}

}  // namespace xbind::cmgr
