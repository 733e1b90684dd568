#include "orb/convert.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "core/name.hpp"
#include "core/name_hash.hpp"

namespace xbind::orb {
namespace {

// Remembers the first field that could not be understood, so that the code below stays a list of
// fields.
class Checker {
 public:
  Label label(const v2::LabelValue& value) {
    auto converted = to_core(value);
    if (converted) return *converted;
    note(converted.error());
    return {};
  }
  Cause cause(CORBA::Octet code) {
    if (const auto known = cause_from(code)) return *known;
    note(Error{ErrorCode::kProtocol, fmt::format("cause code {} is unknown", code)});
    return Cause::kNone;
  }
  HopAction action(CORBA::Octet code) {
    if (code <= static_cast<CORBA::Octet>(HopAction::kModify)) return static_cast<HopAction>(code);
    note(Error{ErrorCode::kProtocol, fmt::format("hop action {} is unknown", code)});
    return HopAction::kCommit;
  }
  void owner(const CallRecord& call) {
    if (is_name(call.from) && is_name(call.to) &&
        (call.client == kTwoWayClient || is_name(call.client))) {
      return;
    }
    for (const auto& [what, name] :
         {std::pair{"endpoint", &call.from}, {"endpoint", &call.to}, {"client", &call.client}}) {
      const auto named = check_name(what, *name);
      if (!named) note(Error{ErrorCode::kProtocol, named.error().text});
    }
  }
  template <class T>
  Result<T> done(T value) const {
    if (error_) return tl::make_unexpected(*error_);
    return value;
  }
  void note(Error error) {
    if (!error_) error_ = std::move(error);
  }

 private:
  std::optional<Error> error_;
};

v2::HopName to_idl(const HopKey& key) {
  v2::HopName name;
  name.connection = key.connection.value();
  name.generation = key.generation.value();
  name.leg = key.leg;
  name.hop = key.hop;
  return name;
}

HopKey to_core(const v2::HopName& name) {
  return {ConnectionId{name.connection}, Generation{name.generation}, name.leg, name.hop};
}

void to_idl(const std::vector<PortQuota>& quotas, v2::PortQuotaSeq& out) {
  out.length(static_cast<CORBA::ULong>(quotas.size()));
  for (CORBA::ULong i = 0; i < out.length(); ++i) {
    out[i].port_number = quotas[i].port.value();
    out[i].quota = orb::to_idl(quotas[i].quota);
  }
}

std::vector<PortQuota> to_core(const v2::PortQuotaSeq& quotas) {
  std::vector<PortQuota> out;
  out.reserve(quotas.length());
  for (CORBA::ULong i = 0; i < quotas.length(); ++i) {
    out.push_back({PortId{quotas[i].port_number}, orb::to_core(quotas[i].quota)});
  }
  return out;
}

}  // namespace

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
  return Label{static_cast<LabelKind>(label.kind), label.value};
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

void to_idl(const std::vector<PortLabels>& ports, v2::PortLabelsSeq& out) {
  out.length(static_cast<CORBA::ULong>(ports.size()));
  for (CORBA::ULong i = 0; i < out.length(); ++i) {
    out[i].port_number = ports[i].port.value();
    out[i].labels.length(static_cast<CORBA::ULong>(ports[i].labels.size()));
    for (CORBA::ULong j = 0; j < out[i].labels.length(); ++j) {
      out[i].labels[j] = to_idl(ports[i].labels[j]);
    }
  }
}

Result<std::vector<PortLabels>> to_core(const v2::PortLabelsSeq& ports) {
  Checker checker;
  std::vector<PortLabels> out(ports.length());
  for (CORBA::ULong i = 0; i < ports.length(); ++i) {
    out[i].port = PortId{ports[i].port_number};
    out[i].labels.reserve(ports[i].labels.length());
    for (CORBA::ULong j = 0; j < ports[i].labels.length(); ++j) {
      out[i].labels.push_back(checker.label(ports[i].labels[j]));
    }
  }
  return checker.done(std::move(out));
}

void to_idl(const std::vector<Finding>& findings, v2::AuditFindingSeq& out) {
  out.length(static_cast<CORBA::ULong>(findings.size()));
  for (CORBA::ULong i = 0; i < out.length(); ++i) {
    out[i].finding_kind = static_cast<CORBA::Octet>(findings[i].kind);
    out[i].element = findings[i].element.c_str();
    out[i].text = findings[i].text.c_str();
    out[i].amount = findings[i].amount;
  }
}

Result<std::vector<Finding>> to_core(const v2::AuditFindingSeq& findings) {
  std::vector<Finding> out;
  out.reserve(findings.length());
  for (CORBA::ULong i = 0; i < findings.length(); ++i) {
    const v2::AuditFinding& finding = findings[i];
    if (finding.finding_kind > static_cast<CORBA::Octet>(FindingKind::kUnreadable)) {
      return fail(ErrorCode::kProtocol, "finding kind {} is unknown", finding.finding_kind);
    }
    out.push_back({static_cast<FindingKind>(finding.finding_kind), finding.element.in(),
                   finding.text.in(), finding.amount});
  }
  return out;
}

namespace {

// The distinct owners of a batch, in the order in which they come up. Where two share a place here, which is
// seldom, one of them may be said again.
class Owners {
 public:
  explicit Owners(v2::HopOwnerSeq& out) : out_(out) { out_.length(0); }
  // `call` outlives this.
  CORBA::ULong of(const CallRecord& call) {
    Said& said = said_[name_hash(call.from, call.to) % said_.size()];
    if (said.call != nullptr && said.call->from == call.from && said.call->to == call.to &&
        said.call->client == call.client) {
      return said.owner;
    }
    said = {&call, out_.length()};
    out_.length(said.owner + 1);
    out_[said.owner].client = call.client.c_str();
    out_[said.owner].from_end = call.from.c_str();
    out_[said.owner].to_end = call.to.c_str();
    return said.owner;
  }

 private:
  struct Said {
    const CallRecord* call = nullptr;
    CORBA::ULong owner = 0;
  };
  v2::HopOwnerSeq& out_;
  std::array<Said, 64> said_{};
};

}  // namespace

void to_idl(const HopBatch& batch, v2::HopBatch& out) {
  Owners owners(out.owners);
  out.setups.length(static_cast<CORBA::ULong>(batch.setups.size()));
  for (CORBA::ULong i = 0; i < out.setups.length(); ++i) {
    const HopSetup& from = batch.setups[i];
    v2::HopSetup& to = out.setups[i];
    to.name = to_idl(from.key);
    to.commit = from.commit;
    to.hop_count = from.hop_count;
    to.input_port = from.input_port.value();
    to.input_label = to_idl(from.input_label);
    to.output_port = from.output_port.value();
    to.output_label = to_idl(from.output_label);
    to.resources = to_idl(from.demand);
    to.labels_wanted = from.labels_wanted;
    to.owner = owners.of(from.call);
    to.request = from.call.request.value();
    to.held = from.held;
    to.branch = from.branch;
    to.takes_over = from.takes_over;
    to.joins = from.joins;
    to.quota_wanted = to_idl(from.quota_wanted);
    to.contract = to_idl(from.contract);
  }
  out.removals.length(static_cast<CORBA::ULong>(batch.removals.size()));
  for (CORBA::ULong i = 0; i < out.removals.length(); ++i) {
    out.removals[i].name = to_idl(batch.removals[i].key);
    out.removals[i].after = batch.removals[i].after;
  }
  to_idl(batch.returned, out.returned);
  out.modifies.length(static_cast<CORBA::ULong>(batch.modifies.size()));
  for (CORBA::ULong i = 0; i < out.modifies.length(); ++i) {
    out.modifies[i].name = to_idl(batch.modifies[i].key);
    out.modifies[i].revision = batch.modifies[i].revision;
    out.modifies[i].resources = to_idl(batch.modifies[i].demand);
    out.modifies[i].contract = to_idl(batch.modifies[i].contract);
  }
  to_idl(batch.quota_returned, out.quota_returned);
  out.declared.length(static_cast<CORBA::ULong>(batch.declared.size()));
  for (CORBA::ULong i = 0; i < out.declared.length(); ++i) {
    out.declared[i].port_number = batch.declared[i].port.value();
    out.declared[i].labels = batch.declared[i].labels;
  }
}

Result<HopBatch> to_core(const v2::HopBatch& batch) {
  Checker checker;
  HopBatch out;
  std::vector<CallRecord> owners;
  owners.reserve(batch.owners.length());
  for (CORBA::ULong i = 0; i < batch.owners.length(); ++i) {
    const v2::HopOwner& owner = batch.owners[i];
    owners.push_back({owner.client.in(), RequestId{}, owner.from_end.in(), owner.to_end.in()});
    checker.owner(owners.back());
  }
  out.setups.resize(batch.setups.length());
  for (CORBA::ULong i = 0; i < batch.setups.length(); ++i) {
    const v2::HopSetup& from = batch.setups[i];
    HopSetup& to = out.setups[i];
    to.key = to_core(from.name);
    to.commit = from.commit;
    to.hop_count = from.hop_count;
    to.input_port = PortId{from.input_port};
    to.input_label = checker.label(from.input_label);
    to.output_port = PortId{from.output_port};
    to.output_label = checker.label(from.output_label);
    to.demand = to_core(from.resources);
    to.labels_wanted = from.labels_wanted;
    to.held = from.held;
    to.branch = from.branch;
    to.takes_over = from.takes_over;
    to.joins = from.joins;
    to.quota_wanted = to_core(from.quota_wanted);
    to.contract = to_core(from.contract);
    if (from.owner < owners.size()) {
      to.call = owners[from.owner];
    } else {
      checker.note(Error{ErrorCode::kProtocol, fmt::format("setup {} is owner {}'s, of {} owners",
                                                           i, from.owner, owners.size())});
    }
    to.call.request = RequestId{from.request};
  }
  out.removals.reserve(batch.removals.length());
  CORBA::ULong least = 0;
  for (CORBA::ULong i = 0; i < batch.removals.length(); ++i) {
    const v2::HopRemoval& removal = batch.removals[i];
    if (removal.after < least || removal.after > batch.setups.length()) {
      checker.note(
          Error{ErrorCode::kProtocol,
                fmt::format("removal {} is to follow setup {}, of {} setups and not before {}", i,
                            removal.after, batch.setups.length(), least)});
    }
    least = removal.after;
    out.removals.push_back({to_core(removal.name), removal.after});
  }
  auto returned = to_core(batch.returned);
  if (returned) {
    out.returned = std::move(*returned);
  } else {
    checker.note(returned.error());
  }
  out.modifies.reserve(batch.modifies.length());
  for (CORBA::ULong i = 0; i < batch.modifies.length(); ++i) {
    const v2::HopModify& modify = batch.modifies[i];
    out.modifies.push_back({to_core(modify.name), modify.revision, to_core(modify.resources),
                            to_core(modify.contract)});
  }
  out.quota_returned = to_core(batch.quota_returned);
  out.declared.reserve(batch.declared.length());
  for (CORBA::ULong i = 0; i < batch.declared.length(); ++i) {
    out.declared.push_back({PortId{batch.declared[i].port_number}, batch.declared[i].labels});
  }
  return checker.done(std::move(out));
}

void to_idl(const HopResultBatch& batch, v2::HopResultBatch& out) {
  out.results.length(static_cast<CORBA::ULong>(batch.results.size()));
  for (CORBA::ULong i = 0; i < out.results.length(); ++i) {
    const HopResult& from = batch.results[i];
    v2::HopResult& to = out.results[i];
    to.name = to_idl(from.key);
    to.action = static_cast<CORBA::Octet>(from.action);
    to.cause = static_cast<CORBA::Octet>(from.cause);
    to.input_label = to_idl(from.input_label);
    to.output_label = to_idl(from.output_label);
    to.refusing_port = from.port.value();
    to.asked = from.asked;
    to.free = from.free;
  }
  to_idl(batch.granted, out.granted);
  to_idl(batch.quota_granted, out.quota_granted);
  out.recalls.length(static_cast<CORBA::ULong>(batch.recalls.size()));
  for (CORBA::ULong i = 0; i < out.recalls.length(); ++i) {
    out.recalls[i].port_number = batch.recalls[i].port.value();
    out.recalls[i].labels = batch.recalls[i].labels;
    out.recalls[i].quota = to_idl(batch.recalls[i].quota);
  }
}

Result<HopResultBatch> to_core(const v2::HopResultBatch& batch) {
  Checker checker;
  HopResultBatch out;
  out.results.resize(batch.results.length());
  for (CORBA::ULong i = 0; i < batch.results.length(); ++i) {
    const v2::HopResult& from = batch.results[i];
    out.results[i] = {to_core(from.name),
                      checker.action(from.action),
                      checker.cause(from.cause),
                      checker.label(from.input_label),
                      checker.label(from.output_label),
                      PortId{from.refusing_port},
                      from.asked,
                      from.free};
  }
  auto granted = to_core(batch.granted);
  if (granted) {
    out.granted = std::move(*granted);
  } else {
    checker.note(granted.error());
  }
  out.quota_granted = to_core(batch.quota_granted);
  out.recalls.reserve(batch.recalls.length());
  for (CORBA::ULong i = 0; i < batch.recalls.length(); ++i) {
    const v2::PortRecall& recall = batch.recalls[i];
    out.recalls.push_back({PortId{recall.port_number}, recall.labels, to_core(recall.quota)});
  }
  return checker.done(std::move(out));
}

void to_idl(const LedgerHop& hop, v2::LedgerHop& out) {
  out.name = to_idl(hop.key);
  out.input_port = hop.cross_connect.input_port.value();
  out.input_label = to_idl(hop.cross_connect.input_label);
  out.output_port = hop.cross_connect.output_port.value();
  out.output_label = to_idl(hop.cross_connect.output_label);
  out.resources = to_idl(hop.demand);
  out.settled = hop.settled;
  out.contract = to_idl(hop.contract);
}

Result<LedgerHop> to_core(const v2::LedgerHop& hop) {
  Checker checker;
  LedgerHop out;
  out.key = to_core(hop.name);
  out.cross_connect = {PortId{hop.input_port}, checker.label(hop.input_label),
                       PortId{hop.output_port}, checker.label(hop.output_label)};
  out.demand = to_core(hop.resources);
  out.settled = hop.settled;
  out.contract = to_core(hop.contract);
  return checker.done(std::move(out));
}

}  // namespace xbind::orb
