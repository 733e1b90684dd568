// The messages of the model "xbind-sr" (220 to 227) built by hand, compared with the worked octets.
#include <gtest/gtest.h>

#include "tests/unit/gsmp/hex.hpp"
#include "tests/unit/gsmp/worked.hpp"

namespace xbind::gsmp {
namespace {

using test::expect_worked;
using test::golden_message;
using test::to_hex;

template <class M>
M of_port_two(MessageType type, ResultField result, std::uint32_t transaction) {
  M message;
  message.header = {.type = type, .result = result, .transaction = transaction};
  message.port = PortId(2);
  message.port_session = 0x5eed0002;
  return message;
}

TEST(Worked, GetSchedulableRegion) {  // X1
  auto message = of_port_two<SchedulableRegionMessage>(MessageType::kGetSchedulableRegion,
                                                       ResultField::kSuccess, 0x801);
  message.region = peak_rate_region(353207, std::vector<std::uint32_t>{4528, 11320});
  expect_worked(message, "X1");
}

TEST(Worked, GetParameterSupport) {  // X2
  ParameterSupport message;
  message.header.result = ResultField::kSuccess;
  message.header.transaction = 0x802;
  message.estimator = Estimator::kProprietary;
  message.kinds = 0xa000;               // CBR, voice
  message.traffic_parameters = 0x9000;  // PCR, CDVT
  message.qos_parameters = 0xa800;      // CTD max, CLR, CDV
  expect_worked(message, "X2");
}

TEST(Worked, SetTrafficClasses) {  // X3
  auto message =
      of_port_two<TrafficClasses>(MessageType::kSetTrafficClasses, ResultField::kAckAll, 0x803);
  message.all_ports = true;
  TrafficClass cbr;
  cbr.buffer = 1;
  cbr.traffic.set(TrafficParameter::kPcr, 4528);
  cbr.qos.set(QosParameter::kCtdMax, 500);
  cbr.qos.set(QosParameter::kClr, 9);
  TrafficClass video;
  video.buffer = 2;
  video.kind = TrafficKind::kVideo;
  video.traffic.set(TrafficParameter::kMbs, 200);  // in any order
  video.traffic.set(TrafficParameter::kPcr, 11320);
  video.traffic.set(TrafficParameter::kScr, 4000);
  video.qos.set(QosParameter::kCdv, 300);
  video.qos.set(QosParameter::kCtdAverage, 2000);
  message.classes = {cbr, video};
  expect_worked(message, "X3");
}

TEST(Worked, GetTrafficClasses) {  // X4
  auto message =
      of_port_two<TrafficClasses>(MessageType::kGetTrafficClasses, ResultField::kSuccess, 0x804);
  TrafficClass audio;
  audio.buffer = 2047;
  audio.kind = TrafficKind::kAudio;
  audio.traffic.set(TrafficParameter::kPcr, 1000);
  audio.traffic.set(TrafficParameter::kCdvt, 250);
  audio.qos.set(QosParameter::kGapLoss, 5);
  message.classes = {audio};
  expect_worked(message, "X4");
}

TEST(Worked, GetEstimationSupport) {  // X5
  EstimationSupport message;
  message.header.result = ResultField::kSuccess;
  message.header.transaction = 0x805;
  message.estimators = 0x8001;
  expect_worked(message, "X5");
  EXPECT_TRUE(message.has(Estimator::kPeakRate));
  EXPECT_TRUE(message.has(Estimator::kProprietary));
  EXPECT_FALSE(message.has(static_cast<Estimator>(7)));
}

TEST(Worked, SetEstimationPolicy) {  // X6
  auto message =
      of_port_two<EstimationPolicy>(MessageType::kSetEstimationPolicy, ResultField::kAckAll, 0x806);
  message.all_ports = true;
  message.estimator = Estimator::kProprietary;
  message.update_threshold = kUpdateThresholdMax;
  message.parameters = {100, 10};
  expect_worked(message, "X6");
}

TEST(Worked, GetEstimationPolicy) {  // X7
  auto message = of_port_two<EstimationPolicy>(MessageType::kGetEstimationPolicy,
                                               ResultField::kSuccess, 0x807);
  message.update_threshold = 500;
  expect_worked(message, "X7");
}

TEST(Worked, SetSchedulableRegion) {  // X8
  auto message = of_port_two<SchedulableRegionMessage>(MessageType::kSetSchedulableRegion,
                                                       ResultField::kAckAll, 0x808);
  message.region = {2, {{78, 31}}, {{100, 40}, {80, 60}}};
  expect_worked(message, "X8");
}

TEST(SchedulableMessages, AreRefusedWhenTheirCountsLie) {
  wire::Buffer octets = golden_message("X8");
  octets[22] = std::byte{200};  // Planes-A
  EXPECT_EQ(decode(octets).error(), (DecodeError{Refusal::kElementCount, 202}));
  octets = golden_message("X3");
  octets[23] = std::byte{15};  // Classes
  EXPECT_EQ(decode(octets).error(), (DecodeError{Refusal::kTruncated, 60}));
}

// The switch refuses unnamed bits (63). Each stands for a parameter of 4 octets.
TEST(SchedulableMessages, KeepParametersThatHaveNoName) {
  TrafficClasses message;
  TrafficClass one;
  one.traffic.set(TrafficParameter::kPcr, 1);
  one.traffic.set(static_cast<TrafficParameter>(15), 2);
  one.qos.set(static_cast<QosParameter>(9), 3);
  one.kind = static_cast<TrafficKind>(31);
  message.classes = {one};
  const wire::Buffer frame = test::framed(message);
  EXPECT_EQ(to_hex(std::span(frame).subspan(kFrameHeaderOctets + 24)),
            "001f8001 00400000 00000001 00000002 00000003");
  EXPECT_EQ(std::get<TrafficClasses>(*decode(std::span(frame).subspan(kFrameHeaderOctets))),
            message);
  EXPECT_EQ(to_string(message),
            "get traffic classes request: port 0 session 0x00000000, 1 classes; "
            "buffer 0 kind 31 pcr 1 parameter 15 2, qos parameter 9 3");
}

TEST(SchedulableMessages, OfTheGreatestRegionFitIntoAMessage) {
  SchedulableRegionMessage message;
  message.region.classes = kTrafficClassesMax;
  Plane plane;
  plane.fill(0xffffffff);
  message.region.any_of.assign(kPlanesMax, plane);
  message.region.all_of.assign(kPlanesMax, plane);
  const wire::Buffer frame = test::framed(message);
  EXPECT_EQ(frame.size(), kFrameHeaderOctets + 24 + 2 * 255 * 15 * 4);
  EXPECT_EQ(
      std::get<SchedulableRegionMessage>(*decode(std::span(frame).subspan(kFrameHeaderOctets))),
      message);
}

TEST(SchedulableMessages, FailWithCodesThatHaveNames) {
  EXPECT_EQ(to_string(FailureCode::kNoSuchClass), "no such traffic class (60)");
  EXPECT_EQ(to_string(FailureCode::kOutsideRegion), "outside the schedulable region (61)");
  EXPECT_EQ(to_string(FailureCode::kNoSuchEstimator), "no such estimator (62)");
  EXPECT_EQ(to_string(FailureCode::kUnsupportedParameter), "parameter not supported (63)");
}

}  // namespace
}  // namespace xbind::gsmp
