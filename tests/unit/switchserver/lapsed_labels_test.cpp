// The labels of a manager whose session has ended rest.
#include "controller_fixture.hpp"
#include "ledger_fixture.hpp"

namespace xbind {
namespace {

using ::testing::ElementsAre;

TEST_F(SwitchControllerTest, LapsedLabelsRestForATimeOrUntilTheManagerAttaches) {
  const Label label = cache_one();
  controller.detach("a");
  EXPECT_EQ(holder(label), LabelHolder::kLapsed);
  const TimePoint detached = TimePoint{} + std::chrono::hours{1};
  SwitchController::Outputs ignored;
  controller.take_outputs(detached, ignored);
  EXPECT_EQ(controller.wake_at(), detached + kSwitchServerTimers["labels-rest"]);
  controller.on_time(controller.wake_at());
  EXPECT_EQ(controller.wake_at(), kNever);

  const auto attached = controller.attach("a", Epoch{1});
  ASSERT_TRUE(attached.has_value());
  EXPECT_THAT(attached->quarantined, ElementsAre(PortLabels{kOut, {label}}));
  controller.detach("a");
  ASSERT_TRUE(controller.attach("a", Epoch{1}).has_value());
  controller.take_outputs(detached, ignored);
  EXPECT_EQ(controller.wake_at(), kNever) << "nothing of an attached manager rests";
}

TEST_F(LedgerTest, TheNextSessionHasLapsedLabelsInQuarantine) {
  const Label label = cache_one(a);
  ledger.lapse(a);
  ledger.open_session(a);
  EXPECT_THAT(ledger.labels().list(LabelHolder::kQuarantine, a),
              ElementsAre(PortLabels{kOut, {label}}));
  EXPECT_TRUE(ledger.set_up(a, middle(1, kInput, label)).admitted()) << "it may still use it";
}

TEST_F(LedgerTest, ALapsedLabelIsGrantedToNobodyElseWhileItRests) {
  std::vector<Label> of_a;
  std::vector<Label> of_b;
  ledger.grants().grant_labels(a, kOut, 3, of_a);
  ledger.lapse(a);
  ledger.grants().grant_labels(b, kOut, 8, of_b);
  EXPECT_EQ(of_b.size(), 5U) << "8 labels, 3 of them lapsed";
  expect_refused(ledger.set_up(b, middle(1, kInput, of_a[0])), Cause::kLabelNotHeld, kOut,
                 of_a[0].value);
}

TEST_F(LedgerTest, ALapsedLabelThatHasRestedIsGrantedWhenNoOtherIsFree) {
  const Label lapsed = cache_one(a);
  ledger.lapse(a);
  ledger.end_rest(a);
  std::vector<Label> of_b;
  ledger.grants().grant_labels(b, kOut, 7, of_b);
  EXPECT_EQ(holder(lapsed), LabelHolder::kLapsed) << "the other seven come first";
  ledger.grants().grant_labels(b, kOut, 2, of_b);
  EXPECT_EQ(of_b.size(), 8U);
  EXPECT_EQ(of_b.back(), lapsed);
  ledger.open_session(a);
  EXPECT_EQ(holder(lapsed), LabelHolder::kCached);
  EXPECT_TRUE(ledger.labels().list(LabelHolder::kQuarantine, a).empty());
}

TEST_F(LedgerTest, LabelsThatLapseAgainRestAgain) {
  cache_one(a);
  ledger.lapse(a);
  ledger.end_rest(a);
  ledger.open_session(a);
  ledger.lapse(a);
  const Label again = cache_one(a);
  ledger.lapse(a);
  EXPECT_EQ(holder(again), LabelHolder::kLapsed);
  std::vector<Label> of_b;
  ledger.grants().grant_labels(b, kOut, 8, of_b);
  EXPECT_EQ(of_b.size(), 6U) << "one in quarantine, one lapsed";
}

TEST_F(LedgerTest, ForgettingAManagerFreesItsLapsedLabels) {
  const Label lapsed = cache_one(a);
  ledger.lapse(a);
  EXPECT_EQ(ledger.forget_manager(a), 0U);
  EXPECT_EQ(holder(lapsed), LabelHolder::kFree);
}

}  // namespace
}  // namespace xbind
