// The manager reports the end of every session exactly once, however it ends. The ORB side drops
// the references to the peer only after this report.
#include <gmock/gmock.h>

#include "exchange.hpp"

namespace xbind::cmgr {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class SessionOverTest : public ExchangeTest {
 protected:
  void SetUp() override { attach_all(); }
  SessionId of_mia() { return clients_.at("mia").session; }
  SessionId of_sw1() { return switches_.at("sw1").session; }
};

TEST_F(SessionOverTest, OfAClientThatDetaches) {
  const SessionId session = of_mia();
  manager().detach_client(session);
  manager().detach_client(session);
  EXPECT_THAT(ended_client_sessions_, ElementsAre(session));
  EXPECT_EQ(last_ending_.why, SessionEnd::kDetached);
}

TEST_F(SessionOverTest, OfAClientThatAttachesAgain) {
  const SessionId session = of_mia();
  log_in("mia", 2);
  EXPECT_THAT(ended_client_sessions_, ElementsAre(session));
  EXPECT_EQ(last_ending_.why, SessionEnd::kReplaced);
}

TEST_F(SessionOverTest, OfAClientThatBreaksTheProtocol) {
  manager().on_requests(of_mia(), {BatchSeq{}, BatchSeq{7}, nullptr}, now);
  EXPECT_THAT(ended_client_sessions_, ElementsAre(of_mia()));
  EXPECT_EQ(last_ending_.why, SessionEnd::kProtocol);
}

TEST_F(SessionOverTest, OfAClientThatIsNotHeardAnyMore) {
  const SessionId session = of_mia();
  clients_.at("mia").deaf = true;
  for (int i = 0; i < 12; ++i) wait(std::chrono::seconds{5});
  EXPECT_THAT(ended_client_sessions_, ElementsAre(session));
  EXPECT_EQ(last_ending_.why, SessionEnd::kSilent);
}

TEST_F(SessionOverTest, OfASwitchThatAttachesAgain) {
  const SessionId session = of_sw1();
  attach("sw1");
  EXPECT_THAT(ended_switch_sessions_, ElementsAre(session));
}

TEST_F(SessionOverTest, OfASwitchWhoseConnectionBreaks) {
  const SessionId session = of_sw1();
  lose("sw1");
  lose("sw1");
  EXPECT_THAT(ended_switch_sessions_, ElementsAre(session));
}

TEST_F(SessionOverTest, OfASwitchThatBreaksTheProtocol) {
  manager().on_results(of_sw1(), {BatchSeq{}, BatchSeq{99}, nullptr}, now);
  finish();
  EXPECT_THAT(ended_switch_sessions_, ElementsAre(of_sw1()));
}

TEST_F(SessionOverTest, OfASwitchThatIsNotHeardAnyMore) {
  switches_.at("sw1").deaf = true;
  wait(config.switch_session.lease);
  EXPECT_THAT(ended_switch_sessions_, ElementsAre(of_sw1()));
  EXPECT_THAT(ended_client_sessions_, IsEmpty());
}

}  // namespace
}  // namespace xbind::cmgr
