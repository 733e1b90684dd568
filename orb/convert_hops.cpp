#include "orb/convert.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/name.hpp"

namespace xbind::orb {
namespace {

// Stores the error of the first field that could not be converted, so that the code below remains a
// list of fields.
class Checker {
 public:
  Label label(const v2::LabelValue& value) {
    auto converted = orb::to_core(value);
    if (converted) return *converted;
    note(converted.error());
    return {};
  }
  Cause cause(CORBA::Octet code) {
    if (const auto known = cause_from(code)) return *known;
    note(Error{ErrorCode::kProtocol, fmt::format("cause code {} is unknown", code)});
    return Cause::kNone;
  }
  // The service of the setup or change, at that index.
  NetworkService service(const v2::NetworkServiceSeq& services, CORBA::ULong place) {
    if (place < services.length()) return orb::to_core(services[place]);
    note(Error{ErrorCode::kProtocol,
               fmt::format("service {} is meant, of {} services", place, services.length())});
    return {};
  }
  // Checks that a setup or hop has a valid index into the `owners` of its message.
  std::uint32_t owner(CORBA::ULong place, std::size_t owners) {
    if (place >= owners) {
      note(Error{ErrorCode::kProtocol,
                 fmt::format("owner {} is meant, of {} owners", place, owners)});
    }
    return place;
  }
  HopAction action(CORBA::Octet code) {
    if (code <= static_cast<CORBA::Octet>(HopAction::kModify)) return static_cast<HopAction>(code);
    note(Error{ErrorCode::kProtocol, fmt::format("hop action {} is unknown", code)});
    return HopAction::kCommit;
  }
  HopStage stage(CORBA::Octet code) {
    if (code <= static_cast<CORBA::Octet>(kHopStageLast)) return static_cast<HopStage>(code);
    note(Error{ErrorCode::kProtocol, fmt::format("hop stage {} is unknown", code)});
    return HopStage::kCommitted;
  }
  std::vector<HopOwner> owners(const v2::HopOwnerSeq& owners) {
    std::vector<HopOwner> out;
    out.reserve(owners.length());
    for (CORBA::ULong i = 0; i < owners.length(); ++i) {
      const v2::HopOwner& owner = owners[i];
      out.push_back(
          {owner.client.in(), Epoch{owner.client_epoch}, owner.from_end.in(), owner.to_end.in()});
      check(out.back());
    }
    return out;
  }
  void check(const HopOwner& owner) {
    if (is_name(owner.from) && is_name(owner.to) &&
        (owner.client == kTwoWayClient || is_name(owner.client))) {
      return;
    }
    for (const auto& [what, name] :
         {std::pair{"endpoint", &owner.from}, {"endpoint", &owner.to}, {"client", &owner.client}}) {
      const auto named = check_name(what, *name);
      if (!named) note(Error{ErrorCode::kProtocol, named.error().text});
    }
  }
  template <class T>
  Result<T> done(T value) const {
    if (error_) return tl::make_unexpected(*error_);
    return value;
  }
  Result<void> done() const {
    if (error_) return tl::make_unexpected(*error_);
    return {};
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

void to_idl(const HopOwner& owner, v2::HopOwner& out) {
  out.client = owner.client.c_str();
  out.client_epoch = owner.epoch.value();
  out.from_end = owner.from.c_str();
  out.to_end = owner.to.c_str();
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
    to.held = from.held;
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
    to.held = from.held;
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
  return checker.done(std::move(out));
}

void to_idl(const HopResultBatch& batch, v2::HopResultBatch& out) {
  out.results.length(static_cast<CORBA::ULong>(batch.results.size()));
  for (CORBA::ULong i = 0; i < out.results.length(); ++i) {
    const HopResult& from = batch.results[i];
    v2::HopResult& to = out.results[i];
    to.name = to_idl(from.key);
    to.action = static_cast<CORBA::Octet>(from.action);
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

namespace {

HopResult to_core(const v2::HopResult& result, Checker& checker) {
  HopResult out;
  out.key = to_core(result.name);
  out.action = checker.action(result.action);
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

}  // namespace

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

std::size_t hops_that_fit(const std::vector<LedgerHop>& hops, const std::vector<HopOwner>& owners,
                          std::size_t first, std::size_t most, ReplyRoom& room) {
  constexpr std::size_t kHop = 112;
  constexpr std::size_t kOwner = 16;  // without its names
  std::unordered_set<std::uint32_t> said;
  std::size_t count = 0;
  for (; count < most && first + count < hops.size(); ++count) {
    const std::uint32_t number = hops[first + count].owner;
    std::size_t octets = kHop;
    if (!said.contains(number)) {
      const HopOwner& owner = owners[number];
      octets += kOwner + cdr_string(owner.client.size()) + cdr_string(owner.from.size()) +
                cdr_string(owner.to.size());
    }
    if (!room.take(octets)) break;
    said.insert(number);
  }
  return count;
}

namespace {

// `Page`: LedgerPage or HopPage.
template <class Page>
void fill_hops(const LedgerHop* hops, std::size_t count, const std::vector<HopOwner>& owners,
               Page& out) {
  std::unordered_map<std::uint32_t, CORBA::ULong> said;  // index in the report to index in the page
  out.owners.length(0);
  out.hops.length(static_cast<CORBA::ULong>(count));
  for (CORBA::ULong i = 0; i < out.hops.length(); ++i) {
    const LedgerHop& from = hops[i];
    v2::LedgerHop& to = out.hops[i];
    to.name = to_idl(from.key);
    to.hop_count = from.hop_count;
    to.settled = from.settled;
    to.held = from.held;
    const auto [owner, fresh] = said.try_emplace(from.owner, out.owners.length());
    if (fresh) {
      out.owners.length(owner->second + 1);
      to_idl(owners[from.owner], out.owners[owner->second]);
    }
    to.owner = owner->second;
    to.request = from.request.value();
    to.input_port = from.cross_connect.input_port.value();
    to.input_label = orb::to_idl(from.cross_connect.input_label);
    to.output_port = from.cross_connect.output_port.value();
    to.output_label = orb::to_idl(from.cross_connect.output_label);
    to.service = orb::to_idl(NetworkService{from.demand, from.contract});
    to.stage = static_cast<CORBA::Octet>(from.stage);
    to.branch = from.branch;
    to.bidirectional = from.bidirectional;
    to.superseded = from.superseded;
    to.revision = from.revision;
    to.shown_id = from.shown_id.value();
  }
}

template <class Page>
void take_hops(const Page& page, std::vector<LedgerHop>& hops, std::vector<HopOwner>& all_owners,
               Checker& checker) {
  const auto before = static_cast<std::uint32_t>(all_owners.size());
  std::vector<HopOwner> owners = checker.owners(page.owners);
  const auto count = static_cast<std::uint32_t>(owners.size());
  std::move(owners.begin(), owners.end(), std::back_inserter(all_owners));
  hops.reserve(hops.size() + page.hops.length());
  for (CORBA::ULong i = 0; i < page.hops.length(); ++i) {
    const v2::LedgerHop& from = page.hops[i];
    LedgerHop& to = hops.emplace_back();
    to.key = to_core(from.name);
    to.cross_connect = {PortId{from.input_port}, checker.label(from.input_label),
                        PortId{from.output_port}, checker.label(from.output_label)};
    const NetworkService service = orb::to_core(from.service);
    to.demand = service.resources;
    to.contract = service.contract;
    to.settled = from.settled;
    to.held = from.held;
    to.hop_count = from.hop_count;
    to.owner = before + checker.owner(from.owner, count);
    to.request = RequestId{from.request};
    to.stage = checker.stage(from.stage);
    to.branch = from.branch;
    to.bidirectional = from.bidirectional;
    to.superseded = from.superseded;
    to.revision = from.revision;
    to.shown_id = ConnectionId{from.shown_id};
  }
}

}  // namespace

void to_idl(const LedgerHop* hops, std::size_t count, const std::vector<HopOwner>& owners,
            v2::LedgerPage& out) {
  fill_hops(hops, count, owners, out);
}

void to_idl(const HeldHops& held, std::size_t count, v2::HopPage& out) {
  fill_hops(held.hops.data(), count, held.owners, out);
}

Result<void> add_hops(const v2::LedgerPage& page, LedgerReport& report) {
  Checker checker;
  take_hops(page, report.hops, report.owners, checker);
  return checker.done();
}

Result<HeldHops> to_core(const v2::HopPage& page) {
  Checker checker;
  HeldHops held;
  take_hops(page, held.hops, held.owners, checker);
  held.next = page.next;
  return checker.done(std::move(held));
}

}  // namespace xbind::orb
