#include "switchserver/ledger/modify.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "switchserver/ledger/holdings.hpp"
#include "switchserver/ledger/setup_checks.hpp"
#include "traffic/contract.hpp"

namespace xbind {
namespace {

// What a modify changes: the hop, and what it is charged then.
struct HopChange {
  Resources alone;   // before
  Resources charge;  // afterwards, alone
  std::optional<std::uint64_t> ingress;
};

Refusal refused_change(const LedgerParts& parts, HopRef ref, const HopModify& modify) {
  const HopRecord& record = parts.hops.hop(ref);
  const TrafficContract contract = record.contract();
  if (parts.stacks.above(ref) || parts.stacks.below(ref) || parts.users.shares_output(ref)) {
    return refuse(Cause::kChangeUnderWay, {}, modify.revision);
  }
  if (const auto refused = refused_contract(modify.contract)) return *refused;
  if (modify.contract.category != contract.category) {
    return refuse(Cause::kInvalidRequest, {}, static_cast<std::uint64_t>(modify.contract.category),
                  static_cast<std::uint64_t>(contract.category));
  }
  if (!modify.demand.fits_within(record.demand) && !parts.ports.is_present(record.output_port())) {
    const PortId output = parts.numbers.id(record.output_port());
    return refuse(Cause::kUnknownPort, output, output.value());
  }
  return {};
}

// Bandwidth and buffer of the output port. Fills in the charge.
Refusal admit_output(const LedgerParts& parts, HopRef ref, const HopModify& modify,
                     HopChange& change) {
  const HopRecord& record = parts.hops.hop(ref);
  const PortIndex out = record.output_port();
  change.alone = parts.extras.alone(ref);
  change.charge = parts.ports.charge_of(out, modify.demand, modify.contract);
  const bool lowers = modify.demand.fits_within(record.demand) &&
                      !asks_for_more(record.contract(), modify.contract);
  if (lowers) change.charge = lesser(change.charge, change.alone);
  const Resources more{less(change.charge.cells_per_s, record.charge.cells_per_s),
                       less(change.charge.buffer_cells, record.charge.buffer_cells)};
  auto refused = exceeds(parts.numbers.id(out), more, parts.ports.room_for(out, record.manager));
  if (!refused) return {};
  // In terms of the whole hop: what it has counts as free to it.
  const bool bandwidth = refused->cause == Cause::kNoBandwidth;
  refused->asked = bandwidth ? change.charge.cells_per_s : change.charge.buffer_cells;
  refused->free += bandwidth ? record.charge.cells_per_s : record.charge.buffer_cells;
  return refused;
}

// Bandwidth of the input port's receive side. Fills in what the hop takes of it.
Refusal admit_input(const LedgerParts& parts, HopRef ref, const HopModify& modify,
                    HopChange& change) {
  const HopRecord& record = parts.hops.hop(ref);
  const std::optional<std::uint64_t> taken = parts.extras.ingress(ref);
  if (!taken) return {};
  // A branch may have inherited less than it demands: lowering its demand must not raise that.
  const std::uint64_t wanted = modify.demand.cells_per_s;
  change.ingress = wanted > record.demand.cells_per_s ? wanted : std::min(*taken, wanted);
  const std::uint64_t most = *taken + parts.ports.ingress_room(record.input_port());
  if (*change.ingress <= most) return {};
  return refuse(Cause::kNoBandwidth, parts.numbers.id(record.input_port()), wanted, most);
}

void hand_over(LedgerParts& parts, HopRef ref, const HopHandover& handover) {
  HopRecord& record = parts.hops.hop(ref);
  parts.hops.set_owner(record, handover.owner);
  record.request = handover.request;
  parts.extras.edit(ref).shown_id = handover.shown_id;
}

}  // namespace

Admission modify(LedgerParts& parts, ManagerIndex manager, const HopModify& modify,
                 bool until_settled) {
  const auto ref = parts.hops.find(manager, modify.key);
  if (!ref) return refuse(Cause::kUnknownConnection, {}, modify.key.connection.value());
  HopRecord& record = parts.hops.hop(*ref);
  if (record.stage() == HopStage::kRemoving) {
    return refuse(Cause::kBeingReleased, {}, modify.key.generation.value());
  }
  const std::uint32_t revision = parts.extras.revision(*ref);
  const bool same = modify.demand == record.demand && modify.contract == record.contract();
  if (modify.revision == revision && same) return repeated(*ref);
  if (modify.revision <= revision) {
    return refuse(Cause::kStale, {}, modify.revision, revision);
  }
  Admission admission;
  admission.hop = *ref;
  if (modify.handover && same) {
    // No resources change, so another path being set up is no obstacle.
    parts.extras.edit(*ref).revision = modify.revision;
    hand_over(parts, *ref, *modify.handover);
    return admission;
  }
  if (const auto refused = refused_change(parts, *ref, modify)) return *refused;
  HopChange change;
  if (const auto refused = admit_output(parts, *ref, modify, change)) return *refused;
  if (const auto refused = admit_input(parts, *ref, modify, change)) return *refused;

  if (change.ingress) {
    parts.ports.change_ingress(record.input_port(), *parts.extras.ingress(*ref), *change.ingress);
  }
  HopExtras& extras = parts.extras.edit(*ref);
  extras.ingress = change.ingress;
  extras.revision = modify.revision;
  extras.alone = until_settled ? greater(change.charge, change.alone) : change.charge;
  HopTable::set_contract(record, modify.demand, modify.contract);
  HopHoldings(parts).charge_group(record.output_port(), ref->value());
  if (modify.handover) hand_over(parts, *ref, *modify.handover);
  return admission;
}

void settle(LedgerParts& parts, HopRef ref, std::uint32_t revision, Resources demand,
            const TrafficContract& contract) {
  HopRecord& record = parts.hops.hop(ref);
  XB_CHECK(demand.fits_within(record.demand), ref, demand.cells_per_s, demand.buffer_cells);
  HopExtras& extras = parts.extras.edit(ref);
  if (extras.ingress && *extras.ingress > demand.cells_per_s) {
    parts.ports.change_ingress(record.input_port(), *extras.ingress, demand.cells_per_s);
    extras.ingress = demand.cells_per_s;
  }
  HopTable::set_contract(record, demand, contract);
  extras.revision = revision;
  const PortIndex out = record.output_port();
  extras.alone = lesser(parts.ports.charge_of(out, demand, contract), extras.alone);
  HopHoldings(parts).charge_group(out, parts.users.head_on_output(record));
  parts.extras.drop_plain(ref);
  parts.hops.touch(record);
}

}  // namespace xbind
