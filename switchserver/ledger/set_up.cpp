#include "switchserver/ledger/set_up.hpp"

#include "core/check.hpp"
#include "switchserver/ledger/holdings.hpp"
#include "switchserver/ledger/setup_checks.hpp"

namespace xbind {
namespace {

Admission admitted(HopRef ref) {
  Admission admission;
  admission.hop = ref;
  return admission;
}

// The ways of sharing a label with another hop exclude each other. A held reservation cannot use
// any of them, and a hop that joins has nothing to reserve.
bool takes_one_way(const HopSetup& s) {
  if (s.joins && !s.commit) return false;
  if ((s.takes_over || s.joins) && s.held) return false;
  return int{s.branch} + int{s.takes_over} + int{s.joins} <= 1;
}

Refusal refused_form(const HopSetup& setup) {
  if (setup.key.hop >= setup.hop_count) {
    return refuse(Cause::kInvalidRequest, {}, setup.key.hop, setup.hop_count);
  }
  if (setup.branch && (setup.key.hop != 0 || setup.key.leg == 0)) {
    return refuse(Cause::kInvalidRequest, {}, setup.key.hop);
  }
  if (!takes_one_way(setup)) return refuse(Cause::kInvalidRequest, {}, setup.key.hop);
  return {};
}

void note_commit(LedgerParts& parts, HopRef ref) {
  const bool takes_over = parts.stacks.below(ref).has_value();
  parts.hops.step(ref, takes_over ? HopFsm::Event::kTakeOver : HopFsm::Event::kCommit);
}

Admission set_up_new(LedgerParts& parts, ManagerIndex manager, const HopSetup& setup,
                     std::uint32_t owner, std::uint64_t hash) {
  if (const auto refused = refused_form(setup)) return *refused;
  const SetupChecks checks(parts);
  const auto in = parts.numbers.find(setup.input_port);
  const auto out = parts.numbers.find(setup.output_port);
  if (const auto refused = checks.check_request(setup, in, out, 0)) return *refused;

  LabelPool::Spot input_spot;
  HopHoldings::Output output{*out, {}, {}, {}, setup.joins};
  const bool has_input = setup.commit || (allots_input(setup) && setup.input_label.present());
  if (has_input) {
    if (const auto refused =
            checks.choose_input(manager, setup, parts.labels.input(*in), input_spot)) {
      return *refused;
    }
  } else if (setup.input_label.present()) {
    return refuse(Cause::kInvalidRequest, setup.input_port, setup.input_label.value);
  }
  if (const auto refused =
          checks.choose_output(manager, setup, *out, parts.labels.output(*out), output.spot)) {
    return *refused;
  }
  HopHoldings holdings(parts);
  output.alone = parts.ports.charge_of(*out, setup.demand, setup.contract);
  output.charge = holdings.additional_charge(*out, setup, output.alone);
  if (const auto refused = checks.admit_resources(manager, setup, *in, *out, output.charge)) {
    return *refused;
  }

  // Nothing can refuse from here on: reserve everything.
  const HopRef ref = holdings.enter(manager, setup, owner, hash, *in, output);
  if (has_input) holdings.take_input(ref, input_spot);
  if (allots_input(setup)) {
    parts.extras.set_ingress(ref, setup.demand.cells_per_s);
    parts.ports.change_ingress(*in, 0, setup.demand.cells_per_s);
  }
  if (setup.commit) note_commit(parts, ref);
  return admitted(ref);
}

Admission commit_reserved(LedgerParts& parts, HopRef ref, const HopSetup& setup,
                          std::uint32_t owner) {
  const SetupChecks checks(parts);
  HopRecord& record = parts.hops.hop(ref);
  if (!checks.same_hop(ref, setup, owner)) {
    return refuse(Cause::kInvalidRequest, {}, setup.key.generation.value());
  }
  if (setup.output_label.present() && setup.output_label != record.output_label()) {
    return refuse(Cause::kInvalidRequest, setup.output_port, setup.output_label.value);
  }
  if (!parts.ports.is_present(record.output_port())) {
    return refuse(Cause::kUnknownPort, setup.output_port, setup.output_port.value());
  }
  const PortIndex in = record.input_port();
  if (!parts.ports.is_present(in)) {
    return refuse(Cause::kUnknownPort, setup.input_port, setup.input_port.value());
  }
  const Label reserved = record.input_label();  // an ingress label that the reserve named
  LabelPool::Spot input_spot;
  if (reserved.present()) {
    if (setup.input_label.present() && setup.input_label != reserved) {
      return refuse(Cause::kInvalidRequest, setup.input_port, setup.input_label.value);
    }
  } else if (const auto refused =
                 checks.choose_input(record.manager, setup, parts.labels.input(in), input_spot)) {
    return *refused;
  }
  if (setup.takes_over) {
    const std::uint64_t demand = record.demand.cells_per_s;
    if (const auto refused = checks.admit_taken_input(setup, in, demand)) return *refused;
  }
  if (record.held) parts.extras.forget_hold_end(ref);
  HopTable::copy_setup_fields(record, setup);
  parts.extras.ask_again(ref, setup);
  if (!reserved.present()) HopHoldings(parts).take_input(ref, input_spot);
  record.earlier_session = false;  // the committing session knows the label
  note_commit(parts, ref);
  parts.hops.touch(record);
  return admitted(ref);
}

}  // namespace

// One walk along the chain finds the same hop and the newest generation.
Admission set_up(LedgerParts& parts, ManagerIndex manager, const HopSetup& setup,
                 std::uint32_t owner) {
  const std::uint64_t hash = HopTable::hash(manager, setup.key);
  const auto [same, newest] = parts.hops.generations(manager, setup.key, hash);
  if (newest > setup.key.generation) {
    return refuse(Cause::kStale, {}, setup.key.generation.value(), newest.value());
  }
  if (same == HopRecord::kNil) return set_up_new(parts, manager, setup, owner, hash);
  const HopRef ref{same};
  if (parts.hops[same].stage() != HopStage::kReserved || !setup.commit) {
    return SetupChecks(parts).repeat(ref, setup, owner);
  }
  const Admission admission = commit_reserved(parts, ref, setup, owner);
  if (!admission.admitted()) undo(parts, ref);
  return admission;
}

void undo(LedgerParts& parts, HopRef ref) {
  const HopRecord& record = parts.hops.hop(ref);
  const HopFsm::State state = record.state();
  const bool reserved = state == HopFsm::State::kReserved;
  XB_CHECK(
      reserved || state == HopFsm::State::kGone || HopFsm::stage(state) == HopStage::kCommitting,
      HopFsm::name(state));
  // A session that began after the commit does not have the label in its cache. If it committed a
  // held reservation and that commit is refused, it does.
  const bool known = reserved || !record.earlier_session;
  HopHoldings(parts).give_up(ref, known ? LabelHolder::kCached : LabelHolder::kQuarantine);
}

}  // namespace xbind
