// What the manager keeps about a client between its sessions: outcomes, notices, call
// times. exchange.hpp shows the network.
#include "reroute_fixture.hpp"

namespace xbind::cmgr {
namespace {

using ClientMemoryTest = RerouteTest;

TEST_F(ClientMemoryTest, AnOutcomeThatCameAfterItsSessionMakesRoomForTheNextRequest) {
  config.clients.requests_max = 1;
  start_with_labels({vci(32), vci(33)}, {vci(40), vci(41)});
  connect(1);
  log_in("mia", 2);
  answer_all_switches();
  EXPECT_THAT(reported(), IsEmpty()) << "this epoch of the client has not sent the request";
  connect(2);
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kConnected);
  EXPECT_EQ(manager().outcome_of("mia", RequestId{1}), std::nullopt) << "it has made room";
}

TEST_F(ClientMemoryTest, ARepeatKeepsItsOutcomeThoughTheBatchBringsOtherRequests) {
  config.clients.requests_max = 1;
  start_with_labels({vci(32), vci(33)}, {vci(40), vci(41)});
  clients_.at("mia").deaf = true;
  connect(1);
  answer_all_switches();
  manager().detach_client(clients_.at("mia").session);
  log_in("mia");
  // mia --> cmgr: 1 again, and a release, which the manager handles first
  ask("mia", {{call(1)}, {{RequestId{2}, ConnectionId{77}}}});
  std::vector<Outcome> heard = reported();
  ASSERT_THAT(heard, SizeIs(2));
  std::sort(heard.begin(), heard.end(),
            [](const Outcome& one, const Outcome& other) { return one.request < other.request; });
  EXPECT_EQ(heard[0].kind, OutcomeKind::kConnected);
  EXPECT_EQ(heard[1].cause, Cause::kBusy) << "there is room for one request";
  EXPECT_EQ(manager().gauges().connections, 1U);
}

TEST_F(ClientMemoryTest, TheConfirmationOfARefusalDoesNotConfirmTheOtherRequestOfThatNumber) {
  start_with_labels({vci(32)}, {vci(40)});
  connect(7);
  // mia <-- cmgr: number 7 belongs to another request
  ask("mia", {{call(7, 300)}, {}});
  EXPECT_EQ(outcome().cause, Cause::kInvalidRequest);
  // mia <-x- cmgr: connected
  clients_.at("mia").deaf = true;
  answer_all_switches();
  clients_.at("mia").deaf = false;
  wait(milliseconds{50});  // mia --> cmgr: the refusal is confirmed
  const auto remembered = manager().outcome_of("mia", RequestId{7});
  ASSERT_TRUE(remembered.has_value());
  EXPECT_EQ(remembered->kind, OutcomeKind::kConnected);
}

TEST_F(ClientMemoryTest, TheTimesOfCallsWhoseOutcomesWaitEndWithTheSession) {
  config.client_session.batches_in_flight = 1;
  start_with_labels({vci(32), vci(33)}, {vci(40), vci(41)});
  clients_.at("mia").deaf = true;
  for (const std::uint64_t request : {1U, 2U}) {
    connect(request);
    answer_all_switches();
  }
  EXPECT_EQ(manager().call_times().size(), 1U) << "the second outcome waits for credit";
  manager().detach_client(clients_.at("mia").session);
  EXPECT_EQ(manager().call_times().size(), 0U);
}

TEST_F(ClientMemoryTest, NoticesThatWaitEndWithTheSession) {
  config.client_session.batches_in_flight = 1;
  start_with_two_paths();
  clients_.at("mia").deaf = true;
  connect(1);
  answer_all_switches();  // the outcome takes the only credit
  topology(2, link_down());
  no_other_path(Cause::kNoRoute);
  log_in("mia", 2);
  EXPECT_EQ(manager().client_counters().notices_lost, 1U);
  ask("mia", {{call(2, 0)}, {}});
  EXPECT_EQ(outcome().cause, Cause::kInvalidRequest);
  EXPECT_THAT(noticed(), IsEmpty()) << "that was the earlier session's";
}

TEST_F(ClientMemoryTest, AClientThatHasComeBackIsNotForgottenWithThoseThatLeft) {
  config.clients.attached_max = 2;
  start();
  const auto leaves_unconfirmed = [&](const std::string& name) {
    log_in(name);
    clients_.at(name).deaf = true;
    ask(name, {{call(1, 0)}, {}});
    manager().detach_client(clients_.at(name).session);
  };
  leaves_unconfirmed("one");
  log_in("one");
  leaves_unconfirmed("two");
  leaves_unconfirmed("three");
  ask("one", {{call(2, 0)}, {}});
  EXPECT_EQ(outcome("one").cause, Cause::kInvalidRequest);
}

}  // namespace
}  // namespace xbind::cmgr
