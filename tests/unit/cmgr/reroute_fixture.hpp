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
  RerouteTest();
  ~RerouteTest() override;

  void start_with_two_paths();
  // RouteObject --> cmgr: that is unusable now.
  void topology(std::uint64_t version, std::vector<UnusableElement> unusable);
  static std::vector<UnusableElement> link_down();
  static std::vector<UnusableElement> link_drained();
  RouteQuery query();
  // The new path's hops are told, but for the one that takes over.
  void make();
  // There is no other path, RouteObject says; that is right for a second.
  void no_other_path(Cause cause, std::uint64_t free = 0);
  // A call that is up and is to leave a drained link: the other path is made, but for the take-over at sw1.
  ConnectionId all_but_taken_over();
  Notice notice();
  void release_and_expect_nothing(ConnectionId connection);
};

}  // namespace xbind::cmgr
