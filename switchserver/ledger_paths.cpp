// Ledger: hops of one connection that share a label. On an input: branches, and hops that take over from
// one another. On an output: hops that join.
#include <algorithm>

#include "core/check.hpp"
#include "core/planted.hpp"
#include "switchserver/ledger.hpp"
#include "switchserver/ledger_refusals.hpp"

namespace xbind {

// ===== lists of those who share a label =====

void Ledger::enter(LabelPool& pool, Label label, HopRef ref, Link link) {
  HopRecord& record = hop(ref);
  const LabelPlace place = pool.place_of(label);
  record.*link = place.holder == LabelHolder::kConnection ? place.hop.value() : kNil;
  pool.move(label, {LabelHolder::kConnection, record.manager, ref});
}

// Answers the head of those who stay. With none the label stays where it is: the caller moves it.
std::uint32_t Ledger::leave(LabelPool& pool, Label label, HopRef ref, Link link) {
  HopRecord& record = hop(ref);
  const LabelPlace place = pool.place_of(label);
  XB_CHECK(place.holder == LabelHolder::kConnection, to_string(label), ref);
  const std::uint32_t head = place.hop.value();
  if (head == ref.value()) {
    if (record.*link != kNil) {
      pool.move(label, {LabelHolder::kConnection, record.manager, HopRef{record.*link}});
    }
    return record.*link;
  }
  std::uint32_t before = head;
  while (hops_[before].*link != ref.value()) {
    before = hops_[before].*link;
    XB_CHECK(before < hops_.size(), to_string(label), ref);
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

// Whether hops of that connection, and of nobody else, come in on the input label.
Admission Ledger::check_input_owner(ManagerIndex manager, const HopSetup& setup) const {
  const LabelPlace place = port(setup.input_port)->input.place_of(setup.input_label);
  if (place.holder <= LabelHolder::kFree) return nothing_on_input(setup);
  bool own = place.holder == LabelHolder::kConnection;
  for (std::uint32_t i = own ? place.hop.value() : kNil; i != kNil; i = hops_[i].next_on_input) {
    own =
        own && hops_[i].manager == manager && hops_[i].setup.key.connection == setup.key.connection;
  }
  if (own) return {};
  return refuse(Cause::kForeignInputLabel, setup.input_port, setup.input_label.value);
}

// The input label of a branch: that of a hop of the same connection which stays. With none there,
// or only such as are on their way down, there is nothing to branch off.
Admission Ledger::choose_shared_input(ManagerIndex manager, const HopSetup& setup) const {
  if (const auto a = check_input_owner(manager, setup); !a.admitted()) return a;
  const HopRef head = port(setup.input_port)->input.place_of(setup.input_label).hop;
  bool stays = false;
  for (std::uint32_t i = head.value(); i != kNil; i = hops_[i].next_on_input) {
    const HopRecord& sibling = hops_[i];
    if (sibling.cross_connect.output_port == setup.output_port) {
      return refuse(Cause::kInvalidRequest, setup.output_port, setup.output_port.value());
    }
    stays = stays || living(sibling.state);
  }
  return stays ? Admission{} : nothing_on_input(setup);
}

// The hop from which this one takes over: the uppermost of its leg on that input. Should there be
// several, one between which and the switch nothing is under way.
std::optional<HopRef> Ledger::taken_over_by(const HopSetup& setup) const {
  const Port* const in = port(setup.input_port);
  if (in == nullptr || !in->input.contains(setup.input_label)) return std::nullopt;
  const LabelPlace place = in->input.place_of(setup.input_label);
  if (place.holder != LabelHolder::kConnection) return std::nullopt;
  std::optional<HopRef> found;
  for (std::uint32_t i = place.hop.value(); i != kNil; i = hops_[i].next_on_input) {
    if (hops_[i].setup.key.leg != setup.key.leg || hops_[i].above != kNil) continue;
    if (!found || !hop(*found).settled()) found = HopRef{i};
  }
  return found;
}

// Whether the lower one is the upper one, or below it.
bool Ledger::stands_on(std::uint32_t upper, std::uint32_t lower) const {
  for (; upper != kNil; upper = hops_[upper].below) {
    if (upper == lower) return true;
  }
  return false;
}

// The input label of a hop that takes over from an earlier generation: that one is there, and nothing is
// under way between it and the switch.
Admission Ledger::choose_taken_input(ManagerIndex manager, const HopSetup& setup) const {
  if (const auto a = check_input_owner(manager, setup); !a.admitted()) return a;
  const HopRef head = port(setup.input_port)->input.place_of(setup.input_label).hop;
  const std::optional<HopRef> top = taken_over_by(setup);
  bool anybody_lives = false;
  for (std::uint32_t i = head.value(); i != kNil; i = hops_[i].next_on_input) {
    const HopRecord& other = hops_[i];
    const CrossConnect& at = other.cross_connect;
    if (top && stands_on(top->value(), i)) {
      anybody_lives = anybody_lives || living(other.state);
      if (at.output_port == setup.output_port && at.output_label == setup.output_label) {
        return refuse(Cause::kInvalidRequest, setup.output_port, setup.output_label.value);
      }
    } else if (at.output_port == setup.output_port) {
      return refuse(Cause::kInvalidRequest, setup.output_port, setup.output_port.value());
    }
  }
  if (!anybody_lives) return nothing_on_input(setup);
  const Generation newest = hop(*top).setup.key.generation;
  if (newest >= setup.key.generation) {
    return refuse(Cause::kStale, {}, setup.key.generation.value(), newest.value());
  }
  if (!hop(*top).settled()) {
    return refuse(Cause::kChangeUnderWay, setup.input_port, setup.input_label.value);
  }
  return {};
}

// What comes in is taken once, in the name of the uppermost: more is needed if that one demands more.
Admission Ledger::admit_taken_input(const HopSetup& setup, std::uint64_t demand) const {
  const HopRecord& below = hop(*taken_over_by(setup));
  if (!below.ingress || demand <= *below.ingress) return {};
  const Port& in = *port(setup.input_port);
  const std::uint64_t most = *below.ingress + less(in.capacity.cells_per_s, in.ingress_taken);
  if (demand <= most) return {};
  return refuse(Cause::kNoBandwidth, setup.input_port, demand, most);
}

void Ledger::take_input(HopRef ref, Label label) {
  HopRecord& record = hop(ref);
  const std::optional<HopRef> below =
      record.setup.takes_over ? taken_over_by(record.setup) : std::nullopt;
  record.cross_connect.input_label = label;
  Port& in = *port(record.cross_connect.input_port);
  enter(in.input, label, ref, &HopRecord::next_on_input);
  if (!below) return;
  HopRecord& under = hop(*below);
  under.above = ref.value();
  record.below = below->value();
  if (under.ingress) {
    const std::uint64_t takes = std::max(*under.ingress, record.demand.cells_per_s);
    in.ingress_taken += takes - *under.ingress;
    under.ingress.reset();
    record.ingress = takes;
  }
  touch(*below);
}

// The label is free when nobody shares it any more; else what comes in is taken in the name of one
// of those who stay: the one below, if there is one.
void Ledger::leave_input(HopRef ref) {
  HopRecord& record = hop(ref);
  Port& in = *port(record.cross_connect.input_port);
  const Label label = record.cross_connect.input_label;
  std::uint32_t heir = kNil;
  if (label.present()) {
    const bool head = in.input.place_of(label).hop == ref;
    heir = leave(in.input, label, ref, &HopRecord::next_on_input);
    if (head && planted(Bug::kSharedInputFreed)) heir = kNil;
    if (heir == kNil) in.input.move(label, {LabelHolder::kFree, {}, {}});
  }
  if (record.ingress) {
    if (record.below != kNil) {
      std::uint64_t needed = 0;
      for (std::uint32_t i = heir; i != kNil; i = hops_[i].next_on_input) {
        needed = std::max(needed, hops_[i].demand.cells_per_s);
      }
      heir = record.below;
      hops_[heir].ingress = std::min(*record.ingress, needed);
      in.ingress_taken -= *record.ingress - *hops_[heir].ingress;
    } else if (heir != kNil) {
      hops_[heir].ingress = record.ingress;
    } else if (!planted(Bug::kIngressKept)) {
      in.ingress_taken -= *record.ingress;
    }
  }
  if (record.below != kNil) {
    hops_[record.below].above = record.above;
    touch(HopRef{record.below});
  }
  if (record.above != kNil) hops_[record.above].below = record.below;
}

bool Ledger::superseded(const HopRecord& record) const {
  return record.above != kNil && hops_[record.above].settled();
}

std::optional<HopRef> Ledger::below(HopRef ref) const {
  const std::uint32_t found = hop(ref).below;
  return found == kNil ? std::nullopt : std::optional(HopRef{found});
}

std::optional<HopRef> Ledger::above(HopRef ref) const {
  const std::uint32_t found = hop(ref).above;
  return found == kNil ? std::nullopt : std::optional(HopRef{found});
}

// ===== the output label =====

// The output label of a hop that joins: that of a hop of an earlier generation, which stays. Whether it
// is the last switch of the path is for both to say alike: that decides whose label it is.
Admission Ledger::choose_joined_output(ManagerIndex manager, const HopSetup& setup) const {
  const LabelPool& pool = port(setup.output_port)->output;
  const Admission not_held =
      refuse(Cause::kLabelNotHeld, setup.output_port, setup.output_label.value);
  if (!pool.contains(setup.output_label)) return not_held;
  const LabelPlace place = pool.place_of(setup.output_label);
  if (place.holder != LabelHolder::kConnection) return not_held;
  bool stays = false;
  for (std::uint32_t i = place.hop.value(); i != kNil; i = hops_[i].next_on_output) {
    const HopRecord& other = hops_[i];
    if (other.manager != manager || other.setup.key.connection != setup.key.connection ||
        other.setup.key.leg != setup.key.leg) {
      return not_held;
    }
    if (other.setup.last() != setup.last()) {
      return refuse(Cause::kInvalidRequest, setup.output_port, setup.hop_count);
    }
    stays = stays || (living(other.state) && other.setup.key.generation < setup.key.generation);
  }
  return stays ? Admission{} : not_held;
}

bool Ledger::shares_output(HopRef ref) const {
  const HopRecord& record = hop(ref);
  const CrossConnect& at = record.cross_connect;
  return record.next_on_output != kNil ||
         port(at.output_port)->output.place_of(at.output_label).hop != ref;
}

// What the members of the group whose first is `head` need together, and what is counted for them: only
// one of their inputs has the connection's cells at a time.
Ledger::Group Ledger::group_of(std::uint32_t head) const {
  Group group;
  for (std::uint32_t i = head; i != kNil; i = hops_[i].next_on_output) {
    const HopRecord& one = hops_[i];
    group.needs = greater(group.needs, one.alone);
    group.charged += one.charge;
  }
  return group;
}

// Counts for the group what it needs now, in the name of its first.
void Ledger::charge_group(Port& out, std::uint32_t head) {
  HopRecord& carrier = hops_[head];
  const Group group = group_of(head);
  Resources hops = account(out, carrier.manager).hops;
  hops -= group.charged;
  set_hops(out, carrier.manager, hops += group.needs);
  for (std::uint32_t i = head; i != kNil; i = hops_[i].next_on_output) hops_[i].charge = {};
  carrier.charge = group.needs;
}

// What a hop takes of its output port, alone: the one place that says so.
Resources Ledger::charge_of(const Port& port, const Resources& demand,
                            const TrafficContract& contract) const {
  return admission_of(options_.admission, demand, contract, port.policy);
}

// What the setup takes beyond what is counted already: for a hop that joins, the others' part.
Resources Ledger::charge_of(const HopSetup& setup) const {
  const Port& out = *port(setup.output_port);
  const Resources alone = charge_of(out, setup.demand, setup.contract);
  if (!setup.joins || planted(Bug::kSharedCountedTwice)) return alone;
  const Resources there = group_of(out.output.place_of(setup.output_label).hop.value()).charged;
  return {less(alone.cells_per_s, there.cells_per_s), less(alone.buffer_cells, there.buffer_cells)};
}

}  // namespace xbind
