#include "switchserver/ledger/ledger.hpp"

#include "core/check.hpp"
#include "core/planted.hpp"
#include "switchserver/ledger/claim.hpp"
#include "switchserver/ledger/holdings.hpp"
#include "switchserver/ledger/modify.hpp"
#include "switchserver/ledger/rebuild.hpp"
#include "switchserver/ledger/room.hpp"
#include "switchserver/ledger/self_check.hpp"
#include "switchserver/ledger/set_up.hpp"

namespace xbind {

// ===== ports =====

std::vector<PortId> Ledger::set_ports(const std::vector<SwitchPort>& ports) {
  std::vector<PortId> no_room;
  parts_->ports.miss_all();
  for (SwitchPort about : ports) {
    const auto at = parts_->numbers.enter(about.port);
    if (!at) {
      no_room.push_back(about.port);
      continue;
    }
    about.labels = parts_->labels.set_ranges(*at, about.labels);
    parts_->ports.set(*at, about);
  }
  return no_room;
}

void Ledger::change_capacities(const LedgerOptions& options) {
  LedgerOptions& own = parts_->options;
  own.overbooking = options.overbooking;
  own.port_overbooking = options.port_overbooking;
  own.rt_wait_us = options.rt_wait_us;
  own.buffer_cells = options.buffer_cells;
  parts_->ports.apply_options();
}

std::optional<PortUsage> Ledger::usage(PortId port) const {
  const auto at = parts_->numbers.find(port);
  if (!at) return std::nullopt;
  PortUsage usage = ports().usage(*at);
  usage.free_output_labels = labels().output(*at).free_count();
  usage.free_input_labels = labels().input(*at).free_count();
  return usage;
}

// ===== managers =====

void Ledger::open_session(ManagerIndex manager) {
  parts_->managers.open_session(manager);
  parts_->labels.open_session(manager);
}

void Ledger::lapse(ManagerIndex manager) {
  parts_->managers.end_session(manager);
  parts_->hops.for_each([&](HopRef ref, HopRecord& record) {
    if (record.manager != manager) return;
    record.earlier_session = true;
    const bool held = record.held && !planted(Bug::kHeldLapses);
    if (record.stage() == HopStage::kReserved && !held) {
      HopHoldings(*parts_).give_up(ref, LabelHolder::kLapsed);
    }
  });
  parts_->labels.lapse(manager);
  if (!planted(Bug::kQuotaKept)) parts_->ports.drop_quotas(manager);
}

void Ledger::end_rest(ManagerIndex manager) {
  if (!managers().in_session(manager)) parts_->labels.end_rest(manager);
}

std::uint64_t Ledger::forget_manager(ManagerIndex manager) {
  XB_CHECK(!managers().in_session(manager), managers().name(manager));
  parts_->hops.for_each([&](HopRef ref, const HopRecord& record) {
    if (record.manager != manager || record.stage() != HopStage::kReserved) return;
    HopHoldings(*parts_).give_up(ref, LabelHolder::kFree);
  });
  parts_->labels.forget(manager);
  return parts_->managers.forget(manager);
}

// ===== hops =====

Admission Ledger::set_up(ManagerIndex manager, const HopSetup& setup, std::uint32_t owner) {
  return xbind::set_up(*parts_, manager, setup, owner);
}

std::vector<HopRoom> Ledger::would_take(ManagerIndex manager,
                                        std::span<const HopQuestion> hops) const {
  return xbind::would_take(*parts_, manager, hops);
}

Admission Ledger::modify(ManagerIndex manager, const HopModify& modify, bool until_settled) {
  return xbind::modify(*parts_, manager, modify, until_settled);
}

void Ledger::settle(HopRef hop, std::uint32_t revision, Resources demand,
                    const TrafficContract& contract) {
  xbind::settle(*parts_, hop, revision, demand, contract);
}

void Ledger::undo(HopRef ref) { xbind::undo(*parts_, ref); }

bool Ledger::begin_removal(HopRef ref) {
  HopRecord& record = hop(ref);
  if (goes_at_once(ref)) {
    HopHoldings(*parts_).give_up(ref, LabelHolder::kQuarantine);
    return true;
  }
  if (record.stage() != HopStage::kRemoving) touch(record);
  step(ref, record, HopFsm::Event::kRemovalAsked);
  return false;
}

void Ledger::removed(HopRef ref) {
  XB_CHECK(hop(ref).stage() == HopStage::kRemoving, HopFsm::name(hop(ref).state()));
  HopHoldings(*parts_).give_up(ref, LabelHolder::kQuarantine);
}

Admission Ledger::claim(ManagerIndex manager, const LedgerHop& claimed, std::uint32_t owner) {
  return xbind::claim(*parts_, manager, claimed, owner);
}

std::size_t Ledger::hop_octets() const {
  return hops().octets() + extras().octets() + stacks().octets();
}

// ===== repair =====

void Ledger::rebuild() { xbind::rebuild(*parts_); }

std::vector<Finding> Ledger::self_check(std::string_view name) const {
  return xbind::self_check(*parts_, name);
}

}  // namespace xbind
