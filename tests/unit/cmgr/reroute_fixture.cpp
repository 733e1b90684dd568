#include "reroute_fixture.hpp"

#include <utility>

namespace xbind::cmgr {

RerouteTest::RerouteTest() { config.label_cache_target = 4; }

RerouteTest::~RerouteTest() = default;

void RerouteTest::start_with_two_paths() {
  start_with_labels({vci(32)}, {vci(40)});
  attach("sw5");
  // The labels of the second path: sw1 port 11 and sw5 port 51 (exchange.hpp).
  answer("sw1", {}, {{PortId{11}, {vci(33)}}});
  answer("sw5", {}, {{PortId{51}, {vci(60)}}});
}

void RerouteTest::topology(std::uint64_t version, std::vector<UnusableElement> unusable) {
  manager().on_topology({version, std::move(unusable)});
  finish();
}

std::vector<UnusableElement> RerouteTest::link_down() {
  return {{{"sw2", PortId{21}}, Unusable::kDown}, {{"sw3", PortId{30}}, Unusable::kDown}};
}

std::vector<UnusableElement> RerouteTest::link_drained() {
  return {{{"sw2", PortId{21}}, Unusable::kDrained}, {{"sw3", PortId{30}}, Unusable::kDrained}};
}

RouteQuery RerouteTest::query() {
  const auto queries = take_route_queries();
  EXPECT_THAT(queries, SizeIs(1));
  return queries.empty() ? RouteQuery{} : queries.front();
}

void RerouteTest::make() {
  route(found(query(), detour()));
  all_done("sw5");
  all_done("sw3");
}

void RerouteTest::no_other_path(Cause cause, std::uint64_t free) {
  manager().on_routes({none(query(), cause, "ann -> bob", free)}, seconds{1}, now);
  finish();
}

ConnectionId RerouteTest::reroute_until_take_over() {
  config.crankbacks = 0;  // a refused hop ends the reroute
  start_with_two_paths();
  const ConnectionId connection = connected(1);
  topology(2, link_drained());
  make();
  return connection;
}

Notice RerouteTest::notice() {
  const auto notices = noticed();
  EXPECT_THAT(notices, SizeIs(1));
  return notices.empty() ? Notice{} : notices.front();
}

void RerouteTest::release_and_expect_nothing(ConnectionId connection) {
  release(99, connection);
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  expect_nothing_left();
  EXPECT_EQ(manager().gauges().astray, 0U);
  EXPECT_EQ(manager().gauges().reroutes_under_way, 0U);
  EXPECT_TRUE(leaves_no_trace());
}

}  // namespace xbind::cmgr
