// The QOSMapper in another process: queried once for each service, its answers cached. Also the
// list of all caches that an operator sees. exchange.hpp shows the network.
#include <set>

#include "exchange.hpp"

namespace xbind::cmgr {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class QosTest : public ExchangeTest {
 protected:
  QosTest() {
    config.remote_qos = true;
    config.label_cache_target = 8;
  }
  void start_remote() {
    start_with_labels({vci(32), vci(33), vci(34), vci(35)}, {vci(40), vci(41), vci(42), vci(43)});
  }
  // The QOSMapper's answer.
  void mapped(const ServiceSpec& service, Resources demand) {
    manager().on_services({{service, NetworkService{demand}}}, now);
    finish();
  }
  void refuse(const ServiceSpec& service, Refusal refusal) {
    manager().on_services({{service, tl::make_unexpected(std::move(refusal))}}, now);
    finish();
  }
  ConnectRequest film(std::uint64_t request) { return {RequestId{request}, "ann", "bob", kFilm}; }
  CacheState qos() {
    for (const CacheState& cache : manager().caches(10, now)) {
      if (cache.kind == CacheKind::kQos) return cache;
    }
    return {};
  }

  static constexpr ServiceSpec kFilm{ServiceKind::kVideo, 0, 0, 25'000, 4'792};
};

TEST_F(QosTest, AServiceIsAskedForOnceHoweverManyCallsWait) {
  start_remote();
  ask("mia", {{film(1), film(2)}, {}});
  EXPECT_TRUE(silent("sw1"));
  EXPECT_THAT(take_service_queries(), ElementsAre(kFilm));
  mapped(kFilm, {2'500, 100});
  const HopBatch heard = take("sw1");
  ASSERT_THAT(heard.setups, SizeIs(2));
  EXPECT_EQ(heard.setups[0].demand, (Resources{2'500, 100}));
  // The third call finds the mapping in the cache.
  ask("mia", {{film(3)}, {}});
  EXPECT_THAT(take_service_queries(), IsEmpty());
  EXPECT_FALSE(silent("sw1"));
  EXPECT_EQ(manager().counters().service_queries, 1U);
  EXPECT_EQ(qos().element, "remote");
  EXPECT_EQ(qos().hits, 1U);
  EXPECT_EQ(qos().misses, 2U);
  EXPECT_EQ(qos().size, 1U);
}

TEST_F(QosTest, TheQosMappersRefusalIsTheCalls) {
  start_remote();
  ask("mia", {{film(1)}, {}});
  take_service_queries();
  refuse(kFilm, {Cause::kUnknownService, "service kind", 1, 0});
  const Outcome refusal = outcome();
  EXPECT_EQ(refusal.cause, Cause::kUnknownService);
  EXPECT_EQ(refusal.element, "service kind");
  EXPECT_EQ(refusal.asked, 1U);
  expect_nothing_left();
  // A refusal is not cached.
  ask("mia", {{film(2)}, {}});
  EXPECT_THAT(take_service_queries(), SizeIs(1));
}

TEST_F(QosTest, AQosMapperThatDoesNotAnswerIsNamedAndTheLateAnswerServesTheNext) {
  start_remote();
  ask("mia", {{film(1)}, {}});
  take_service_queries();
  wait(config.route_timer - milliseconds{1});
  EXPECT_THAT(reported(), IsEmpty());
  wait(milliseconds{1});
  const Outcome refusal = outcome();
  EXPECT_EQ(refusal.cause, Cause::kNoQosMapper);
  EXPECT_EQ(refusal.element, "qosmapper");
  EXPECT_EQ(manager().gauges().under_way, 0U);
  mapped(kFilm, {2'500, 100});
  EXPECT_TRUE(silent("sw1")) << "no call waits for the late answer";
  ask("mia", {{film(2)}, {}});
  EXPECT_THAT(take_service_queries(), IsEmpty());
  EXPECT_FALSE(silent("sw1"));
}

TEST_F(QosTest, WithoutACacheEveryCallAsksForItself) {
  config.qos_cache = false;
  start_remote();
  ask("mia", {{film(1), film(2)}, {}});
  EXPECT_THAT(take_service_queries(), ElementsAre(kFilm, kFilm));
  mapped(kFilm, {2'500, 100});
  EXPECT_THAT(take("sw1").setups, SizeIs(1)) << "one answer, one call";
  mapped(kFilm, {2'500, 100});
  EXPECT_THAT(take("sw1").setups, SizeIs(1));
  ask("mia", {{film(3)}, {}});
  EXPECT_THAT(take_service_queries(), SizeIs(1));
}

TEST_F(QosTest, BothDirectionsNeedBothAnswers) {
  start_remote();
  ConnectRequest both = film(1);
  both.reverse = cells(20);
  ask("mia", {{both}, {}});
  EXPECT_THAT(take_service_queries(), ElementsAre(kFilm, cells(20)));
  mapped(cells(20), {20, 10});
  EXPECT_TRUE(silent("sw1"));
  mapped(kFilm, {2'500, 100});
  const HopBatch heard = take("sw3");
  ASSERT_FALSE(heard.setups.empty());
  EXPECT_EQ(heard.setups[0].demand, (Resources{20, 10})) << "reserved for the way back";
}

TEST_F(QosTest, AModifyAsksAsWell) {
  start_remote();
  ask("mia", {{film(1)}, {}});
  mapped(kFilm, {2'500, 100});
  answer_all_switches();
  const ConnectionId up = outcome().connection;
  take_service_queries();
  modify(2, up, cells(50));
  EXPECT_THAT(take_service_queries(), ElementsAre(cells(50)));
  // The connection may be released while the query is pending.
  release(3, up);
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  mapped(cells(50), {50, 10});
  EXPECT_EQ(outcome().cause, Cause::kUnknownConnection);
  expect_nothing_left();
  EXPECT_TRUE(leaves_no_trace());
}

TEST_F(QosTest, AnAnswerThatNobodyAskedForIsKept) {
  start_remote();
  mapped(kFilm, {2'500, 100});
  EXPECT_EQ(qos().size, 1U);
}

TEST_F(QosTest, AnOperatorSeesEveryKindOfCache) {
  config.remote_qos = false;
  config.quotas = true;
  start_remote();
  ASSERT_TRUE(manager().prepare("ann", "bob", cells(100), 1, now).has_value());
  finish();
  answer_all_switches();
  wait(milliseconds{40});
  const auto caches = manager().caches(10, now);
  std::set<CacheKind> kinds;
  for (const CacheState& cache : caches) {
    kinds.insert(cache.kind);
    switch (cache.kind) {
      case CacheKind::kLabels:
        if (cache.element != "sw1 port 10") break;
        EXPECT_EQ(cache.hits, 1U);
        EXPECT_EQ(cache.size, 3U);
        EXPECT_EQ(cache.wanted, 8U);
        EXPECT_EQ(cache.age_ms, 40U);
        break;
      case CacheKind::kRoutes:
        EXPECT_EQ(cache.element, "ann -> bob");
        EXPECT_EQ(cache.hits, 1U);
        EXPECT_EQ(cache.size, 1U);
        break;
      case CacheKind::kQos: EXPECT_EQ(cache.element, "collocated"); break;
      case CacheKind::kQuota: EXPECT_EQ(cache.wanted, 100U) << "spent"; break;
      case CacheKind::kConnections: EXPECT_EQ(cache.size, 1U); break;
      case CacheKind::kPrepared:
        EXPECT_EQ(cache.size, 1U);
        EXPECT_EQ(cache.age_ms, 40U);
        break;
    }
  }
  EXPECT_THAT(kinds, SizeIs(6));
  // The limit applies to each kind of cache.
  const auto few = manager().caches(1, now);
  EXPECT_EQ(std::count_if(few.begin(), few.end(),
                          [](const CacheState& it) { return it.kind == CacheKind::kLabels; }),
            1);
}

TEST_F(QosTest, AfterAnAnswerThatDidNotComeTheNextCallAsksAgain) {
  start_remote();
  ask("mia", {{film(1)}, {}});
  EXPECT_THAT(take_service_queries(), ElementsAre(kFilm));
  wait(config.route_timer);
  EXPECT_EQ(outcome().cause, Cause::kNoQosMapper);
  ask("mia", {{film(2)}, {}});
  EXPECT_THAT(take_service_queries(), ElementsAre(kFilm));
}

}  // namespace
}  // namespace xbind::cmgr
