// Traffic parameters: the words of each service, one block or two, and to
// which side a single one belongs.
#include "gsmp/messages/traffic.hpp"

#include <gtest/gtest.h>

#include "tests/unit/gsmp/hex.hpp"

namespace xbind::gsmp {
namespace {

const CellRate kCbr{4528, 250};
const VariableRate kVbr{20000, 100, 5000, 50};
const GuaranteedFrameRate kGfr{20000, 100, 2000, 600, 200};

AddBranch branch() {
  AddBranch message;
  message.header.transaction = 9;
  message.input_port = PortId(1);
  message.output_port = PortId(2);
  message.input_label = label_field(atm_label(0, 100));
  message.output_label = label_field(atm_label(0, 200));
  return message;
}

// The octets after the labels; also checks that the message decodes to itself.
std::string traffic_of(const AddBranch& message) {
  const wire::Buffer frame = test::framed(message);
  const auto octets = std::span(frame).subspan(kFrameHeaderOctets);
  const auto decoded = decode(octets);
  EXPECT_TRUE(decoded) << to_string(decoded.error());
  if (decoded) {
    EXPECT_EQ(std::get<AddBranch>(*decoded), message);
  }
  return test::to_hex(octets.subspan(kConnectionOctets));
}

std::string traffic_of(ServiceId service, const TrafficBlock& block) {
  AddBranch message = branch();
  set_service(message, service, 1, block);
  return traffic_of(message);
}

Decoded<Message> decode_with(AddBranch message, const std::string& traffic) {
  message.input_traffic.reset();
  message.output_traffic.reset();
  wire::Buffer frame = test::framed(message);
  const wire::Buffer more = test::from_hex(traffic);
  frame.insert(frame.end(), more.begin(), more.end());
  frame[kFrameHeaderOctets + 11] = static_cast<std::byte>(frame.size() - kFrameHeaderOctets);
  return decode(std::span(frame).subspan(kFrameHeaderOctets));
}

AddBranch read_with(const AddBranch& message, const std::string& traffic) {
  const auto decoded = decode_with(message, traffic);
  EXPECT_TRUE(decoded) << to_string(decoded.error());
  return decoded ? std::get<AddBranch>(*decoded) : AddBranch{};
}

AddBranch cbr_in_vbr_out() {
  AddBranch message = branch();
  set_services(message, service_selector(ServiceId::kCbr1, 1), {kTcPolicing, kCbr},
               service_selector(ServiceId::kNrtVbr1, 2), {0, kVbr});
  return message;
}

TEST(Traffic, HasTheWordsOfItsService) {
  for (const ServiceId service : {ServiceId::kCbr1, ServiceId::kUbr1, ServiceId::kUbr2}) {
    EXPECT_EQ(traffic_of(service, {kTcPolicing, kCbr}), "80000000 000011b0 000000fa");
    EXPECT_EQ(block_octets(service), 12U);
  }
  for (const ServiceId service : {ServiceId::kRtVbr1, ServiceId::kRtVbr2, ServiceId::kRtVbr3,
                                  ServiceId::kNrtVbr1, ServiceId::kNrtVbr2, ServiceId::kNrtVbr3}) {
    EXPECT_EQ(traffic_of(service, {0, kVbr}), "00000000 00004e20 00000064 00001388 00000032");
    EXPECT_EQ(block_octets(service), 20U);
  }
  for (const ServiceId service : {ServiceId::kGfr1, ServiceId::kGfr2}) {
    EXPECT_EQ(traffic_of(service, {kTcPacketDiscard | kTcVcMerge, kGfr}),
              "44000000 00004e20 00000064 000007d0 00000258 000000c8");
    EXPECT_EQ(block_octets(service), 24U);
  }
}

TEST(Traffic, OfPortsThatAreNotAtmKeepsItsWords) {
  OtherParameters other;
  other.words = {1, 2, 3, 4, 5};
  other.count = 5;
  EXPECT_EQ(traffic_of(ServiceId::kIntServControlledLoad, {0, other}),
            "00000000 00000001 00000002 00000003 00000004 00000005");
  other.count = 3;
  EXPECT_EQ(traffic_of(ServiceId::kFrameRelay, {0, other}), "00000000 00000001 00000002 00000003");
}

TEST(Traffic, OfAServiceWithoutANameGoesToTheEnd) {
  AddBranch message = branch();
  set_service(message, static_cast<ServiceId>(99), 1, {});
  const AddBranch read = read_with(message, "00000000 00000007 00000008");
  EXPECT_EQ(to_string(*read.input_traffic), "words 00000007 00000008");
  EXPECT_FALSE(read_with(message, "").input_traffic);  // the switch refuses the selector
}

TEST(Traffic, FieldsHave24Bits) {
  EXPECT_EQ(traffic_of(ServiceId::kCbr1, {0, CellRate{kTrafficFieldMax, 0}}),
            "00000000 00ffffff 00000000");
  AddBranch message = branch();
  set_service(message, ServiceId::kCbr1, 1, {});
  EXPECT_EQ(read_with(message, "00000000 ff000001 ff000002").input_traffic,
            (TrafficBlock{0, CellRate{1, 2}}));
}

TEST(Traffic, OneBlockHoldsForBothSides) {
  AddBranch message = branch();
  set_service(message, ServiceId::kCbr1, 1, {0, kCbr});
  EXPECT_EQ(*message.traffic_out(), *message.input_traffic);
  EXPECT_EQ(branch().traffic_out(), nullptr);
}

TEST(Traffic, TwoBlocksWhenTheSidesDiffer) {
  const AddBranch message = cbr_in_vbr_out();
  EXPECT_EQ(traffic_of(message),
            "82000000 000011b0 000000fa 00000000 00004e20 00000064 00001388 00000032");
  EXPECT_EQ(*message.traffic_out(), (TrafficBlock{0, kVbr}));
}

TEST(Traffic, TwoBlocksAreReadInOrderWhateverTheirFlagSays) {
  EXPECT_EQ(read_with(cbr_in_vbr_out(),
                      "80000000 000011b0 000000fa 02000000 00004e20 00000064 00001388 00000032"),
            cbr_in_vbr_out());
}

TEST(Traffic, ASingleBlockBelongsToTheSideItsFlagNames) {
  const AddBranch input = read_with(cbr_in_vbr_out(), "82000000 000011b0 000000fa");
  EXPECT_EQ(input.input_traffic, (TrafficBlock{kTcPolicing, kCbr}));
  EXPECT_FALSE(input.output_traffic);
  const AddBranch output =
      read_with(cbr_in_vbr_out(), "00000000 00004e20 00000064 00001388 00000032");
  EXPECT_FALSE(output.input_traffic);
  EXPECT_EQ(output.output_traffic, (TrafficBlock{0, kVbr}));
}

TEST(Traffic, OfOneSideThatHasAService) {
  AddBranch message = branch();
  message.output_qos = QosModel::kService;
  message.output_selector = service_selector(ServiceId::kUbr1, 1);
  message.output_traffic = TrafficBlock{0, CellRate{353207, 0}};
  EXPECT_EQ(traffic_of(message), "00000000 000563b7 00000000");
}

TEST(Traffic, MayBeLeftToTheReservation) {
  AddBranch message = cbr_in_vbr_out();
  EXPECT_EQ(decode_with(message, "").error(), (DecodeError{Refusal::kTrafficMissing, 1}));
  message.reservation = 7;
  EXPECT_FALSE(read_with(message, "").input_traffic);
}

TEST(Traffic, MissingInACopyThatRefusesItIsNoSecondError) {
  AddBranch message = cbr_in_vbr_out();
  message.header.result = ResultField::kFailure;
  EXPECT_TRUE(decode_with(message, ""));
}

TEST(Traffic, PrintsInWords) {
  AddBranch message = cbr_in_vbr_out();
  EXPECT_EQ(to_string(message),
            "add branch request, transaction 9: session 0x00000000, 1:0/100 CBR.1 capset 1 -> "
            "2:0/200 nrt-VBR.1 capset 2, in: tc U, pcr 4528 cells/s cdvt 250 us, out: pcr 20000 "
            "cells/s cdvt 100 us scr 5000 cells/s mbs 50 cells");
  EXPECT_EQ(to_string(TrafficBlock{0, kGfr}),
            "pcr 20000 cells/s cdvt 100 us mcr 2000 cells/s mbs 600 cells mfs 200 cells");
  EXPECT_EQ(to_string(ServiceId::kGfr2), "GFR.2");
  EXPECT_EQ(to_string(static_cast<ServiceId>(10)), "service 10");
}

}  // namespace
}  // namespace xbind::gsmp
