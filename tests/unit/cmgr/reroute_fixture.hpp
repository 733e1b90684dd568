// A fixture for tests that move connections to another path. The network of exchange.hpp has two
// paths from ann to bob: the first over sw2 (path()), the second over sw5 (detour()). The tests let
// RouteObject declare elements of the first one unusable.
#pragma once

#include "exchange.hpp"

namespace xbind::cmgr {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class RerouteTest : public ExchangeTest {
 protected:
  RerouteTest();  // sets config.label_cache_target to 4
  ~RerouteTest() override;

  // Attaches sw1, sw2, sw3, sw5 and mia, and caches the route over sw2. Every label cache on the
  // two paths gets one label: enough for one call.
  void start_with_two_paths();
  // RouteObject --> cmgr: exactly these elements are unusable now; none: all are usable again.
  // `version` must rise from call to call.
  void topology(std::uint64_t version, std::vector<UnusableElement> unusable);
  // Both ends of the link sw2-sw3.
  static std::vector<UnusableElement> link_down();
  static std::vector<UnusableElement> link_drained();
  // cmgr --> RouteObject: takes the only query since the last one was taken; another number of
  // queries fails the test.
  RouteQuery query();
  // Answers the only pending query with the detour, and the new hops at sw5 and sw3 with "done".
  // Then the take-over at sw1 is pending.
  void make();
  // RouteObject --> cmgr: answers the only pending query with `cause`, valid for one second.
  // `free`: the free cells/s for kNoBandwidth.
  void no_other_path(Cause cause, std::uint64_t free = 0);
  // Sets up a call and drains the link sw2-sw3 under it. Returns when the take-over at sw1 is
  // pending, as after make(). From then on a failed reroute tries no further route.
  ConnectionId reroute_until_take_over();
  // cmgr --> mia: takes the only notice since the last one was taken; another number of notices
  // fails the test.
  Notice notice();
  // Releases mia's connection and expects that nothing but cached labels is left: no
  // connection, owed removal or reroute. Ends mia's session.
  void release_and_expect_nothing(ConnectionId connection);
};

}  // namespace xbind::cmgr
