// What a SwitchServer records of the commands that its managers have sampled, and of others. The
// tests set the begin and end of each step.
#include "switchserver/controller/hop_traces.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "fake_switch.hpp"
#include "switchserver/switch_server.hpp"

namespace xbind {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class HopTracesTest : public testing::Test, public ManagerOutlet {
 protected:
  void SetUp() override { start(); }
  void start(Duration slow = {}) {
    options_.controller.name = "sw";
    options_.controller.trace_slow = slow;
    server_ = std::make_unique<SwitchServer>(options_, switch_, *this);
    server_->on_driver(driver::Up{{{PortId{1}, {AtmBounds{}.range()}, 353207, true},
                                   {PortId{2}, {AtmBounds{}.range()}, 353207, true}},
                                  false},
                       now_);
    session_ = server_->attach("m1", Epoch{1}, now_).value().session;
    seq_ = 0;
    step_ends();
  }
  static HopBatch commit(std::uint64_t connection, std::uint64_t cells_per_s = 100) {
    HopSetup setup;
    setup.key = {ConnectionId{connection}, Generation{1}, 0, 0};
    setup.hop_count = 1;
    setup.input_port = PortId{1};
    setup.output_port = PortId{2};
    setup.demand = {cells_per_s, 0};
    return {{setup}, {}, {}};
  }
  static HopBatch traced(HopBatch batch) {
    batch.traced = {batch.setups[0].key.connection};
    return batch;
  }
  void submit(HopBatch batch) {
    server_->on_commands(
        session_,
        {BatchSeq{++seq_}, BatchSeq{}, std::make_shared<const HopBatch>(std::move(batch))}, now_);
  }
  void switch_answers() {
    ASSERT_FALSE(switch_.answers.empty());
    const driver::Event event = switch_.answers.front().event;
    switch_.answers.pop_front();
    server_->on_driver(event, now_);
  }
  void step_ends() { server_->finish_step(now_); }
  trace::Part spans_of(std::uint64_t connection, const std::string& manager = "m1") const {
    return server_->spans_of(manager, ConnectionId{connection},
                             trace::WallClock{TimePoint{seconds{10}}, 0});
  }
  static std::vector<std::string> names(const trace::Part& part) {
    std::vector<std::string> all;
    for (const trace::Span& span : part.spans) {
      all.push_back(
          fmt::format("{} {}..{}", span.name, span.begin_ns / 1'000, span.end_ns / 1'000));
    }
    return all;
  }

  SwitchServerOptions options_;
  TimePoint now_{seconds{10}};
  FakeSwitch switch_;
  std::unique_ptr<SwitchServer> server_;
  SessionId session_;

 private:
  void to_manager(SessionId, session::Frame<HopResultBatch>) override {}
  void audited(std::uint64_t, LedgerReport) override {}

  std::uint64_t seq_ = 0;
};

TEST_F(HopTracesTest, ACommandIsWithTheLedgerThenWithTheSwitchThenAnswered) {
  submit(traced(commit(7)));
  now_ += microseconds{3};
  step_ends();
  EXPECT_THAT(spans_of(7).spans, IsEmpty()) << "under way";
  now_ += microseconds{200};
  switch_answers();
  now_ += microseconds{5};
  step_ends();
  const trace::Part part = spans_of(7);
  EXPECT_EQ(part.process, "xbind-switchserver sw");
  EXPECT_THAT(names(part),
              ElementsAre("switchserver 0..208", "ledger 0..3", "gsmp 3..203", "answer 203..208"));
  const trace::Span& whole = part.spans[0];
  EXPECT_EQ(whole.parent,
            trace::span_of_command({ConnectionId{7}, Generation{1}, 0, 0}, HopAction::kCommit, 0));
  EXPECT_EQ(part.spans[2].parent, whole.id);
  EXPECT_EQ(part.spans[2].place, "sw");
  EXPECT_THAT(spans_of(7, "m2").spans, IsEmpty()) << "the same number of another manager";
}

TEST_F(HopTracesTest, WhatNobodyAsksForIsNotRecorded) {
  submit(commit(7));
  step_ends();
  switch_answers();
  step_ends();
  EXPECT_THAT(spans_of(7).spans, IsEmpty());
}

TEST_F(HopTracesTest, OnlyTheSampledCallsOfABatchAreRecorded) {
  HopBatch batch = traced(commit(7));
  batch.setups.push_back(commit(8).setups[0]);
  submit(batch);
  step_ends();
  switch_answers();
  switch_answers();
  step_ends();
  EXPECT_THAT(spans_of(7).spans, SizeIs(4));
  EXPECT_THAT(spans_of(8).spans, IsEmpty());
}

TEST_F(HopTracesTest, ARefusalIsRecordedAnyway) {
  submit(commit(7, 1'000'000));
  step_ends();
  const trace::Part part = spans_of(7);
  ASSERT_THAT(part.spans, SizeIs(3));
  EXPECT_EQ(part.spans[0].cause, Cause::kNoBandwidth);
  EXPECT_EQ(part.spans[1].name, "ledger");
  EXPECT_EQ(part.spans[1].cause, Cause::kNoBandwidth);
}

TEST_F(HopTracesTest, OfAStormOfRefusalsOnlySomeAreRecorded) {
  for (std::uint64_t i = 1; i <= 200; ++i) submit(commit(i, 1'000'000));
  step_ends();
  std::size_t recorded = 0;
  for (std::uint64_t i = 1; i <= 200; ++i) recorded += spans_of(i).spans.empty() ? 0 : 1;
  EXPECT_EQ(recorded, 100U);
}

TEST_F(HopTracesTest, ASlowCommandIsRecordedAnyway) {
  start(microseconds{100});
  for (const int us : {50, 150}) {
    submit(commit(static_cast<std::uint64_t>(us)));
    step_ends();
    now_ += microseconds{us};
    switch_answers();
    step_ends();
  }
  EXPECT_THAT(spans_of(50).spans, IsEmpty());
  EXPECT_THAT(spans_of(150).spans, SizeIs(4));
}

}  // namespace
}  // namespace xbind
