#include "core/session/ended_sessions.hpp"

#include <gtest/gtest.h>

namespace xbind {
namespace {

TEST(EndedSessionsTest, NamesReasonAndCure) {
  EndedSessions ended;
  ended.add(SessionId{5}, {SessionEnd::kSilent, "nothing has been heard for 10000 ms"});
  ended.add(SessionId{6}, {SessionEnd::kDetached, {}});
  EXPECT_EQ(ended.error_for(SessionId{5}).text,
            "session 5 has ended (silent: nothing has been heard for 10000 ms): attach again");
  EXPECT_EQ(ended.error_for(SessionId{6}).text, "session 6 has ended (detached): attach again");
  EXPECT_EQ(ended.error_for(SessionId{7}).text, "no session 7");
  EXPECT_EQ(ended.error_for(SessionId{7}).code, ErrorCode::kNotFound);
}

TEST(EndedSessionsTest, RemembersTheLastOnes) {
  EndedSessions ended;
  for (std::uint64_t i = 0; i <= EndedSessions::kRemembered; ++i) ended.add(SessionId{i + 1}, {});
  EXPECT_EQ(ended.error_for(SessionId{1}).text, "no session 1");
  EXPECT_EQ(ended.error_for(SessionId{2}).text, "session 2 has ended (detached): attach again");
}

}  // namespace
}  // namespace xbind
