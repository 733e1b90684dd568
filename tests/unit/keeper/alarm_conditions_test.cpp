#include "keeper/alarm_conditions.hpp"

#include "tests/unit/keeper/world.hpp"

namespace xbind::keeper {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class AlarmConditionsTest : public World {
 protected:
  // "connection trunk: its cause"
  std::vector<std::string> conditions() {
    std::vector<std::string> texts;
    for (const AlarmCondition& one :
         conditions_of(keeper->wanted(), "default", keeper->attached())) {
      EXPECT_EQ(one.kind, AlarmKind::kPermanentCallDown);
      texts.push_back(one.object + ": " + one.cause);
    }
    return texts;
  }
};

TEST_F(AlarmConditionsTest, AConnectionThatIsNotUpIsNamedWithItsCause) {
  start({wanted("east"), wanted("west", 200, 2)});
  EXPECT_THAT(conditions(), ElementsAre("connection east: host-a to host-b: 1 of 1 call is not up; "
                                        "there is no session with manager default",
                                        "connection west: host-a to host-b: 2 of 2 calls are not "
                                        "up; there is no session with manager default"));
  attach();
  look();
  EXPECT_THAT(conditions(),
              ElementsAre("connection east: host-a to host-b: 1 of 1 call is not up; being "
                          "set up",
                          "connection west: host-a to host-b: 2 of 2 calls are not up; being "
                          "set up"));
  answer();
  refuse();
  EXPECT_THAT(
      conditions(),
      ElementsAre("connection west: host-a to host-b: 2 of 2 calls are not up; the last "
                  "setup failed: no bandwidth at switch-1 port 2: asked 0 cells/s, free 0"));
}

TEST_F(AlarmConditionsTest, AConnectionThatIsUpRaisesNone) {
  start({wanted("east"), wanted("west", 200, 2)});
  attach();
  settle();
  EXPECT_THAT(conditions(), IsEmpty());
  keeper->detached();
  EXPECT_THAT(conditions(), IsEmpty()) << "calls stay up without their manager";
}

TEST_F(AlarmConditionsTest, ABrokenPathIsOneAndAnUnknownOneIsNone) {
  start({wanted("east"), wanted("west", 200)});
  attach();
  settle();
  for (ListedCall& call : calls) call.state = CallState::kUnknown;
  next_look();
  EXPECT_THAT(conditions(), IsEmpty());
  for (ListedCall& call : calls) call.state = CallState::kBroken;
  next_look();
  EXPECT_THAT(
      conditions(),
      ElementsAre("connection east: host-a to host-b: 1 of 1 call is not up; 1 without a usable "
                  "path",
                  "connection west: host-a to host-b: 1 of 1 call is not up; 1 without a usable "
                  "path"));
}

TEST_F(AlarmConditionsTest, AnIncompleteCallIsNamedWithItsSwitch) {
  start({wanted("east", 100, 2), wanted("west", 200)});
  attach();
  settle();
  for (ListedCall& call : calls) call.state = CallState::kIncomplete;
  calls[0].lacks = "switch-3";
  calls[1].lacks = "switch-2";
  calls[2].state = CallState::kUp;
  next_look();
  EXPECT_THAT(conditions(), ElementsAre("connection east: host-a to host-b: 2 of 2 calls are not "
                                        "up; 2 incomplete at switch-2, switch-3: the manager "
                                        "does not know all of their hops"));
}

TEST_F(AlarmConditionsTest, NoMoreThanADaemonListsAndOne) {
  std::vector<Wanted> tables;
  for (int i = 0; i < 1'100; ++i) tables.push_back(wanted("c" + std::to_string(i), 100 + i));
  start(std::move(tables));
  EXPECT_EQ(conditions().size(), 1'001U);
}

}  // namespace
}  // namespace xbind::keeper
