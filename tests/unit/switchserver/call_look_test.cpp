// One connection is compared with the switch and repaired, without a read of whole tables.
#include "paths_fixture.hpp"

namespace xbind {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class CallLookTest : public ControllerPathsTest {
 protected:
  void SetUp() override {
    ControllerPathsTest::SetUp();
    reads_ = fake.whole_reads;
  }
  void TearDown() override {
    EXPECT_EQ(fake.whole_reads, reads_) << "no whole table was read";
    ControllerPathsTest::TearDown();
  }

  CallAtSwitch look(std::vector<CrossConnect> inputs = {}, std::string_view manager = "a") {
    const auto begun =
        controller.look_at_call(manager, {old.key.connection, {}, std::move(inputs)}, 77);
    EXPECT_TRUE(begun.has_value());
    return looked();
  }
  CallAtSwitch mend(std::vector<EntryDifference> seen, std::string_view manager = "a") {
    EXPECT_TRUE(
        controller.mend_call(manager, old.key.connection, std::move(seen), 77, now).has_value());
    return looked();
  }
  // What the look or repair has answered, after everything that it has caused.
  CallAtSwitch looked() {
    answer_all();  // the entries
    answer_all();  // removals
    answer_all();  // what is put back
    SwitchController::Outputs outputs = controller.take_outputs();
    EXPECT_THAT(outputs.looks, SizeIs(1));
    if (outputs.looks.empty()) return {};
    EXPECT_EQ(outputs.looks[0].token, 77U);
    return outputs.looks[0].there;
  }
  CrossConnect changed() const {
    CrossConnect at = cross(old);
    at.output_label = atm_label(0, 61);
    return at;
  }

 private:
  int reads_ = 0;
};

TEST_F(CallLookTest, WhatAgreesIsNoDifference) {
  const CallAtSwitch there = look();
  ASSERT_THAT(there.hops, SizeIs(1));
  EXPECT_EQ(there.hops[0].cross_connect, cross(old));
  EXPECT_EQ(there.unreadable, "");
  EXPECT_THAT(there.entries, ElementsAre(cross(old)));
  EXPECT_THAT(there.differences, IsEmpty());
  EXPECT_THAT(fake.inputs_read, ElementsAre(driver::Input{kTrunk, old.input_label}));
}

TEST_F(CallLookTest, OtherConnectionsAreNotAskedFor) {
  const HopSetup other = committed(900, 44);
  fake.table.erase(cross(other));
  EXPECT_THAT(look().differences, IsEmpty());
  EXPECT_THAT(fake.inputs_read, SizeIs(1));
}

TEST_F(CallLookTest, WhatTheSwitchLacksIsPutBackAfterTwoLooks) {
  fake.table.erase(cross(old));
  const CallAtSwitch there = look();
  ASSERT_THAT(there.differences, SizeIs(1));
  EXPECT_EQ(there.differences[0].kind, FindingKind::kMissingCrossConnect);
  EXPECT_EQ(there.differences[0].missing, cross(old));
  EXPECT_EQ(mend({}).acted, 0U) << "nobody has seen it";
  EXPECT_FALSE(fake.table.contains(cross(old)));
  EXPECT_EQ(mend(there.differences).acted, 1U);
  EXPECT_TRUE(fake.table.contains(cross(old)));
  EXPECT_THAT(look().differences, IsEmpty());
}

TEST_F(CallLookTest, WhatIsThereAgainIsLeftAlone) {
  fake.table.erase(cross(old));
  const auto seen = look().differences;
  fake.table.insert(cross(old));
  const int adds = fake.adds;
  EXPECT_EQ(mend(seen).acted, 0U);
  EXPECT_EQ(fake.adds, adds);
}

TEST_F(CallLookTest, WhatLeadsElsewhereIsLedBack) {
  fake.table.erase(cross(old));
  fake.table.insert(changed());
  const auto seen = look().differences;
  ASSERT_THAT(seen, SizeIs(1));
  EXPECT_EQ(seen[0].kind, FindingKind::kChangedCrossConnect);
  EXPECT_EQ(mend(seen).acted, 1U);
  EXPECT_TRUE(fake.table.contains(cross(old)));
  EXPECT_FALSE(fake.table.contains(changed()));
}

TEST_F(CallLookTest, ABranchThatNobodyHasMadeIsRemoved) {
  const CrossConnect branch{old.input_port, old.input_label, kEnd, atm_label(0, 61)};
  fake.table.insert(branch);
  EXPECT_EQ(mend(look().differences).acted, 1U);
  EXPECT_FALSE(fake.table.contains(branch));
  EXPECT_TRUE(fake.table.contains(cross(old)));
}

TEST_F(CallLookTest, AnInputThatNoHopHasIsShownAndLeftAlone) {
  const CrossConnect stray{kTrunk, atm_label(0, 60), kEnd, atm_label(0, 61)};
  fake.table.insert(stray);
  const CallAtSwitch there = look({stray});
  ASSERT_THAT(there.differences, SizeIs(1));
  EXPECT_EQ(there.differences[0].kind, FindingKind::kStrayCrossConnect);
  EXPECT_EQ(mend(there.differences).acted, 0U) << "it may be anybody's";
  EXPECT_TRUE(fake.table.contains(stray));
}

TEST_F(CallLookTest, ACallOfAnotherManagerIsLeftAlone) {
  ASSERT_TRUE(controller.attach("b", Epoch{1}).has_value());
  fake.table.erase(cross(old));
  const auto seen = look().differences;
  EXPECT_EQ(mend(seen, "b").acted, 0U);
  EXPECT_THAT(look({cross(old)}, "b").hops, IsEmpty());
  EXPECT_EQ(mend(seen, "nobody").acted, 0U);
  EXPECT_FALSE(fake.table.contains(cross(old)));
}

TEST_F(CallLookTest, AHopThatChangesMeanwhileMakesNoDifference) {
  ASSERT_TRUE(controller.look_at_call("a", {old.key.connection, {}, {}}, 77).has_value());
  apply(removal(old), 5);
  fake.table.erase(cross(old));
  const CallAtSwitch there = looked();
  EXPECT_THAT(there.differences, IsEmpty());
}

TEST_F(CallLookTest, AHopOfAnEarlierGenerationIsShown) {
  commits(later);
  const CallAtSwitch there = look();
  ASSERT_THAT(there.hops, SizeIs(2));
  EXPECT_TRUE(there.hops[0].superseded);
  EXPECT_LT(there.hops[0].key.generation, there.hops[1].key.generation);
  EXPECT_THAT(there.differences, IsEmpty());
}

TEST_F(CallLookTest, ASwitchThatIsAwayIsUnreadable) {
  session_breaks();
  const auto begun = controller.look_at_call("a", {old.key.connection, {}, {}}, 77);
  ASSERT_TRUE(begun.has_value());
  const auto outputs = controller.take_outputs();
  ASSERT_THAT(outputs.looks, SizeIs(1));
  EXPECT_NE(outputs.looks[0].there.unreadable, "");
  EXPECT_THAT(outputs.looks[0].there.hops, SizeIs(1));
  EXPECT_EQ(controller.mend_call("a", old.key.connection, {}, 78, now).error().code,
            ErrorCode::kUnreachable);
}

TEST_F(CallLookTest, ALookThatIsOpenWhenTheSessionBreaksIsAnswered) {
  ASSERT_TRUE(controller.look_at_call("a", {old.key.connection, {}, {}}, 77).has_value());
  session_breaks();
  const auto outputs = controller.take_outputs();
  ASSERT_THAT(outputs.looks, SizeIs(1));
  EXPECT_NE(outputs.looks[0].there.unreadable, "");
}

TEST_F(CallLookTest, TooMuchIsRefusedByItsNumber) {
  CallQuestion question{old.key.connection, {}, {}};
  question.legs.resize(kCallLegsMax + 1);
  const auto refused = controller.look_at_call("a", question, 77);
  EXPECT_EQ(refused.error().code, ErrorCode::kBadInput);
  EXPECT_THAT(refused.error().text, ::testing::HasSubstr("257 legs"));
  for (int i = 0; i < 64; ++i) {
    ASSERT_TRUE(controller.look_at_call("a", {old.key.connection, {}, {}}, 77).has_value());
  }
  EXPECT_EQ(controller.look_at_call("a", {old.key.connection, {}, {}}, 77).error().code,
            ErrorCode::kExhausted);
  answer_all();
  EXPECT_THAT(controller.take_outputs().looks, SizeIs(64));
}

}  // namespace
}  // namespace xbind
