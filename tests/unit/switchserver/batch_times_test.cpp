// The stages in which a SwitchServer spends the time of a batch of commands, to the nanosecond: the
// tests set the begin and end of each step.
#include <gmock/gmock.h>

#include "fake_switch.hpp"
#include "switchserver/switch_server.hpp"

namespace xbind {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

class BatchTimesTest : public testing::Test, public ManagerOutlet {
 protected:
  struct Took {
    Duration ledger{};
    Duration driver{};
    Duration answer{};
    Duration total{};
    std::uint64_t count = 1;

    friend bool operator==(const Took&, const Took&) = default;
    friend std::ostream& operator<<(std::ostream& out, const Took& took) {
      return out << "ledger " << took.ledger.count() << ", driver " << took.driver.count()
                 << ", answer " << took.answer.count() << ", total " << took.total.count() << ", "
                 << took.count << " batches";
    }
  };

  void SetUp() override { start(); }
  void start() {
    options_.controller.name = "sw";
    server_ = std::make_unique<SwitchServer>(options_, switch_, *this);
    server_->on_driver(driver::Up{{{PortId{1}, {AtmBounds{}.range()}, 353207, true},
                                   {PortId{2}, {AtmBounds{}.range()}, 353207, true}},
                                  false},
                       now_);
    session_ = server_->attach("m1", Epoch{1}, now_).value().session;
    step_ends();
  }
  static HopBatch commit(std::uint64_t connection) {
    HopSetup setup;
    setup.key = {ConnectionId{connection}, Generation{1}, 0, 0};
    setup.hop_count = 1;
    setup.input_port = PortId{1};
    setup.output_port = PortId{2};
    setup.demand = {100, 0};
    return {{setup}, {}, {}};
  }
  static HopBatch reserve(std::uint64_t connection) {
    HopBatch batch = commit(connection);
    batch.setups[0].commit = false;
    return batch;
  }
  void submit(HopBatch batch, std::uint64_t confirmed = 0) {
    server_->on_commands(
        session_,
        {BatchSeq{++seq_}, BatchSeq{confirmed}, std::make_shared<const HopBatch>(std::move(batch))},
        now_);
  }
  void switch_answers() {
    ASSERT_FALSE(switch_.answers.empty());
    const driver::Event event = switch_.answers.front().event;
    switch_.answers.pop_front();
    server_->on_driver(event, now_);
  }
  void step_ends() { server_->finish_step(now_); }
  Took took() const {
    const auto& times = server_->batch_times();
    const auto of = [&](BatchStage stage) {
      EXPECT_EQ(times.of(stage).count, times.of(BatchStage::kTotal).count);
      return Duration{static_cast<Duration::rep>(times.of(stage).ns)};
    };
    const Took all{of(BatchStage::kLedger), of(BatchStage::kDriver), of(BatchStage::kAnswer),
                   of(BatchStage::kTotal), times.of(BatchStage::kTotal).count};
    EXPECT_EQ(all.ledger + all.driver + all.answer, all.total);
    return all;
  }

  SwitchServerOptions options_;
  TimePoint now_{seconds{10}};
  FakeSwitch switch_;
  std::unique_ptr<SwitchServer> server_;
  SessionId session_;
  int results_ = 0;

 private:
  void to_manager(SessionId, session::Frame<HopResultBatch> frame) override {
    if (frame.batch) ++results_;
  }
  void audited(std::uint64_t, LedgerReport) override {}
  void executed(std::uint64_t, Result<HopResultBatch>) override { ++results_; }

  std::uint64_t seq_ = 0;
};

TEST_F(BatchTimesTest, ACommitIsWithTheLedgerThenWithTheSwitchThenAnswered) {
  submit(commit(7));
  now_ += microseconds{3};
  step_ends();  // the request leaves for the switch
  EXPECT_EQ(took(), (Took{.count = 0})) << "under way";
  now_ += microseconds{200};
  switch_answers();
  now_ += microseconds{5};
  step_ends();
  EXPECT_EQ(took(), (Took{microseconds{3}, microseconds{200}, microseconds{5}, microseconds{208}}));
}

TEST_F(BatchTimesTest, OfTwoRequestsTheLastAnswerCounts) {
  HopBatch batch = commit(7);
  batch.setups.push_back(commit(8).setups[0]);
  submit(batch);
  step_ends();
  now_ += microseconds{100};
  switch_answers();
  step_ends();
  EXPECT_EQ(results_, 0);
  now_ += microseconds{40};
  switch_answers();
  step_ends();
  EXPECT_EQ(took(), (Took{{}, microseconds{140}, {}, microseconds{140}}));
}

TEST_F(BatchTimesTest, WhatTheSwitchIsNotAskedForIsAllLedger) {
  submit(reserve(7));
  now_ += microseconds{4};
  step_ends();
  EXPECT_EQ(results_, 1);
  EXPECT_EQ(took(), (Took{microseconds{4}, {}, {}, microseconds{4}}));
}

TEST_F(BatchTimesTest, BatchesUnderWayAtOnceHaveEachTheirOwnTimes) {
  submit(commit(7));
  now_ += microseconds{1};
  step_ends();
  now_ += microseconds{10};
  submit(commit(8));
  switch_answers();  // answers the first
  now_ += microseconds{1};
  step_ends();
  EXPECT_EQ(took(), (Took{microseconds{1}, microseconds{10}, microseconds{1}, microseconds{12}}));
  now_ += microseconds{20};
  switch_answers();
  step_ends();
  EXPECT_EQ(took(),
            (Took{microseconds{2}, microseconds{30}, microseconds{1}, microseconds{33}, 2}));
}

TEST_F(BatchTimesTest, WithoutCreditTheResultsWaitToBeHandedOver) {
  options_.session.batches_in_flight = 1;
  start();
  submit(reserve(7));
  submit(reserve(8));
  step_ends();
  EXPECT_EQ(results_, 1) << "the second has no credit";
  now_ += microseconds{70};
  submit(reserve(9), 1);  // also confirms the first batch
  step_ends();
  EXPECT_EQ(results_, 2);
  EXPECT_EQ(took(), (Took{{}, {}, microseconds{70}, microseconds{70}, 2}));
}

TEST_F(BatchTimesTest, ATwoWayBatchIsHandedOverWithItsAnswer) {
  ASSERT_TRUE(server_->execute(session_, commit(7), 1, now_).has_value());
  now_ += microseconds{2};
  step_ends();
  now_ += microseconds{90};
  switch_answers();
  step_ends();
  EXPECT_EQ(results_, 1);
  EXPECT_EQ(took(), (Took{microseconds{2}, microseconds{90}, {}, microseconds{92}}));
}

TEST_F(BatchTimesTest, OneWhoseSessionEndedCountsForNothing) {
  submit(commit(7));
  step_ends();
  server_->detach(session_);
  now_ += microseconds{50};
  switch_answers();
  step_ends();
  EXPECT_EQ(took(), (Took{.count = 0}));
}

}  // namespace
}  // namespace xbind
