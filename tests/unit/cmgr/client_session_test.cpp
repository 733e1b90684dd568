// Clients that repeat themselves, die, come back. exchange.hpp has the picture.
#include "exchange.hpp"

namespace xbind::cmgr {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ClientSessionTest : public ExchangeTest {};

TEST_F(ClientSessionTest, ARequestRepeatedWhileUnderWayIsNotTakenTwice) {
  start_with_labels({vci(32)}, {vci(40)});
  connect(1);
  log_in("mia");
  connect(1);
  EXPECT_EQ(manager().counters().setups, 1U);
  for (const char* name : {"sw1", "sw2", "sw3"}) all_done(name);
  EXPECT_EQ(outcome().kind, OutcomeKind::kConnected);
  EXPECT_EQ(manager().client_counters().repeated_requests, 1U);
}

TEST_F(ClientSessionTest, AnOutcomeThatWasNotConfirmedIsToldAgainToWhoeverRepeatsTheRequest) {
  start_with_labels({vci(32)}, {vci(40)});
  connect(1);
  clients_.at("mia").deaf = true;
  for (const char* name : {"sw1", "sw2", "sw3"}) all_done(name);
  // mia dies and comes back
  log_in("mia", 2);
  EXPECT_THAT(told(), IsEmpty()) << "not unless she asks";
  connect(1);
  const Outcome first = outcome();
  EXPECT_EQ(first.kind, OutcomeKind::kConnected);
  // once more, with the outcome unconfirmed: the same
  log_in("mia", 3);
  connect(1);
  EXPECT_EQ(outcome(), first);
  EXPECT_EQ(manager().connections(), 1U);
}

TEST_F(ClientSessionTest, AConfirmedOutcomeIsForgottenAndTheNumberMayServeAgain) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = connected(1);
  wait(milliseconds{50});  // mia --> cmgr: confirmed
  release(1, call);
  for (const char* name : {"sw1", "sw2", "sw3"}) all_done(name);
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
}

TEST_F(ClientSessionTest, TheOutcomeMayOvertakeTheRepeatedRequest) {
  start_with_labels({vci(32)}, {vci(40)});
  connect(1);
  log_in("mia", 2);
  // mia --> cmgr: connect 1, again; the frame is slow
  ClientSide& mia = clients_.at("mia");
  const auto slow = mia.link->send({{call(1)}, {}}, 100, now);
  // mia <-- cmgr: connected;  mia --> cmgr: confirmed
  for (const char* name : {"sw1", "sw2", "sw3"}) all_done(name);
  const Outcome first = outcome();
  wait(milliseconds{50});
  // The slow frame arrives: no second call.
  manager().on_requests(mia.session, slow, now);
  finish();
  EXPECT_TRUE(silent("sw1"));
  EXPECT_EQ(manager().counters().setups, 1U);
  EXPECT_THAT(told(), ElementsAre(first)) << "the same outcome once more, never another";
}

TEST_F(ClientSessionTest, AClientThatDiesDisturbsNobody) {
  config.label_cache_target = 2;
  start_with_labels({vci(32), vci(33)}, {vci(40), vci(41)});
  log_in("noa");
  connect(1, "mia");
  connect(1, "noa");
  clients_.at("mia").deaf = true;
  manager().detach_client(clients_.at("mia").session);
  for (const char* name : {"sw1", "sw2", "sw3"}) all_done(name);
  EXPECT_EQ(outcome("noa").kind, OutcomeKind::kConnected);
  EXPECT_EQ(manager().connections(), 2U) << "hers stays: media outlive signalling";
  // Somebody else can end it, by its number.
  const ConnectionId hers = manager().list(ConnectionId{0}, 1).at(0);
  EXPECT_EQ(manager().describe(hers)->client, "mia");
  release(2, hers, "noa");
  for (const char* name : {"sw1", "sw2", "sw3"}) all_done(name);
  EXPECT_EQ(outcome("noa").kind, OutcomeKind::kReleased);
}

TEST_F(ClientSessionTest, AClientThatIsNotHeardAnyMoreLosesItsSession) {
  attach_all();
  clients_.at("mia").deaf = true;
  for (int i = 0; i < 12; ++i) wait(seconds{5});
  EXPECT_EQ(manager().client_counters().sessions_lost, 1U);
  EXPECT_EQ(clients_.at("mia").link, nullptr) << "she has given up as well";
}

TEST_F(ClientSessionTest, ALowerEpochIsFencedOff) {
  attach_all();
  log_in("mia", 5);
  const auto old = manager().attach_client("mia", Epoch{4}, now);
  ASSERT_FALSE(old.has_value());
  EXPECT_EQ(old.error().code, ErrorCode::kFenced);
  EXPECT_EQ(old.error().text, "client mia with epoch 4 is fenced off by epoch 5");
}

TEST_F(ClientSessionTest, NamesAndNumbersOfClientsAreBounded) {
  config.clients_max = 2;
  start();
  EXPECT_EQ(manager().attach_client("", Epoch{1}, now).error().code, ErrorCode::kBadInput);
  EXPECT_THAT(manager().attach_client(std::string(129, 'x'), Epoch{1}, now).error().text,
              HasSubstr("129"));
  const SessionId one = log_in("one");
  log_in("two");
  const auto third = manager().attach_client("three", Epoch{1}, now);
  EXPECT_EQ(third.error().code, ErrorCode::kExhausted);
  log_in("two", 2);  // attached already: may come back
  manager().detach_client(clients_.at("two").session);
  manager().detach_client(one);
  log_in("three");
  log_in("four");
}

TEST_F(ClientSessionTest, TooManyRequestsAreAnsweredBusyReleasesToo) {
  config.requests_per_client = 1;
  config.label_cache_target = 4;
  start_with_labels({vci(32), vci(33)}, {vci(40), vci(41)});
  const ConnectionId call = connected(1);
  connect(2);  // confirms the outcome of 1; under way from now on
  ask("mia", {{ExchangeTest::call(3)}, {{RequestId{4}, call}}});
  const auto outcomes = told();
  ASSERT_THAT(outcomes, SizeIs(2));
  EXPECT_EQ(outcomes[0].request, RequestId{4});
  EXPECT_EQ(outcomes[0].kind, OutcomeKind::kBusy);
  EXPECT_EQ(outcomes[1].request, RequestId{3});
  EXPECT_EQ(outcomes[1].kind, OutcomeKind::kBusy);
}

TEST_F(ClientSessionTest, ARepeatIsARepeatHoweverMuchIsUnderWay) {
  config.requests_per_client = 1;
  start_with_labels({vci(32)}, {vci(40)});
  connect(1);
  log_in("mia");
  connect(1);
  EXPECT_THAT(told(), IsEmpty()) << "not busy: it is under way";
  for (const char* name : {"sw1", "sw2", "sw3"}) all_done(name);
  EXPECT_EQ(outcome().kind, OutcomeKind::kConnected);
}

TEST_F(ClientSessionTest, OutcomesOfDeadSessionsMakeRoomForNewRequests) {
  config.requests_per_client = 2;
  attach_all();
  for (std::uint64_t life = 1; life <= 5; ++life) {
    // Two refusals that are never confirmed, then she dies.
    log_in("mia", life);
    clients_.at("mia").deaf = false;
    ask("mia", {{ExchangeTest::call(2 * life, 0), ExchangeTest::call(2 * life + 1, 0)}, {}});
    const auto outcomes = told();
    ASSERT_THAT(outcomes, SizeIs(2)) << "life " << life;
    EXPECT_EQ(outcomes[0].cause, Cause::kInvalidRequest);
    EXPECT_EQ(outcomes[1].cause, Cause::kInvalidRequest);
  }
}

TEST_F(ClientSessionTest, AClientOfAnUnknownSessionIsCountedAndIgnored) {
  attach_all();
  manager().on_requests(SessionId{1}, {BatchSeq{1}, {}, std::make_shared<const RequestBatch>()},
                        now);
  EXPECT_EQ(manager().client_counters().unknown_session, 1U);
}

TEST_F(ClientSessionTest, AClientThatBreaksTheProtocolLosesItsSession) {
  attach_all();
  const SessionId session = clients_.at("mia").session;
  manager().on_requests(session, {BatchSeq{}, BatchSeq{7}, nullptr}, now);
  manager().on_requests(session, {BatchSeq{}, BatchSeq{0}, nullptr}, now);
  EXPECT_EQ(manager().client_counters().sessions_lost, 1U);
  EXPECT_EQ(manager().client_counters().unknown_session, 1U);
}

}  // namespace
}  // namespace xbind::cmgr
