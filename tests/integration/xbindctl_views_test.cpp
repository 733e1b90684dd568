// xbindctl's choice of calls, its answers to questions, its frames and its documents. The manager's
// answers are preset. xbindctl_documents_test.py compares the documents with their schemas.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/cause.hpp"
#include "orb/convert.hpp"
#include "xbindctl/alarms.hpp"
#include "xbindctl/asking.hpp"
#include "xbindctl/call_check.hpp"
#include "xbindctl/call_filter.hpp"
#include "xbindctl/call_views.hpp"
#include "xbindctl/documents.hpp"
#include "xbindctl/explanations.hpp"
#include "xbindctl/path_verdict.hpp"
#include "xbindctl/questions.hpp"
#include "xbindctl/top.hpp"
#include "xbindctl/watching.hpp"
#include "xbindctl_preset_manager.hpp"

namespace xbind::ctl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// --- which calls are shown -----------------------------------------------------------------------

std::vector<std::uint64_t> ids_of(const CallPage::Result& page) {
  std::vector<std::uint64_t> ids;
  for (const CallRow& row : page.rows) ids.push_back(row.id);
  return ids;
}

CallPage::Result page_of(const CallPage::Plan& plan) {
  CallPage page(plan);
  page.add(call_of(1, "a", "b", 300));
  page.add(call_of(2, "b", "a", 100));
  page.add(call_of(3, "a", "c", 300));
  page.add(call_of(4, "c", "a", 200));
  return page.take();
}

TEST(CallPages, AreInTheirOrder) {
  EXPECT_THAT(ids_of(page_of({})), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(ids_of(page_of({.reverse = true})), ElementsAre(4, 3, 2, 1));
  EXPECT_THAT(ids_of(page_of({.order = CallOrder::kCells})), ElementsAre(1, 3, 4, 2));
  EXPECT_THAT(ids_of(page_of({.order = CallOrder::kFrom})), ElementsAre(1, 3, 2, 4));
  EXPECT_THAT(ids_of(page_of({.order = CallOrder::kTo, .reverse = true})), ElementsAre(3, 1, 4, 2));
}

TEST(CallPages, FollowOneAnother) {
  const auto first = page_of({.order = CallOrder::kCells, .limit = 1});
  EXPECT_THAT(ids_of(first), ElementsAre(1));
  EXPECT_TRUE(first.more);
  EXPECT_EQ(first.passed, 4U);
  const auto second = page_of({.order = CallOrder::kCells, .limit = 2, .after = 1});
  EXPECT_THAT(ids_of(second), ElementsAre(3, 4));
  EXPECT_TRUE(second.more);
  const auto last = page_of({.order = CallOrder::kCells, .limit = 2, .after = 4});
  EXPECT_THAT(ids_of(last), ElementsAre(2));
  EXPECT_FALSE(last.more);
  // By id, a call that has ended keeps its place; in another order it has none.
  EXPECT_THAT(ids_of(page_of({.limit = 1, .after = 2})), ElementsAre(3));
  EXPECT_THAT(ids_of(page_of({.reverse = true, .after = 3})), ElementsAre(2, 1));
  EXPECT_TRUE(page_of({.order = CallOrder::kCells, .after = 9}).after_unknown);
}

TEST(CallPages, HaveTheCallsThatTheFilterTakes) {
  EXPECT_THAT(ids_of(page_of({.filter = {.from = "a"}})), ElementsAre(1, 3));
  EXPECT_THAT(ids_of(page_of({.filter = {.to = "a"}})), ElementsAre(2, 4));
  EXPECT_THAT(ids_of(page_of({.filter = {.client = "leo"}})), IsEmpty());
  EXPECT_THAT(ids_of(page_of({.filter = {.switch_name = "switch-2"}})), IsEmpty());
  EXPECT_THAT(ids_of(page_of({.filter = {.switch_name = "switch-1"}})), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(ids_of(page_of({.filter = {.switch_name = "switch-1", .port = PortId{2}}})),
              ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(ids_of(page_of({.filter = {.switch_name = "switch-1", .port = PortId{3}}})),
              IsEmpty());
  EXPECT_THAT(ids_of(page_of({.filter = {.min_cells_per_s = 200}})), ElementsAre(1, 3, 4));
  EXPECT_THAT(ids_of(page_of({.filter = {.phase = v2::phase_held}})), IsEmpty());
  EXPECT_EQ(phase_of("incomplete"), v2::phase_incomplete);
  v2::ConnectionState incomplete = call_of(6, "a", "b", 1);
  EXPECT_FALSE((CallFilter{.phase = v2::phase_incomplete}.takes(incomplete)));
  incomplete.phase = v2::phase_incomplete;
  EXPECT_TRUE((CallFilter{.phase = v2::phase_incomplete}.takes(incomplete)));

  // A leaf is a destination, and the greater direction counts.
  v2::ConnectionState tree = call_of(5, "a", "", 1);
  tree.leaves.length(1);
  tree.leaves[0] = "d";
  tree.reverse_resources = {900, 0};
  EXPECT_TRUE((CallFilter{.to = "d", .min_cells_per_s = 900}.takes(tree)));
  EXPECT_FALSE((CallFilter{.to = "d", .min_cells_per_s = 901}.takes(tree)));
}

TEST(CallPages, HaveTheCallsThatAreToLeaveWhatIsUnusable) {
  v2::ConnectionState call = call_of(5, "a", "b", 1);  // port 1 of switch-1 to its port 2
  call.hops.length(2);
  call.hops[1] = call.hops[0];
  call.hops[1].switch_name = "switch-2";
  const auto takes = [&](const char* name, std::uint32_t port, v2::UnusableReason why) {
    return CallFilter{.unusable = UnusableElements{{{name, PortId{port}}, why}}}.takes(call);
  };
  EXPECT_FALSE((CallFilter{.unusable = UnusableElements{}}.takes(call)));
  for (const auto why : {v2::unusable_down, v2::unusable_drained, v2::unusable_unknown}) {
    EXPECT_TRUE(takes("switch-1", 2, why));
    EXPECT_TRUE(takes("switch-2", 1, why));
    EXPECT_FALSE(takes("switch-1", 3, why));
    // A call cannot leave the access line of its end, so a drained one is no reason to.
    for (const auto& [name, port] : {std::pair{"switch-1", 1u}, {"switch-2", 2u}}) {
      EXPECT_EQ(takes(name, port, why), why != v2::unusable_drained);
    }
  }
  EXPECT_TRUE(takes("switch-2", 0, v2::unusable_unknown));
  EXPECT_FALSE(takes("switch-3", 0, v2::unusable_unknown));
}

TEST_F(Commands, CallsAreATableOrOnlyIds) {
  reported_.state = call_of(7, "host-a", "host-b", 100);
  reported_.more.push_back(call_of(8, "host-b", "host-a", 200));
  EXPECT_EQ(said([&] { return calls(manager_, {.limit = 1}, false); }),
            "0: connection  phase      from    to      client  path  cells/s  hops  leaves\n"
            "7           connected  host-a  host-b  mia     up        100     1       0\n"
            "1 of 2 calls; the next page: --after 7\n");
  EXPECT_EQ(said([&] { return calls(manager_, {}, true); }), "0: 7\n8\n");
  EXPECT_THAT(said([&] { return calls(manager_, {.order = CallOrder::kTo, .after = 9}, true); }),
              HasSubstr("1: xbindctl: after: call 9 is not among the chosen calls any more\n"
                        "xbindctl: advice: begin again without --after"));
}

// --- causes and calls explained ------------------------------------------------------------------

TEST(Explanations, HaveEveryCause) {
  std::uint8_t number = 1;  // 0: success
  for (const CauseRow& row : refusal_causes()) {
    EXPECT_EQ(static_cast<std::uint8_t>(row.cause), number++);
    EXPECT_FALSE(row.meaning.empty()) << to_string(row.cause);
    EXPECT_FALSE(row.remedy.empty()) << to_string(row.cause);
    EXPECT_EQ(cause_from_word(word_of(row.cause)), row.cause);
  }
  EXPECT_EQ(number, static_cast<std::uint8_t>(kCauseLast) + 1);
  EXPECT_EQ(row_of(Cause::kNone).remedy, "");
}

// xbindctl_documents_test.py compares this with docs/operating.md.
TEST(Explanations, AreTheTableOfTheDocument) {
  if (const char* const file = std::getenv("XBIND_EXPLANATIONS")) {
    std::ofstream(file) << explanations_markdown();
  }
  EXPECT_THAT(explanations_markdown(), HasSubstr("| link down | A link or an access line"));
}

// The same for the kinds of alarms, which have other words than causes.
TEST(Explanations, KindsOfAlarmsAreATableOfTheDocument) {
  if (const char* const file = std::getenv("XBIND_ALARM_KINDS")) {
    std::ofstream(file) << alarm_kinds_markdown();
  }
  EXPECT_THAT(alarm_kinds_markdown(), HasSubstr("| `switch-away` | critical | SwitchServer: "));
  for (const std::string& name : alarm_kind_names()) EXPECT_FALSE(cause_from_word(name)) << name;
}

TEST(Explanations, AnAlarmIsExplainedByItsName) {
  EXPECT_EQ(said([] { return explain_cause("client-gone"); }),
            "0: alarm client-gone (warning)\n"
            "  means       A client has connections and no session: its connections stay up.\n"
            "  raised by   ConnectionManager, about the client\n"
            "  what to do  Nothing, if it will return. Else `xbindctl release --client NAME` "
            "releases them.\n");
  EXPECT_THAT(said([] { return explain_cause("switch-avay"); }),
              HasSubstr("did you mean 'switch-away'?"));
}

TEST(Explanations, ACauseIsExplainedByItsWord) {
  EXPECT_EQ(said([] { return explain_cause("last-leaf"); }),
            "0: last leaf\n"
            "  means       This is the only destination left.\n"
            "  numbers     asked: the id\n"
            "  what to do  release the connection instead\n");
  EXPECT_THAT(said([] { return explain_cause("last-leave"); }), HasSubstr("did you mean"));
}

// --- whether a call fits on a path ---------------------------------------------------------------

class PathVerdicts : public testing::Test {
 protected:
  static HopRoom room(std::uint64_t copies, Cause cause, std::uint64_t asked, std::uint64_t free) {
    return {copies, cause, PortId{2}, asked, free, copies * asked};
  }
  PathVerdict verdict() const { return verdict_of(path_, rooms_, 1'000); }

  PathHops path_{{"s1", PortId{1}, PortId{2}}, {"s2", PortId{1}, PortId{2}}};
  HopRooms rooms_{room(3, Cause::kNoBandwidth, 300, 100), room(9, Cause::kNoLabel, 1, 0)};
};

TEST_F(PathVerdicts, TheHopThatTakesFewestSaysHowManyFit) {
  EXPECT_TRUE(verdict().fits());
  EXPECT_EQ(verdict().copies, 3U);
  EXPECT_EQ(verdict().most_cells_per_s, 9U);
  EXPECT_EQ(verdict_of(path_, rooms_, 2).copies, 2U);
}

TEST_F(PathVerdicts, OfSeveralShortagesTheWorstIsNamed) {
  rooms_ = {room(0, Cause::kNoBandwidth, 1'000, 900), room(0, Cause::kNoBandwidth, 1'000, 300)};
  ASSERT_TRUE(verdict().shortage);
  EXPECT_EQ(words_of(*verdict().shortage),
            "no bandwidth at s2 port 2: asked 1000 cells/s, free 300");
  rooms_[0] = room(0, Cause::kNoLabel, 1, 0);
  EXPECT_EQ(words_of(*verdict().shortage), "no label at s1 port 2");
  rooms_[0] = room(0, Cause::kNoBuffer, 50, 10);
  EXPECT_EQ(words_of(*verdict().shortage),
            "no buffer at s1 port 2: asked 50 cells of buffer, free 10");
  rooms_[0] = {.cause = Cause::kSwitchUnreachable};
  EXPECT_EQ(words_of(*verdict().shortage), "switch unreachable at s1");
}

TEST_F(PathVerdicts, WhatDidNotAnswerIsUnknownAndNeverRoom) {
  rooms_[1] = std::nullopt;
  EXPECT_FALSE(verdict().fits());
  EXPECT_FALSE(verdict().shortage);
  EXPECT_THAT(verdict().unknown, ElementsAre("s2"));
  EXPECT_EQ(verdict().copies, 0U);
  EXPECT_EQ(verdict().most_cells_per_s, 0U);
}

// --- frames --------------------------------------------------------------------------------------

TEST(Watching, FramesAreSeparatedAndEndWithTheLastExitCode) {
  int frames = 0;
  int pauses = 0;
  const auto run = [&](const Watch& plan) {
    return said([&] {
      return watch(
          plan,
          [&] {
            std::printf("frame %d\n", ++frames);
            return frames;
          },
          [&] {
            ++pauses;
            return false;
          });
    });
  };
  EXPECT_EQ(run({.title = "x", .frames = 2}), "2: frame 1\n\nframe 2\n");
  EXPECT_EQ(pauses, 1);
  EXPECT_EQ(run({.title = "x", .separated = false, .frames = 2}), "4: frame 3\nframe 4\n");
  EXPECT_EQ(run({.title = "list, every 2 s", .terminal = true, .frames = 1}),
            "5: \x1b[H\x1b[2Jlist, every 2 s\n\nframe 5\n");
}

TEST(Watching, EndsWhenNobodyReadsAnyMore) {
  int frames = 0;
  EXPECT_EQ(said([&] {
              return watch(
                  {.title = "x"}, [&] { return ++frames; }, [&] { return frames == 2; });
            }),
            "2: \n");
}

TEST(Top, ShowsTheDifferenceOfTwoReadings) {
  TopReading before;
  before.metrics = {
      {"setups", 100},          {"connected", 90},         {"refusals/no bandwidth", 10},
      {"label_cache_hits", 50}, {"label_cache_misses", 0}, {"connections", 4}};
  before.metrics.insert(before.metrics.end(),
                        {{"setup_stage_total_ns", 1'000'000}, {"setup_stage_total_count", 100}});
  TopReading now = before;
  now.at = before.at + std::chrono::seconds{2};
  now.metrics = {{"setups", 120},      {"connected", 100},       {"refusals/no bandwidth", 13},
                 {"refusals/busy", 1}, {"label_cache_hits", 53}, {"label_cache_misses", 1},
                 {"connections", 9},   {"incomplete_calls", 2}};
  now.metrics.insert(now.metrics.end(),
                     {{"setup_stage_total_ns", 1'400'000}, {"setup_stage_total_count", 120}});
  const TopFigures figures = top_figures(before, now);
  EXPECT_DOUBLE_EQ(figures.seconds, 2);
  EXPECT_EQ(figures.connections, 9U);
  EXPECT_EQ(figures.incomplete, 2U);
  EXPECT_DOUBLE_EQ(figures.rates.front().per_s, 10);
  ASSERT_EQ(figures.refusals.size(), 2U);
  EXPECT_EQ(figures.refusals[0].name, "no bandwidth");
  EXPECT_DOUBLE_EQ(figures.refusals[0].per_s, 1.5);
  EXPECT_DOUBLE_EQ(*figures.label_hits, 0.75);
  ASSERT_EQ(figures.stages.size(), 1U);
  EXPECT_EQ(figures.stages[0].count, 20U);
  EXPECT_DOUBLE_EQ(figures.stages[0].mean_us, 20);

  // The manager has been started again.
  now.metrics = {{"setups", 8}};
  EXPECT_DOUBLE_EQ(top_figures(before, now).rates.front().per_s, 4);
}

// --- documents -----------------------------------------------------------------------------------

class Documents : public Commands {
 protected:
  Documents() { reported_.state = call_of(7, "host-a", "host-b", 100); }

  // Returns the document; writes it where xbindctl_documents_test.py looks for it.
  Json document_of(const std::string& command, const DocumentOrFailure& answer) {
    const Json document = answer ? answer->body : json_of(answer.error());
    if (const char* const folder = std::getenv("XBIND_JSON_DOCUMENTS")) {
      const std::string kind = answer ? command : "error";
      std::ofstream(std::filesystem::path{folder} / fmt::format("{}.{}.json", kind, ++written_))
          << document.dump();
    }
    return document;
  }
  Json error_of(const std::string& command, const DocumentOrFailure& answer) {
    EXPECT_FALSE(answer);
    return document_of(command, answer)["error"];
  }

  static inline int written_ = 0;
};

TEST_F(Documents, OfRequestsHaveTheOutcome) {
  answer(OutcomeKind::kConnected, atm_label(0, 32), atm_label(0, 33));
  const ConnectRequest request{RequestId{5}, "host-a", "host-b",
                               ServiceSpec{ServiceKind::kCells, 100, 0, 0, 0}};
  const Json connected =
      document_of("connect", outcome_document(manager_, manager_.connect(request), RequestId{5}));
  EXPECT_EQ(connected["outcome"], "connected");
  EXPECT_EQ(connected["id"], "7");
  EXPECT_EQ(connected["request"], "5");
  EXPECT_EQ(connected["ingress_label"], "0/32");
  EXPECT_TRUE(connected["reverse_egress_label"].is_null());
  for (const char* command : {"commit", "modify", "add-leaf", "drop-leaf", "release", "clear"}) {
    document_of(command, outcome_document(manager_, manager_.release(ConnectionId{7})));
  }
  document_of("release", release_many_document(manager_, "mia"));
  document_of("outcome", stored_outcome_document(manager_, "mia", RequestId{5}));
}

TEST_F(Documents, OfARefusalHaveItsNumbersAndAnAdvice) {
  refuse();
  const Json error =
      error_of("release", outcome_document(manager_, manager_.release(ConnectionId{7})));
  EXPECT_EQ(error["name"], "no bandwidth");
  EXPECT_EQ(error["text"],
            "refused: no bandwidth at switch-1 port 2: asked 12000 cells/s, free 9700");
  EXPECT_EQ(error["peer"], "the manager");
  EXPECT_THAT(error["address"].get<std::string>(), testing::StartsWith("127.0.0.1:"));
  EXPECT_THAT(error["advice"].get<std::string>(), HasSubstr("ask for at most the free rate"));
  EXPECT_EQ(error["refusal"]["free"], 9'700);
  const Json stored =
      document_of("outcome", stored_outcome_document(manager_, "mia", RequestId{5}));
  EXPECT_EQ(stored["cause"], "no bandwidth");
  EXPECT_TRUE(stored["id"].is_null() || stored["id"] == "7");
}

TEST_F(Documents, OfAPeerThatIsAwaySayWhereAndWhatToDo) {
  const auto status_error = [&] { return error_of("status", status_document(manager_)); };
  reported_.trouble = [] { throw CORBA::TRANSIENT(); };
  EXPECT_EQ(status_error()["name"], "unreachable");
  EXPECT_THAT(status_error()["advice"].get<std::string>(), HasSubstr("start xbind-cmgr again"));
  reported_.trouble = [] { throw CORBA::TIMEOUT(); };
  EXPECT_THAT(status_error()["advice"].get<std::string>(), HasSubstr("--call-timeout-ms"));
  reported_.trouble = [] { throw CORBA::BAD_OPERATION(); };
  EXPECT_EQ(status_error()["name"], "version mismatch");
  EXPECT_THAT(status_error()["advice"].get<std::string>(), HasSubstr("protocol version"));
  reported_.trouble = [] { throw CORBA::COMM_FAILURE(); };
  EXPECT_THAT(
      error_of("release", outcome_document(manager_, manager_.release(ConnectionId{7})))["advice"]
          .get<std::string>(),
      HasSubstr("xbindctl describe"));
}

TEST_F(Documents, OfViewsHaveWhatTheTextHas) {
  EXPECT_EQ(document_of("describe",
                        describe_document(manager_, ConnectionId{7}))["hops"][0]["output_label"],
            "0/33");
  EXPECT_EQ(document_of("list", list_document(manager_, {}))["calls"][0]["from"], "host-a");
  EXPECT_EQ(document_of("calls", calls_document(manager_, {.limit = 1}))["chosen"], 1);
  reported_.metrics.length(3);
  reported_.metrics[0] = {"setups", 5};
  reported_.metrics[1] = {"setup_stage_total_ns", 700};
  reported_.metrics[2] = {"setup_stage_total_count", 5};
  EXPECT_EQ(document_of("status", status_document(manager_))["metrics"]["setups"], 5);
  EXPECT_EQ(document_of("explain", explain_call_document(manager_, ConnectionId{7},
                                                         [] { return trace::Part{}; }))["state"],
            "connected");
  document_of("explain", explain_cause_document("causes"));
  reported_.cache_states.length(1);
  reported_.cache_states[0] = {v2::cache_labels, "switch-1 port 2", 980, 20, 40, 64, 12'340};
  EXPECT_EQ(document_of("caches", caches_document(manager_))["caches"][0]["cache"], "labels");
  document_of("clients", clients_document(manager_));
  EXPECT_EQ(document_of("aggregation", aggregation_document(manager_, {}))["mode"], "adaptive");
  document_of("prepare", prepare_document(manager_, "host-a", "host-b", {}, 3));
  Top top(manager_, v2::RouteObject::_nil(), "no RouteObject", [] {});
  EXPECT_EQ(document_of("top", top.document())["network"]["error"], "no RouteObject");
}

TEST_F(Documents, OfAnAuditKeepItsExitCode) {
  const PlanReader plan = []() -> OrFailure<PortPlan> {
    return PortPlan{{{{"host-a", PortId{2}}, {"switch-1", PortId{1}}},
                     {{"switch-1", PortId{1}}, {"host-a", PortId{2}}}},
                    {"host-a"}};
  };
  EXPECT_EQ(error_of("audit", audit_document(manager_, plan))["text"], "no audit now");
  reported_.report.switches = 3;
  reported_.report.owed = 2;
  reported_.report.findings.length(1);
  reported_.report.findings[0] = {v2::finding_owed, "switch-1", "x", 2, ""};
  const DocumentOrFailure audited = audit_document(manager_, plan);
  ASSERT_TRUE(audited);
  EXPECT_EQ(audited->exit_code, 4);
  EXPECT_EQ(document_of("audit", audited)["verdict"], "OWED");
  EXPECT_EQ(document_of("audit", audited)["paths_of_nobody"].size(), 0U);
  EXPECT_EQ(document_of("repair", repair_document(manager_, plan, true))["after"], nullptr);
  EXPECT_EQ(document_of("repair", repair_document(manager_, plan, false))["after"]["owed"], 2);
  reported_.report.findings[0] = {v2::finding_stray_cross_connect, "switch-1 port 1",
                                  "port 1 0/32 -> port 2 0/40 is in the switch, in no ledger", 1,
                                  ""};
  const Json paths = document_of("audit", audit_document(manager_, plan))["paths_of_nobody"];
  ASSERT_EQ(paths.size(), 1U);
  EXPECT_EQ(paths[0]["from"], "host-a port 2 (no entry of nobody there)");
  EXPECT_EQ(paths[0]["hops"][0]["input_label"], "0/32");
  const PlanReader no_plan = []() -> OrFailure<PortPlan> {
    return tl::make_unexpected(Failure{"timeout", "no RouteObject", "", "", ""});
  };
  EXPECT_EQ(document_of("audit", audit_document(manager_, no_plan))["paths_of_nobody"], nullptr);
}

TEST_F(Documents, OfACallThatIsCheckedHopByHop) {
  EXPECT_EQ(error_of("validate", validate_document(manager_, ConnectionId{5}))["name"],
            "not found");
  v2::CallCheck& check = reported_.check;
  check.call = reported_.state;
  check.settled = true;
  const ConnectionId call{check.call.connection};
  ASSERT_NE(check.call.hops.length(), 0U);
  const v2::HopState& hop = check.call.hops[0];
  check.switches.length(1);
  v2::SwitchCheck& here = check.switches[0];
  here.switch_name = hop.switch_name;
  here.there.hops.length(1);
  here.there.hops[0] = v2::LedgerHop();
  here.there.hops[0].input_port = hop.input_port;
  here.there.hops[0].input_label = hop.input_label;
  here.there.hops[0].output_port = hop.output_port;
  here.there.hops[0].output_label = hop.output_label;
  EXPECT_EQ(document_of("validate", validate_document(manager_, call))["verdict"], "right");
  here.findings.length(1);
  here.findings[0].leg = hop.leg;
  here.findings[0].number = hop.number;
  here.findings[0].what = {v2::finding_missing_cross_connect, "switch-1 port 1", "x", 1, ""};
  const DocumentOrFailure wrong = validate_document(manager_, call);
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->exit_code, 1);
  const Json shown = document_of("validate", wrong);
  EXPECT_EQ(shown["verdict"], "DIFFERS");
  EXPECT_EQ(shown["hops"][0]["in_ledger"], true);
  EXPECT_EQ(shown["hops"][0]["in_switch"], false);
  EXPECT_EQ(shown["hops"][0]["findings"][0]["kind"], "missing cross-connect");
  EXPECT_EQ(document_of("sync", sync_document(manager_, call, true))["after"], nullptr);
  EXPECT_EQ(document_of("sync", sync_document(manager_, call, false))["after"]["verdict"], "right");
  here.findings[0].what.finding = v2::finding_unreadable;
  EXPECT_EQ(validate_document(manager_, call)->exit_code, 5);
  check.settled = false;
  EXPECT_EQ(document_of("validate", validate_document(manager_, call))["verdict"], "CHANGING");
  check.call.phase = v2::phase_incomplete;
  check.call.missing = "switch-2: its SwitchServer has not been read";
  const DocumentOrFailure incomplete = validate_document(manager_, call);
  ASSERT_TRUE(incomplete);
  EXPECT_EQ(incomplete->exit_code, 5);
  EXPECT_EQ(document_of("validate", incomplete)["verdict"], "INCOMPLETE");
  EXPECT_EQ(document_of("validate", incomplete)["missing"], std::string{check.call.missing});
  EXPECT_THAT(said([&] { return validate(manager_, call); }),
              HasSubstr("INCOMPLETE: connection 7, incomplete, 1 hop, not judged; switch-2: its "
                        "SwitchServer has not been read\n"));
}

TEST_F(Documents, AreValidWhateverAPeerSends) {
  reported_.state.client = "x\n\x1b[2J\xff";
  const Json listed = document_of("list", list_document(manager_, {}));
  EXPECT_EQ(listed["calls"][0]["client"], "x\\n\\x1b[2J\\xff");
}

}  // namespace
}  // namespace xbind::ctl
