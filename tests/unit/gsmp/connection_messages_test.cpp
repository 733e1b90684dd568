// Adjacency, connection and reservation messages built by hand, compared with the worked octets.
#include <gtest/gtest.h>

#include "gsmp/failure_response.hpp"
#include "tests/unit/gsmp/hex.hpp"
#include "tests/unit/gsmp/worked.hpp"

namespace xbind::gsmp {
namespace {

using test::again;
using test::atm;
using test::expect_worked;
using test::golden;
using test::golden_message;
using test::hex;
using test::to_hex;

TEST(Worked, Adjacency) {  // A1 to A8
  const Endpoint controller{0x0200000a0001, 1, 0x0a1b2c};
  const Endpoint atm_switch{0x0200000b0001, 0x10, 0x3d4e5f};
  const auto said = [&](AdjacencyCode code, const Endpoint& sender, const Endpoint& receiver) {
    AdjacencyMessage message;
    message.code = code;
    message.sender = sender;
    message.receiver = receiver;
    message.partition_flag = kNewAdjacency;
    return message;
  };
  AdjacencyMessage syn = said(AdjacencyCode::kSyn, controller, {});
  syn.from_master = true;
  expect_worked(syn, "A1");
  expect_worked(said(AdjacencyCode::kSyn, atm_switch, {}), "A2");
  expect_worked(said(AdjacencyCode::kSynAck, atm_switch, controller), "A3");
  expect_worked(said(AdjacencyCode::kSynAck, controller, atm_switch), "A4");
  expect_worked(said(AdjacencyCode::kAck, controller, atm_switch), "A5");
  expect_worked(said(AdjacencyCode::kAck, atm_switch, controller), "A6");
  expect_worked(said(AdjacencyCode::kRstAck, controller, atm_switch), "A7");
  syn.partition_flag = kRecoveredAdjacency;
  syn.partition_type = kPartitionRequested;
  syn.partition = 7;
  expect_worked(syn, "A8");
}

TEST(Worked, VpcAddBranch) {  // B6
  AddBranch message;
  message.header.type = MessageType::kVpcAddBranch;
  message.header.transaction = 0x104;
  message.port_session = 0x5eed0001;
  message.input_port = PortId(1);
  message.output_port = PortId(2);
  message.input_label = atm(0, kFlagMultipoint, 5);
  message.output_label = atm(0, 0, 9);
  expect_worked(message, "B6");
}

TEST(Worked, DeleteTree) {  // D4
  DeleteTree message;
  message.header.transaction = 0x203;
  message.port_session = 0x5eed0001;
  message.input_port = PortId(1);
  message.input_label = atm(100);
  expect_worked(message, "D4");
}

TEST(Worked, DeleteAllInputPort) {  // D5
  DeleteAll message;
  message.header.transaction = 0x204;
  message.port_session = 0x5eed0001;
  message.port = PortId(1);
  expect_worked(message, "D5");
}

TEST(DeleteAllOutputPort, HasItsPortInTheOtherPlace) {
  DeleteAll message;
  message.header.type = MessageType::kDeleteAllOutput;
  message.header.transaction = 0x205;
  message.port_session = 0x5eed0002;
  message.port = PortId(2);
  EXPECT_EQ(hex(message),
            "880c0038 03150200 00000205 80010038 5eed0002 00000000 00000000 00000000 00000002 "
            "00000000 00000000 00000000 00000000 00000000 00000000");
  EXPECT_EQ(again(message), message);
}

MoveOutputBranch worked_move() {
  MoveOutputBranch message;
  message.header.transaction = 0x301;
  message.port_session = 0x5eed0001;
  message.input_port = PortId(1);
  message.old_output_port = PortId(2);
  message.new_output_port = PortId(3);
  message.input_label = atm(100);
  message.old_output_label = atm(200);
  message.new_output_label = atm(300);
  return message;
}

TEST(Worked, MoveOutputBranch) { expect_worked(worked_move(), "M1"); }

TEST(MoveOutputBranch, OfAPathAndWithTraffic) {
  MoveOutputBranch message = worked_move();
  message.header.type = MessageType::kVpcMoveOutputBranch;
  set_service(message, ServiceId::kNrtVbr1, 1, {kTcPolicing, VariableRate{20000, 100, 5000, 50}});
  EXPECT_EQ(again(message), message);
  EXPECT_EQ(to_string(message),
            "vpc move output branch request, transaction 769: session 0x5eed0001, 1:0/100 "
            "nrt-VBR.1 capset 1 -> 2:0/200, now 3:0/300 nrt-VBR.1 capset 1, tc U, pcr 20000 "
            "cells/s cdvt 100 us scr 5000 cells/s mbs 50 cells");
}

TEST(MoveInputBranch, HasTheOutputSideFirst) {
  MoveInputBranch message;
  message.header.transaction = 0x302;
  message.port_session = 0x5eed0002;
  message.output_port = PortId(2);
  message.old_input_port = PortId(1);
  message.new_input_port = PortId(3);
  message.output_label = atm(200);
  message.old_input_label = atm(100);
  message.new_input_label = atm(300);
  EXPECT_EQ(hex(message),
            "880c0040 03170200 00000302 80010040 5eed0002 00000002 00000000 00000001 00000003 "
            "00000000 02000000 01000004 000000c8 01000004 00000064 01000004 0000012c");
  EXPECT_EQ(again(message), message);
  message.header.type = MessageType::kVpcMoveInputBranch;
  EXPECT_EQ(again(message), message);
  EXPECT_EQ(to_string(message),
            "vpc move input branch request, transaction 770: session 0x5eed0002, 1:0/100, now "
            "3:0/300 priority 0 -> 2:0/200 priority 0");
}

TEST(Worked, Reservations) {  // R1, R2, R3
  ReservationRequest request;
  request.header.transaction = 0x401;
  request.port_session = 0x5eed0001;
  request.reservation = 7;
  request.input_port = PortId(1);
  request.output_port = PortId(2);
  request.output_label = atm(210);
  set_service(request, ServiceId::kNrtVbr1, 1, {0, VariableRate{20000, 100, 5000, 50}});
  expect_worked(request, "R1");
  request.header.result = ResultField::kSuccess;
  EXPECT_EQ(again(request), request);

  DeleteReservation one;
  one.header.transaction = 0x402;
  one.port_session = 0x5eed0001;
  one.reservation = 7;
  expect_worked(one, "R2");

  DeleteAllReservations all;
  all.header.transaction = 0x403;
  expect_worked(all, "R3");
}

TEST(Worked, FailureOfATypeThatIsGone) {  // F1
  wire::Buffer request = golden_message("F1");
  request[2] = std::byte{2};
  request[3] = std::byte{0};
  wire::Buffer out;
  append_failure(out, request, FailureCode::kNotImplemented);
  EXPECT_EQ(to_hex(out), to_hex(golden("F1")));
}

// A switch that refuses copies the request: every failure decodes to its request.
TEST(Failure, OfEveryConnectionMessageKeepsItsForm) {
  for (const char* id : {"B1", "B4", "B6", "D1", "D4", "D5", "M1", "R1", "R2", "R3"}) {
    wire::Buffer copy;
    append_failure(copy, golden_message(id), FailureCode::kNoSuchPort);
    const auto request = decode(golden_message(id));
    const auto failure = decode(std::span(copy).subspan(kFrameHeaderOctets));
    ASSERT_TRUE(failure) << id;
    EXPECT_EQ(failure->index(), request->index()) << id;
    EXPECT_NE(to_string(*failure).find("no such port (4)"), std::string::npos) << id;
  }
}

// An element has 4 bits for its error.
TEST(DeleteBranches, AnErrorThatDoesNotFitIsUnspecified) {
  DeleteBranches message;
  message.header.result = ResultField::kFailure;
  message.header.code = FailureCode::kGeneral;
  message.elements.resize(2);
  message.elements[0].error = static_cast<FailureCode>(15);
  message.elements[1].error = static_cast<FailureCode>(16);
  const wire::Buffer frame = test::framed(message);
  const auto again =
      std::get<DeleteBranches>(*decode(std::span(frame).subspan(kFrameHeaderOctets)));
  EXPECT_EQ(again.elements[0].error, static_cast<FailureCode>(15));
  EXPECT_EQ(again.elements[1].error, FailureCode::kUnspecified);
}

}  // namespace
}  // namespace xbind::gsmp
