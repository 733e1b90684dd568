// Limits for each client: what exceeds one is answered busy with its name, and nobody else is
// affected.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cmgr/exchange.hpp"

namespace xbind::cmgr {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

class ClientLimitsTest : public ExchangeTest {
 protected:
  void start_roomy() {
    start_with_labels({vci(32), vci(33), vci(34), vci(35)}, {vci(40), vci(41), vci(42), vci(43)});
    log_in("ned");
  }
  Outcome connect_now(std::uint64_t request, const std::string& client = "mia",
                      std::uint64_t cells_per_s = 100) {
    ask(client, {{call(request, cells_per_s)}, {}});
    answer_all_switches();
    return outcome(client);
  }
};

TEST_F(ClientLimitsTest, CallsAreCountedUntilTheyAreGone) {
  config.clients.calls_max = 2;
  start_roomy();
  const Outcome first = connect_now(1);
  ASSERT_EQ(first.kind, OutcomeKind::kConnected) << explain(first);
  ASSERT_EQ(connect_now(2).kind, OutcomeKind::kConnected);
  const Outcome over = connect_now(3);
  EXPECT_EQ(over.kind, OutcomeKind::kBusy);
  EXPECT_THAT(explain(over),
              HasSubstr("busy at calls of one client: it has 2, and client-calls-max is 2"));
  EXPECT_EQ(over.asked, 3U);
  EXPECT_EQ(over.free, 2U);
  EXPECT_EQ(connect_now(1, "ned").kind, OutcomeKind::kConnected) << "another client";
  release(4, first.connection);
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  EXPECT_EQ(connect_now(5).kind, OutcomeKind::kConnected);
  EXPECT_EQ(manager().counters().over_client_limit, 1U);
}

TEST_F(ClientLimitsTest, ARefusedCallCountsNoMore) {
  config.clients.calls_max = 1;
  start_roomy();
  connect(1);
  const HopSetup setup = this->setup("sw1");
  answer("sw1", {refused(setup, Cause::kNoBandwidth, PortId{2}, 100, 10)});
  answer_all_switches();
  take_route_queries();
  for (int tries = 0; tries < 4 && reported().empty(); ++tries) wait(seconds{4});
  EXPECT_EQ(manager().gauges().connections, 0U);
  EXPECT_EQ(connect_now(2).kind, OutcomeKind::kConnected);
}

TEST_F(ClientLimitsTest, BandwidthCountsByContractAndAChangeMayNotExceedItEither) {
  config.clients.cells_per_s_max = 250;
  start_roomy();
  const Outcome first = connect_now(1, "mia", 200);
  ASSERT_EQ(first.kind, OutcomeKind::kConnected);
  EXPECT_THAT(explain(connect_now(2)),
              HasSubstr("busy at cells/s of one client: it has 200, asks for 100 more, and "
                        "client-cells-per-s-max is 250"));
  modify(3, first.connection, cells(300));
  answer_all_switches();
  EXPECT_THAT(explain(outcome()), HasSubstr("it has 200, asks for 100 more"));
  modify(4, first.connection, cells(150));
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kModified);
  EXPECT_EQ(connect_now(5).kind, OutcomeKind::kConnected) << "150 and 100";
  EXPECT_EQ(connect_now(1, "ned", 250).kind, OutcomeKind::kConnected);
}

TEST_F(ClientLimitsTest, SetupsASecondPassInABurstAndThenAtTheirRate) {
  config.clients.setups_per_s_max = 2;
  start_roomy();
  EXPECT_EQ(connect_now(1).kind, OutcomeKind::kConnected);
  EXPECT_EQ(connect_now(2).kind, OutcomeKind::kConnected);
  const Outcome over = connect_now(3);
  EXPECT_THAT(explain(over),
              HasSubstr("busy at setups a second of one client: client-setups-per-s-max is 2"));
  EXPECT_GE(over.retry_after_ms, 500U);
  EXPECT_EQ(connect_now(1, "ned").kind, OutcomeKind::kConnected);
  wait(milliseconds{500});
  EXPECT_EQ(connect_now(4).kind, OutcomeKind::kConnected);
}

TEST_F(ClientLimitsTest, AllTwoWayCallersAreOneClient) {
  config.clients.calls_max = 1;
  start_roomy();
  for (std::uint64_t token : {1, 2}) {
    manager().request_local(RequestId{token}, ConnectRequest{{}, "ann", "bob", call(0).service},
                            now);
    finish();
    answer_all_switches();
  }
  ASSERT_EQ(local_.size(), 2U);
  EXPECT_EQ(local_[0].second.kind, OutcomeKind::kConnected);
  EXPECT_EQ(local_[1].second.kind, OutcomeKind::kBusy);
}

// ===== who has what =====

TEST_F(ClientLimitsTest, ClientsAreListedWithWhatTheyHaveAndHowTheirSessionsEnded) {
  start_roomy();
  ASSERT_EQ(connect_now(1, "mia", 200).kind, OutcomeKind::kConnected);
  ASSERT_EQ(connect_now(2, "mia", 50).kind, OutcomeKind::kConnected);
  clients_.at("mia").deaf = true;  // and sends nothing
  for (int minute = 0; minute < 2; ++minute) wait(config.client_session.lease / 2);

  const auto all = manager().clients("", 10);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].client.name, "(two-way)");
  EXPECT_EQ(all[1].client.name, "mia");
  EXPECT_EQ(all[1].client.session, SessionId{});
  ASSERT_TRUE(all[1].client.ended);
  EXPECT_EQ(all[1].client.ended->why, SessionEnd::kSilent);
  EXPECT_EQ(all[1].usage.connections, 2U);
  EXPECT_EQ(all[1].usage.cells_per_s, 250U);
  EXPECT_EQ(all[2].client.name, "ned");
  EXPECT_NE(all[2].client.session, SessionId{});
  EXPECT_EQ(manager().clients("mia", 10).size(), 1U) << "the next page";
  EXPECT_EQ(manager().clients("", 2).size(), 2U);
}

}  // namespace
}  // namespace xbind::cmgr
