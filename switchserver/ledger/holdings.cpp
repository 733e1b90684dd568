#include "switchserver/ledger/holdings.hpp"

#include <algorithm>

#include "core/planted.hpp"
#include "switchserver/ledger/refusals.hpp"

namespace xbind {

// ===== the output port =====

OutputGroup group_of(const LedgerParts& parts, std::uint32_t head) {
  OutputGroup group;
  for (std::uint32_t i = head; i != HopRecord::kNil; i = parts.hops[i].next_on_output()) {
    group.needs = greater(group.needs, parts.extras.alone(HopRef{i}));
    group.charged += parts.hops[i].charge;
  }
  return group;
}

Resources HopHoldings::additional_charge(PortIndex out, const HopSetup& setup,
                                         Resources alone) const {
  if (!setup.joins || planted(Bug::kSharedCountedTwice)) return alone;
  const LabelPlace place = parts_.labels.output(out).place_of(setup.output_label);
  const Resources there = group_of(parts_, place.hop.value()).charged;
  return {less(alone.cells_per_s, there.cells_per_s), less(alone.buffer_cells, there.buffer_cells)};
}

HopRef HopHoldings::enter(ManagerIndex manager, const HopSetup& setup, std::uint32_t owner,
                          std::uint64_t hash, PortIndex in, const Output& out) {
  const HopRef ref = parts_.hops.insert(manager, setup, owner, hash);
  parts_.managers.add_hop(manager);
  HopRecord& record = parts_.hops[ref.value()];
  LabelPool& pool = parts_.labels.output(out.port);
  HopTable::place(record, in, out.port, pool.label(out.spot));
  record.charge = out.alone;
  parts_.extras.set_charge(ref, out.charge);
  LabelUsers::enter_output(pool, out.spot, ref, record);
  if (!record.last() && !out.joins) parts_.labels.add_in_call(out.port, manager);
  parts_.ports.change_hops(out.port, manager, {}, out.charge);
  return ref;
}

void HopHoldings::charge_group(PortIndex out, std::uint32_t head) {
  const OutputGroup group = group_of(parts_, head);
  const HopTable& hops = parts_.hops;
  parts_.ports.change_hops(out, hops[head].manager, group.charged, group.needs);
  for (std::uint32_t i = hops[head].next_on_output(); i != kNil; i = hops[i].next_on_output()) {
    parts_.extras.set_charge(HopRef{i}, {});
  }
  parts_.extras.set_charge(HopRef{head}, group.needs);
  parts_.extras.drop_plain(HopRef{head});
}

// ===== the input port =====

void HopHoldings::take_input(HopRef ref, Spot spot) {
  HopRecord& record = parts_.hops[ref.value()];
  const PortIndex in = record.input_port();
  LabelPool& pool = parts_.labels.input(in);
  const std::uint32_t below =
      record.takes_over ? parts_.stacks.top_on(pool.place_of(spot), record.key) : kNil;
  HopTable::set_input_label(record, pool.label(spot));
  LabelUsers::enter_input(pool, spot, ref, record);
  if (below == kNil) return;
  parts_.stacks.link(HopRef{below}, ref);
  if (const auto taken = parts_.extras.ingress(HopRef{below})) {
    const std::uint64_t takes = std::max(*taken, record.demand.cells_per_s);
    parts_.ports.change_ingress(in, *taken, takes);
    parts_.extras.set_ingress(HopRef{below}, std::nullopt);
    parts_.extras.set_ingress(ref, takes);
  }
  parts_.hops.touch(parts_.hops[below]);
}

namespace {

// The input bandwidth passes to one of the remaining hops: the one below, if there is one.
void pass_on_ingress(LedgerParts& parts, HopRef ref, std::uint32_t heir) {
  const auto taken = parts.extras.ingress(ref);
  if (!taken) return;
  const PortIndex in = parts.hops[ref.value()].input_port();
  if (const auto below = parts.stacks.below(ref)) {
    std::uint64_t needed = 0;
    for (std::uint32_t i = heir; i != HopRecord::kNil; i = parts.hops[i].next_on_input()) {
      needed = std::max(needed, parts.hops[i].demand.cells_per_s);
    }
    const std::uint64_t takes = std::min(*taken, needed);
    parts.extras.set_ingress(*below, takes);
    parts.ports.change_ingress(in, *taken, takes);
  } else if (heir != HopRecord::kNil) {
    parts.extras.set_ingress(HopRef{heir}, taken);
  } else if (!planted(Bug::kIngressKept)) {
    parts.ports.change_ingress(in, *taken, 0);
  }
}

// Frees the label when no other hop shares it.
void leave_input(LedgerParts& parts, HopRef ref) {
  const HopRecord& record = parts.hops[ref.value()];
  std::uint32_t heir = HopRecord::kNil;
  if (record.input_label().present()) {
    LabelPool& pool = parts.labels.input(record.input_port());
    const LabelPool::Spot spot = pool.spot(record.input_label());
    const bool lost = planted(Bug::kSharedInputFreed) && pool.place_of(spot).hop == ref;
    heir = parts.users.leave_input(pool, spot, ref);
    if (lost) heir = HopRecord::kNil;
    if (heir == HopRecord::kNil) pool.move(spot, {LabelHolder::kFree, {}, {}});
  }
  pass_on_ingress(parts, ref, heir);
  if (!parts.stacks.stacked(ref)) return;
  const auto below = parts.stacks.below(ref);
  const auto above = parts.stacks.above(ref);
  parts.stacks.remove(ref);
  if (below) {
    parts.extras.drop_plain(*below);
    parts.hops.touch(parts.hops.hop(*below));
  }
  if (above) parts.extras.drop_plain(*above);
}

}  // namespace

// ===== the end =====

void HopHoldings::give_up(HopRef ref, LabelHolder output_goes_to) {
  HopRecord& record = parts_.hops[ref.value()];
  if (record.state() != HopFsm::State::kGone) parts_.hops.step(record, HopFsm::Event::kForgotten);
  const ManagerIndex manager = record.manager;
  const PortIndex out = record.output_port();
  if (record.last() || parts_.managers.forgotten(manager) || planted(Bug::kNoQuarantine)) {
    output_goes_to = LabelHolder::kFree;
  }
  leave_input(parts_, ref);
  parts_.ports.change_hops(out, manager, record.charge, {});
  LabelPool& pool = parts_.labels.output(out);
  const Spot spot = pool.spot(record.output_label());
  const std::uint32_t heir = parts_.users.leave_output(pool, spot, ref);
  if (heir != kNil && !planted(Bug::kJoinFreesLabel)) {
    charge_group(out, heir);
  } else {
    pool.move(spot, {output_goes_to, manager, {}});
    if (!record.last()) parts_.labels.remove_in_call(out, manager);
  }
  parts_.extras.erase(ref);
  parts_.hops.erase(ref);
  parts_.managers.remove_hop(manager);
}

}  // namespace xbind
