// Attachments of requests in the wire's form. The ORB is orb_test.cpp's.
#include <gtest/gtest.h>
#include <omniORB4/CORBA.h>

#include <optional>

#include "core/frame_traffic.hpp"
#include "orb/convert.hpp"

namespace xbind::orb {
namespace {

v2::RequestBatch through_the_wire(const v2::RequestBatch& value) {
  cdrMemoryStream stream;
  value >>= stream;
  v2::RequestBatch back;
  back <<= stream;
  return back;
}

TEST(ConvertAttachments, the_frames_at_both_ends_survive_the_wire) {
  RequestBatch requests;
  requests.connects.push_back({RequestId{1}, "host-a", "host-b", {}});
  requests.connects.back().from_frames = FrameTraffic::parse("vlan 100").value();
  requests.connects.push_back({RequestId{2}, "host-a", "host-b", {}});
  requests.connects.back().from_frames = FrameTraffic{};
  requests.connects.back().to_frames = FrameTraffic::parse("class 7").value();
  // An endpoint that is both ends.
  requests.connects.push_back({RequestId{3}, "host-a", "host-a", {}});
  requests.connects.back().from_frames = FrameTraffic::parse("vlan 1").value();
  requests.connects.back().to_frames = FrameTraffic::parse("vlan 2").value();
  v2::RequestBatch wire;
  to_idl(requests, wire);
  EXPECT_TRUE(to_core(through_the_wire(wire)) == requests);
}

TEST(ConvertAttachments, frames_without_a_text_are_those_of_the_port) {
  v2::ConnectRequest wire;
  to_idl(ConnectRequest{RequestId{5}, "host-a", "host-b", {}}, wire);
  wire.attachments.length(1);
  wire.attachments[0].endpoint = "host-b";
  wire.attachments[0].kind = v2::attachment_frames;
  EXPECT_EQ(to_core(wire).to_frames, FrameTraffic{});
  EXPECT_EQ(to_core(wire).from_frames, std::nullopt);
}

TEST(ConvertAttachments, one_that_nobody_serves_says_which_rule_it_breaks) {
  v2::ConnectRequest wire;
  to_idl(ConnectRequest{RequestId{5}, "host-a", "host-b", {}}, wire);
  EXPECT_EQ(to_core(wire).broken_rule, "");
  wire.attachments.length(1);
  wire.attachments[0].endpoint = "host-b";
  wire.attachments[0].kind = v2::attachment_cells;
  EXPECT_EQ(to_core(wire).broken_rule, "");
  wire.attachments[0].traffic = "ip 10.0.0.0/8";
  EXPECT_EQ(to_core(wire).broken_rule,
            "cells enter at 'host-b', and not the traffic 'ip 10.0.0.0/8'");
  wire.attachments[0].kind = 9;
  EXPECT_EQ(to_core(wire).broken_rule, "no switch at 'host-b' serves attachment kind 9");
  wire.attachments[0].kind = v2::attachment_frames;
  EXPECT_EQ(
      to_core(wire).broken_rule,
      "at 'host-b': the traffic 'ip 10.0.0.0/8' is none of port, vlan 1..4094, class 0..4095");
  wire.attachments[0].traffic = "vlan 7";
  wire.attachments.length(2);
  wire.attachments[1] = wire.attachments[0];
  EXPECT_EQ(to_core(wire).broken_rule, "two attachments are at 'host-b'");
  wire.attachments.length(1);
  wire.attachments[0].endpoint = "nowhere";
  EXPECT_EQ(to_core(wire).broken_rule, "the attachment at 'nowhere' is at neither end");
}

}  // namespace
}  // namespace xbind::orb
