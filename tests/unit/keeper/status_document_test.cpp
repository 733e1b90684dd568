#include "keeper/status_document.hpp"

#include <gtest/gtest.h>

#include "keeper/status_pace.hpp"
#include "tests/unit/keeper/world.hpp"

namespace xbind::keeper {
namespace {

using StatusDocumentTest = World;

TEST_F(StatusDocumentTest, ShowsEveryCallAndWhyItIsNotUp) {
  start({wanted("east"), wanted("west", 200, 2)});
  attach();
  look();
  answer();
  refuse();
  const StatusHead head{.client = "keeper",
                        .manager = "default",
                        .attached = true,
                        .now = now,
                        .wall = std::chrono::sys_time<std::chrono::milliseconds>(
                            std::chrono::milliseconds{1'772'362'800'125})};
  EXPECT_EQ(
      status_document(head, keeper->wanted()),
      R"({"format":1,"written":"2026-03-01T11:00:00.125Z","client":"keeper","manager":"default",)"
      R"("attached":true,"wanted":3,"up":1,"calls":[)"
      R"({"name":"east","from":"host-a","to":"host-b","state":"up","id":"1",)"
      R"("incomplete_at":null,"since":"2026-03-01T11:00:00.125Z","refusals":0,)"
      R"("last_refusal":null,"refused_at":null,"next_try":null},)"
      R"({"name":"west/1","from":"host-a","to":"host-b","state":"waiting","id":null,)"
      R"("incomplete_at":null,"since":"2026-03-01T11:00:00.125Z","refusals":1,)"
      R"("last_refusal":"no bandwidth at switch-1 port 2: asked 0 cells/s, free 0",)"
      R"("refused_at":"2026-03-01T11:00:00.125Z","next_try":"2026-03-01T11:00:01.125Z"},)"
      R"({"name":"west/2","from":"host-a","to":"host-b","state":"setting-up","id":null,)"
      R"("incomplete_at":null,"since":"2026-03-01T11:00:00.125Z","refusals":1,)"
      R"("last_refusal":"no bandwidth at switch-1 port 2: asked 0 cells/s, free 0",)"
      R"("refused_at":"2026-03-01T11:00:00.125Z","next_try":null}]})"
      "\n");
}

TEST_F(StatusDocumentTest, NamesTheSwitchAtWhichACallIsIncomplete) {
  start({wanted("east")});
  attach();
  settle();
  calls[0].state = CallState::kIncomplete;
  calls[0].lacks = "switch-2";
  next_look();
  const std::string document = status_document({}, keeper->wanted());
  EXPECT_THAT(document, testing::HasSubstr(R"("state":"incomplete","id":"1",)"
                                           R"("incomplete_at":"switch-2","since")"));
  EXPECT_THAT(document, testing::HasSubstr(R"("wanted":1,"up":0,)"));
}

TEST(StatusPaceTest, OneWriteAtATimeAndAPauseBetweenTwo) {
  constexpr Duration kPause = kKeeperTimers["status-pause"];
  TimePoint now{std::chrono::hours{1}};
  StatusPace pace;
  EXPECT_EQ(pace.deadline(0), kNever);  // nothing has changed
  EXPECT_TRUE(pace.begin(1, now));
  EXPECT_FALSE(pace.begin(2, now + kPause));  // the first one is under way
  pace.ended();
  EXPECT_EQ(pace.deadline(1), kNever);
  EXPECT_FALSE(pace.begin(2, now + kPause / 2));
  EXPECT_EQ(pace.deadline(2), now + kPause);
  EXPECT_TRUE(pace.begin(2, now + kPause));
}

}  // namespace
}  // namespace xbind::keeper
