#include "switchserver/ledger/setup_checks.hpp"

#include <algorithm>

#include "core/planted.hpp"

namespace xbind {

// ===== requests =====

Admission repeated(HopRef ref) {
  Admission admission;
  admission.hop = ref;
  admission.repeated = true;
  return admission;
}

Refusal refused_contract(const TrafficContract& contract) {
  const auto refused = check(contract);
  if (!refused) return std::nullopt;
  return refuse(Cause::kInvalidRequest, {}, refused->value, refused->bound);
}

Refusal SetupChecks::check_request(const HopSetup& setup, std::optional<PortIndex> in,
                                   std::optional<PortIndex> out, std::uint64_t more_hops) const {
  if (const auto refused = refused_contract(setup.contract)) return refused;
  if (!in || !parts_.ports.is_present(*in)) {
    return refuse(Cause::kUnknownPort, setup.input_port, setup.input_port.value());
  }
  if (!out || !parts_.ports.is_present(*out)) {
    return refuse(Cause::kUnknownPort, setup.output_port, setup.output_port.value());
  }
  return check_hops(more_hops);
}

Refusal SetupChecks::check_hops(std::uint64_t more_hops) const {
  const std::uint64_t hops = parts_.hops.size() + more_hops;
  if (hops >= parts_.options.hops_max) return refuse(Cause::kBusy, {}, hops + 1);
  return {};
}

Refusal SetupChecks::check_share(ManagerIndex manager, const HopSetup& setup, PortIndex out,
                                 std::uint64_t more_labels) const {
  if (setup.last()) return {};
  const auto share = parts_.labels.share(manager, out, more_labels);
  if (!share) return {};
  const std::uint64_t would_hold = parts_.labels.held(manager, out) + more_labels + 1;
  if (would_hold <= *share) return {};
  return refuse(Cause::kOverShare, setup.output_port, would_hold, *share);
}

// ===== repeated setups =====

bool SetupChecks::same_hop(HopRef ref, const HopSetup& commit, std::uint32_t owner) const {
  const HopRecord& record = parts_.hops.hop(ref);
  return record.hop_count == commit.hop_count &&
         parts_.numbers.id(record.input_port()) == commit.input_port &&
         parts_.numbers.id(record.output_port()) == commit.output_port &&
         record.request == commit.request &&
         parts_.hops.owners().same_call(record.owner(), owner) && record.branch == commit.branch &&
         record.takes_over == commit.takes_over && record.joins == commit.joins &&
         parts_.extras.matches(ref, commit.demand, commit.contract);
}

// Whether this is the same setup again. The wanted numbers of labels and quota may differ.
bool SetupChecks::same_setup(HopRef ref, const HopSetup& again, std::uint32_t owner) const {
  const HopRecord& record = parts_.hops.hop(ref);
  const Label input = record.input_named ? record.input_label() : Label{};
  const Label output = record.output_named ? record.output_label() : Label{};
  return record.key == again.key && record.commit == again.commit && input == again.input_label &&
         output == again.output_label && (again.commit || again.held == record.held) &&
         same_hop(ref, again, owner);
}

Admission SetupChecks::repeat(HopRef ref, const HopSetup& setup, std::uint32_t owner) const {
  if (parts_.hops.hop(ref).stage() == HopStage::kRemoving) {
    return refuse(Cause::kBeingReleased, {}, setup.key.generation.value());
  }
  if (!same_setup(ref, setup, owner)) {
    return refuse(Cause::kInvalidRequest, {}, setup.key.generation.value());
  }
  return repeated(ref);
}

// ===== the input label =====
namespace {

Admission nothing_on_input(const HopSetup& setup) {
  return refuse(Cause::kUnknownConnection, setup.input_port, setup.input_label.value);
}

}  // namespace

Refusal SetupChecks::choose_input(ManagerIndex manager, const HopSetup& setup, LabelPool& pool,
                                  Spot& chosen) const {
  if (allots_input(setup)) {
    if (setup.input_label.present()) {
      return choose_wanted(pool, setup.input_port, setup.input_label, chosen);
    }
    const auto spot = pool.next_free_spot();
    if (!spot) return no_label(setup.input_port);
    chosen = *spot;
    return {};
  }
  const auto spot = pool.find_spot(setup.input_label);
  if (!spot) return refuse(Cause::kInvalidRequest, setup.input_port, setup.input_label.value);
  chosen = *spot;
  const LabelPlace place = pool.place_of(chosen);
  if (setup.branch) return choose_shared_input(manager, setup, place);
  if (setup.takes_over) return choose_taken_input(manager, setup, place);
  if (place.holder > LabelHolder::kFree && !planted(Bug::kForeignInputAccepted)) {
    return refuse(Cause::kForeignInputLabel, setup.input_port, setup.input_label.value);
  }
  return {};
}

// Refuses unless only hops of this connection use the input label.
Refusal SetupChecks::check_input_owner(ManagerIndex manager, const HopSetup& setup,
                                       LabelPlace at) const {
  if (at.holder <= LabelHolder::kFree) return nothing_on_input(setup);
  const HopTable& hops = parts_.hops;
  bool own = at.holder == LabelHolder::kConnection;
  for (std::uint32_t i = own ? at.hop.value() : kNil; i != kNil; i = hops[i].next_on_input()) {
    own = own && hops[i].manager == manager && hops[i].key.connection == setup.key.connection;
  }
  if (own) return {};
  return refuse(Cause::kForeignInputLabel, setup.input_port, setup.input_label.value);
}

// The input label of a branch: that of a hop of the same connection which is not being removed.
// Without such a hop there is nothing to branch off.
Refusal SetupChecks::choose_shared_input(ManagerIndex manager, const HopSetup& setup,
                                         LabelPlace at) const {
  if (const auto refused = check_input_owner(manager, setup, at)) return refused;
  const HopTable& hops = parts_.hops;
  bool stays = false;
  for (std::uint32_t i = at.hop.value(); i != kNil; i = hops[i].next_on_input()) {
    const HopRecord& sibling = hops[i];
    if (parts_.numbers.id(sibling.output_port()) == setup.output_port) {
      return refuse(Cause::kInvalidRequest, setup.output_port, setup.output_port.value());
    }
    stays = stays || is_active(sibling.stage());
  }
  if (stays) return {};
  return nothing_on_input(setup);
}

// The input label of a hop that takes over from an earlier generation. That hop must exist, and
// nothing may be under way between it and the switch.
Refusal SetupChecks::choose_taken_input(ManagerIndex manager, const HopSetup& setup,
                                        LabelPlace at) const {
  if (const auto refused = check_input_owner(manager, setup, at)) return refused;
  const HopTable& hops = parts_.hops;
  const std::uint32_t top = parts_.stacks.top_on(at, setup.key);
  bool anybody_lives = false;
  for (std::uint32_t i = at.hop.value(); i != kNil; i = hops[i].next_on_input()) {
    const HopRecord& other = hops[i];
    const bool same_port = parts_.numbers.id(other.output_port()) == setup.output_port;
    if (parts_.stacks.stands_on(top, i)) {
      anybody_lives = anybody_lives || is_active(other.stage());
      if (same_port && other.output_label() == setup.output_label) {
        return refuse(Cause::kInvalidRequest, setup.output_port, setup.output_label.value);
      }
    } else if (same_port) {
      return refuse(Cause::kInvalidRequest, setup.output_port, setup.output_port.value());
    }
  }
  if (!anybody_lives) return nothing_on_input(setup);
  const Generation newest = hops[top].key.generation;
  if (newest >= setup.key.generation) {
    return refuse(Cause::kStale, {}, setup.key.generation.value(), newest.value());
  }
  if (!hops[top].settled()) {
    return refuse(Cause::kChangeUnderWay, setup.input_port, setup.input_label.value);
  }
  return {};
}

// ===== the output label =====

Refusal SetupChecks::choose_output(ManagerIndex manager, const HopSetup& setup, PortIndex out,
                                   LabelPool& pool, Spot& chosen) const {
  const Label named = setup.output_label;
  if (setup.joins) {
    if (const auto refused = choose_joined_output(manager, setup, pool)) return refused;
    chosen = pool.spot(named);
    return {};
  }
  if (setup.last() && named.present()) {
    return choose_wanted(pool, setup.output_port, named, chosen);
  }
  if (setup.last() || (!setup.commit && !named.present())) {
    return allot_output(manager, setup, out, pool, chosen);
  }
  LabelPlace place;
  if (const auto spot = pool.find_spot(named)) {
    chosen = *spot;
    place = pool.place_of(chosen);
  }
  if (!is_loose(place, manager))
    return refuse(Cause::kLabelNotHeld, setup.output_port, named.value);
  return {};
}

Refusal SetupChecks::allot_output(ManagerIndex manager, const HopSetup& setup, PortIndex out,
                                  LabelPool& pool, Spot& chosen) const {
  if (const auto refused = check_share(manager, setup, out, 0)) return refused;
  const auto spot = pool.next_free_spot();
  if (!spot) {
    Admission none = no_label(setup.output_port);
    none.labels_missing = 1;
    return none;
  }
  chosen = *spot;
  return {};
}

// The output label of a hop that joins: that of a hop of an earlier generation which stays. Both
// must agree on whether this is the last switch of the path, since that decides who allots the
// label.
Refusal SetupChecks::choose_joined_output(ManagerIndex manager, const HopSetup& setup,
                                          const LabelPool& pool) const {
  const Admission not_held =
      refuse(Cause::kLabelNotHeld, setup.output_port, setup.output_label.value);
  if (!pool.contains(setup.output_label)) return not_held;
  const LabelPlace place = pool.place_of(setup.output_label);
  if (place.holder != LabelHolder::kConnection) return not_held;
  const HopTable& hops = parts_.hops;
  bool stays = false;
  for (std::uint32_t i = place.hop.value(); i != kNil; i = hops[i].next_on_output()) {
    const HopRecord& other = hops[i];
    if (other.manager != manager || other.key.connection != setup.key.connection ||
        other.key.leg != setup.key.leg) {
      return not_held;
    }
    if (other.last() != setup.last()) {
      return refuse(Cause::kInvalidRequest, setup.output_port, setup.hop_count);
    }
    stays = stays || (is_active(other.stage()) && other.key.generation < setup.key.generation);
  }
  if (stays) return {};
  return not_held;
}

// ===== resources =====

Refusal SetupChecks::admit_resources(ManagerIndex manager, const HopSetup& setup, PortIndex in,
                                     PortIndex out, Resources charge) const {
  if (const auto refused =
          exceeds(setup.output_port, charge, parts_.ports.room_for(out, manager))) {
    return refused;
  }
  if (setup.takes_over && setup.commit) {
    return admit_taken_input(setup, in, setup.demand.cells_per_s);
  }
  if (allots_input(setup)) {
    return exceeds_ingress(setup.input_port, setup.demand.cells_per_s,
                           parts_.ports.ingress_room(in));
  }
  return {};
}

Refusal SetupChecks::admit_taken_input(const HopSetup& setup, PortIndex in,
                                       std::uint64_t demand) const {
  const std::uint32_t below =
      parts_.stacks.top_on(parts_.labels.input(in).place_of(setup.input_label), setup.key);
  const std::optional<std::uint64_t> taken = parts_.extras.ingress(HopRef{below});
  if (!taken || demand <= *taken) return {};
  return exceeds_ingress(setup.input_port, demand, *taken + parts_.ports.ingress_room(in));
}

}  // namespace xbind
