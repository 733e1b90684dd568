// A network with two paths, one of which RouteObject declares unusable, for tests that move
// connections to another path. exchange.hpp shows the network; the other path leads over sw5.
#pragma once

#include "exchange.hpp"

namespace xbind::cmgr {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class RerouteTest : public ExchangeTest {
 protected:
  RerouteTest();
  ~RerouteTest() override;

  void start_with_two_paths();
  // RouteObject --> cmgr: these elements are unusable now.
  void topology(std::uint64_t version, std::vector<UnusableElement> unusable);
  static std::vector<UnusableElement> link_down();
  static std::vector<UnusableElement> link_drained();
  RouteQuery query();
  // Sends and confirms the new path's hops, except for the take-over.
  void make();
  // RouteObject reports that there is no other path; the answer is valid for a second.
  void no_other_path(Cause cause, std::uint64_t free = 0);
  // A call that is up and leaves a drained link: the other path is made
  // except for the take-over at sw1.
  ConnectionId reroute_until_take_over();
  Notice notice();
  void release_and_expect_nothing(ConnectionId connection);
};

}  // namespace xbind::cmgr
