// What `xbindctl explain ID` says of a call that is known, was refused or has ended. The manager's
// answers are preset.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>

#include "core/cause.hpp"
#include "core/trace/span.hpp"
#include "xbindctl/call_views.hpp"
#include "xbindctl/questions.hpp"
#include "xbindctl_preset_manager.hpp"

namespace xbind::ctl {
namespace {

using testing::HasSubstr;
using testing::Not;

// A setup of 9 us that began at second 60, with its route stage.
trace::Part recorded_setup(Cause cause) {
  trace::Part part;
  part.shown_id = ConnectionId{7};
  constexpr std::uint64_t kBegin = 60'000'000'000;
  const std::string detail =
      cause == Cause::kNone ? "host-a -> host-b"
                            : "host-a -> host-b, refused at sw2 port 4: asked 9 cells/s, free 2";
  part.spans = {{1, 0, "setup", "", kBegin, kBegin + 9'000, {}, cause, detail},
                {2, 1, "route", "", kBegin, kBegin + 2'500, {}, Cause::kNone, ""}};
  return part;
}

class ExplainedCalls : public Commands {
 protected:
  ExplainedCalls() {
    reported_.state = call_of(7, "host-a", "host-b", 100);
    reported_.state.phase = v2::phase_reserving;
    const char* const stages[] = {"route", "labels", "switches", "total"};
    reported_.metrics.length(8);
    for (CORBA::ULong i = 0; i < 4; ++i) {
      reported_.metrics[2 * i] = {fmt::format("setup_stage_{}_ns", stages[i]).c_str(), 4'000};
      reported_.metrics[2 * i + 1] = {fmt::format("setup_stage_{}_count", stages[i]).c_str(), 2};
    }
  }
  std::string explained(const trace::Part& recorded) {
    return said([&] { return explain_call(manager_, ConnectionId{7}, [&] { return recorded; }); });
  }
};

TEST_F(ExplainedCalls, ShowTheRestOfAHoldHoweverLongItIsSaidToBe) {
  v2::CallCheck& check = reported_.check;
  check.call = reported_.state;
  check.settled = true;
  check.switches.length(1);
  check.switches[0].switch_name = "switch-1";
  check.switches[0].there.hops.length(1);
  v2::LedgerHop& hop = check.switches[0].there.hops[0] = v2::LedgerHop();
  hop.held = true;
  hop.hold_left_ms = 60'001;
  const auto shown = [&] { return said([&] { return call(manager_, ConnectionId{7}); }); };
  EXPECT_THAT(shown(), HasSubstr(", held for another 61 s"));
  hop.hold_left_ms = 0xffff'ffff;
  EXPECT_THAT(shown(), HasSubstr(", held for another 4294968 s"));
}

TEST_F(ExplainedCalls, ShowTheStagesThatTheyHavePassed) {
  EXPECT_EQ(
      explained({}),
      "0: call 7 is reserving: labels and resources are being reserved, hop by hop\n"
      "stage of the setup  this call  it took  mean of all setups\n"
      "route               done             -              2.0 us\n"
      "labels              under way        -              2.0 us\n"
      "switches            to come          -              2.0 us\n"
      "total               under way        -              2.0 us\n"
      "its own times are not recorded (--trace-sample of xbind-cmgr); `xbindctl call ID` shows "
      "its hops\n");
}

TEST_F(ExplainedCalls, ShowNoTimeAsZero) {
  reported_.metrics[0].value = 80;  // of two routes
  reported_.metrics[2].value = 0;   // labels that were at hand: no time was measured
  const std::string said = explained({});
  EXPECT_THAT(said, HasSubstr("route               done             -               40 ns\n"));
  EXPECT_THAT(said, HasSubstr("labels              under way        -                   -\n"));
  EXPECT_THAT(said, Not(HasSubstr("0.0")));
}

TEST_F(ExplainedCalls, SayWhyTheyStayOnAPathThatIsDown) {
  reported_.state.phase = v2::phase_connected;
  reported_.state.condition = v2::path_down;
  reported_.state.hops.length(2);
  reported_.state.hops[1] = reported_.state.hops[0];
  reported_.state.hops[1].switch_name = "host-b";
  reported_.state.element = "switch-1 port 2";
  EXPECT_THAT(explained({}),
              HasSubstr("its path is down at switch-1 port 2: no other path was found\n"));
  reported_.state.element = "host-b port 2";
  EXPECT_THAT(
      explained({}),
      HasSubstr("its path is down at host-b port 2: every path to this end leads over it\n"));
  reported_.state.condition = v2::path_unknown;
  reported_.state.element = "host-b";
  EXPECT_THAT(explained({}),
              HasSubstr("its path is unknown at host-b: the call begins or ends there\n"));
  // There may be another path for a tree, but trees do not move.
  reported_.state.leaves.length(1);
  reported_.state.leaves[0] = "host-c";
  const char* const kTree = "a call with several destinations does not move to another path";
  EXPECT_THAT(explained({}), HasSubstr(fmt::format("its path is unknown at host-b: {}\n", kTree)));
  EXPECT_THAT(
      said([&] { return describe(manager_, ConnectionId{7}); }),
      HasSubstr(fmt::format("unknown     host-b: no SwitchServer controls it, {}\n", kTree)));
  const auto document =
      explain_call_document(manager_, ConnectionId{7}, [] { return trace::Part{}; });
  EXPECT_EQ(document->body["why_it_stays"], kTree);
}

TEST_F(ExplainedCalls, SayWhatIsMissingOfAnIncompleteOneAndWhatToDo) {
  reported_.state.phase = v2::phase_incomplete;
  reported_.state.condition = v2::path_unknown;
  reported_.state.element = "switch-2";
  reported_.state.missing = "switch-2: its SwitchServer has not been read";
  EXPECT_EQ(explained({}),
            "0: call 7 is incomplete: a call from before the manager's start, of which it does not "
            "know all hops; its cells, labels and bandwidth stay as they are\n"
            "known        1 hop: `xbindctl call ID` shows them\n"
            "missing      switch-2: its SwitchServer has not been read\n"
            "requests     release and clear are taken; all others are refused: incomplete\n"
            "what to do   start the SwitchServer that the reason names, or correct the topology: "
            "the call then stands again by itself; `xbindctl release ID` ends it. `xbindctl "
            "explain ID` says what is missing\n");
  const std::string shown = said([&] { return describe(manager_, ConnectionId{7}); });
  EXPECT_THAT(shown, HasSubstr("missing     switch-2: its SwitchServer has not been read\n"));
  EXPECT_THAT(shown, Not(HasSubstr("no SwitchServer controls it")));
  const auto document =
      explain_call_document(manager_, ConnectionId{7}, [] { return trace::Part{}; });
  ASSERT_TRUE(document);
  EXPECT_EQ(document->body["state"], "incomplete");
  EXPECT_EQ(document->body["missing"], "switch-2: its SwitchServer has not been read");
  EXPECT_EQ(document->body["explanation"]["word"], "incomplete");
}

TEST_F(ExplainedCalls, ShowTheirOwnTimesIfThoseAreRecorded) {
  reported_.state.phase = v2::phase_connected;
  const std::string said = explained(recorded_setup(Cause::kNone));
  EXPECT_THAT(said, HasSubstr("route               done        2.5 us              2.0 us\n"));
  EXPECT_THAT(said, HasSubstr("labels              done             -              2.0 us\n"));
  EXPECT_THAT(said, HasSubstr("total               done        9.0 us              2.0 us\n"));
  EXPECT_THAT(said, HasSubstr("`xbindctl trace ID` follows it"));
}

TEST_F(ExplainedCalls, AreExplainedByWhatIsRecordedWhenTheyWereRefused) {
  reported_.state.connection = 8;  // none other is known
  const std::string said = explained(recorded_setup(Cause::kNoBandwidth));
  EXPECT_THAT(said, HasSubstr("call 7 was refused; recorded of it:\n"));
  EXPECT_THAT(said, HasSubstr("no bandwidth, host-a -> host-b, refused at sw2 port 4: asked 9 "
                              "cells/s, free 2  9.0 us\n"));
  EXPECT_THAT(said, HasSubstr("route               done        2.5 us"));
  EXPECT_THAT(said, Not(HasSubstr("labels")));
  EXPECT_THAT(said, HasSubstr("that means  A port of the path has fewer free cells/s"));
  EXPECT_THAT(said, HasSubstr("what to do  ask for at most the free rate"));
  const auto document = explain_call_document(manager_, ConnectionId{7},
                                              [] { return recorded_setup(Cause::kNoBandwidth); });
  ASSERT_TRUE(document);
  EXPECT_EQ(document->body["state"], "refused");
  EXPECT_EQ(document->body["explanation"]["word"], "no-bandwidth");
}

TEST_F(ExplainedCalls, AreNotKnownWhenNothingIsRecordedOfThem) {
  reported_.state.connection = 8;  // none other is known
  EXPECT_EQ(explained({}), "1: xbindctl: connection 7 is not known\n");
}

}  // namespace
}  // namespace xbind::ctl
