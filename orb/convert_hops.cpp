#include "orb/convert.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "orb/convert_checks.hpp"

namespace xbind::orb {

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

void to_idl(const HopOwner& owner, v2::HopOwner& out) {
  out.client = owner.client.c_str();
  out.client_epoch = owner.epoch.value();
  out.from_end = owner.from.c_str();
  out.to_end = owner.to.c_str();
}

namespace {

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

namespace {

// Collects the distinct services of a batch, in order of first use. Two services may collide in the
// small table, which is rare; one of them is then sent again.
class Services {
 public:
  explicit Services(v2::NetworkServiceSeq& out) : out_(out) { out_.length(0); }
  CORBA::ULong of(const Resources& demand, const TrafficContract& contract) {
    // Calls of a batch rarely differ in more than the rate.
    Said& said = said_[(demand.cells_per_s ^ demand.buffer_cells << 3) % said_.size()];
    if (said.known && said.demand == demand && said.contract == contract) return said.place;
    said = {true, demand, contract, out_.length()};
    out_.length(said.place + 1);
    out_[said.place] = orb::to_idl(NetworkService{demand, contract});
    return said.place;
  }

 private:
  struct Said {
    bool known = false;
    Resources demand;
    TrafficContract contract;
    CORBA::ULong place = 0;
  };
  v2::NetworkServiceSeq& out_;
  std::array<Said, 32> said_{};
};

}  // namespace

void to_idl(const HopBatch& batch, v2::HopBatch& out) {
  out.owners.length(static_cast<CORBA::ULong>(batch.owners.size()));
  for (CORBA::ULong i = 0; i < out.owners.length(); ++i) to_idl(batch.owners[i], out.owners[i]);
  Services services(out.services);
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
    to.service = services.of(from.demand, from.contract);
    to.labels_wanted = from.labels_wanted;
    to.owner = from.owner;
    to.request = from.request.value();
    to.hold_ms = from.held ? std::max<std::uint32_t>(from.hold_ms, 1) : 0;
    to.branch = from.branch;
    to.takes_over = from.takes_over;
    to.joins = from.joins;
    to.bidirectional = from.bidirectional;
    to.quota_wanted = to_idl(from.quota_wanted);
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
    out.modifies[i].service = services.of(batch.modifies[i].demand, batch.modifies[i].contract);
    out.modifies[i].handover.length(0);
    if (const auto& handover = batch.modifies[i].handover) {
      const CORBA::ULong owner = out.owners.length();
      out.owners.length(owner + 1);
      to_idl(handover->owner, out.owners[owner]);
      out.modifies[i].handover.length(1);
      out.modifies[i].handover[0] = {owner, handover->request.value(), handover->shown_id.value()};
    }
  }
  to_idl(batch.quota_returned, out.quota_returned);
  out.declared.length(static_cast<CORBA::ULong>(batch.declared.size()));
  for (CORBA::ULong i = 0; i < out.declared.length(); ++i) {
    out.declared[i].port_number = batch.declared[i].port.value();
    out.declared[i].labels = batch.declared[i].labels;
  }
  // Those beyond the bound are not recorded, that is all.
  out.traced.length(static_cast<CORBA::ULong>(
      std::min<std::size_t>(batch.traced.size(), v2::connection_ids_max)));
  for (CORBA::ULong i = 0; i < out.traced.length(); ++i) {
    out.traced[i] = batch.traced[i].value();
  }
}

Result<HopBatch> to_core(const v2::HopBatch& batch) {
  Checker checker;
  HopBatch out;
  out.owners = checker.owners(batch.owners);
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
    const NetworkService service = checker.service(batch.services, from.service);
    to.demand = service.resources;
    to.contract = service.contract;
    to.labels_wanted = from.labels_wanted;
    to.held = from.hold_ms != 0;
    to.hold_ms = hold_ms_of(from.hold_ms);
    to.branch = from.branch;
    to.takes_over = from.takes_over;
    to.joins = from.joins;
    to.bidirectional = from.bidirectional;
    to.quota_wanted = to_core(from.quota_wanted);
    to.owner = checker.owner(from.owner, out.owners.size());
    to.request = RequestId{from.request};
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
    const NetworkService service = checker.service(batch.services, modify.service);
    const HopKey key = to_core(modify.name);
    out.modifies.push_back({key, modify.revision, service.resources, service.contract});
    if (modify.handover.length() == 0) continue;
    const v2::HopHandover& handover = modify.handover[0];
    const std::uint32_t owner = checker.owner(handover.owner, out.owners.size());
    if (owner >= out.owners.size()) continue;
    out.modifies.back().handover = {out.owners[owner], RequestId{handover.request},
                                    ConnectionId{handover.shown_id}};
  }
  out.quota_returned = to_core(batch.quota_returned);
  out.declared.reserve(batch.declared.length());
  for (CORBA::ULong i = 0; i < batch.declared.length(); ++i) {
    out.declared.push_back({PortId{batch.declared[i].port_number}, batch.declared[i].labels});
  }
  out.traced = checker.traced(batch.traced, out.commands());
  return checker.done(std::move(out));
}

void to_idl(const HopResultBatch& batch, v2::HopResultBatch& out) {
  out.results.length(static_cast<CORBA::ULong>(batch.results.size()));
  for (CORBA::ULong i = 0; i < out.results.length(); ++i) {
    const HopResult& from = batch.results[i];
    v2::HopResult& to = out.results[i];
    to.name = to_idl(from.key);
    to.action = static_cast<CORBA::Octet>(from.action);
    to.revision = from.revision;
    if (from.cause == Cause::kNone) {
      v2::HopLabels done;
      done.input_label = to_idl(from.input_label);
      done.output_label = to_idl(from.output_label);
      to.answer.done(done);
    } else {
      v2::HopRefusal refused;
      refused.cause = static_cast<CORBA::Octet>(from.cause);
      refused.refusing_port = from.port.value();
      refused.asked = from.asked;
      refused.free = from.free;
      to.answer.refused(refused);
    }
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

HopResult to_core(const v2::HopResult& result, Checker& checker) {
  HopResult out;
  out.key = to_core(result.name);
  out.action = checker.action(result.action);
  out.revision = result.revision;
  if (result.answer._d()) {
    const v2::HopLabels& done = result.answer.done();
    out.input_label = checker.label(done.input_label);
    out.output_label = checker.label(done.output_label);
    return out;
  }
  const v2::HopRefusal& refused = result.answer.refused();
  out.cause = checker.cause(refused.cause);
  if (out.cause == Cause::kNone) {
    checker.note(Error{ErrorCode::kProtocol, "a refusal has no cause"});
  }
  out.port = PortId{refused.refusing_port};
  out.asked = refused.asked;
  out.free = refused.free;
  return out;
}

Result<HopResultBatch> to_core(const v2::HopResultBatch& batch) {
  Checker checker;
  HopResultBatch out;
  out.results.resize(batch.results.length());
  for (CORBA::ULong i = 0; i < batch.results.length(); ++i) {
    out.results[i] = to_core(batch.results[i], checker);
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

}  // namespace xbind::orb
