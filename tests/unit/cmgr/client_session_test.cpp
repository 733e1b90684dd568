// Clients that repeat requests, crash and attach again. exchange.hpp shows the network.
#include "cmgr/parts/request_digest.hpp"
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
  // mia crashes and attaches again.
  log_in("mia", 2);
  EXPECT_THAT(reported(), IsEmpty()) << "not unless she asks";
  connect(1);
  const Outcome first = outcome();
  EXPECT_EQ(first.kind, OutcomeKind::kConnected);
  // Repeated while the outcome is unconfirmed: the same outcome.
  log_in("mia", 3);
  connect(1);
  EXPECT_EQ(outcome(), first);
  EXPECT_EQ(manager().gauges().connections, 1U);
}

TEST_F(ClientSessionTest, AConfirmedOutcomeIsForgottenAndTheNumberMayServeAgain) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = connected(1);
  wait(milliseconds{50});  // mia --> cmgr: confirmed
  release(1, call);
  for (const char* name : {"sw1", "sw2", "sw3"}) all_done(name);
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
}

TEST_F(ClientSessionTest, ASessionIsToldWhatItHasAskedForAndNothingElse) {
  start_with_labels({vci(32)}, {vci(40)});
  connect(1);
  log_in("mia", 2);
  // mia --> cmgr: connect 1, again; the frame is slow
  ClientSide& mia = clients_.at("mia");
  const auto slow = mia.link->send({{call(1)}, {}}, 100, now);
  for (const char* name : {"sw1", "sw2", "sw3"}) all_done(name);
  EXPECT_THAT(reported(), IsEmpty()) << "number 1 may mean another request in this session";
  // The slow frame arrives: mia gets the outcome, and no second call is set up.
  manager().on_requests(mia.session, slow, now);
  finish();
  const Outcome first = outcome();
  EXPECT_EQ(first.kind, OutcomeKind::kConnected);
  EXPECT_TRUE(silent("sw1"));
  EXPECT_EQ(manager().counters().setups, 1U);
  EXPECT_EQ(manager().outcome_of("mia", RequestId{1}), first);
  wait(milliseconds{50});  // mia --> cmgr: confirmed
  EXPECT_FALSE(manager().outcome_of("mia", RequestId{1}).has_value());
}

// ===== request numbers of a restarted client =====

TEST_F(ClientSessionTest, AClientThatNumbersFromOneAgainIsNotToldOldOutcomes) {
  config.label_cache_target = 2;
  start_with_labels({vci(32), vci(33)}, {vci(40), vci(41)});
  const ConnectionId first = connected(1);
  release(2, first);
  clients_.at("mia").deaf = true;  // she crashes before she has confirmed
  answer_all_switches();
  log_in("mia", 2);
  ConnectRequest wanted = call(1, 300);
  ask("mia", {{wanted}, {}});
  answer_all_switches();
  const ConnectionId second = outcome().connection;
  EXPECT_NE(second, first);
  release(2, second);
  answer_all_switches();
  const Outcome released = outcome();
  EXPECT_EQ(released.kind, OutcomeKind::kReleased);
  EXPECT_EQ(released.connection, second);
  EXPECT_EQ(manager().gauges().connections, 0U) << "the second call has gone, in truth";
  EXPECT_EQ(manager().client_counters().repeated_requests, 0U);
}

TEST_F(ClientSessionTest, ThatItWasRefusedBeforeIsOfNoConcernToAnotherRequest) {
  start_with_labels({vci(32)}, {vci(40)});
  ask("mia", {{call(1, 0)}, {}});  // refused, and not confirmed
  clients_.at("mia").deaf = true;
  log_in("mia", 2);
  connect(1);
  for (const char* name : {"sw1", "sw2", "sw3"}) all_done(name);
  EXPECT_EQ(outcome().kind, OutcomeKind::kConnected);
}

TEST_F(ClientSessionTest, AnotherRequestOfTheSameNumberAndEpochIsRefusedByName) {
  config.label_cache_target = 2;
  start_with_labels({vci(32), vci(33)}, {vci(40), vci(41)});
  connect(7);
  ask("mia", {{call(7, 300)}, {}});
  Outcome refused = outcome();
  EXPECT_EQ(refused.request, RequestId{7});
  EXPECT_EQ(explain(refused), "invalid request: request number 7 is another request's");
  // Nor after the client has attached again with the same epoch.
  log_in("mia", 1);
  release(7, ConnectionId{4711});
  refused = outcome();
  EXPECT_EQ(refused.cause, Cause::kInvalidRequest);
  EXPECT_EQ(refused.connection, ConnectionId{4711});
  wait(milliseconds{50});  // mia --> cmgr: confirms the outcome of the wrong request
  // The original request is not disturbed: its outcome is available to a client that repeats it.
  for (const char* name : {"sw1", "sw2", "sw3"}) all_done(name);
  connect(7);
  EXPECT_EQ(outcome().kind, OutcomeKind::kConnected);
  EXPECT_EQ(manager().gauges().connections, 1U);
}

TEST_F(ClientSessionTest, ANumberThatIsUnderWayForAnEarlierEpochIsBusy) {
  config.label_cache_target = 2;
  start_with_labels({vci(32), vci(33)}, {vci(40), vci(41)});
  connect(1);
  log_in("mia", 2);
  ask("mia", {{call(1, 300)}, {}});
  EXPECT_EQ(explain(outcome()),
            "busy at request number 1, which is under way for an earlier epoch; try again in "
            "3000 ms");
  for (const char* name : {"sw1", "sw2", "sw3"}) all_done(name);
  EXPECT_THAT(reported(), IsEmpty()) << "she would take it for the answer to the other";
  // mia repeats the request as the refusal advised: the number is free now.
  ask("mia", {{call(1, 300)}, {}});
  for (const char* name : {"sw1", "sw2", "sw3"}) all_done(name);
  EXPECT_EQ(outcome().kind, OutcomeKind::kConnected);
  EXPECT_EQ(manager().gauges().connections, 2U) << "the first one stays, as its client's calls do";
}

TEST_F(ClientSessionTest, ContentIsAllThatARequestSays) {
  const auto digest = [](auto change) {
    ConnectRequest request = call(1);
    change(request);
    return digest_of(request);
  };
  const std::uint64_t same = digest([](ConnectRequest&) {});
  EXPECT_EQ(digest([](ConnectRequest& it) { it.request = RequestId{9}; }), same);
  EXPECT_NE(digest([](ConnectRequest& it) { it.from = "dan"; }), same);
  EXPECT_NE(digest([](ConnectRequest& it) { std::swap(it.from, it.to); }), same);
  EXPECT_NE(digest([](ConnectRequest& it) { it.priority = 3; }), same);
  EXPECT_NE(digest([](ConnectRequest& it) { it.hold_ms = 3; }), same);
  EXPECT_NE(digest([](ConnectRequest& it) { it.service.buffer_cells = 11; }), same);
  EXPECT_NE(digest([](ConnectRequest& it) { it.service.contract.mfs_cells = 1; }), same);
  EXPECT_NE(digest([](ConnectRequest& it) { it.service.terms = ServiceTerms{}; }), same);
  EXPECT_NE(digest([](ConnectRequest& it) { it.reverse = ServiceSpec{}; }), same);
  const ConnectionId id{5};
  EXPECT_NE(digest_of(ReleaseRequest{RequestId{1}, id}),
            digest_of(CommitRequest{RequestId{1}, id}));
  EXPECT_NE(digest_of(LeafRequest{RequestId{1}, id, "eve", true}),
            digest_of(LeafRequest{RequestId{1}, id, "eve", false}));
  EXPECT_NE(digest_of(ModifyRequest{RequestId{1}, id, cells(5), cells(5)}),
            digest_of(ModifyRequest{RequestId{1}, id, cells(5), {}}));
}

TEST_F(ClientSessionTest, ARepeatInANewSessionIsForgottenWithItsConfirmation) {
  start_with_labels({vci(32)}, {vci(40)});
  connect(1);
  clients_.at("mia").deaf = true;
  for (const char* name : {"sw1", "sw2", "sw3"}) all_done(name);
  // mia comes back and repeats the request whose outcome she never received.
  log_in("mia");
  connect(1);
  const Outcome again = outcome();
  EXPECT_EQ(manager().outcome_of("mia", RequestId{1}), again);
  wait(milliseconds{50});  // mia --> cmgr: confirmed
  EXPECT_EQ(manager().outcome_of("mia", RequestId{1}), std::nullopt);
  release(2, again.connection);
  for (const char* name : {"sw1", "sw2", "sw3"}) all_done(name);
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  EXPECT_TRUE(leaves_no_trace());
}

TEST_F(ClientSessionTest, AClientWithoutConnectionsMayGoAndAskForItsOutcomeLater) {
  start_with_labels({vci(32)}, {vci(40)});
  clients_.at("mia").deaf = true;
  const ConnectRequest to_zoe{RequestId{1}, "ann", "zoe", cells(100)};
  ask("mia", {{to_zoe}, {}});
  const auto queries = take_route_queries();
  ASSERT_THAT(queries, SizeIs(1));
  // mia <-x- cmgr: no route
  route(none(queries[0], Cause::kNoRoute, "ann -> zoe"));
  const auto refusal = manager().outcome_of("mia", RequestId{1});
  ASSERT_TRUE(refusal.has_value());
  EXPECT_EQ(refusal->cause, Cause::kNoRoute);
  EXPECT_EQ(manager().gauges().connections, 0U);
  manager().detach_client(clients_.at("mia").session);
  // A route exists now. mia --> cmgr: connect 1, again
  route(found(queries[0]));
  log_in("mia");
  ask("mia", {{to_zoe}, {}});
  EXPECT_THAT(reported(), ElementsAre(*refusal)) << "one outcome, and no other";
  EXPECT_TRUE(silent("sw1"));
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
  EXPECT_EQ(manager().gauges().connections, 2U) << "hers stays: media outlive signalling";
  // Another client can release it by its connection id.
  const ConnectionId hers = manager().list(ConnectionId{0}, 1).at(0);
  EXPECT_EQ(manager().describe(hers).value().client, "mia");
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

TEST_F(ClientSessionTest, EachProgramThatStartsGetsAHigherEpoch) {
  attach_all();
  const Epoch first = manager().new_client_epoch("mia").value();
  const Epoch second = manager().new_client_epoch("mia").value();
  EXPECT_LT(first, second);
  ASSERT_TRUE(manager().attach_client("mia", second, now));
  EXPECT_EQ(manager().attach_client("mia", first, now).error().code, ErrorCode::kFenced)
      << "a message that was late";
  EXPECT_GT(manager().new_client_epoch("mia").value(), second);
  EXPECT_EQ(manager().new_client_epoch("").error().code, ErrorCode::kBadInput);
}

// As long as the forger is attached, and afterwards.
TEST_F(ClientSessionTest, AnEpochFarAheadKeepsNobodyOut) {
  attach_all();
  constexpr Epoch kForged{~std::uint64_t{0}};
  const Epoch own = manager().new_client_epoch("mia").value();
  ASSERT_TRUE(manager().attach_client("mia", own, now));
  const auto forged = manager().attach_client("mia", kForged, now);
  ASSERT_TRUE(forged);
  ASSERT_TRUE(manager().attach_client("mia", own, now)) << "it attaches again";
  ASSERT_TRUE(manager().attach_client("mia", kForged, now));
  const Epoch next = manager().new_client_epoch("mia").value();
  EXPECT_GT(next, own);
  ASSERT_TRUE(manager().attach_client("mia", next, now)) << "it starts again";
  EXPECT_EQ(manager().attach_client("mia", own, now).error().code, ErrorCode::kFenced);
  // Of two that choose such epochs themselves, the newer one counts while it is attached.
  const auto newer = manager().attach_client("bob", kForged, now);
  ASSERT_TRUE(newer);
  constexpr Epoch kOlder{kForged.value() - 1};
  EXPECT_EQ(manager().attach_client("bob", kOlder, now).error().code, ErrorCode::kFenced);
  manager().detach_client(newer->session);
  EXPECT_TRUE(manager().attach_client("bob", kOlder, now));
}

TEST_F(ClientSessionTest, AnEpochALittleAheadCounts) {
  attach_all();
  const Epoch own = manager().new_client_epoch("mia").value();
  ASSERT_TRUE(manager().attach_client("mia", own, now));
  ASSERT_TRUE(manager().attach_client("mia", Epoch{own.value() + ClientDesk::kEpochStepMax}, now));
  EXPECT_EQ(manager().attach_client("mia", own, now).error().code, ErrorCode::kFenced);
  EXPECT_GT(manager().new_client_epoch("mia").value(),
            (Epoch{own.value() + ClientDesk::kEpochStepMax}));
}

TEST_F(ClientSessionTest, NamesAndNumbersOfClientsAreBounded) {
  config.clients.attached_max = 2;
  start();
  EXPECT_EQ(manager().attach_client("", Epoch{1}, now).error().code, ErrorCode::kBadInput);
  EXPECT_THAT(manager().attach_client(std::string(129, 'x'), Epoch{1}, now).error().text,
              HasSubstr("129"));
  const SessionId one = log_in("one");
  log_in("two");
  const auto third = manager().attach_client("three", Epoch{1}, now);
  ASSERT_FALSE(third.has_value());
  EXPECT_EQ(third.error().code, ErrorCode::kExhausted);
  log_in("two", 2);  // is attached already: may attach again
  manager().detach_client(clients_.at("two").session);
  manager().detach_client(one);
  log_in("three");
  log_in("four");
}

TEST_F(ClientSessionTest, ClientsThatAttachAndVanishDoNotKeepOthersOut) {
  config.clients.attached_max = 2;
  start();
  log_in("first");
  log_in("mia");
  ask("mia", {{ExchangeTest::call(1)}, {}});
  EXPECT_EQ(manager().attach_client("last", Epoch{1}, now).error().code, ErrorCode::kExhausted)
      << "first has attached just now";
  const auto last = manager().attach_client("last", Epoch{1}, now + ClientDesk::kUnheardFor);
  EXPECT_TRUE(last.has_value()) << "first has sent nothing";
  EXPECT_EQ(manager().client_counters().displaced, 1U);
  manager().on_requests(last->session, {BatchSeq{0}, BatchSeq{0}, nullptr}, now);
  EXPECT_EQ(
      manager().attach_client("one", Epoch{1}, now + 2 * ClientDesk::kUnheardFor).error().code,
      ErrorCode::kExhausted)
      << "mia and last have been heard";
}

TEST_F(ClientSessionTest, TooManyRequestsAreAnsweredBusyReleasesToo) {
  config.clients.requests_max = 1;
  config.label_cache_target = 4;
  start_with_labels({vci(32), vci(33)}, {vci(40), vci(41)});
  const ConnectionId call = connected(1);
  connect(2);  // confirms the outcome of 1; call 2 is under way from now on
  ask("mia", {{ExchangeTest::call(3)}, {{RequestId{4}, call}}});
  const auto outcomes = reported();
  ASSERT_THAT(outcomes, SizeIs(2));
  EXPECT_EQ(outcomes[0].request, RequestId{4});
  EXPECT_EQ(outcomes[0].kind, OutcomeKind::kBusy);
  EXPECT_EQ(outcomes[1].request, RequestId{3});
  EXPECT_EQ(outcomes[1].kind, OutcomeKind::kBusy);
}

TEST_F(ClientSessionTest, ARepeatIsARepeatHoweverMuchIsUnderWay) {
  config.clients.requests_max = 1;
  start_with_labels({vci(32)}, {vci(40)});
  connect(1);
  log_in("mia");
  connect(1);
  EXPECT_THAT(reported(), IsEmpty()) << "not busy: it is under way";
  for (const char* name : {"sw1", "sw2", "sw3"}) all_done(name);
  EXPECT_EQ(outcome().kind, OutcomeKind::kConnected);
}

TEST_F(ClientSessionTest, OutcomesOfDeadSessionsMakeRoomForNewRequests) {
  config.clients.requests_max = 2;
  attach_all();
  for (std::uint64_t life = 1; life <= 5; ++life) {
    // Two refusals that are never confirmed, then mia crashes.
    log_in("mia", life);
    clients_.at("mia").deaf = false;
    ask("mia", {{ExchangeTest::call(2 * life, 0), ExchangeTest::call(2 * life + 1, 0)}, {}});
    const auto outcomes = reported();
    ASSERT_THAT(outcomes, SizeIs(2)) << "life " << life;
    EXPECT_EQ(outcomes[0].cause, Cause::kInvalidRequest);
    EXPECT_EQ(outcomes[1].cause, Cause::kInvalidRequest);
  }
}

TEST_F(ClientSessionTest, AnOutcomeThatThisSessionHasAskedForMakesNoRoom) {
  config.clients.requests_max = 1;
  start_with_labels({vci(32)}, {vci(40)});
  connect(1);
  clients_.at("mia").deaf = true;
  for (const char* name : {"sw1", "sw2", "sw3"}) all_done(name);
  log_in("mia", 2);
  ask("mia", {{ExchangeTest::call(1), ExchangeTest::call(2)}, {}});  // 1 is a repeat
  const auto outcomes = reported();
  ASSERT_THAT(outcomes, SizeIs(2));
  EXPECT_EQ(outcomes[0].kind, OutcomeKind::kConnected);
  EXPECT_EQ(outcomes[1].kind, OutcomeKind::kBusy);
  log_in("mia", 3);
  connect(1);
  EXPECT_EQ(outcome(), outcomes[0]) << "not set up once more";
}

TEST_F(ClientSessionTest, OfClientsThatWentWithUnconfirmedOutcomesTheLatestAreRemembered) {
  config.clients.attached_max = 2;
  start();
  for (const char* name : {"one", "two", "three"}) {
    log_in(name);
    clients_.at(name).deaf = true;
    ask(name, {{ExchangeTest::call(1, 0)}, {}});
    manager().detach_client(clients_.at(name).session);
  }
  EXPECT_EQ(manager().outcome_of("one", RequestId{1}), std::nullopt);
  for (const char* name : {"two", "three"}) {
    const auto refusal = manager().outcome_of(name, RequestId{1});
    ASSERT_TRUE(refusal.has_value()) << name;
    EXPECT_EQ(refusal->cause, Cause::kInvalidRequest) << name;
  }
}

TEST_F(ClientSessionTest, AClientThatAsksAndNeverConfirmsLosesItsSession) {
  config.client_session.batches_in_flight = 1;
  config.clients.requests_max = 10;
  attach_all();
  clients_.at("mia").deaf = true;
  // mia --> cmgr: invalid requests, more than the limit of outcomes that may wait for her
  constexpr std::size_t kBatch = 10'000;
  std::uint64_t request = 0;
  for (std::size_t asked = 0; asked <= ClientDesk::kOutcomesWaiting; asked += kBatch) {
    EXPECT_EQ(manager().client_counters().sessions_lost, 0U) << asked;
    RequestBatch batch;
    while (batch.connects.size() < kBatch)
      batch.connects.push_back(ExchangeTest::call(++request, 0));
    ask("mia", std::move(batch));
  }
  EXPECT_EQ(manager().client_counters().sessions_lost, 1U);
  // The accepted requests are remembered; those turned away are not.
  EXPECT_EQ(manager().outcome_of("mia", RequestId{10}).value().cause, Cause::kInvalidRequest);
  EXPECT_EQ(manager().outcome_of("mia", RequestId{11}), std::nullopt);
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
