#include "tests/unit/ovs/openflow/golden_messages.hpp"

#include <string>

#include "tests/unit/ovs/openflow/golden.hpp"

namespace xbind::ovs::openflow::test {
namespace {

constexpr std::uint64_t kCookie = 0x0b1d000000000007;
constexpr std::uint64_t kCookieMask = 0xffff000000000000;
constexpr std::uint32_t kMeter = 7;
constexpr std::uint32_t kGroup = 9;
constexpr std::uint32_t kBundle = 5;
constexpr std::uint16_t kExperimenter = 0xffff;  // actions
constexpr std::uint16_t kSetField = 25;
constexpr std::uint32_t kMillisecond = 1000000;  // ns
constexpr std::uint32_t kTenGigabit = 10000000;

Match of_label(std::uint32_t port, std::uint32_t label) {
  return {.in_port = port, .eth_type = kEthTypeMpls, .mpls_label = label};
}

FlowMod swap_flow() {
  return {.command = FlowCommand::kAdd,
          .cookie = kCookie,
          .priority = 100,
          .flags = kFlowCheckOverlap,
          .match = of_label(1, 1000),
          .meter = kMeter,
          .actions = {SetMplsLabel{2000}, DecMplsTtl{}, Output{2}}};
}

std::vector<Bucket> branches() {
  return {{.actions = {SetMplsLabel{2001}, Output{2}}},
          {.actions = {PopMpls{kEthTypeIpv4}, Output{3}}}};
}

FlowMod ingress_flow() {
  return {.cookie = kCookie,
          .priority = 90,
          .match = {.in_port = 3,
                    .eth_type = kEthTypeIpv4,
                    .vlan_vid = kVlanUntagged,
                    .ipv4_dst = Ipv4Prefix{.address = 0x0a4d0000, .bits = 24}},
          .actions = {PushMpls{}, SetMplsLabel{1001}, Output{2}}};
}

FlowMod vlan_flow() {
  return {.cookie = kCookie,
          .table = 1,
          .priority = 80,
          .match = {.in_port = 2,
                    .eth_type = kEthTypeIpv4,
                    .vlan_vid = 100,
                    .ipv4_dst = Ipv4Prefix{.address = 0x0a4d0001}},
          .actions = {PopVlan{}, PushVlan{}, SetVlanVid{200}, Output{1}}};
}

FlowMod tree_flow() {
  return {
      .cookie = kCookie, .priority = 70, .match = of_label(2, 1002), .actions = {Group{kGroup}}};
}

FlowMod drop_flow() { return {.cookie = kCookie, .table = 2, .priority = 0}; }

// A flow of the bridge that `mod` added so many milliseconds ago.
FlowStats listed(const FlowMod& mod, std::uint32_t ms) {
  return {.table = mod.table,
          .priority = mod.priority,
          .flags = mod.flags,
          .cookie = mod.cookie,
          .match = mod.match,
          .meter = mod.meter,
          .actions = mod.actions,
          .duration_ns = ms * kMillisecond};
}

// A flow of somebody else, with what can be decoded of it.
FlowStats foreign_flow() {
  return {.table = 3,
          .priority = 7,
          .match = {.in_port = 1, .eth_type = kEthTypeIpv4, .foreign = true},
          .actions = {Foreign{kExperimenter}, Foreign{kExperimenter}},
          .duration_ns = 17 * kMillisecond};
}

FlowStats another_foreign_flow() {
  return {.table = 4,
          .priority = 0x8000,
          .match = {.vlan_vid = 5},
          .actions = {Foreign{kSetField}, Output{1}},
          .duration_ns = 2 * kMillisecond};
}

PortDesc listed_port(std::uint8_t number) {
  return {.port = number,
          .address = {2, 0, 0, 0, 0, number},
          .name = "p" + std::to_string(number),
          .state = kPortStateLive,
          .curr_speed_kbps = kTenGigabit};
}

PortDesc local_port() {
  return {.port = kPortLocal,
          .address = {2, 0, 0, 0, 0, 0x10},
          .name = "br0",
          .config = kPortConfigDown,
          .state = kPortStateLinkDown,
          .curr_speed_kbps = kTenGigabit};
}

PortDesc port_that_went_down() {
  PortDesc port = listed_port(2);
  port.state = kPortStateLinkDown;
  return port;
}

// The bridge sends the refused message back.
Error error(ErrorType type, std::uint16_t code, const std::string& refused) {
  return {.type = static_cast<std::uint16_t>(type), .code = code, .data = golden(refused)};
}

}  // namespace

std::vector<GoldenMessage> sent_messages() {
  std::uint32_t xid = 0;
  const auto next = [&xid] { return ++xid; };
  const std::vector<std::byte> data = from_hex("0102030405");
  std::vector<GoldenMessage> all = {
      {"hello", next(), Hello{}},
      {"echo-request", next(), EchoRequest{data}},
      {"echo-reply", next(), EchoReply{data}},
      {"features-request", next(), FeaturesRequest{}},
      {"set-config", next(), SetConfig{.miss_send_len = 128}},
      {"meter-add", next(), MeterMod{.id = kMeter, .rate_kbps = 2000, .burst_kbit = 300}},
      {"meter-modify", next(),
       MeterMod{
           .command = MeterCommand::kModify, .id = kMeter, .rate_kbps = 4000, .burst_kbit = 600}},
      {"group-add", next(), GroupMod{.id = kGroup, .buckets = {branches().front()}}},
      {"group-modify", next(),
       GroupMod{.command = GroupCommand::kModify, .id = kGroup, .buckets = branches()}},
      {"flow-add-swap", next(), swap_flow()},
      {"flow-add-ingress", next(), ingress_flow()},
      {"flow-add-vlan", next(), vlan_flow()},
      {"flow-add-tree", next(), tree_flow()},
      {"flow-add-drop", next(), drop_flow()},
      {"flow-modify-strict", next(),
       FlowMod{.command = FlowCommand::kModifyStrict,
               .cookie = kCookie,
               .cookie_mask = kCookieMask,
               .priority = 100,
               .flags = kFlowResetCounts,
               .match = of_label(1, 1000),
               .actions = {SetMplsLabel{3000}, DecMplsTtl{}, Output{3}}}},
      {"barrier-request", next(), BarrierRequest{}},
      {"flow-stats-request", next(),
       FlowStatsRequest{.cookie = kCookie, .cookie_mask = kCookieMask}},
      {"flow-stats-request-one", next(),
       FlowStatsRequest{.table = 0, .out_port = 2, .match = of_label(1, 1000)}},
      {"flow-stats-request-all", next(), FlowStatsRequest{}},
      {"group-desc-request", next(), GroupDescRequest{}},
      {"meter-config-request", next(), MeterConfigRequest{}},
      {"port-desc-request", next(), PortDescRequest{}},
      {"port-stats-request", next(), PortStatsRequest{.port = 1}},
      {"bundle-open", next(), BundleControl{.id = kBundle}},
  };
  const std::uint32_t added = next();
  all.push_back(
      {"bundle-add", added,
       BundleAdd{.id = kBundle,
                 .message = encoded_one(FlowMod{.priority = 60, .match = {.in_port = 3}}, added)}});
  const std::vector<GoldenMessage> last = {
      {"bundle-commit", next(), BundleControl{.id = kBundle, .type = BundleType::kCommitRequest}},
      {"bundle-discard", next(), BundleControl{.id = kBundle, .type = BundleType::kDiscardRequest}},
      {"flow-delete-strict", next(),
       FlowMod{.command = FlowCommand::kDeleteStrict,
               .cookie = kCookie,
               .cookie_mask = ~std::uint64_t{0},
               .priority = 100,
               .match = of_label(1, 1000)}},
      {"flow-delete", next(),
       FlowMod{.command = FlowCommand::kDelete,
               .cookie = kCookie,
               .cookie_mask = kCookieMask,
               .table = kTableAll}},
      {"flow-delete-port", next(),
       FlowMod{.command = FlowCommand::kDelete,
               .table = kTableAll,
               .out_port = 2,
               .out_group = kGroup}},
      {"group-delete", next(), GroupMod{.command = GroupCommand::kDelete, .id = kGroup}},
      {"group-delete-all", next(), GroupMod{.command = GroupCommand::kDelete, .id = kGroupAll}},
      {"meter-delete", next(), MeterMod{.command = MeterCommand::kDelete, .id = kMeter}},
      {"meter-delete-all", next(), MeterMod{.command = MeterCommand::kDelete, .id = kMeterAll}},
  };
  all.insert(all.end(), last.begin(), last.end());
  return all;
}

std::vector<GoldenMessage> captured_messages() {
  return {
      {"hello-reply", 22, Hello{}},
      {"echo-reply-of-bridge", 2, EchoReply{from_hex("0102030405")}},
      {"features-reply", 4,
       FeaturesReply{.datapath_id = 0x0000020000000010, .n_tables = 254, .capabilities = 0x24f}},
      {"error-meter-exists", 6, error(ErrorType::kMeterModFailed, kMeterExists, "meter-add")},
      {"error-no-group", 13, error(ErrorType::kBadAction, 9, "flow-add-tree")},
      {"error-no-bundle", 26, error(ErrorType::kBundleFailed, 2, "bundle-commit")},
      {"barrier-reply", 16, BarrierReply{}},
      {"flow-stats-reply", 17,
       FlowStatsReply{.flows = {listed(swap_flow(), 1), listed(tree_flow(), 1),
                                listed(ingress_flow(), 1), listed(vlan_flow(), 1),
                                listed(drop_flow(), 1)}}},
      {"flow-stats-reply-one", 18, FlowStatsReply{.flows = {listed(swap_flow(), 2)}}},
      {"flow-stats-reply-foreign", 19,
       FlowStatsReply{.flows = {foreign_flow(), another_foreign_flow()}}},
      {"group-desc-reply", 20, GroupDescReply{.groups = {{.id = kGroup, .buckets = branches()}}}},
      {"meter-config-reply", 21,
       MeterConfigReply{.meters = {{.id = kMeter, .rate_kbps = 4000, .burst_kbit = 600}}}},
      {"port-desc-reply", 22,
       PortDescReply{.ports = {local_port(), listed_port(1), listed_port(2), listed_port(3)}}},
      {"port-stats-reply", 23,
       PortStatsReply{.ports = {{.port = 1,
                                 .rx_packets = 2,
                                 .tx_packets = 2,
                                 .rx_octets = 176,
                                 .tx_octets = 176}}}},
      {"port-status", 0, PortStatus{.reason = PortReason::kModify, .port = port_that_went_down()}},
      {"bundle-open-reply", 24,
       BundleControl{.id = kBundle, .type = BundleType::kOpenReply, .flags = 0}},
      {"bundle-commit-reply", 26,
       BundleControl{.id = kBundle, .type = BundleType::kCommitReply, .flags = 0}},
      {"bundle-discard-reply", 27,
       BundleControl{.id = kBundle, .type = BundleType::kDiscardReply, .flags = 0}},
  };
}

}  // namespace xbind::ovs::openflow::test
