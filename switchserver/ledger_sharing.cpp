// Ledger: labels and quotas without a connection, the managers' shares, and unclaimed entries of
// the switch.
#include <algorithm>

#include "core/planted.hpp"
#include "switchserver/ledger.hpp"
#include "switchserver/ledger_refusals.hpp"

namespace xbind {

// ===== labels =====

LabelsMissing Ledger::grant_labels(ManagerIndex manager, PortId id, std::size_t wanted,
                                   std::vector<Label>& granted) {
  Port* const of = port(id);
  LabelsMissing missing;
  if (of == nullptr || !of->present) return missing;
  if (const auto share = share_of(*of, manager)) {
    const std::uint64_t most = less(*share, held_on(*of, manager));
    if (wanted > most) {
      missing.share = wanted - most;
      wanted = most;
    }
  }
  granted.reserve(granted.size() + std::min<std::uint64_t>(wanted, of->output.free_count()));
  for (; wanted != 0; --wanted) {
    const auto spot = of->output.next_free_spot();
    if (!spot) break;
    if (!planted(Bug::kLabelHandedOutTwice)) {
      of->output.move(*spot, {LabelHolder::kCached, manager, {}});
    }
    granted.push_back(of->output.label(*spot));
  }
  missing.free = wanted;
  return missing;
}

bool Ledger::return_label(ManagerIndex manager, PortId id, Label label) {
  Port* const of = port(id);
  const auto spot = of == nullptr ? std::nullopt : of->output.find_spot(label);
  if (!spot) return false;
  if (!is_loose(of->output.place_of(*spot), manager)) return false;
  of->output.move(*spot, {LabelHolder::kFree, {}, {}});
  return true;
}

// ===== quotas =====

Resources Ledger::grant_quota(ManagerIndex manager, PortId id, Resources wanted) {
  Port* const of = port(id);
  if (of == nullptr || !of->present) return {};
  Account& have = account(*of, manager);
  // Hops in excess of the quota are counted already: a quota that covers them needs nothing more.
  const auto most = [](std::uint64_t capacity, std::uint64_t taken, std::uint64_t quota,
                       std::uint64_t hops) { return less(capacity, taken) + less(hops, quota); };
  const Resources granted{
      std::min(wanted.cells_per_s, most(of->capacity.cells_per_s, of->taken.cells_per_s,
                                        have.quota.cells_per_s, have.hops.cells_per_s)),
      std::min(wanted.buffer_cells, most(of->capacity.buffer_cells, of->taken.buffer_cells,
                                         have.quota.buffer_cells, have.hops.buffer_cells))};
  Resources quota = have.quota;
  set_quota(*of, have, quota += granted);
  return granted;
}

bool Ledger::return_quota(ManagerIndex manager, PortId id, Resources amount) {
  Port* const of = port(id);
  if (of == nullptr) return amount == Resources{};
  Account& books = account(*of, manager);
  const Resources have = books.quota;
  set_quota(
      *of, books,
      {less(have.cells_per_s, amount.cells_per_s), less(have.buffer_cells, amount.buffer_cells)});
  return amount.fits_within(have);
}

Resources Ledger::quota(ManagerIndex manager, PortId id) const {
  const Port* const of = port(id);
  return of == nullptr ? Resources{} : account_of(*of, manager).quota;
}

Resources Ledger::unused_quota(ManagerIndex manager, PortId id) const {
  const Port* const of = port(id);
  if (of == nullptr) return {};
  const Account have = account_of(*of, manager);
  return {less(have.quota.cells_per_s, have.hops.cells_per_s),
          less(have.quota.buffer_cells, have.hops.buffer_cells)};
}

// ===== what is not in calls =====
namespace {

std::uint64_t beyond(std::uint64_t whole, std::uint64_t part) {
  return whole > part ? whole - part : 0;
}

// What a manager has of a port's stock.
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

PortHolding Ledger::holding_of(const Port& port, ManagerIndex manager) const {
  const Account have = account_of(port, manager);
  PortHolding holding;
  holding.labels_in_calls = have.labels;
  for (const LabelHolder unused :
       {LabelHolder::kCached, LabelHolder::kQuarantine, LabelHolder::kLapsed}) {
    holding.labels_unused += port.output.count(unused, manager);
  }
  holding.in_calls = have.hops;
  holding.unused = {less(have.quota.cells_per_s, have.hops.cells_per_s),
                    less(have.quota.buffer_cells, have.hops.buffer_cells)};
  return holding;
}

PortHolding Ledger::holding(ManagerIndex manager, PortId id) const {
  const Port* const of = port(id);
  return of == nullptr ? PortHolding{} : holding_of(*of, manager);
}

GrantRoom Ledger::grant_room(ManagerIndex manager, PortId id, const GrantRoom& wanted) const {
  const Port* const of = port(id);
  if (of == nullptr) return {};
  const unsigned percent = options_.unused_percent;
  if (percent >= 100 || planted(Bug::kHoarded)) return wanted;
  const PortHolding own = holding_of(*of, manager);
  const auto room_of = [&](std::uint64_t asked, std::uint64_t stock, auto stake) {
    if (asked == 0 || asked <= beyond(stake(own).calls, stake(own).unused)) return asked;
    std::uint64_t others = 0;
    for (std::size_t m = 0; m < managers_.size(); ++m) {
      const ManagerIndex index{static_cast<std::uint16_t>(m)};
      if (index != manager) others += stake(holding_of(*of, index)).beyond_calls();
    }
    return std::min(asked, room(stock, percent, stake(own), others));
  };
  return {room_of(wanted.labels, of->output.size(),
                  [](const PortHolding& it) {
                    return Stake{it.labels_in_calls, it.labels_unused};
                  }),
          {room_of(wanted.quota.cells_per_s, of->capacity.cells_per_s,
                   [](const PortHolding& it) {
                     return Stake{it.in_calls.cells_per_s, it.unused.cells_per_s};
                   }),
           room_of(wanted.quota.buffer_cells, of->capacity.buffer_cells, [](const PortHolding& it) {
             return Stake{it.in_calls.buffer_cells, it.unused.buffer_cells};
           })}};
}

// ===== shares =====

void Ledger::declare(ManagerIndex manager, PortId id, std::uint32_t labels) {
  if (Port* const of = port(id)) account(*of, manager).declared = labels;
}

std::uint64_t Ledger::held_on(const Port& port, ManagerIndex manager) const {
  return account_of(port, manager).labels + port.output.count(LabelHolder::kCached, manager) +
         port.output.count(LabelHolder::kQuarantine, manager);
}

std::optional<std::uint64_t> Ledger::share_of(const Port& port, ManagerIndex manager,
                                              std::uint64_t more_held) const {
  if (options_.sharing == LabelSharing::kFree) return std::nullopt;
  bool anybody_declared = false;
  std::uint64_t sum = 0;
  std::uint64_t own = 0;
  for (std::size_t m = 0; m < managers_.size(); ++m) {
    if (!managers_[m].in_session) continue;
    const ManagerIndex index{static_cast<std::uint16_t>(m)};
    const auto declared = account_of(port, index).declared;
    anybody_declared = anybody_declared || declared.has_value();
    const std::uint64_t held = held_on(port, index) + (index == manager ? more_held : 0);
    const std::uint64_t wants = declared ? *declared : held;
    sum += wants;
    if (index == manager) own = wants;
  }
  if (!anybody_declared || sum == 0) return std::nullopt;  // no competition
  const std::uint64_t share = port.output.size() * own / sum;
  const bool silent = !account_of(port, manager).declared;
  return silent ? std::max(share, held_on(port, manager) + more_held) : share;
}

std::optional<std::uint64_t> Ledger::label_share(ManagerIndex manager, PortId id) const {
  const Port* const of = port(id);
  return of == nullptr ? std::nullopt : share_of(*of, manager);
}

std::uint64_t Ledger::labels_held(ManagerIndex manager, PortId id) const {
  const Port* const of = port(id);
  return of == nullptr ? 0 : held_on(*of, manager);
}

std::uint64_t Ledger::labels_loose(ManagerIndex manager, PortId id) const {
  const Port* const of = port(id);
  return of == nullptr ? 0
                       : of->output.count(LabelHolder::kCached, manager) +
                             of->output.count(LabelHolder::kQuarantine, manager);
}

// ===== holdings =====

std::vector<PortLabels> Ledger::cached(ManagerIndex manager) const {
  std::vector<PortLabels> all;
  for (const Port& port : ports_) {
    if (port.output.count(LabelHolder::kCached, manager) == 0) continue;
    all.push_back({port.about.port, port.output.list(LabelHolder::kCached, manager)});
  }
  return all;
}

std::vector<PortLabels> Ledger::quarantined(ManagerIndex manager) const {
  std::vector<PortLabels> all;
  for (const Port& port : ports_) {
    if (port.output.count(LabelHolder::kQuarantine, manager) == 0) continue;
    all.push_back({port.about.port, port.output.list(LabelHolder::kQuarantine, manager)});
  }
  return all;
}

std::vector<PortLabels> Ledger::lapsed(ManagerIndex manager) const {
  std::vector<PortLabels> all;
  for (const Port& port : ports_) {
    if (port.output.count(LabelHolder::kLapsed, manager) == 0) continue;
    all.push_back({port.about.port, port.output.list(LabelHolder::kLapsed, manager)});
  }
  return all;
}

// ===== entries of the switch that no hop claims =====

void Ledger::block(const CrossConnect& stranger) {
  if (planted(Bug::kStrangerNotBlocked)) return;
  const auto block_one = [](LabelPool& pool, Label label) {
    if (pool.contains(label) && pool.is_free(label)) {
      pool.move(label, {LabelHolder::kUnclaimed, {}, {}});
    }
  };
  if (Port* in = port(stranger.input_port)) block_one(in->input, stranger.input_label);
  if (Port* out = port(stranger.output_port)) block_one(out->output, stranger.output_label);
}

void Ledger::unblock_all() {
  for (Port& port : ports_) {
    port.input.free_all(LabelHolder::kUnclaimed);
    port.output.free_all(LabelHolder::kUnclaimed);
  }
}

std::uint64_t Ledger::unclaimed_labels() const {
  std::uint64_t labels = 0;
  for (const Port& port : ports_) {
    labels +=
        port.input.count(LabelHolder::kUnclaimed) + port.output.count(LabelHolder::kUnclaimed);
  }
  return labels;
}

}  // namespace xbind
