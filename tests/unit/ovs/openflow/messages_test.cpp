#include "ovs/openflow/messages.hpp"

#include <gtest/gtest.h>

#include "tests/unit/ovs/openflow/golden.hpp"

namespace xbind::ovs::openflow {
namespace {

using test::encoded_one;
using test::from_hex;
using test::golden;

// The refusal of a message whose header has the right length.
DecodeError refusal(wire::Buffer message) {
  const auto decoded = decode(test::with_length(std::move(message)));
  EXPECT_FALSE(decoded);
  return decoded ? DecodeError{} : decoded.error();
}
DecodeError refusal(std::string_view hex) { return refusal(from_hex(hex)); }

template <class M>
M decode_as(const wire::Buffer& message) {
  const auto decoded = decode(message);
  EXPECT_TRUE(decoded) << to_string(decoded.error());
  return std::get<M>(decoded->body);
}

// What a switch in memory sends in tests of a controller.
template <class M>
void expect_round_trip(const M& message) {
  EXPECT_EQ(decode_as<M>(encoded_one(message)), message);
}

TEST(Header, SaysWhoseMessageItIs) {
  const auto message = decode(golden("flow-add-swap"));
  ASSERT_TRUE(message);
  EXPECT_EQ(message->header, (Header{.type = Type::kFlowMod, .length = 136, .xid = 10}));
  EXPECT_EQ(to_string(message->header.type), "FlowMod");
  EXPECT_EQ(to_string(static_cast<Type>(99)), "Unknown");
}

TEST(Header, IsRefusedWithTheWrongVersionOrLength) {
  EXPECT_EQ(refusal("04140008 00000001"), (DecodeError{Refusal::kVersion, 4}));
  EXPECT_EQ(decode(from_hex("05140007 00000001")).error(),
            (DecodeError{Refusal::kHeaderLength, 7}));
  EXPECT_EQ(decode(from_hex("05140009 00000001")).error(), (DecodeError{Refusal::kFrameLength, 9}));
  EXPECT_EQ(decode(from_hex("051400")).error(), (DecodeError{Refusal::kTruncated, 3}));
}

TEST(Hello, SaysWhetherTheVersionIsPossible) {
  const auto hello = [](std::string_view hex) { return decode_as<Hello>(from_hex(hex)); };
  const Hello newer = hello("06000010 00000001 00010008 00000072");
  EXPECT_TRUE(newer.offers_version());
  EXPECT_EQ(version_name(newer.highest()), "1.5");
  const Hello older = hello("04000010 00000001 00010008 00000012");
  EXPECT_FALSE(older.offers_version());
  EXPECT_EQ(version_name(older.highest()), "1.3");
  const Hello without = hello("06000010 00000001 00010008 00000052");
  EXPECT_FALSE(without.offers_version()) << "1.5, but not 1.4";
}

TEST(Hello, WithoutABitmapOffersAllVersionsUpToItsHeader) {
  const auto offers = [](std::string_view hex) {
    return decode_as<Hello>(from_hex(hex)).offers_version();
  };
  EXPECT_TRUE(offers("06000008 00000001"));
  EXPECT_TRUE(offers("05000008 00000001"));
  EXPECT_FALSE(offers("04000008 00000001"));
  EXPECT_FALSE(offers("05000010 00000001 00010004 00000000")) << "a bitmap of no words";
  EXPECT_TRUE(offers("05000018 00000001 00090006 aaaa0000 00010008 00000020"))
      << "behind an element of another type";
  EXPECT_EQ(decode_as<Hello>(from_hex("04000008 00000001")).highest(), 4);
}

TEST(Hello, RefusesAnElementThatDoesNotFit) {
  EXPECT_EQ(refusal("05000000 00000001 00010003"), (DecodeError{Refusal::kHelloElementLength, 3}));
  EXPECT_EQ(refusal("05000000 00000001 00010009 00000020"),
            (DecodeError{Refusal::kHelloElementLength, 9}));
  EXPECT_EQ(version_name(0), "version 0");
  EXPECT_EQ(version_name(7), "version 7");
}

TEST(FlowMod, RefusesWhatDoesNotFit) {
  wire::Buffer flow = golden("flow-add-swap");
  flow.at(25) = std::byte{5};
  EXPECT_EQ(refusal(flow), (DecodeError{Refusal::kFlowCommand, 5}));
  flow = golden("flow-add-swap");
  flow.at(83) = std::byte{16};  // a Meter instruction of 16 octets
  EXPECT_EQ(refusal(flow), (DecodeError{Refusal::kInstructionLength, 16}));
  flow = golden("flow-add-swap");
  flow.at(91) = std::byte{0x38};  // Apply-Actions beyond the message
  EXPECT_EQ(refusal(flow), (DecodeError{Refusal::kInstructionLength, 0x38}));
  flow = golden("flow-add-swap");
  flow.at(99) = std::byte{12};  // no multiple of 8
  EXPECT_EQ(refusal(flow), (DecodeError{Refusal::kActionLength, 12}));
  flow = golden("flow-add-swap");
  flow.resize(40);
  EXPECT_EQ(refusal(flow), (DecodeError{Refusal::kTruncated, 32}));
}

TEST(FlowMod, IsForeignWithAnotherInstruction) {
  wire::Buffer flow = golden("flow-add-swap");
  flow.at(81) = std::byte{1};  // Goto-Table instead of Meter
  const auto mod = decode_as<FlowMod>(flow);
  EXPECT_TRUE(mod.foreign);
  EXPECT_FALSE(mod.meter);
  EXPECT_EQ(mod.actions.size(), 3U);
}

// A message with more octets at its end.
wire::Buffer with(wire::Buffer message, std::string_view hex) {
  const wire::Buffer more = from_hex(hex);
  message.insert(message.end(), more.begin(), more.end());
  return test::with_length(std::move(message));
}

TEST(FlowMod, IsForeignWithTwoInstructionsOfAKind) {
  const auto swap = decode_as<FlowMod>(golden("flow-add-swap"));
  ASSERT_FALSE(swap.foreign);
  const auto applied = decode_as<FlowMod>(
      with(golden("flow-add-swap"), "00040018 00000000 00000010 00000004 00000000 00000000"));
  EXPECT_TRUE(applied.foreign);
  EXPECT_EQ(applied.actions, swap.actions);
  const auto metered = decode_as<FlowMod>(with(golden("flow-add-swap"), "00060008 00000009"));
  EXPECT_TRUE(metered.foreign);
  EXPECT_EQ(metered.meter, swap.meter);
}

TEST(FlowStats, AreForeignWithTwoInstructionsOfAKind) {
  wire::Buffer reply = golden("flow-stats-reply-one");
  ASSERT_FALSE(decode_as<FlowStatsReply>(reply).flows.at(0).foreign);
  reply.at(17) = std::byte{0x88 + 0x18};
  reply = with(reply, "00040018 00000000 00000010 00000004 00000000 00000000");
  EXPECT_TRUE(decode_as<FlowStatsReply>(reply).flows.at(0).foreign);
}

TEST(Instruction, HasALengthThatIsAMultipleOf8) {
  EXPECT_EQ(refusal(with(golden("flow-add-swap"), "0001000c 00000000 00000000")),
            (DecodeError{Refusal::kInstructionLength, 12}));
}

TEST(FlowStats, AreForeignByMatchInstructionOrAction) {
  EXPECT_FALSE(is_foreign({.actions = {Output{1}}}));
  EXPECT_TRUE(is_foreign({.match = {.foreign = true}}));
  EXPECT_TRUE(is_foreign({.actions = {Foreign{21}}}));
  EXPECT_TRUE(is_foreign({.foreign = true}));
}

TEST(Action, IsForeignWithAnotherEthernetTypeOrField) {
  const auto only = [](std::string_view hex) {
    const auto actions = decode_actions(from_hex(hex));
    return actions && *actions == Actions{Foreign{static_cast<std::uint16_t>(
                                      std::stoul(std::string(hex.substr(0, 4)), nullptr, 16))}};
  };
  EXPECT_TRUE(only("00110008 88a80000")) << "Push VLAN of a provider";
  EXPECT_TRUE(only("00130008 88480000")) << "Push MPLS, multicast";
  EXPECT_TRUE(only("00190010 80000c02 00640000 00000000")) << "a VLAN id without its tag";
  EXPECT_TRUE(only("00190010 80004404 00100000 00000000")) << "a label of 21 bits";
  EXPECT_TRUE(only("00150008 00000001")) << "Set-Queue";
}

TEST(Action, HasALengthThatIsAMultipleOf8) {
  const auto length = [](std::string_view hex) { return decode_actions(from_hex(hex)).error(); };
  EXPECT_EQ(length("0015000c 00000001 00000000"), (DecodeError{Refusal::kActionLength, 12}));
  EXPECT_EQ(length("ffff0004"), (DecodeError{Refusal::kActionLength, 4}));
  EXPECT_EQ(length("00150010 00000001 00000000"), (DecodeError{Refusal::kActionLength, 16}));
  EXPECT_EQ(decode_actions(from_hex("00150010 00000001 00000000 00000000")),
            (Actions{Foreign{21}}));
}

TEST(Group, IsForeignWithABucketThatWatches) {
  const auto reply = [](std::size_t at) {
    wire::Buffer groups = golden("group-desc-reply");
    groups.at(at) = std::byte{2};
    return decode_as<GroupDescReply>(groups).groups.at(0).foreign;
  };
  ASSERT_FALSE(decode_as<GroupDescReply>(golden("group-desc-reply")).groups.at(0).foreign);
  EXPECT_TRUE(reply(31)) << "a port";
  EXPECT_TRUE(reply(35)) << "a group";
  EXPECT_TRUE(reply(83)) << "the second bucket's group";
  const auto mod = [](std::size_t at) {
    wire::Buffer group = golden("group-add");
    group.at(at) = std::byte{2};
    return decode_as<GroupMod>(group).foreign;
  };
  ASSERT_FALSE(decode_as<GroupMod>(golden("group-add")).foreign);
  EXPECT_TRUE(mod(10)) << "of a type other than All";
  EXPECT_TRUE(mod(23));
  EXPECT_TRUE(mod(27));
  wire::Buffer bucket = golden("group-add");
  bucket.at(17) = std::byte{0x2c};
  EXPECT_EQ(refusal(bucket), (DecodeError{Refusal::kBucketLength, 0x2c}));
}

TEST(Meter, IsForeignUnlessItHasOneBandThatDrops) {
  constexpr std::string_view kDrop = "00010010 000007d0 0000012c 00000000";
  constexpr std::string_view kRemark = "00020010 000007d0 0000012c 00000000";
  const auto add = [](std::string_view more) { return with(golden("meter-add"), more); };
  ASSERT_FALSE(decode_as<MeterMod>(golden("meter-add")).foreign);
  EXPECT_TRUE(decode_as<MeterMod>(add(kDrop)).foreign) << "two bands";
  EXPECT_TRUE(decode_as<MeterMod>(add(kRemark)).foreign);
  wire::Buffer remark = golden("meter-add");
  remark.at(17) = std::byte{2};
  EXPECT_TRUE(decode_as<MeterMod>(remark).foreign) << "its only band does not drop";
  wire::Buffer none = golden("meter-add");
  none.resize(16);
  EXPECT_TRUE(decode_as<MeterMod>(test::with_length(none)).foreign);
  const auto config = [](std::string_view more) {
    wire::Buffer reply = golden("meter-config-reply");
    reply.at(17) = std::byte{40};
    return decode_as<MeterConfigReply>(with(reply, more)).meters.at(0).foreign;
  };
  ASSERT_FALSE(decode_as<MeterConfigReply>(golden("meter-config-reply")).meters.at(0).foreign);
  EXPECT_TRUE(config(kDrop));
  EXPECT_TRUE(config(kRemark));
  wire::Buffer packets = golden("meter-config-reply");
  packets.at(19) = std::byte{0x0e};  // a rate in packets
  EXPECT_TRUE(decode_as<MeterConfigReply>(packets).meters.at(0).foreign);
}

TEST(Multipart, SaysWhetherMoreFollows) {
  wire::Buffer reply = golden("flow-stats-reply");
  EXPECT_FALSE(decode_as<FlowStatsReply>(reply).more);
  reply.at(11) = std::byte{1};
  EXPECT_TRUE(decode_as<FlowStatsReply>(reply).more);
}

TEST(Multipart, RefusesEntriesThatDoNotFit) {
  wire::Buffer reply = golden("flow-stats-reply-one");
  reply.at(17) = std::byte{0x90};
  EXPECT_EQ(refusal(reply), (DecodeError{Refusal::kEntryLength, 0x90}));
  reply.at(17) = std::byte{0};
  EXPECT_EQ(refusal(reply), (DecodeError{Refusal::kEntryLength, 0}));
  EXPECT_EQ(refusal("05130000 00000001 0001"), (DecodeError{Refusal::kTruncated, 2}));
  wire::Buffer groups = golden("group-desc-reply");
  groups.at(25) = std::byte{8};
  EXPECT_EQ(refusal(groups), (DecodeError{Refusal::kBucketLength, 8}));
  wire::Buffer meters = golden("meter-config-reply");
  meters.at(27) = std::byte{12};
  EXPECT_EQ(refusal(meters), (DecodeError{Refusal::kBandLength, 12}));
  wire::Buffer ports = golden("port-desc-reply");
  ports.at(21) = std::byte{39};
  EXPECT_EQ(refusal(ports), (DecodeError{Refusal::kEntryLength, 39}));
  ports = golden("port-desc-reply");
  ports.at(59) = std::byte{3};
  EXPECT_EQ(refusal(ports), (DecodeError{Refusal::kPropertyLength, 3}));
}

TEST(Refusals, NameNumbersThatDoNotExist) {
  EXPECT_EQ(refusal("050f0000 00000001 00030000 00000001"),
            (DecodeError{Refusal::kGroupCommand, 3}));
  EXPECT_EQ(refusal("051d0000 00000001 00040000 00000001"),
            (DecodeError{Refusal::kMeterCommand, 4}));
  EXPECT_EQ(refusal("05210000 00000001 00000005 00080000"), (DecodeError{Refusal::kBundleType, 8}));
  wire::Buffer status = golden("port-status");
  status.at(8) = std::byte{3};
  EXPECT_EQ(refusal(status), (DecodeError{Refusal::kPortReason, 3}));
  EXPECT_EQ(to_string(DecodeError{Refusal::kPortReason, 3}), "port reason 3 does not exist");
  EXPECT_EQ(to_string(DecodeError{Refusal::kActionLength, 12}), "action length 12 does not fit");
  EXPECT_EQ(to_string(DecodeError{Refusal::kVersion, 4}), "version 4, not 5");
}

TEST(Unknown, KeepsTheTypeOfAMessageOrMultipart) {
  const auto packet_in = decode(from_hex("050a000c 00000001 00000000"));
  ASSERT_TRUE(packet_in);
  EXPECT_EQ(packet_in->header.type, Type::kPacketIn);
  EXPECT_EQ(packet_in->body, Body(Unknown{}));
  EXPECT_EQ(decode_as<Unknown>(from_hex("05130010 00000001 00030000 00000000")),
            Unknown{.multipart = 3});
}

TEST(Bundle, WrapsAMessageInPlace) {
  const FlowMod flow{.priority = 60, .match = {.in_port = 3}};
  wire::Buffer out;
  encode_in_bundle(5, kBundleAtomic, flow, 25, out);
  EXPECT_EQ(test::to_hex(out), test::to_hex(golden("bundle-add")));
  const auto add = decode_as<BundleAdd>(out);
  EXPECT_EQ(decode_as<FlowMod>(add.message), flow);
}

TEST(Bundle, RefusesAMessageThatDoesNotFit) {
  wire::Buffer add = golden("bundle-add");
  add.at(19) = std::byte{0x49};
  EXPECT_EQ(refusal(add), (DecodeError{Refusal::kFrameLength, 0x49}));
}

TEST(Replies, AreDecodedAsTheyWereEncoded) {
  const FlowStats flow{.table = 1,
                       .priority = 2,
                       .cookie = 3,
                       .match = {.in_port = 4, .eth_type = kEthTypeMpls, .mpls_label = 5},
                       .meter = 6,
                       .actions = {SetMplsLabel{7}, Output{8}},
                       .packets = 9,
                       .octets = 10,
                       .duration_s = 11,
                       .duration_ns = 12};
  expect_round_trip(FlowStatsReply{.more = true, .flows = {flow, flow}});
  expect_round_trip(GroupDescReply{
      .more = true, .groups = {{.id = 1, .buckets = {{{Output{2}}}, {{Output{3}}}}}, {.id = 2}}});
  expect_round_trip(
      MeterConfigReply{.meters = {{.id = 1, .rate_kbps = 2, .burst_kbit = 3}, {.id = 4}}});
  const PortDesc port{.port = 1,
                      .address = {1, 2, 3, 4, 5, 6},
                      .name = "sixteen-octets-x",
                      .config = kPortConfigDown,
                      .state = kPortStateLinkDown,
                      .curr_speed_kbps = 1000};
  const PortDesc plain{.port = 2, .address = {}, .name = "p"};
  expect_round_trip(PortDescReply{.ports = {port, plain}});
  expect_round_trip(PortStatus{.reason = PortReason::kDelete, .port = plain});
  expect_round_trip(PortStatsReply{.ports = {{.port = 1, .rx_packets = 2, .tx_errors = 3}, {}}});
  expect_round_trip(FeaturesReply{.datapath_id = 1, .n_buffers = 2, .n_tables = 3});
  expect_round_trip(Error{.type = 6, .code = 7, .data = from_hex("0102")});
  expect_round_trip(Hello{.version = 4, .bitmap = {}});
  expect_round_trip(BarrierReply{});
}

TEST(GroupMod, TellsHowLongItWillBe) {
  GroupMod group{.id = 1};
  for (const std::size_t buckets : {0U, 1U, 7U}) {
    group.buckets.assign(buckets, {.actions = {SetMplsLabel{2}, DecMplsTtl{}, Output{3}}});
    EXPECT_EQ(encoded_octets(group), encoded_one(group).size()) << buckets << " buckets";
  }
  group.buckets.assign(kSmallBucketsMax, {.actions = {SetMplsLabel{2}, Output{3}}});
  EXPECT_LE(encoded_octets(group), kMessageOctetsMax);
  group.buckets.emplace_back(group.buckets.front());
  EXPECT_GT(encoded_octets(group), kMessageOctetsMax);
}

TEST(PortDesc, IsUpUnlessSwitchedOffOrWithoutALink) {
  EXPECT_TRUE((PortDesc{.state = kPortStateLive}.up()));
  EXPECT_FALSE((PortDesc{.state = kPortStateLinkDown}.up()));
  EXPECT_FALSE((PortDesc{.config = kPortConfigDown}.up()));
}

}  // namespace
}  // namespace xbind::ovs::openflow
