#include "switchserver/ledger/label_pools.hpp"

#include <algorithm>
#include <array>

#include "core/planted.hpp"
#include "switchserver/ledger/refusals.hpp"

namespace xbind {

// ===== pools =====

LabelRanges LabelPools::set_ranges(PortIndex at, const LabelRanges& ranges) {
  if (at.value() >= ports_.size()) {
    ports_.emplace_back(ranges);
    return ports_.back().output.ranges();
  }
  Port& port = ports_[at.value()];
  if (port.output.ranges() != ranges && port.output.idle() && port.input.idle()) {
    port.output = LabelPool(ranges);
    port.input = LabelPool(ranges);
  }
  return port.output.ranges();
}

std::size_t LabelPools::octets() const {
  std::size_t octets = 0;
  for (const Port& port : ports_) octets += port.input.octets() + port.output.octets();
  return octets;
}

// ===== reads =====

LabelStock LabelPools::output_stock(PortId id) const {
  const auto at = numbers_.find(id);
  if (!at) return {};
  return {output(*at).free_count(), output(*at).size()};
}

std::optional<LabelPlace> LabelPools::output_label(PortId id, Label label) const {
  const auto at = numbers_.find(id);
  if (!at || !output(*at).contains(label)) return std::nullopt;
  return output(*at).place_of(label);
}

std::optional<LabelPlace> LabelPools::input_label(PortId id, Label label) const {
  const auto at = numbers_.find(id);
  if (!at || !input(*at).contains(label)) return std::nullopt;
  return input(*at).place_of(label);
}

std::vector<PortLabels> LabelPools::list(LabelHolder holder, ManagerIndex manager) const {
  std::vector<PortLabels> all;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const LabelPool& pool = ports_[i].output;
    if (pool.count(holder, manager) == 0) continue;
    all.push_back(
        {numbers_.id(PortIndex{static_cast<PortIndex::rep>(i)}), pool.list(holder, manager)});
  }
  return all;
}

bool LabelPools::has_labels(ManagerIndex manager) const {
  constexpr std::array kHolders{LabelHolder::kCached, LabelHolder::kQuarantine,
                                LabelHolder::kLapsed};
  return std::any_of(ports_.begin(), ports_.end(), [&](const Port& port) {
    return std::any_of(kHolders.begin(), kHolders.end(),
                       [&](LabelHolder holder) { return port.output.count(holder, manager) != 0; });
  });
}

std::uint64_t LabelPools::held(ManagerIndex manager, PortIndex out) const {
  return in_calls(manager, out) + loose(manager, out);
}

std::uint64_t LabelPools::held(ManagerIndex manager, PortId id) const {
  const auto at = numbers_.find(id);
  return at ? held(manager, *at) : 0;
}

std::uint64_t LabelPools::loose(ManagerIndex manager, PortIndex out) const {
  return output(out).count(LabelHolder::kCached, manager) +
         output(out).count(LabelHolder::kQuarantine, manager);
}

std::uint64_t LabelPools::loose(ManagerIndex manager, PortId id) const {
  const auto at = numbers_.find(id);
  return at ? loose(manager, *at) : 0;
}

std::optional<std::uint64_t> LabelPools::shared_out(ManagerIndex manager, PortIndex out,
                                                    std::uint64_t more_held) const {
  const Port& port = ports_[out.value()];
  bool anybody_declared = false;
  std::uint64_t sum = 0;
  std::uint64_t own = 0;
  for (std::size_t m = 0; m < managers_.size(); ++m) {
    const ManagerIndex index{static_cast<std::uint16_t>(m)};
    if (!managers_.in_session(index)) continue;
    const auto declared = use_of(port, index).declared;
    anybody_declared = anybody_declared || declared.has_value();
    const std::uint64_t has = held(index, out) + (index == manager ? more_held : 0);
    const std::uint64_t wants = declared ? *declared : has;
    sum += wants;
    if (index == manager) own = wants;
  }
  if (!anybody_declared || sum == 0) return std::nullopt;  // no competition
  const std::uint64_t share = port.output.size() * own / sum;
  const bool silent = !use_of(port, manager).declared;
  return silent ? std::max(share, held(manager, out) + more_held) : share;
}

std::optional<std::uint64_t> LabelPools::share(ManagerIndex manager, PortId id) const {
  const auto at = numbers_.find(id);
  return at ? share(manager, *at) : std::nullopt;
}

// ===== changes =====

void LabelPools::grow(Port& port, ManagerIndex manager) {
  port.uses.resize(manager.value() + std::size_t{1});
}

LabelsMissing LabelPools::grant(ManagerIndex manager, PortIndex out, std::size_t wanted,
                                std::vector<Label>& granted) {
  LabelsMissing missing;
  if (const auto share = this->share(manager, out)) {
    const std::uint64_t most = less(*share, held(manager, out));
    if (wanted > most) {
      missing.share = wanted - most;
      wanted = most;
    }
  }
  LabelPool& pool = output(out);
  granted.reserve(granted.size() + std::min<std::uint64_t>(wanted, pool.free_count()));
  for (; wanted != 0; --wanted) {
    const auto spot = pool.next_free_spot();
    if (!spot) break;
    if (!planted(Bug::kLabelHandedOutTwice)) {
      pool.move(*spot, {LabelHolder::kCached, manager, {}});
    }
    granted.push_back(pool.label(*spot));
  }
  missing.free = wanted;
  return missing;
}

bool LabelPools::give_back(ManagerIndex manager, PortIndex out, Label label) {
  LabelPool& pool = output(out);
  const auto spot = pool.find_spot(label);
  if (!spot || !is_loose(pool.place_of(*spot), manager)) return false;
  pool.move(*spot, {LabelHolder::kFree, {}, {}});
  return true;
}

void LabelPools::claim_resting(ManagerIndex manager, PortIndex out, Label label) {
  LabelPool& pool = output(out);
  const auto spot = pool.find_spot(label);
  if (!spot) return;
  const LabelPlace place = pool.place_of(*spot);
  if (place.holder > LabelHolder::kFree && !is_loose(place, manager)) return;
  pool.move(*spot, {LabelHolder::kQuarantine, manager, {}});
}

void LabelPools::declare(ManagerIndex manager, PortIndex out, std::uint32_t labels) {
  use(ports_[out.value()], manager).declared = labels;
}

// ===== sessions =====

void LabelPools::open_session(ManagerIndex manager) {
  for (Port& port : ports_) {
    if (port.output.count(LabelHolder::kLapsed, manager) == 0) continue;
    port.output.begin_rest(manager);
    port.output.move_all(manager, LabelHolder::kLapsed, LabelHolder::kQuarantine);
  }
}

void LabelPools::lapse(ManagerIndex manager) {
  for (Port& port : ports_) {
    if (planted(Bug::kLapsedAtOnceFree)) {
      port.output.free_all(LabelHolder::kCached, manager);
    } else if (!planted(Bug::kLapseKeepsCaches)) {
      port.output.move_all(manager, LabelHolder::kCached, LabelHolder::kLapsed);
    }
    if (manager.value() < port.uses.size()) use(port, manager).declared.reset();
  }
}

void LabelPools::end_rest(ManagerIndex manager) {
  for (Port& port : ports_) port.output.end_rest(manager);
}

void LabelPools::forget(ManagerIndex manager) {
  for (Port& port : ports_) {
    port.output.free_all(LabelHolder::kQuarantine, manager);
    port.output.free_all(LabelHolder::kLapsed, manager);
  }
}

// ===== entries of the switch that no hop claims =====

void LabelPools::block(const CrossConnect& stranger) {
  if (planted(Bug::kStrangerNotBlocked)) return;
  const auto block_one = [](LabelPool& pool, Label label) {
    if (pool.contains(label) && pool.is_free(label)) {
      pool.move(label, {LabelHolder::kUnclaimed, {}, {}});
    }
  };
  if (const auto in = numbers_.find(stranger.input_port)) {
    block_one(input(*in), stranger.input_label);
  }
  if (const auto out = numbers_.find(stranger.output_port)) {
    block_one(output(*out), stranger.output_label);
  }
}

void LabelPools::unblock_all() {
  for (Port& port : ports_) {
    port.input.free_all(LabelHolder::kUnclaimed);
    port.output.free_all(LabelHolder::kUnclaimed);
  }
}

std::uint64_t LabelPools::unclaimed_labels() const {
  std::uint64_t labels = 0;
  for (const Port& port : ports_) {
    labels +=
        port.input.count(LabelHolder::kUnclaimed) + port.output.count(LabelHolder::kUnclaimed);
  }
  return labels;
}

bool LabelPools::has_unclaimed(PortId id) const {
  const auto at = numbers_.find(id);
  return at && (input(*at).count(LabelHolder::kUnclaimed) != 0 ||
                output(*at).count(LabelHolder::kUnclaimed) != 0);
}

void LabelPools::relist() {
  for (Port& port : ports_) {
    port.output.relist();
    port.input.relist();
    for (Use& use : port.uses) use.in_calls = 0;
  }
}

}  // namespace xbind
