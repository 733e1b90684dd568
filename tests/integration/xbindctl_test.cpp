// What xbindctl requests from a manager and how it prints the answers; the manager's answers are
// preset. refusals_test.py tests its command line.
#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "orb/convert.hpp"
#include "xbindctl/commands.hpp"
#include "xbindctl_preset_manager.hpp"

namespace xbind::ctl {
namespace {

// A topology without ports.
const PlanReader kNoPlan = [] { return PortPlan{}; };

using testing::HasSubstr;

const auto* const kEnvironment = testing::AddGlobalTestEnvironment(new OrbEnvironment);

constexpr const char* kRefusal =
    "1: xbindctl: refused: no bandwidth at switch-1 port 2: asked 12000 cells/s, free 9700\n";
const ServiceSpec kCells100{ServiceKind::kCells, 100, 0, 0, 0};
const ServiceSpec kCells40{ServiceKind::kCells, 40, 0, 0, 0};

TEST_F(Commands, ConnectAsksForEverythingAndTellsBothDirections) {
  answer(OutcomeKind::kConnected, atm_label(0, 32), atm_label(0, 33));
  const ConnectRequest one_way{RequestId{}, "host-a", "host-b", kCells100};
  EXPECT_EQ(said([&] { return connect(manager_, one_way, false); }),
            "0: 7 connected, ingress label 0/32, egress label 0/33\n");
  EXPECT_EQ(reported_.asked, "host-a host-b 100 priority 0 hold 0");
  EXPECT_EQ(said([&] { return connect(manager_, one_way, true); }), "0: 7\n");

  reported_.answer.reverse_ingress = atm_label(0, 40);
  reported_.answer.reverse_egress = atm_label(0, 41);
  const ConnectRequest both{RequestId{}, "host-a", "host-b", kCells100, kCells40, 7, 2'500};
  EXPECT_EQ(said([&] { return connect(manager_, both, false); }),
            "0: 7 connected, ingress label 0/32, egress label 0/33; reverse ingress label 0/40, "
            "egress label 0/41\n");
  EXPECT_EQ(reported_.asked, "host-a host-b 100 back 40 priority 7 hold 2500");
}

TEST_F(Commands, AHoldIsToldAndCommitted) {
  answer(OutcomeKind::kHeld);
  const ConnectRequest hold{RequestId{}, "host-a", "host-b", kCells100, {}, 0, 1'000};
  EXPECT_EQ(said([&] { return connect(manager_, hold, false); }), "0: 7 held\n");
  reported_.answer.kind = OutcomeKind::kConnected;
  EXPECT_EQ(said([&] { return commit(manager_, ConnectionId{7}); }),
            "0: 7 connected, ingress label none, egress label none\n");
  EXPECT_EQ(reported_.asked, "commit 7");
}

TEST_F(Commands, ChangesAreAskedForAndTold) {
  answer(OutcomeKind::kModified);
  EXPECT_EQ(said([&] { return modify(manager_, ConnectionId{7}, kCells100, kCells40); }),
            "0: 7 modified\n");
  EXPECT_EQ(reported_.asked, "modify 7 100 reverse 40");
  EXPECT_EQ(said([&] { return modify(manager_, ConnectionId{7}, kCells100, {}); }),
            "0: 7 modified\n");
  EXPECT_EQ(reported_.asked, "modify 7 100 reverse 0");
  answer(OutcomeKind::kLeafAdded, {}, atm_label(0, 50));
  EXPECT_EQ(said([&] { return add_leaf(manager_, ConnectionId{7}, "host-c"); }),
            "0: 7 leaf added, egress label 0/50\n");
  EXPECT_EQ(reported_.asked, "add 7 host-c");
  answer(OutcomeKind::kLeafDropped);
  EXPECT_EQ(said([&] { return drop_leaf(manager_, ConnectionId{7}, "host-c"); }),
            "0: 7 leaf dropped\n");
  EXPECT_EQ(reported_.asked, "drop 7 host-c");
  answer(OutcomeKind::kReleased);
  EXPECT_EQ(said([&] { return release(manager_, ConnectionId{7}); }), "0: 7 released\n");
  EXPECT_EQ(said([&] { return clear(manager_, ConnectionId{7}); }), "0: 7 released\n");
  EXPECT_EQ(reported_.asked, "clear 7");
  reported_.answer.owed = {3, "switch-1, switch-2"};
  EXPECT_EQ(said([&] { return release(manager_, ConnectionId{7}); }),
            "0: 7 released; owed: 3 removals at switch-1, switch-2\n");
}

TEST_F(Commands, ARefusalIsExplainedAndTheExitCodeIsOne) {
  refuse();
  EXPECT_EQ(said([&] {
              return connect(manager_, {{}, "host-a", "host-b", kCells100}, false);
            }),
            kRefusal);
  EXPECT_EQ(said([&] { return commit(manager_, ConnectionId{7}); }), kRefusal);
  EXPECT_EQ(said([&] { return modify(manager_, ConnectionId{7}, kCells100, {}); }), kRefusal);
  EXPECT_EQ(said([&] { return add_leaf(manager_, ConnectionId{7}, "host-c"); }), kRefusal);
  EXPECT_EQ(said([&] { return drop_leaf(manager_, ConnectionId{7}, "host-c"); }), kRefusal);
  EXPECT_EQ(said([&] { return release(manager_, ConnectionId{7}); }), kRefusal);
  EXPECT_EQ(said([&] { return audit(manager_, kNoPlan); }), "1: xbindctl: no audit now\n");
  EXPECT_EQ(said([&] { return describe(manager_, ConnectionId{8}); }),
            "1: xbindctl: connection 8 is not known\n");
}

TEST_F(Commands, ARequestWithoutAnAnswerSaysHowItsOutcomeIsFound) {
  reported_.trouble = [] { throw CORBA::COMM_FAILURE(); };
  const std::string cut_off = " did not answer: the connection broke (COMM_FAILURE); ";
  EXPECT_THAT(
      said([&] { return release(manager_, ConnectionId{7}); }),
      HasSubstr(cut_off + "whether it was done is not known: `xbindctl describe 7` shows it\n"));
  EXPECT_THAT(said([&] {
                return connect(manager_, {RequestId{5}, "host-a", "host-b", kCells100}, false);
              }),
              HasSubstr(cut_off + "whether request 5 was carried out is not known: `xbindctl "
                                  "outcome '(two-way)' 5` shows it, and the id to release\n"));
  reported_.trouble = [] { throw CORBA::TRANSIENT(); };
  const std::string absent = said([&] { return release(manager_, ConnectionId{7}); });
  EXPECT_THAT(absent, testing::StartsWith("1: xbindctl: the manager at 127.0.0.1:"));
  EXPECT_THAT(absent, HasSubstr(" cannot be reached (TRANSIENT): is it running?\n"));
  EXPECT_THAT(absent, testing::EndsWith("xbindctl: advice: its name is bound but nothing answers "
                                        "there: start xbind-cmgr again, or remove the name with "
                                        "`xbind-names clear`\n"));
}

TEST_F(Commands, ARememberedRefusalIsAnAnswer) {
  refuse();
  EXPECT_EQ(said([&] { return outcome(manager_, "callgen", RequestId{5}); }),
            "0: refused: no bandwidth at switch-1 port 2: asked 12000 cells/s, free 9700\n");
  EXPECT_EQ(reported_.asked, "outcome callgen 5");
  reported_.remembers = false;
  EXPECT_EQ(said([&] { return outcome(manager_, "callgen", RequestId{5}); }),
            "1: xbindctl: no outcome of request 5 of client 'callgen' is remembered: it is "
            "under way, has been forgotten, or never came to the manager\n");
}

v2::HopState hop(CORBA::UShort leg, CORBA::UShort number, const char* at) {
  v2::HopState hop;
  hop.leg = leg;
  hop.number = number;
  hop.switch_name = at;
  hop.input_port = 1;
  hop.input_label = orb::to_idl(atm_label(0, 32));
  hop.output_port = 2;
  hop.output_label = orb::to_idl(atm_label(0, 33));
  return hop;
}

TEST_F(Commands, AConnectionIsShownWithItsDirectionsLegsAndLeaves) {
  v2::ConnectionState& state = reported_.state;
  state.connection = 7;
  state.phase = v2::phase_connected;
  state.generation = 1;
  state.client = "callgen";
  state.request = 5;
  state.from_end = "host-a";
  state.to_end = "host-b";
  state.resources = {100, 3};
  state.reverse_resources = {0, 0};
  state.hops.length(2);
  state.hops[0] = hop(0, 0, "host-a");
  state.hops[1] = hop(0, 1, "host-b");
  EXPECT_EQ(said([&] { return describe(manager_, ConnectionId{7}); }),
            "0: connection  7\n"
            "phase       connected, generation 1\n"
            "client      callgen, request 5\n"
            "ends        host-a -> host-b\n"
            "takes       100 cells/s, 3 cells of buffer\n"
            "forward\n"
            "  hop 0     host-a           port 1 label 0/32     -> port 2 label 0/33\n"
            "  hop 1     host-b           port 1 label 0/32     -> port 2 label 0/33\n");
  EXPECT_EQ(said([&] { return list(manager_); }),
            "0: connection           phase      from             to                     cells/s  "
            "hops leaves  client\n"
            "7                    connected  host-a           host-b                     100     "
            "2      0  callgen\n");

  state.to_end = "";  // dropped; two leaves are left
  state.reverse_resources = {40, 0};
  state.leaves.length(2);
  state.leaves[0] = "host-c";
  state.leaves[1] = "host-d";
  state.hops.length(4);
  state.hops[2] = hop(1, 0, "host-b");
  state.hops[3] = hop(3, 0, "switch-1");
  EXPECT_THAT(said([&] { return describe(manager_, ConnectionId{7}); }),
              HasSubstr("ends        host-a <-> -\n"
                        "takes       100 cells/s, 3 cells of buffer\n"
                        "reverse     40 cells/s, 0 cells of buffer\n"
                        "leaf        host-c\n"
                        "leaf        host-d\n"
                        "forward\n"));
  EXPECT_THAT(said([&] { return describe(manager_, ConnectionId{7}); }),
              HasSubstr("0/33\n"
                        "reverse\n"
                        "  hop 0     host-b           port 1 label 0/32     -> port 2 label 0/33\n"
                        "leaf, leg 3\n"
                        "  hop 0     switch-1"));
  EXPECT_THAT(said([&] { return list(manager_); }),
              HasSubstr("\n7                    connected  host-a           -                     "
                        "100 + 40     2      2  callgen\n"));
  EXPECT_EQ(said([&] { return list(manager_, "another"); }).find("callgen"), std::string::npos);
}

TEST_F(Commands, AConnectionIsShownWithTheFramesAtItsEnds) {
  v2::ConnectionState& state = reported_.state;
  state.connection = 7;
  state.from_end = "host-a";
  state.to_end = "host-b";
  state.hops.length(1);
  state.hops[0] = hop(0, 0, "switch-1");
  state.hops[0].input_label = {v2::label_mpls, 4'196};
  state.hops[0].output_label = {v2::label_mpls, 16};
  EXPECT_THAT(said([&] { return describe(manager_, ConnectionId{7}); }),
              HasSubstr("as frames   vlan 100 at host-a, port at host-b\n"));
  state.hops[0].input_label = {v2::label_mpls, 17};
  EXPECT_THAT(said([&] { return describe(manager_, ConnectionId{7}); }),
              HasSubstr("as frames   port at host-b\n"));
}

TEST_F(Commands, WhatAPeerSendsIsPrintedAsOneHarmlessLine) {
  v2::ConnectionState& state = reported_.state;
  state.connection = 7;
  state.client = "x\n9 connected \x1b[2J";
  const std::string listed = said([&] { return list(manager_); });
  EXPECT_THAT(listed, HasSubstr(R"(x\n9 connected \x1b[2J)"));
  EXPECT_EQ(std::ranges::count(listed, '\n'), 2);
  EXPECT_THAT(said([&] { return describe(manager_, ConnectionId{7}); }),
              HasSubstr(R"(client      x\n9)"));
  reported_.cache_states.length(1);
  reported_.cache_states[0] = {v2::cache_routes, "a\x1b[2J -> b\n", 1, 0, 1, 0, 0};
  const std::string table = said([&] { return caches(manager_); });
  EXPECT_THAT(table, HasSubstr(R"(a\x1b[2J -> b\n)"));
  EXPECT_EQ(std::ranges::count(table, '\n'), 2);
}

TEST_F(Commands, CachesAreATable) {
  reported_.cache_states.length(3);
  reported_.cache_states[0] = {v2::cache_labels, "switch-1 port 2", 980, 20, 40, 64, 12'340};
  reported_.cache_states[1] = {v2::cache_prepared, "host-a -> host-b", 0, 0, 0, 0, 0};
  reported_.cache_states[2] = {99, "x", 1, 2, 1, 0, 0};
  EXPECT_EQ(said([&] { return caches(manager_); }),
            "0: cache     element           hits  misses  hit ratio  size  wanted  oldest\n"
            "labels    switch-1 port 2    980      20     98.0 %    40      64  12.3 s\n"
            "prepared  host-a -> host-b     0       0          -     0       -       -\n"
            "kind 99   x                    1       2     33.3 %     1       -   0.0 s\n");
}

TEST_F(Commands, AggregationIsShownAndChangedWhereItWasGiven) {
  EXPECT_EQ(said([&] { return aggregation(manager_, std::nullopt); }),
            "0: mode adaptive, threshold 3, flush timeout 5 ms\n");
  EXPECT_EQ(said([&] {
              return aggregation(manager_, AggregationChange{v2::aggregation_fixed, 8, {}});
            }),
            "0: mode fixed, threshold 8, flush timeout 5 ms\n");
  EXPECT_EQ(said([&] {
              return aggregation(manager_, AggregationChange{v2::aggregation_regions, {}, 0.5});
            }),
            "0: mode regions, threshold 8, flush timeout 0.5 ms\n");
  EXPECT_EQ(said([&] {
              return aggregation(manager_, AggregationChange{v2::aggregation_fixed, {}, 101});
            }),
            "1: xbindctl: a flush timeout of more than 100 ms\n");
  EXPECT_EQ(reported_.settings.flush_timeout_ms, 0.5);
}

class Audited : public Commands {
 protected:
  Audited() {
    reported_.report.switches = 3;
    reported_.report.connections = 1;
  }
  void find(FindingKind kind, std::uint64_t amount = 1) {
    v2::AuditFindingSeq& findings = reported_.report.findings;
    findings.length(findings.length() + 1);
    findings[findings.length() - 1] = {static_cast<CORBA::Octet>(kind), "switch-1 port 2", "x",
                                       amount, ""};
  }
  std::string last_line() {
    const std::string all = said([&] { return audit(manager_, kNoPlan); });
    const std::size_t before = all.rfind('\n', all.size() - 2);
    return all.substr(0, 3) +
           (before == std::string::npos ? all.substr(3) : all.substr(before + 1));
  }
};

TEST_F(Audited, ACleanOneIsExitCode0) {
  EXPECT_EQ(last_line(),
            "0: clean: 3 switches, 1 connection; 0 stray cross-connects, 0 missing cross-connects, "
            "0 changed cross-connects; 0 leaked labels, 0 labels held twice, 0 stray hops, "
            "0 missing hops; 0 cells/s leaked; 0 removals owed; 0 switches unreadable\n");
}

TEST_F(Audited, WhatIsOnlyOwedIs4) {
  reported_.report.owed = 2;  // and clean, as the contract defines it
  find(FindingKind::kOwed, 2);
  EXPECT_THAT(last_line(), testing::StartsWith("4: OWED: 3 switches"));
  EXPECT_THAT(last_line(), HasSubstr("; 2 removals owed;"));
}

TEST_F(Audited, ASwitchThatCouldNotBeAskedIs5ThoughMoreIsOwed) {
  reported_.report.clean = false;
  reported_.report.unreadable = 1;
  reported_.report.owed = 2;
  EXPECT_THAT(last_line(), testing::StartsWith("5: UNKNOWN: "));
  EXPECT_THAT(last_line(), HasSubstr("; 1 switch unreadable\n"));
}

TEST_F(Audited, WhatIsWrongIs1WhateverElseThereIs) {
  reported_.report.clean = false;
  reported_.report.unreadable = 1;
  reported_.report.owed = 2;
  reported_.report.leaked_bandwidth_cells_per_s = 100;
  EXPECT_THAT(last_line(), testing::StartsWith("1: NOT CLEAN: "));
  reported_.report.leaked_bandwidth_cells_per_s = 0;
  reported_.report.unreadable = 0;
  reported_.report.leaked_labels = 1;
  EXPECT_THAT(last_line(), testing::StartsWith("1: NOT CLEAN: "));
  reported_.report.leaked_labels = 0;
  reported_.report.stray_cross_connects = 1;
  EXPECT_THAT(last_line(), testing::StartsWith("1: NOT CLEAN: "));
}

TEST_F(Audited, AMissingCrossConnectIsNotCalledStray) {
  reported_.report.clean = false;
  reported_.report.stray_cross_connects = 3;
  reported_.report.leaked_labels = 61;
  find(FindingKind::kMissingCrossConnect, 2);
  find(FindingKind::kChangedCrossConnect);
  find(FindingKind::kStrayHop, 60);
  find(FindingKind::kDoubleLabel);
  EXPECT_THAT(last_line(),
              HasSubstr("; 0 stray cross-connects, 2 missing cross-connects, 1 changed "
                        "cross-connect; 0 leaked labels, 1 label held twice, 60 stray hops, "
                        "0 missing hops;"));
  // More findings than are listed: only their sums are known.
  reported_.report.stray_cross_connects = 4;
  reported_.report.leaked_labels = 62;
  EXPECT_THAT(last_line(),
              HasSubstr("; 4 cross-connects stray, missing or changed; 62 labels leaked "
                        "or held twice, hops stray or missing;"));
}

TEST_F(Commands, WhatTheStatusNumbersStandForIsSaidInWords) {
  reported_.metrics.length(5);
  reported_.metrics[0] = {"rss_kib", 4711};
  reported_.metrics[1] = {"engine", 0};
  reported_.metrics[2] = {"aggregation_mode", 2};
  reported_.metrics[3] = {"engine", 9};
  reported_.metrics[4] = {"threshold", 1};
  EXPECT_THAT(said([&] { return status(manager_); }),
              testing::StartsWith("0: rss_kib                  4711\n"
                                  "engine                   xbind\n"
                                  "aggregation_mode         adaptive\n"
                                  "engine                   unknown (9)\n"
                                  "threshold                1\n"));
}

TEST_F(Commands, ConnectionsArePrepared) {
  EXPECT_EQ(said([&] { return prepare(manager_, "host-a", "host-b", kCells40, 12); }),
            "0: host-a -> host-b: up to 12 connections will be kept ready, as many as fit; "
            "`xbindctl caches` shows how many are ready\n");
  EXPECT_EQ(reported_.asked, "prepare host-a host-b 40 12");
  EXPECT_EQ(said([&] { return prepare(manager_, "host-a", "host-b", kCells40, 0); }),
            "0: host-a -> host-b: no connection is kept ready any more\n");
}

}  // namespace
}  // namespace xbind::ctl
