#include "core/impairments/outbox.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace xbind {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr TimePoint kNow{seconds{1}};

struct Message {
  int number = 0;
  std::size_t items = 0;  // 0: an acknowledgement alone

  std::uint64_t peer() const { return 1; }
  MessageCost cost() const { return items > 0 ? MessageCost{1, items} : MessageCost{}; }
};

class OutboxTest : public ::testing::Test {
 protected:
  // A clock that stands still but for the waits that are asked of it.
  Pace::Clock clock() {
    return {[this] { return now_; },
            [this](TimePoint when) {
              waits_.push_back(when - now_);
              now_ = when;
            }};
  }
  // The numbers of the messages that leave.
  std::vector<int> sent_by(Outbox<Message>& outbox, TimePoint now = kNow) {
    std::vector<int> numbers;
    outbox.send(now, [&](const Message& message) { numbers.push_back(message.number); });
    return numbers;
  }
  static std::map<std::string, std::uint64_t> metrics_of(const Impairments& impairments) {
    Metrics metrics;
    impairments.append_metrics(metrics);
    return {metrics.begin(), metrics.end()};
  }

  TimePoint now_ = kNow;
  std::vector<Duration> waits_;
};

TEST_F(OutboxTest, WithoutImpairmentsMessagesLeaveOnceAndInOrder) {
  Impairments impairments({}, "cmgr", clock());
  Outbox<Message> outbox(impairments, "manager-to-switch/cmgr", "to_switches");
  for (const int number : {1, 2, 3}) outbox.put({number, 1});
  EXPECT_THAT(sent_by(outbox), ElementsAre(1, 2, 3));
  EXPECT_THAT(sent_by(outbox), IsEmpty());
  EXPECT_EQ(outbox.next_deadline(), kNever);
  EXPECT_THAT(waits_, IsEmpty());
}

TEST_F(OutboxTest, WhatIsPutDuringASendLeavesTheNextTime) {
  Impairments impairments({}, "cmgr", clock());
  Outbox<Message> outbox(impairments, "manager-to-switch/cmgr", "to_switches");
  outbox.put({1, 1});
  outbox.send(kNow, [&](const Message& message) { outbox.put({message.number + 1, 1}); });
  EXPECT_THAT(sent_by(outbox), ElementsAre(2));
}

TEST_F(OutboxTest, AClearedOutboxSendsNothing) {
  Impairments impairments({}, "cmgr", clock());
  Outbox<Message> outbox(impairments, "manager-to-switch/cmgr", "to_switches");
  outbox.put({1, 1});
  outbox.clear();
  EXPECT_THAT(sent_by(outbox), IsEmpty());
}

TEST_F(OutboxTest, FaultsActOnTheLegsThatAreNamed) {
  ImpairmentOptions options;
  options.faults.duplicate = 0.9;
  options.faults.legs = {"manager_to_client"};
  Impairments impairments(options, "cmgr", clock());
  Outbox<Message> to_switches(impairments, "manager-to-switch/cmgr", "to_switches");
  Outbox<Message> to_clients(impairments, "manager-to-client/cmgr", "to_clients");
  for (int number = 0; number < 100; ++number) {
    to_switches.put({number, 1});
    to_clients.put({number, 1});
  }
  EXPECT_EQ(sent_by(to_switches).size(), 100U);
  const std::size_t copies = sent_by(to_clients).size();
  EXPECT_GT(copies, 150U);
  const auto metrics = metrics_of(impairments);
  EXPECT_EQ(metrics.at("faults_repeated"), copies - 100);
  EXPECT_EQ(metrics.at("faults_to_clients_invocations"), 100U);
  EXPECT_EQ(metrics.at("faults_to_clients_repeated"), copies - 100);
  EXPECT_EQ(metrics.at("faults_to_switches_invocations"), 0U);
}

TEST_F(OutboxTest, WhatIsHeldLeavesAtTheDeadline) {
  ImpairmentOptions options;
  options.faults.delay = 0.9;
  options.faults.delay_ms_max = 10;
  Impairments impairments(options, "cmgr", clock());
  Outbox<Message> outbox(impairments, "manager-to-switch/cmgr", "to_switches");
  std::size_t sent = 0;
  for (int number = 0; number < 100; ++number) outbox.put({number, 1});
  sent += sent_by(outbox).size();
  EXPECT_LT(sent, 50U);
  for (TimePoint due = outbox.next_deadline(); due != kNever; due = outbox.next_deadline()) {
    ASSERT_LE(due, kNow + milliseconds{10});
    const std::size_t more = sent_by(outbox, due).size();
    // Any number: the sum is compared below.
    ASSERT_GT(more, 0U);
    sent += more;
  }
  EXPECT_EQ(sent, 100U);
}

TEST_F(OutboxTest, ThePaceIsPaidForEachMessageBeforeItLeaves) {
  ImpairmentOptions options;
  options.pace = {.message_us = 100, .item_us = 10};
  Impairments impairments(options, "cmgr", clock());
  Outbox<Message> outbox(impairments, "manager-to-switch/cmgr", "to_switches");
  outbox.put({1, 2});
  outbox.put({2, 0});
  outbox.put({3, 5});
  std::vector<std::pair<int, Duration>> left;
  outbox.send(kNow,
              [&](const Message& message) { left.emplace_back(message.number, now_ - kNow); });
  EXPECT_THAT(left, ElementsAre(Pair(1, microseconds{120}), Pair(2, microseconds{120}),
                                Pair(3, microseconds{270})));
}

TEST_F(OutboxTest, ALostMessageCostsNothing) {
  ImpairmentOptions options;
  options.pace = {.message_us = 100};
  options.faults.loss = 0.5;
  Impairments impairments(options, "cmgr", clock());
  Outbox<Message> outbox(impairments, "manager-to-switch/cmgr", "to_switches");
  for (int number = 0; number < 100; ++number) outbox.put({number, 1});
  const std::size_t sent = sent_by(outbox).size();
  EXPECT_LT(sent, 100U);
  EXPECT_EQ(waits_.size(), sent);
}

TEST_F(OutboxTest, APacedMessageIsAStepOfItsOwn) {
  ImpairmentOptions options;
  for (const bool paced : {false, true}) {
    waits_.clear();
    options.pace.item_us = paced ? 10 : 0;
    Impairments impairments(options, "cmgr", clock());
    std::vector<std::string> story;
    const auto receive = [&](std::optional<std::size_t> items) {
      impairments.receive(
          items, [&] { story.emplace_back("handled"); }, [&] { story.emplace_back("step ended"); });
    };
    receive(3);
    receive(std::nullopt);
    if (paced) {
      EXPECT_THAT(story, ElementsAre("handled", "step ended", "handled", "step ended"));
      EXPECT_THAT(waits_, ElementsAre(microseconds{30}));
    } else {
      EXPECT_THAT(story, ElementsAre("handled", "handled"));
      EXPECT_THAT(waits_, IsEmpty());
    }
  }
}

}  // namespace
}  // namespace xbind
