#include "tests/unit/ovs/memory_bridge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "core/check.hpp"

namespace xbind::ovs::test {

using namespace openflow;

namespace {

constexpr std::uint16_t kIncompatible = 0;   // OFPHFC_INCOMPATIBLE
constexpr std::uint16_t kBadBundle = 2;      // OFPBFC_BAD_ID
constexpr std::uint16_t kBadBundleType = 6;  // OFPBFC_BAD_TYPE
constexpr std::uint16_t kUnsupported = 10;   // OFPBFC_MSG_UNSUP
constexpr std::uint16_t kFailed = 13;        // OFPBFC_MSG_FAILED
constexpr std::uint16_t kBadType = 1;        // OFPBRC_BAD_TYPE

Error error(ErrorType type, std::uint16_t code) { return {static_cast<std::uint16_t>(type), code}; }

PortDesc port_desc(std::uint32_t port, bool up) {
  PortDesc desc;
  desc.port = port;
  desc.name = fmt::format("p{}", port);
  desc.state = up ? kPortStateLive : kPortStateLinkDown;
  return desc;
}

template <class M>
MemoryTables::Outcome check(const M& message) {
  if constexpr (std::is_same_v<M, FlowMod>) {
    return MemoryTables::check(message);
  } else {
    return std::nullopt;
  }
}

}  // namespace

MemoryBridge::MemoryBridge(std::uint32_t ports) {
  for (std::uint32_t port = 1; port <= ports; ++port) {
    ports_[port] = port_desc(port, true);
    counters_[port].port = port;
  }
}

// ----- the connection ---------------------------------------------------------------------------

void MemoryBridge::connect() {
  disconnect();
  connected_ = true;
  send(hello_, 1);
}

void MemoryBridge::disconnect() {
  connected_ = asynchronous_ = holding_ = false;
  framer_.reset();
  bundles_.clear();
  out_.clear();
  received_ = 0;
}

void MemoryBridge::receive(Frame octets) {
  if (!connected_) return;
  const auto broken = framer_.feed(octets, [this](Frame frame) {
    const auto message = decode(frame);
    XB_CHECK(message.has_value(), to_string(message.error()));
    ++received_;
    on(*message, frame);
    return true;
  });
  XB_CHECK(!broken);
}

wire::Buffer MemoryBridge::take_output() {
  if (holding_) return {};
  return std::exchange(out_, {});
}

void MemoryBridge::refuse(Error error, std::uint32_t xid, Frame refused) {
  error.data.assign(refused.begin(), refused.end());
  send(error, xid);
}

void MemoryBridge::on(const Message& message, Frame frame) {
  const std::uint32_t xid = message.header.xid;
  std::visit(
      [&](const auto& body) {
        using Body = std::decay_t<decltype(body)>;
        if constexpr (std::is_same_v<Body, Hello>) {
          if (!body.offers_version() || !hello_.offers_version())
            refuse(error(ErrorType::kHelloFailed, kIncompatible), xid, frame);
        } else if constexpr (std::is_same_v<Body, SetConfig>) {
          asynchronous_ = body.miss_send_len > 0;
        } else if constexpr (std::is_same_v<Body, EchoRequest>) {
          send(EchoReply{body.data}, xid);
        } else if constexpr (std::is_same_v<Body, BarrierRequest>) {
          send(BarrierReply{}, xid);
        } else if constexpr (std::is_same_v<Body, FlowMod> || std::is_same_v<Body, GroupMod> ||
                             std::is_same_v<Body, MeterMod>) {
          on_change(body, xid, frame);
        } else if constexpr (std::is_same_v<Body, BundleControl>) {
          on_bundle(body, xid, frame);
        } else if constexpr (std::is_same_v<Body, BundleAdd>) {
          on_bundle_add(body, xid, frame);
        } else if constexpr (std::is_same_v<Body, FlowStatsRequest>) {
          reply(xid, tables_.find(body), &FlowStatsReply::flows);
        } else if constexpr (std::is_same_v<Body, GroupDescRequest>) {
          std::vector<GroupDesc> groups;
          for (const auto& [id, buckets] : tables_.groups()) groups.push_back({id, buckets, false});
          reply(xid, groups, &GroupDescReply::groups);
        } else if constexpr (std::is_same_v<Body, MeterConfigRequest>) {
          on_query(body, xid, frame);
        } else if constexpr (std::is_same_v<Body, PortDescRequest>) {
          std::vector<PortDesc> ports;
          for (const auto& [number, desc] : ports_) ports.push_back(desc);
          ports.push_back(port_desc(kPortLocal, false));
          reply(xid, ports, &PortDescReply::ports);
        } else if constexpr (std::is_same_v<Body, PortStatsRequest>) {
          std::vector<PortStats> ports;
          for (const auto& [number, met] : counters_) {
            if (body.port == kPortAny || body.port == number) ports.push_back(met);
          }
          reply(xid, ports, &PortStatsReply::ports);
        } else if constexpr (!std::is_same_v<Body, EchoReply> && !std::is_same_v<Body, Error>) {
          refuse(error(ErrorType::kBadRequest, kBadType), xid, frame);
        }
      },
      message.body);
}

// ----- changes ----------------------------------------------------------------------------------

template <class M>
MemoryTables::Outcome MemoryBridge::refused_on_purpose(const M& message, When when) {
  Kind kind = Kind::kGroup;
  if constexpr (std::is_same_v<M, FlowMod>) {
    if (message.command != FlowCommand::kAdd) return std::nullopt;
    kind = Kind::kFlow;
  } else if constexpr (std::is_same_v<M, MeterMod>) {
    if (message.command == MeterCommand::kDelete) return std::nullopt;
    kind = Kind::kMeter;
  } else if (message.command == GroupCommand::kDelete) {
    return std::nullopt;
  }
  const auto found = std::ranges::find_if(
      refusing_, [&](const Refusing& one) { return one.kind == kind && one.when == when; });
  if (found == refusing_.end()) return std::nullopt;
  const Error wrong = found->error;
  if (--found->count == 0) refusing_.erase(found);
  return wrong;
}

template <class M>
void MemoryBridge::on_change(const M& message, std::uint32_t xid, Frame frame) {
  auto wrong = refused_on_purpose(message, When::kRead);
  if (!wrong) wrong = refused_on_purpose(message, When::kExecuted);
  if (!wrong) wrong = tables_.apply(message);
  if (wrong) refuse(*wrong, xid, frame);
}

void MemoryBridge::on_bundle(const BundleControl& message, std::uint32_t xid, Frame frame) {
  const auto found = bundles_.find(message.id);
  const bool there = found != bundles_.end();
  BundleType answer = BundleType::kOpenReply;
  switch (message.type) {
    case BundleType::kOpenRequest:
      if (there) {
        bundles_.erase(found);
        return refuse(error(ErrorType::kBundleFailed, kBadBundle), xid, frame);
      }
      bundles_[message.id] = {};
      break;
    case BundleType::kCommitRequest: {
      if (!there) return refuse(error(ErrorType::kBundleFailed, kBadBundle), xid, frame);
      const auto bundle = std::move(found->second);
      bundles_.erase(found);
      if (!commit(bundle)) return refuse(error(ErrorType::kBundleFailed, kFailed), xid, frame);
      answer = BundleType::kCommitReply;
      break;
    }
    case BundleType::kDiscardRequest:
      if (!there) return refuse(error(ErrorType::kBundleFailed, kBadBundle), xid, frame);
      bundles_.erase(found);
      answer = BundleType::kDiscardReply;
      break;
    default: return refuse(error(ErrorType::kBundleFailed, kBadBundleType), xid, frame);
  }
  send(BundleControl{message.id, answer, 0}, xid);
}

void MemoryBridge::on_bundle_add(const BundleAdd& message, std::uint32_t xid, Frame frame) {
  const auto inner = decode(message.message);
  XB_CHECK(inner && inner->header.xid == xid);
  const auto take = [&](const auto& change) {
    auto wrong = refused_on_purpose(change, When::kRead);
    if (!wrong) wrong = check(change);
    if (wrong) return refuse(*wrong, xid, frame);
    bundles_[message.id].push_back({xid, change, {frame.begin(), frame.end()}});
  };
  if (const auto* flow = std::get_if<FlowMod>(&inner->body)) {
    take(*flow);
  } else if (const auto* group = std::get_if<GroupMod>(&inner->body)) {
    take(*group);
  } else {
    refuse(error(ErrorType::kBundleFailed, kUnsupported), xid, frame);
  }
}

bool MemoryBridge::commit(const std::vector<Added>& bundle) {
  MemoryTables before = tables_;
  for (const Added& one : bundle) {
    const auto wrong = std::visit(
        [&](const auto& change) {
          auto refused = refused_on_purpose(change, When::kExecuted);
          return refused ? refused : tables_.apply(change);
        },
        one.change);
    if (!wrong) continue;
    tables_ = std::move(before);
    refuse(*wrong, one.xid, one.octets);
    return false;
  }
  return true;
}

// ----- queries ----------------------------------------------------------------------------------

template <class Reply, class Entries>
void MemoryBridge::reply(std::uint32_t xid, const Entries& found, Entries Reply::*entries) {
  std::size_t sent = 0;
  do {
    const std::size_t count = std::min(part_entries_, found.size() - sent);
    Reply part;
    const auto first = found.begin() + static_cast<std::ptrdiff_t>(sent);
    (part.*entries).assign(first, first + static_cast<std::ptrdiff_t>(count));
    sent += count;
    part.more = sent < found.size();
    send(part, xid);
  } while (sent < found.size());
}

void MemoryBridge::on_query(const MeterConfigRequest& request, std::uint32_t xid, Frame frame) {
  if (std::exchange(no_meters_, false))
    return refuse(error(ErrorType::kBadRequest, kBadType), xid, frame);
  std::vector<MeterConfig> meters;
  for (const auto& [id, rate] : tables_.meters()) {
    if (request.id == kMeterAll || request.id == id)
      meters.push_back({id, rate.kbps, rate.burst_kbit, false});
  }
  if (request.id != kMeterAll && meters.empty())
    return refuse(error(ErrorType::kMeterModFailed, kMeterUnknown), xid, frame);
  reply(xid, meters, &MeterConfigReply::meters);
}

// ----- the bridge -------------------------------------------------------------------------------

void MemoryBridge::restart() {
  disconnect();
  const std::size_t flows_max = tables_.flows_max;
  tables_ = {};
  tables_.flows_max = flows_max;
}

void MemoryBridge::send_status(PortReason reason, const PortDesc& port) {
  if (connected_ && asynchronous_) send(PortStatus{reason, port}, 0);
}

void MemoryBridge::set_port(std::uint32_t port, bool up) {
  const bool known = ports_.contains(port);
  ports_[port] = port_desc(port, up);
  counters_[port].port = port;
  send_status(known ? PortReason::kModify : PortReason::kAdd, ports_[port]);
}

void MemoryBridge::remove_port(std::uint32_t port) {
  const auto found = ports_.find(port);
  XB_CHECK(found != ports_.end(), port);
  send_status(PortReason::kDelete, found->second);
  ports_.erase(found);
  counters_.erase(port);
}

void MemoryBridge::count(const Match& match, std::uint16_t priority, std::uint64_t octets) {
  PortStats& port = counters_[match.in_port];
  ++port.rx_packets;
  port.rx_octets += octets;
  if (FlowStats* const flow = tables_.flow(match, priority)) {
    ++flow->packets;
    flow->octets += octets;
  }
}

void MemoryBridge::refuse_next(Kind kind, ErrorType type, std::uint16_t code, When when,
                               std::uint64_t count) {
  refusing_.push_back({kind, when, count, error(type, code)});
}

}  // namespace xbind::ovs::test
