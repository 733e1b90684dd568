#include "switchserver/ledger/grants.hpp"

#include <algorithm>

#include "core/planted.hpp"

namespace xbind {

// ===== labels =====

LabelsMissing Grants::grant_labels(ManagerIndex manager, PortId port, std::size_t wanted,
                                   std::vector<Label>& granted) {
  const auto out = numbers_.find(port);
  if (!out || !ports_.is_present(*out)) return {};
  return labels_.grant(manager, *out, wanted, granted);
}

bool Grants::return_label(ManagerIndex manager, PortId port, Label label) {
  const auto out = numbers_.find(port);
  return out && labels_.give_back(manager, *out, label);
}

void Grants::declare(ManagerIndex manager, PortId port, std::uint32_t labels) {
  if (const auto out = numbers_.find(port)) labels_.declare(manager, *out, labels);
}

void Grants::claim_resting(ManagerIndex manager, PortId port, Label label) {
  if (const auto out = numbers_.find(port)) labels_.claim_resting(manager, *out, label);
}

// ===== quotas =====

Resources Grants::grant_quota(ManagerIndex manager, PortId port, Resources wanted) {
  const auto out = numbers_.find(port);
  return out ? ports_.grant_quota(manager, *out, wanted) : Resources{};
}

bool Grants::return_quota(ManagerIndex manager, PortId port, Resources amount) {
  const auto out = numbers_.find(port);
  return out ? ports_.return_quota(manager, *out, amount) : amount == Resources{};
}

// ===== what is not in calls =====
namespace {

std::uint64_t beyond(std::uint64_t whole, std::uint64_t part) {
  return whole > part ? whole - part : 0;
}

// What a manager has of what a port has in all.
struct Stake {
  std::uint64_t calls = 0;
  std::uint64_t unused = 0;

  std::uint64_t beyond_calls() const { return beyond(unused, calls); }
};

// `others`: the sum of what the other managers have unused beyond what their calls have.
std::uint64_t room(std::uint64_t stock, unsigned percent, Stake own, std::uint64_t others) {
  const std::uint64_t share = stock / 100 * percent + (stock % 100 * percent + 99) / 100;
  const std::uint64_t shown = beyond(own.calls, own.unused);
  const std::uint64_t together =
      beyond(std::min(2 * share, stock), others + own.beyond_calls()) + shown;
  return std::max(shown, std::min(beyond(share, own.unused), together));
}

}  // namespace

PortHolding Grants::holding_of(PortIndex out, ManagerIndex manager) const {
  PortHolding holding;
  holding.labels_in_calls = labels_.in_calls(manager, out);
  holding.labels_unused =
      labels_.loose(manager, out) + labels_.output(out).count(LabelHolder::kLapsed, manager);
  holding.in_calls = ports_.hops(manager, out);
  holding.unused = ports_.unused_quota(manager, out);
  return holding;
}

PortHolding Grants::holding(ManagerIndex manager, PortId port) const {
  const auto out = numbers_.find(port);
  return out ? holding_of(*out, manager) : PortHolding{};
}

GrantRoom Grants::grant_room(ManagerIndex manager, PortId port, const GrantRoom& wanted) const {
  const auto out = numbers_.find(port);
  if (!out) return {};
  const unsigned percent = options_.unused_percent;
  if (percent >= 100 || planted(Bug::kHoarded)) return wanted;
  const PortHolding own = holding_of(*out, manager);
  const auto room_of = [&](std::uint64_t asked, std::uint64_t stock, auto stake) {
    if (asked == 0 || asked <= beyond(stake(own).calls, stake(own).unused)) return asked;
    std::uint64_t others = 0;
    for (std::size_t m = 0; m < managers_.size(); ++m) {
      const ManagerIndex index{static_cast<std::uint16_t>(m)};
      if (index != manager) others += stake(holding_of(*out, index)).beyond_calls();
    }
    return std::min(asked, room(stock, percent, stake(own), others));
  };
  const Resources& capacity = ports_.capacity(*out);
  return {room_of(wanted.labels, labels_.output(*out).size(),
                  [](const PortHolding& it) {
                    return Stake{it.labels_in_calls, it.labels_unused};
                  }),
          {room_of(wanted.quota.cells_per_s, capacity.cells_per_s,
                   [](const PortHolding& it) {
                     return Stake{it.in_calls.cells_per_s, it.unused.cells_per_s};
                   }),
           room_of(wanted.quota.buffer_cells, capacity.buffer_cells, [](const PortHolding& it) {
             return Stake{it.in_calls.buffer_cells, it.unused.buffer_cells};
           })}};
}

}  // namespace xbind
