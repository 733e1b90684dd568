#include "emulator/usage_policing.hpp"

namespace xbind::emulator {

using dataplane::PolicedContract;
using dataplane::Verdict;
using gsmp::ServiceId;

std::optional<PolicedContract> policed_contract(const switchagent::QosProfile& profile,
                                                PolicingMode mode) {
  if (profile.input.model != gsmp::QosModel::kService || !profile.input_traffic ||
      (profile.input_traffic->tc_flags & gsmp::kTcPolicing) == 0) {
    return std::nullopt;
  }
  const gsmp::TrafficParameters& traffic = profile.input_traffic->parameters;
  PolicedContract contract;
  if (const auto* rate = std::get_if<gsmp::CellRate>(&traffic)) {
    contract.pcr_cells_per_s = rate->pcr_cells_per_s;
    contract.cdvt_us = rate->cdvt_us;
  } else if (const auto* frames = std::get_if<gsmp::GuaranteedFrameRate>(&traffic)) {
    contract.pcr_cells_per_s = frames->pcr_cells_per_s;
    contract.cdvt_us = frames->cdvt_us;
  } else if (const auto* variable = std::get_if<gsmp::VariableRate>(&traffic)) {
    const ServiceId service = gsmp::service_of(profile.input.selector);
    const bool first = service == ServiceId::kRtVbr1 || service == ServiceId::kNrtVbr1;
    const bool third = service == ServiceId::kRtVbr3 || service == ServiceId::kNrtVbr3;
    contract.pcr_cells_per_s = variable->pcr_cells_per_s;
    contract.cdvt_us = variable->cdvt_us;
    contract.scr_cells_per_s = variable->scr_cells_per_s;
    contract.mbs_cells = variable->mbs_cells;
    contract.scr_of_clp0 = !first;
    contract.tagging = third && mode == PolicingMode::kTag;
  }
  if (!contract.policed()) return std::nullopt;
  return contract;
}

UsagePolicing::Policed* UsagePolicing::policed(const dataplane::Connection& connection) {
  const auto contract =
      policed_contract(fabric_.branch_table().profile_at(connection.branches.front()), mode_);
  const std::size_t slot = connection.self.slot;
  Policed* known = slot < slots_.size() ? slots_[slot].get() : nullptr;
  if (known != nullptr && known->connection == connection.self) {
    const PolicedContract wanted = contract.value_or(PolicedContract{});
    // The counters stay. The new contract starts with its full tolerance.
    if (known->policer.contract() != wanted) known->policer = dataplane::Policer(wanted);
    return known;
  }
  if (!contract) return nullptr;
  if (slot >= slots_.size()) slots_.resize(slot + 1);
  slots_[slot] =
      std::make_unique<Policed>(Policed{connection.self, dataplane::Policer(*contract), {}});
  return slots_[slot].get();
}

Verdict UsagePolicing::police(const dataplane::Connection& connection, bool clp, TimePoint now) {
  Policed* const known = policed(connection);
  if (known == nullptr) return Verdict::kPass;
  const Verdict verdict = known->policer.police(clp, now);
  if (verdict == Verdict::kTag) {
    ++known->counters.tagged;
    ++total_.tagged;
  } else if (verdict == Verdict::kDiscard) {
    ++known->counters.discarded;
    ++total_.discarded;
  }
  return verdict;
}

dataplane::PolicingCounters UsagePolicing::counters(dataplane::ConnectionRef connection) const {
  const bool there = connection.slot < slots_.size() && slots_[connection.slot] != nullptr &&
                     slots_[connection.slot]->connection == connection;
  return there ? slots_[connection.slot]->counters : dataplane::PolicingCounters{};
}

}  // namespace xbind::emulator
