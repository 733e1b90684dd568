// Conversions for the types that several contracts share: types.idl.
#include "orb/convert.hpp"

namespace xbind::orb {

v2::LabelValue to_idl(Label label) {
  v2::LabelValue value;
  value.kind = static_cast<CORBA::Octet>(label.kind);
  value.value = label.value;
  return value;
}

Result<Label> to_core(const v2::LabelValue& label) {
  if (label.kind > static_cast<CORBA::Octet>(LabelKind::kMpls)) {
    return fail(ErrorCode::kProtocol, "label kind {} is unknown", label.kind);
  }
  const Label core{static_cast<LabelKind>(label.kind), label.value};
  switch (core.kind) {
    case LabelKind::kNone:
      if (core.value == 0) return core;
      return fail(ErrorCode::kProtocol, "no label, but label value {}", core.value);
    case LabelKind::kAtm:
      if (core.value <= kAtmValueMax) return core;
      return fail(ErrorCode::kProtocol, "ATM label value {} has more than 28 bits", core.value);
    case LabelKind::kMpls:
      if (core.value <= kMplsLabelMax) return core;
      return fail(ErrorCode::kProtocol, "MPLS label value {} has more than 20 bits", core.value);
  }
  return fail(ErrorCode::kProtocol, "label kind {} is unknown", label.kind);
}

v2::Demand to_idl(Resources resources) {
  v2::Demand demand;
  demand.cells_per_s = resources.cells_per_s;
  demand.buffer_cells = resources.buffer_cells;
  return demand;
}

Resources to_core(const v2::Demand& demand) { return {demand.cells_per_s, demand.buffer_cells}; }

v2::TrafficContract to_idl(const TrafficContract& contract) {
  v2::TrafficContract out;
  out.category = static_cast<CORBA::Octet>(contract.category);
  out.pcr_cells_per_s = contract.pcr_cells_per_s;
  out.cdvt_us = contract.cdvt_us;
  out.guaranteed_cells_per_s = contract.guaranteed_cells_per_s;
  out.mbs_cells = contract.mbs_cells;
  out.mfs_cells = contract.mfs_cells;
  return out;
}

TrafficContract to_core(const v2::TrafficContract& contract) {
  return {static_cast<ServiceCategory>(contract.category),
          contract.pcr_cells_per_s,
          contract.cdvt_us,
          contract.guaranteed_cells_per_s,
          contract.mbs_cells,
          contract.mfs_cells};
}

v2::NetworkService to_idl(const NetworkService& service) {
  v2::NetworkService out;
  out.resources = to_idl(service.resources);
  out.contract = to_idl(service.contract);
  return out;
}

NetworkService to_core(const v2::NetworkService& service) {
  return {to_core(service.resources), to_core(service.contract)};
}

void to_idl(const std::vector<Finding>& findings, v2::AuditFindingSeq& out) {
  out.length(static_cast<CORBA::ULong>(findings.size()));
  for (CORBA::ULong i = 0; i < out.length(); ++i) {
    out[i].finding = static_cast<CORBA::Octet>(findings[i].kind);
    out[i].element = findings[i].element.c_str();
    out[i].text = findings[i].text.c_str();
    out[i].amount = findings[i].amount;
    out[i].about = findings[i].about.c_str();
  }
}

Result<std::vector<Finding>> to_core(const v2::AuditFindingSeq& findings) {
  std::vector<Finding> out;
  out.reserve(findings.length());
  for (CORBA::ULong i = 0; i < findings.length(); ++i) {
    const v2::AuditFinding& finding = findings[i];
    if (finding.finding > static_cast<CORBA::Octet>(FindingKind::kUnreadable)) {
      return fail(ErrorCode::kProtocol, "finding kind {} is unknown", finding.finding);
    }
    out.push_back({static_cast<FindingKind>(finding.finding), finding.element.in(),
                   finding.text.in(), finding.amount, finding.about.in()});
  }
  return out;
}

}  // namespace xbind::orb
