// Port management, label ranges, statistics, configuration and events built by hand,
// compared with the worked octets.
#include <gtest/gtest.h>

#include "tests/unit/gsmp/hex.hpp"
#include "tests/unit/gsmp/worked.hpp"

namespace xbind::gsmp {
namespace {

using test::again;
using test::atm;
using test::expect_worked;
using test::golden_message;
using test::hex;

TEST(Worked, PortManagement) {  // P1, P2, P3
  PortManagement message;
  message.header.transaction = 0x501;
  message.port = PortId(1);
  message.port_session = 0x5eed0001;
  message.function = PortFunction::kBringUp;
  expect_worked(message, "P1");
  message.header.result = ResultField::kSuccess;
  message.port_session = 0x5eed0011;
  expect_worked(message, "P2");

  message.header.result = ResultField::kAckAll;
  message.header.transaction = 0x502;
  message.function = PortFunction::kResetFlags;
  message.event_flags = event_flag(MessageType::kPortDown);
  expect_worked(message, "P3");
}

TEST(PortManagement, CarriesEveryField) {
  PortManagement message;
  message.header.result = ResultField::kSuccess;
  message.port = PortId(3);
  message.port_session = 0x5eed0003;
  message.event_sequence = 17;
  message.replace = true;
  message.duration_s = 30;
  message.function = PortFunction::kSetTransmitRate;
  message.event_flags = kEventPortUp | kEventAdjacency;
  message.flow_control_flags = kEventsAll;
  message.transmit_cells_per_s = kTransmitRateFastest;
  EXPECT_EQ(hex(message),
            "880c0024 03200300 00000000 80010024 00000003 5eed0003 00000011 801e0008 8400fc00 "
            "ffffffff");
  EXPECT_EQ(again(message), message);
  EXPECT_EQ(to_string(message),
            "port management success: port 3 session 0x5eed0003, set transmit rate 4294967295 "
            "cells/s, connection replace, for 30 s, event flags UA, flow control flags UDINZA, "
            "sequence 17");
}

TEST(PortManagement, AFunctionThatDoesNotExistIsForTheSwitchToRefuse) {
  wire::Buffer octets = golden_message("P1");
  octets[27] = std::byte{9};
  EXPECT_EQ(to_string(std::get<PortManagement>(*decode(octets)).function), "function 9");
}

TEST(EventFlags, HaveOneBitPerEvent) {
  std::uint16_t all = 0;
  for (auto type = static_cast<int>(MessageType::kPortUp);
       type <= static_cast<int>(MessageType::kAdjacencyUpdate); ++type) {
    all |= event_flag(static_cast<MessageType>(type));
  }
  EXPECT_EQ(all, kEventsAll);
  EXPECT_EQ(event_flag(MessageType::kPortUp), kEventPortUp);
  EXPECT_EQ(event_flag(MessageType::kInvalidLabel), kEventInvalidLabel);
  EXPECT_EQ(event_flag(MessageType::kDeadPort), kEventDeadPort);
  EXPECT_EQ(event_flag(MessageType::kAdjacencyUpdate), kEventAdjacency);
  EXPECT_EQ(event_flag(MessageType::kAddBranch), 0);
  EXPECT_EQ(event_flags_to_string(0), "none");
}

TEST(Worked, LabelRange) {  // L1, L2
  LabelRangeMessage message;
  message.header.transaction = 0x503;
  message.port = PortId(1);
  message.port_session = 0x5eed0001;
  message.query = true;
  message.ranges = {{atm(0), atm(0), 0}};
  expect_worked(message, "L1");
  message.header.result = ResultField::kSuccess;
  message.ranges = {{atm(32), atm(1023), 0xc00}};
  expect_worked(message, "L2");
  EXPECT_EQ(message.ranges[0].remaining_vpis(), 0);
  EXPECT_EQ(message.ranges[0].remaining_vcis(), 0xc00);
}

TEST(LabelRange, CarriesSeveralRangesAndTheirFlags) {
  LabelRangeMessage message;
  message.port = PortId(1);
  message.multipoint = message.disjoint = true;
  message.ranges = {{atm(32, kFlagVpiRange), atm(63), 0x00020003},
                    {atm(100, kFlagVciRange), atm(200), 5}};
  EXPECT_EQ(again(message), message);
  EXPECT_EQ(to_string(message),
            "label range request: port 1 session 0x00000000, set, multipoint, disjoint; (vpis) "
            "0/32 to 0/63, 2 vpis 3 vcis left; (vcis) 0/100 to 0/200, 0 vpis 5 vcis left");
}

TEST(Worked, Statistics) {  // S1
  StatisticsRequest request;
  request.header.transaction = 0x601;
  request.port = PortId(1);
  expect_worked(request, "S1");
}

TEST(Statistics, HaveTenCountersInOrder) {
  Statistics message;
  message.header.type = MessageType::kConnectionStatistics;
  message.port = PortId(1);
  message.label = atm(100);
  message.counters = {1, 2, 3, 4, 5, 6, 7, 8, 9, std::uint64_t{10} << 32};
  EXPECT_EQ(hex(message),
            "880c0068 03320300 00000000 80010068 00000001 01000004 00000064 00000000 00000001 "
            "00000000 00000002 00000000 00000003 00000000 00000004 00000000 00000005 00000000 "
            "00000006 00000000 00000007 00000000 00000008 00000000 00000009 0000000a 00000000");
  EXPECT_EQ(again(message), message);
  message.counters = {.input_cells = 7, .invalid_labels = 1};
  EXPECT_EQ(to_string(message),
            "connection statistics success: 1:0/100, input cells 7, invalid labels 1");
}

TEST(ConnectionActivity, CountsOrSaysThereWasSome) {
  ConnectionActivity message;
  message.header.result = ResultField::kSuccess;
  message.records.resize(3);
  message.records[0] = {
      .valid = true, .input_port = PortId(1), .traffic_cells = 5000, .input_label = atm(100)};
  message.records[1] = {.valid = true,
                        .no_counter = true,
                        .active = true,
                        .input_port = PortId(1),
                        .input_label = atm(101)};
  message.records[2] = {.input_port = PortId(2), .input_label = atm(102)};
  EXPECT_EQ(hex(message),
            "880c0058 03300300 00000000 80010058 00030000 80010008 00000001 00000000 00001388 "
            "01000004 00000064 e0000000 00000001 00000000 00000000 01000004 00000065 00000000 "
            "00000002 00000000 00000000 01000004 00000066");
  EXPECT_EQ(again(message), message);
  EXPECT_EQ(to_string(message),
            "connection activity success: 3 records; 1:0/100 5000 cells; 1:0/101 active; 2:0/102 "
            "unknown");
}

TEST(ConnectionActivity, RefusesWhatItCannotCount) {
  ConnectionActivity message;
  message.records.resize(2);
  wire::Buffer octets = test::framed(message);
  octets.erase(octets.begin(), octets.begin() + kFrameHeaderOctets);
  octets[13] = std::byte{3};
  EXPECT_EQ(decode(octets).error(), (DecodeError{Refusal::kElementCount, 3}));
  octets[13] = std::byte{2};
  octets[19] = std::byte{16};
  EXPECT_EQ(decode(octets).error(), (DecodeError{Refusal::kTrafficCount, 16}));
}

TEST(ConnectionActivity, TheLongestIsTheLongestMessageWeSend) {
  ConnectionActivity message;
  message.records.resize(kActivityRecordsMax);
  EXPECT_EQ(kActivityRecordsMax, 682U);
  EXPECT_LE(test::framed(message).size() - kFrameHeaderOctets, kSentOctetsMax);
}

TEST(Worked, ConfigurationRequests) {  // C3, C5, C6
  PortConfigurationRequest port;
  port.header.transaction = 2;
  port.port = PortId(1);
  expect_worked(port, "C3");
  AllPortsRequest all;
  all.header.transaction = 3;
  expect_worked(all, "C5");
  ServiceConfigurationRequest services;
  services.header.transaction = 4;
  expect_worked(services, "C6");
}

ServiceConfiguration worked_services() {
  ServiceConfiguration message;
  message.header.transaction = 4;
  CapabilitySet cbr;
  cbr.id = 1;
  cbr.policing = TrafficControl::kPerConnection;
  cbr.egress_peak_shaping = TrafficControl::kAlways;
  cbr.clr = 9;
  cbr.ctd_us = 500;
  cbr.cdv_us = 100;
  CapabilitySet ubr;
  ubr.id = 1;
  ubr.packet_discard = TrafficControl::kAlways;
  ubr.vc_merge = TrafficControl::kPerConnection;
  message.services = {{ServiceId::kCbr1, {cbr}}, {ServiceId::kUbr1, {ubr}}};
  return message;
}

TEST(Worked, ServiceConfiguration) {  // C7
  expect_worked(worked_services(), "C7");
  EXPECT_EQ(to_string(worked_services()),
            "service configuration success, transaction 4: 2 services; CBR.1 capset 1 U per "
            "connection E always clr 1e-9 ctd 500 us cdv 100 us; UBR.1 capset 1 D always V per "
            "connection no clr ctd 0 us cdv 0 us");
}

TEST(ServiceConfiguration, SaysWhichFlagsATrafficBlockMayCarry) {
  const CapabilitySet cbr = worked_services().services[0].sets[0];
  EXPECT_EQ(flags_not_offered(cbr, kTcPolicing | kTcIngressBlock), 0);
  EXPECT_EQ(flags_not_offered(cbr, kTcPolicing | kTcEgressPeakShaping | kTcVcMerge),
            kTcEgressPeakShaping | kTcVcMerge);
}

TEST(Worked, Events) {  // E1, E2, E3
  Event down;
  down.header.type = MessageType::kPortDown;
  down.port = PortId(2);
  down.port_session = 0x5eed0002;
  down.sequence = 1;
  expect_worked(down, "E1");
  Event up = down;
  up.header.type = MessageType::kPortUp;
  up.port_session = 0x5eed0022;
  up.sequence = 2;
  expect_worked(up, "E2");
  Event invalid;
  invalid.header.type = MessageType::kInvalidLabel;
  invalid.header.result = ResultField::kReturnReceipt;
  invalid.port = PortId(1);
  invalid.port_session = 0x5eed0001;
  invalid.sequence = 1;
  invalid.label = atm(999);
  expect_worked(invalid, "E3");
}

TEST(Events, OfPortsThatComeAndGo) {
  for (const MessageType type : {MessageType::kNewPort, MessageType::kDeadPort}) {
    Event event;
    event.header.type = type;
    event.port = PortId(9);
    event.port_session = 0x5eed0009;
    event.sequence = 4;
    EXPECT_EQ(again(event), event);
  }
}

}  // namespace
}  // namespace xbind::gsmp
