// Ledger: hops of one connection that share a label. On an input: branches, and hops that take over
// from one another. On an output: hops that join.
#include <algorithm>

#include "core/check.hpp"
#include "core/planted.hpp"
#include "switchserver/ledger.hpp"
#include "switchserver/ledger_refusals.hpp"

namespace xbind {

// ===== lists of hops that share a label =====

void Ledger::enter(LabelPool& pool, Spot spot, HopRef ref, Link link) {
  HopRecord& record = hops_[ref.value()];
  const LabelPlace place = pool.place_of(spot);
  record.*link = place.holder == LabelHolder::kConnection ? place.hop.value() : kNil;
  pool.move(spot, {LabelHolder::kConnection, record.manager, ref});
}

// Returns the head of the remaining list. If none is left, the label keeps its place: the caller
// moves it.
std::uint32_t Ledger::leave(LabelPool& pool, Spot spot, HopRef ref, Link link) {
  const HopRecord& record = hops_[ref.value()];
  const LabelPlace place = pool.place_of(spot);
  XB_CHECK(place.holder == LabelHolder::kConnection, to_string(pool.label(spot)), ref);
  const std::uint32_t head = place.hop.value();
  if (head == ref.value()) {
    if (record.*link != kNil) {
      pool.move(spot, {LabelHolder::kConnection, record.manager, HopRef{record.*link}});
    }
    return record.*link;
  }
  std::uint32_t before = head;
  while (hops_[before].*link != ref.value()) {
    before = hops_[before].*link;
    XB_CHECK(before < hops_.size(), to_string(pool.label(spot)), ref);
  }
  hops_[before].*link = record.*link;
  return head;
}

// ===== the input label =====

namespace {

Admission nothing_on_input(const HopSetup& setup) {
  return refuse(Cause::kUnknownConnection, setup.input_port, setup.input_label.value);
}

}  // namespace

// Refuses unless only hops of this connection use the input label.
Ledger::Refusal Ledger::check_input_owner(ManagerIndex manager, const HopSetup& setup,
                                          LabelPlace at) const {
  if (at.holder <= LabelHolder::kFree) return nothing_on_input(setup);
  bool own = at.holder == LabelHolder::kConnection;
  for (std::uint32_t i = own ? at.hop.value() : kNil; i != kNil; i = hops_[i].next_on_input) {
    own = own && hops_[i].manager == manager && hops_[i].key.connection == setup.key.connection;
  }
  if (own) return {};
  return refuse(Cause::kForeignInputLabel, setup.input_port, setup.input_label.value);
}

// The input label of a branch: that of a hop of the same connection which is not being removed.
// Without such a hop there is nothing to branch off.
Ledger::Refusal Ledger::choose_shared_input(ManagerIndex manager, const HopSetup& setup,
                                            LabelPlace at) const {
  if (const auto refused = check_input_owner(manager, setup, at)) return refused;
  bool stays = false;
  for (std::uint32_t i = at.hop.value(); i != kNil; i = hops_[i].next_on_input) {
    const HopRecord& sibling = hops_[i];
    if (ports_[sibling.output_port].about.port == setup.output_port) {
      return refuse(Cause::kInvalidRequest, setup.output_port, setup.output_port.value());
    }
    stays = stays || is_active(sibling.state);
  }
  if (stays) return {};
  return nothing_on_input(setup);
}

// The hop from which a hop with that key takes over: the uppermost of its leg on that input, or
// none. If there are several, a settled one is preferred.
std::uint32_t Ledger::take_over_source(const HopKey& key, LabelPlace input) const {
  if (input.holder != LabelHolder::kConnection) return kNil;
  std::uint32_t found = kNil;
  for (std::uint32_t i = input.hop.value(); i != kNil; i = hops_[i].next_on_input) {
    if (hops_[i].key.leg != key.leg || above_of(i) != kNil) continue;
    if (found == kNil || !hops_[found].settled()) found = i;
  }
  return found;
}

// Whether `lower` is `upper` itself or stands below it.
bool Ledger::stands_on(std::uint32_t upper, std::uint32_t lower) const {
  for (; upper != kNil; upper = below_of(upper)) {
    if (upper == lower) return true;
  }
  return false;
}

// The input label of a hop that takes over from an earlier generation. That hop must exist, and
// nothing may be under way between it and the switch.
Ledger::Refusal Ledger::choose_taken_input(ManagerIndex manager, const HopSetup& setup,
                                           LabelPlace at) const {
  if (const auto refused = check_input_owner(manager, setup, at)) return refused;
  const std::uint32_t top = take_over_source(setup.key, at);
  bool anybody_lives = false;
  for (std::uint32_t i = at.hop.value(); i != kNil; i = hops_[i].next_on_input) {
    const HopRecord& other = hops_[i];
    const bool same_port = ports_[other.output_port].about.port == setup.output_port;
    if (stands_on(top, i)) {
      anybody_lives = anybody_lives || is_active(other.state);
      if (same_port && other.output_label() == setup.output_label) {
        return refuse(Cause::kInvalidRequest, setup.output_port, setup.output_label.value);
      }
    } else if (same_port) {
      return refuse(Cause::kInvalidRequest, setup.output_port, setup.output_port.value());
    }
  }
  if (!anybody_lives) return nothing_on_input(setup);
  const Generation newest = hops_[top].key.generation;
  if (newest >= setup.key.generation) {
    return refuse(Cause::kStale, {}, setup.key.generation.value(), newest.value());
  }
  if (!hops_[top].settled()) {
    return refuse(Cause::kChangeUnderWay, setup.input_port, setup.input_label.value);
  }
  return {};
}

// Input bandwidth is counted once, for the uppermost hop: a higher demand of the new hop needs
// more.
Ledger::Refusal Ledger::admit_taken_input(const HopSetup& setup, const Port& in,
                                          std::uint64_t demand) const {
  const std::uint32_t below = take_over_source(setup.key, in.input.place_of(setup.input_label));
  const std::optional<std::uint64_t> taken = ingress(HopRef{below});
  if (!taken || demand <= *taken) return {};
  return exceeds_ingress(setup.input_port, demand, *taken + ingress_room(in));
}

void Ledger::take_input(HopRef ref, Port& in, Spot spot) {
  HopRecord& record = hops_[ref.value()];
  const std::uint32_t below =
      record.takes_over ? take_over_source(record.key, in.input.place_of(spot)) : kNil;
  record.input = packed(in.input.label(spot));
  enter(in.input, spot, ref, &HopRecord::next_on_input);
  if (below == kNil) return;
  extras(below).above = ref.value();
  extras(ref.value()).below = below;
  if (const auto taken = ingress(HopRef{below})) {
    const std::uint64_t takes = std::max(*taken, record.demand.cells_per_s);
    in.ingress_taken += takes - *taken;
    set_ingress(below, std::nullopt);
    set_ingress(ref.value(), takes);
  }
  touch(HopRef{below});
}

// Frees the label when no other hop shares it. Otherwise the input bandwidth passes to one of the
// remaining hops: the one below, if there is one.
void Ledger::leave_input(HopRef ref) {
  HopRecord& record = hops_[ref.value()];
  Port& in = input_port(record);
  std::uint32_t heir = kNil;
  if (record.input_label().present()) {
    const Spot spot = in.input.spot(record.input_label());
    const bool head = in.input.place_of(spot).hop == ref;
    heir = leave(in.input, spot, ref, &HopRecord::next_on_input);
    if (head && planted(Bug::kSharedInputFreed)) heir = kNil;
    if (heir == kNil) in.input.move(spot, {LabelHolder::kFree, {}, {}});
  }
  const std::uint32_t below = below_of(ref.value());
  if (const auto taken = ingress(ref)) {
    if (below != kNil) {
      std::uint64_t needed = 0;
      for (std::uint32_t i = heir; i != kNil; i = hops_[i].next_on_input) {
        needed = std::max(needed, hops_[i].demand.cells_per_s);
      }
      const std::uint64_t takes = std::min(*taken, needed);
      set_ingress(below, takes);
      in.ingress_taken -= *taken - takes;
    } else if (heir != kNil) {
      set_ingress(heir, taken);
    } else if (!planted(Bug::kIngressKept)) {
      in.ingress_taken -= *taken;
    }
  }
  if (!record.special) return;
  const std::uint32_t above = above_of(ref.value());
  if (below != kNil) {
    extras(below).above = above;
    drop_plain(below);
    touch(HopRef{below});
  }
  if (above != kNil) {
    extras(above).below = below;
    drop_plain(above);
  }
}

bool Ledger::superseded(HopRef ref) const {
  const std::uint32_t above = above_of(ref.value());
  return above != kNil && hops_[above].settled();
}

std::optional<HopRef> Ledger::below(HopRef ref) const {
  const std::uint32_t found = below_of(ref.value());
  return found == kNil ? std::nullopt : std::optional(HopRef{found});
}

std::optional<HopRef> Ledger::above(HopRef ref) const {
  const std::uint32_t found = above_of(ref.value());
  return found == kNil ? std::nullopt : std::optional(HopRef{found});
}

// ===== the output label =====

// The output label of a hop that joins: that of a hop of an earlier generation which stays. Both
// must agree on whether this is the last switch of the path, since that decides who allots the
// label.
Ledger::Refusal Ledger::choose_joined_output(ManagerIndex manager, const HopSetup& setup,
                                             const Port& out) const {
  const Admission not_held =
      refuse(Cause::kLabelNotHeld, setup.output_port, setup.output_label.value);
  if (!out.output.contains(setup.output_label)) return not_held;
  const LabelPlace place = out.output.place_of(setup.output_label);
  if (place.holder != LabelHolder::kConnection) return not_held;
  bool stays = false;
  for (std::uint32_t i = place.hop.value(); i != kNil; i = hops_[i].next_on_output) {
    const HopRecord& other = hops_[i];
    if (other.manager != manager || other.key.connection != setup.key.connection ||
        other.key.leg != setup.key.leg) {
      return not_held;
    }
    if (other.last() != setup.last()) {
      return refuse(Cause::kInvalidRequest, setup.output_port, setup.hop_count);
    }
    stays = stays || (is_active(other.state) && other.key.generation < setup.key.generation);
  }
  if (stays) return {};
  return not_held;
}

bool Ledger::shares_output(HopRef ref) const {
  const HopRecord& record = hop(ref);
  return record.next_on_output != kNil ||
         ports_[record.output_port].output.place_of(record.output_label()).hop != ref;
}

// What the members of the group that `head` begins need together, and what they are charged. Only
// one of their inputs carries the connection's cells at a time.
Ledger::Group Ledger::group_of(std::uint32_t head) const {
  Group group;
  for (std::uint32_t i = head; i != kNil; i = hops_[i].next_on_output) {
    const HopRecord& one = hops_[i];
    group.needs = greater(group.needs, alone(HopRef{i}));
    group.charged += one.charge;
  }
  return group;
}

// Charges the group's present needs to its first member.
void Ledger::charge_group(Port& out, std::uint32_t head) {
  const Group group = group_of(head);
  Account& books = account(out, hops_[head].manager);
  Resources hops = books.hops;
  hops -= group.charged;
  set_hops(out, books, hops += group.needs);
  for (std::uint32_t i = hops_[head].next_on_output; i != kNil; i = hops_[i].next_on_output) {
    set_charge(i, {});
  }
  set_charge(head, group.needs);
  drop_plain(head);
}

// What a hop needs of its output port, alone; the only place that computes it.
Resources Ledger::charge_of(const Port& port, const Resources& demand,
                            const TrafficContract& contract) const {
  if (planted(Bug::kChargedAsDemanded)) return demand;
  return admission_of(options_.admission, demand, contract, port.policy);
}

// What the setup needs in addition to existing charges: a hop that joins shares the group's charge.
Resources Ledger::additional_charge(const Port& out, const HopSetup& setup, Resources alone) const {
  if (!setup.joins || planted(Bug::kSharedCountedTwice)) return alone;
  const Resources there = group_of(out.output.place_of(setup.output_label).hop.value()).charged;
  return {less(alone.cells_per_s, there.cells_per_s), less(alone.buffer_cells, there.buffer_cells)};
}

}  // namespace xbind
