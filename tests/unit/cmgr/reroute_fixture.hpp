// A network of two paths, and RouteObject's word that one of them is not to be used: for tests of
// connections that get another path. exchange.hpp has the picture; the other path is the one over sw5.
#pragma once

#include "exchange.hpp"

namespace xbind::cmgr {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class RerouteTest : public ExchangeTest {
 protected:
  RerouteTest() { config.label_cache_target = 4; }

  void start_with_two_paths() {
    start_with_labels({vci(32)}, {vci(40)});
    attach("sw5");
    answer("sw1", {}, {{PortId{11}, {vci(33)}}});
    answer("sw5", {}, {{PortId{51}, {vci(60)}}});
  }
  // RouteObject --> cmgr: that is unusable now.
  void topology(std::uint64_t version, std::vector<UnusableElement> unusable) {
    manager().on_topology({version, std::move(unusable)});
    finish();
  }
  static std::vector<UnusableElement> link_down() {
    return {{{"sw2", PortId{21}}, false}, {{"sw3", PortId{30}}, false}};
  }
  static std::vector<UnusableElement> link_drained() {
    return {{{"sw2", PortId{21}}, true}, {{"sw3", PortId{30}}, true}};
  }
  RouteQuery query() {
    const auto queries = asked_routes();
    EXPECT_THAT(queries, SizeIs(1));
    return queries.empty() ? RouteQuery{} : queries.front();
  }
  // The new path's hops are told, but for the one that takes over.
  void make() {
    route(found(query(), detour()));
    all_done("sw5");
    all_done("sw3");
  }
  // There is no other path, RouteObject says; that is right for a second.
  void no_other_path(Cause cause, std::uint64_t free = 0) {
    manager().on_routes({none(query(), cause, "ann -> bob", free)}, seconds{1}, now);
    finish();
  }
  // A call that is up and is to leave a drained link: the other path is made, but for the take-over at sw1.
  ConnectionId all_but_taken_over() {
    config.crankbacks = 0;
    start_with_two_paths();
    const ConnectionId connection = connected(1);
    topology(2, link_drained());
    make();
    return connection;
  }
  Notice notice() {
    const auto notices = noticed();
    EXPECT_THAT(notices, SizeIs(1));
    return notices.empty() ? Notice{} : notices.front();
  }
  void release_and_expect_nothing(ConnectionId connection) {
    release(99, connection);
    everybody_does();
    EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
    expect_nothing_left();
    EXPECT_EQ(manager().astray(), 0U);
    EXPECT_EQ(manager().reroutes_under_way(), 0U);
    EXPECT_TRUE(leaves_no_trace());
  }
};

}  // namespace xbind::cmgr
