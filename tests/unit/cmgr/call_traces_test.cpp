// What a manager records of sampled and of refused calls. exchange.hpp shows the network.
#include "cmgr/parts/call_traces.hpp"

#include <algorithm>
#include <string>

#include "cmgr/parts/trace_spans.hpp"
#include "exchange.hpp"

namespace xbind::cmgr {
namespace {

using std::chrono::microseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class CallTracesTest : public ExchangeTest {
 protected:
  // With cached labels and route, so that a call needs no reserve phase.
  void start_with_sample(std::uint32_t sample, Duration slow = {}) {
    config.traces = {sample, slow};
    config.label_cache_target = 8;
    start_with_labels({vci(32), vci(33), vci(34)}, {vci(40), vci(41), vci(42)});
  }
  trace::Part spans_of(ConnectionId id) {
    return cmgr::spans_of(manager().traces().records(), id, names_of(), clock())
        .value_or(trace::Part{});
  }
  std::vector<TracedOperation> operations() {
    return traced_operations(manager().traces().records(), 1'000, names_of(), clock());
  }
  SwitchName names_of() {
    return [this](SwitchIndex at) -> const std::string& { return manager().switches().name(at); };
  }
  static trace::WallClock clock() { return {TimePoint{}, 0}; }
  // "setup", "commit sw1", in the order in which they began.
  static std::vector<std::string> names(const trace::Part& part) {
    std::vector<std::string> all;
    for (const trace::Span& span : part.spans) {
      all.push_back(span.place.empty() ? span.name : span.name + " " + span.place);
    }
    return all;
  }
  static const trace::Span& span(const trace::Part& part, const std::string& name,
                                 const std::string& place = {}) {
    static const trace::Span kNone;
    const auto found = std::find_if(
        part.spans.begin(), part.spans.end(),
        [&](const trace::Span& one) { return one.name == name && one.place == place; });
    EXPECT_NE(found, part.spans.end()) << name << " " << place;
    return found == part.spans.end() ? kNone : *found;
  }
};

TEST_F(CallTracesTest, ACallIsItsStagesAndItsCommands) {
  start_with_sample(1);
  connect(7);
  const HopBatch first = take("sw1");
  EXPECT_THAT(first.traced, ElementsAre(first.setups.at(0).key.connection));
  answer("sw1", all_done(first));
  wait(microseconds{300});
  all_done("sw2");
  all_done("sw3");
  const ConnectionId id = outcome().connection;

  const trace::Part setup = spans_of(id);
  EXPECT_THAT(names(setup),
              ElementsAre("setup", "switches", "commit sw1", "commit sw2", "commit sw3"));
  const trace::Span& whole = span(setup, "setup");
  EXPECT_EQ(whole.parent, 0U);
  EXPECT_EQ(whole.detail, "ann -> bob, request 7");
  EXPECT_EQ(whole.end_ns - whole.begin_ns, 300'000U);
  const trace::Span& switches = span(setup, "switches");
  EXPECT_EQ(switches.parent, whole.id);
  EXPECT_EQ(span(setup, "commit", "sw1").parent, switches.id);
  EXPECT_EQ(span(setup, "commit", "sw1").end_ns, span(setup, "commit", "sw1").begin_ns);
  EXPECT_EQ(span(setup, "commit", "sw3").end_ns, whole.end_ns);
  EXPECT_EQ(span(setup, "commit", "sw3").id,
            trace::span_of_command({id, Generation{1}, 0, 2}, HopAction::kCommit, 0));

  release(8, id);
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  const trace::Part all = spans_of(id);
  EXPECT_THAT(all.spans, SizeIs(10));
  EXPECT_EQ(span(all, "release").cause, Cause::kNone);
  EXPECT_NE(span(all, "remove", "sw2").end_ns, 0U);
}

TEST_F(CallTracesTest, ACallUnderWayHasSpansWithoutEnd) {
  start_with_sample(1);
  connect(7);
  const ConnectionId id = setup("sw1").key.connection;
  const trace::Part part = spans_of(id);
  EXPECT_THAT(names(part),
              ElementsAre("setup", "committing", "commit sw1", "commit sw2", "commit sw3"));
  for (const trace::Span& one : part.spans) EXPECT_EQ(one.end_ns, 0U) << one.name;
}

TEST_F(CallTracesTest, CallsThatAreNotSampledCostNothing) {
  start_with_sample(0);
  connect(7);
  EXPECT_THAT(take("sw1").traced, IsEmpty());
  all_done("sw2");
  all_done("sw3");
  EXPECT_EQ(manager().traces().records().size(), 0U);
}

TEST_F(CallTracesTest, ARefusedCallIsRecordedAnyway) {
  config.crankbacks = 0;
  start_with_sample(0);
  connect(7);
  const HopSetup one = setup("sw1");
  answer("sw1", {done(one)});
  answer("sw2", {refused(setup("sw2"), Cause::kNoBandwidth, PortId{21}, 100, 20)});
  all_done("sw3");
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kRefused);
  const trace::Part part = spans_of(one.key.connection);
  const trace::Span& whole = span(part, "setup");
  EXPECT_EQ(whole.cause, Cause::kNoBandwidth);
  EXPECT_EQ(whole.detail,
            "ann -> bob, request 7, refused at sw2 port 21: asked 100 cells/s, free 20");
  EXPECT_NE(whole.end_ns, 0U);
  const trace::Span& commit = span(part, "commit", "sw2");
  EXPECT_EQ(commit.cause, Cause::kNoBandwidth);
  EXPECT_EQ(commit.detail, "sw2 port 21");
  EXPECT_THAT(operations(), SizeIs(1));
}

TEST_F(CallTracesTest, OfAStormOfRefusalsOnlySomeAreRecorded) {
  config.crankbacks = 0;
  start_with_sample(0);
  for (std::uint64_t i = 1; i <= 300; ++i) {
    connect(i);
    answer("sw1", {refused(setup("sw1"), Cause::kNoBandwidth, PortId{10}, 100, 20)});
    answer_all_switches();
    (void)outcome();
  }
  EXPECT_LE(operations().size(), 100U);
}

TEST_F(CallTracesTest, ASlowCallIsRecordedAnyway) {
  start_with_sample(0, microseconds{200});
  connect(7);
  answer_all_switches();
  const ConnectionId fast = outcome().connection;
  EXPECT_THAT(spans_of(fast).spans, IsEmpty());
  connect(8);
  wait(microseconds{300});
  answer_all_switches();
  const ConnectionId slow = outcome().connection;
  EXPECT_THAT(names(spans_of(slow)), ElementsAre("setup", "switches"));
}

TEST_F(CallTracesTest, ATwoWayCallIsSampledUnlessNoneIs) {
  start_with_sample(1'000'000'000);
  manager().request_local(RequestId{1}, ConnectRequest{{}, "ann", "bob", cells(100)}, now);
  finish();
  EXPECT_THAT(take("sw1").traced, SizeIs(1));
}

TEST_F(CallTracesTest, ChangesAreOperationsOfTheSameCall) {
  start_with_sample(1);
  connect(7);
  answer_all_switches();
  const ConnectionId id = outcome().connection;
  modify(8, id, cells(200));
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kModified);
  const trace::Part part = spans_of(id);
  EXPECT_NE(span(part, "modify").end_ns, 0U);
  EXPECT_EQ(span(part, "modify", "sw1").key.connection, id);
  // One span for each command: its answer ends it.
  for (const char* name : {"sw1", "sw2", "sw3"}) {
    const auto modifies = std::ranges::count_if(part.spans, [&](const trace::Span& one) {
      return one.name == "modify" && one.place == name;
    });
    EXPECT_EQ(modifies, 1) << name;
    EXPECT_NE(span(part, "modify", name).end_ns, 0U) << name;
    EXPECT_EQ(span(part, "modify", name).detail, "") << name;
  }
}

// ===== records that are made here =====

class RecordedSpansTest : public ::testing::Test {
 protected:
  static constexpr ConnectionId kCall{5};

  CallRecord& record(CallRecord::Kind kind, int at_ms, const char* name = "") {
    CallRecord one;
    one.kind = kind;
    one.at = TimePoint{milliseconds{at_ms}};
    one.connection = kCall;
    one.name = name;
    last_ = std::move(one);
    return last_;
  }
  void add(CallRecord::Kind kind, int at_ms, const char* name = "") {
    records_.add(std::move(record(kind, at_ms, name)));
  }
  std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const trace::Span& span : part().spans) all.push_back(span.name);
    return all;
  }
  trace::Part part() {
    return spans_of(records_, kCall, [this](SwitchIndex) -> const std::string& { return name_; },
                    {TimePoint{}, 0})
        .value_or(trace::Part{});
  }

  trace::Ring<CallRecord> records_{100'000};
  CallRecord last_;
  std::string name_ = "sw1";
};

TEST_F(RecordedSpansTest, OfTooManySpansTheNewestAreShown) {
  const auto operations = static_cast<int>(trace::kSpansMax) + 7;
  for (int i = 0; i < operations; ++i) {
    add(CallRecord::Kind::kBegun, 10 * i, "modify");
    add(CallRecord::Kind::kEnded, 10 * i + 5);
  }
  const trace::Part all = part();
  ASSERT_THAT(all.spans, SizeIs(trace::kSpansMax));
  const auto begin_ns = [](int operation) {
    return static_cast<std::uint64_t>(Duration{milliseconds{10 * operation}}.count());
  };
  EXPECT_EQ(all.spans.front().begin_ns, begin_ns(7));
  EXPECT_EQ(all.spans.back().begin_ns, begin_ns(operations - 1));
}

TEST_F(RecordedSpansTest, AsManySpansAsAreShownAreAllShown) {
  for (int i = 0; i < static_cast<int>(trace::kSpansMax); ++i) {
    add(CallRecord::Kind::kBegun, 10 * i, "modify");
    add(CallRecord::Kind::kEnded, 10 * i + 5);
  }
  const trace::Part all = part();
  ASSERT_THAT(all.spans, SizeIs(trace::kSpansMax));
  EXPECT_EQ(all.spans.front().begin_ns, 0U);
}

// A release that is refused has changed nothing that would have to be undone.
TEST_F(RecordedSpansTest, OnlyARefusedSetupIsUndone) {
  for (const char* name : {"setup", "release", "modify"}) {
    records_ = trace::Ring<CallRecord>{100};
    add(CallRecord::Kind::kBegun, 0, name);
    record(CallRecord::Kind::kStage, 1, "switches").until = TimePoint{milliseconds{3}};
    records_.add(std::move(last_));
    record(CallRecord::Kind::kEnded, 9).cause = Cause::kTimeout;
    records_.add(std::move(last_));
    if (std::string_view{name} == "setup") {
      EXPECT_THAT(names(), ElementsAre("setup", "switches", "undo"));
    } else {
      EXPECT_THAT(names(), ElementsAre(name, "switches"));
    }
  }
}

TEST_F(RecordedSpansTest, AConnectedSetupIsNotUndone) {
  add(CallRecord::Kind::kBegun, 0, "setup");
  record(CallRecord::Kind::kStage, 1, "switches").until = TimePoint{milliseconds{3}};
  records_.add(std::move(last_));
  add(CallRecord::Kind::kEnded, 9);
  EXPECT_THAT(names(), ElementsAre("setup", "switches"));
}

TEST_F(RecordedSpansTest, AStateThatLastedNoTimeIsShownUntilItsOperationHasEnded) {
  add(CallRecord::Kind::kBegun, 5, "modify");
  add(CallRecord::Kind::kState, 5, "raising");
  add(CallRecord::Kind::kState, 5, "lowering");
  EXPECT_THAT(names(), ElementsAre("modify", "raising", "lowering"));
  add(CallRecord::Kind::kEnded, 9);
  EXPECT_THAT(names(), ElementsAre("modify", "lowering"));
}

}  // namespace
}  // namespace xbind::cmgr
