// What `ping` refuses before it sends a cell; the manager's answers are preset. ping_test.py sends
// cells.
#include <gmock/gmock.h>

#include <string>

#include "orb/convert.hpp"
#include "xbindctl/commands.hpp"
#include "xbindctl/network_change.hpp"
#include "xbindctl_preset_manager.hpp"

namespace xbind::ctl {
namespace {

using testing::HasSubstr;

class Ping : public Commands {
 protected:
  Ping() {
    v2::ConnectionState& state = reported_.state;
    state.connection = 7;
    state.phase = v2::phase_connected;
    state.from_end = "host-a";
    state.to_end = "host-b";
    state.hops.length(1);
    state.hops[0] = v2::HopState();
    state.hops[0].leg = 0;
    state.hops[0].switch_name = "host-a";
    state.hops[0].input_port = 1;
    state.hops[0].input_label = orb::to_idl(atm_label(0, 32));
    state.hops[0].output_port = 2;
    state.hops[0].output_label = orb::to_idl(atm_label(0, 33));
    wish_.lines = *dataplane::parse_named_links("host-b=ring:x");
    wish_.timeout = std::chrono::milliseconds{1};
  }
  std::string pinged() {
    return said([&] { return ping(manager_, ConnectionId{7}, wish_); });
  }

  PingWish wish_;
};

TEST_F(Ping, NeedsAConnectedConnection) {
  reported_.state.phase = v2::phase_held;
  EXPECT_EQ(pinged(), "1: xbindctl: 7 is held; ping needs a connection that is connected\n");
  reported_.state.phase = 200;
  EXPECT_EQ(pinged(), "1: xbindctl: 7 is unknown; ping needs a connection that is connected\n");
  EXPECT_EQ(said([&] { return ping(manager_, ConnectionId{8}, wish_); }),
            "1: xbindctl: connection 8 is not known\n");
}

TEST_F(Ping, NeedsOneDestination) {
  reported_.state.leaves.length(1);
  reported_.state.leaves[0] = "host-c";
  EXPECT_EQ(pinged(), "1: xbindctl: 7 has 1 leaf; ping needs a connection with one destination\n");
  reported_.state.leaves.length(2);
  reported_.state.leaves[1] = "host-d";
  EXPECT_THAT(pinged(), HasSubstr("7 has 2 leaves; "));
}

TEST_F(Ping, NeedsHopsWithKnownLabels) {
  reported_.state.hops[0].output_label.kind = 9;
  EXPECT_EQ(pinged(), "1: xbindctl: 7 has a label of an unknown kind at host-a\n");
  reported_.state.hops[0].leg = 1;
  EXPECT_EQ(pinged(), "1: xbindctl: 7 has no hops\n");
}

TEST_F(Ping, NeedsAPathWithoutBridges) {
  const std::string topology =
      "name = \"t\"\n[[switch]]\nname = \"host-a\"\nkind = \"ovs\"\n"
      "[[switch]]\nname = \"host-b\"\n";
  wish_.bridges = [&] { return bridges_in(topology); };
  EXPECT_EQ(pinged(),
            "1: xbindctl: 7 passes host-a, a bridge of Open vSwitch, which carries no OAM cells; "
            "ping from host to host instead: deploy/lab host NODE -- ping\n");
  reported_.state.hops[0].switch_name = "host-b";
  EXPECT_THAT(pinged(), HasSubstr("--host-lines has no line of host-a"));
  for (const char* text : {"", "[[", "switch = 1", "[[switch]]\nkind = 1", "switch = [1]"})
    EXPECT_TRUE(bridges_in(text).empty()) << text;
}

TEST_F(Ping, NeedsTheCallersLineWithItsKindOfLabels) {
  EXPECT_EQ(pinged(),
            "1: xbindctl: --host-lines has no line of host-a, where the cells have to be sent; "
            "`deploy/lab env` sets it for a lab\n");
  wish_.lines = *dataplane::parse_named_links("host-a=lsp:127.0.0.1:6635/127.0.0.1:6636");
  EXPECT_EQ(pinged(),
            "1: xbindctl: the line of host-a, lsp:127.0.0.1:6635/127.0.0.1:6636, does not carry "
            "cells with label 0/32\n");
  wish_.lines = *dataplane::parse_named_links("host-a=ring:x");
  EXPECT_THAT(pinged(), HasSubstr("1: xbindctl: the line of host-a cannot be opened; does another "
                                  "process hold it? "));
}

}  // namespace
}  // namespace xbind::ctl
