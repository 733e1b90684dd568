#include "callgen/run/due_requests.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace xbind::callgen {
namespace {

constexpr std::size_t kTwoManagers = 2;
constexpr std::size_t kTwoInABatch = 2;

DueRequests requests(bool both_ways = false) {
  return {kTwoManagers, kTwoInABatch, {{.cells_per_s = 100}}, {.cells_per_s = 200}, both_ways};
}

TEST(DueRequestsTest, WithoutAnythingDueThereIsNoBatch) { EXPECT_TRUE(requests().take().empty()); }

TEST(DueRequestsTest, ABatchIsFullWhateverItIsFullOf) {
  DueRequests due = requests();
  due.connect(0, RequestId{1}, {"host-1", "host-2"}, {}, 0);
  due.ask(0, RequestKind::kRelease, RequestId{2}, ConnectionId{7}, {});
  due.connect(0, RequestId{3}, {"host-2", "host-3"}, {0, 5}, 250);
  const std::vector<Dispatch> sent = due.take();
  ASSERT_EQ(sent.size(), 2u);
  ASSERT_EQ(sent[0].batch.connects.size(), 1u);
  EXPECT_EQ(sent[0].batch.connects[0],
            (ConnectRequest{RequestId{1}, "host-1", "host-2", {.cells_per_s = 100}}));
  EXPECT_EQ(sent[0].batch.releases, (std::vector<ReleaseRequest>{{RequestId{2}, ConnectionId{7}}}));
  ASSERT_EQ(sent[1].batch.connects.size(), 1u);
  EXPECT_EQ(sent[1].batch.connects[0],
            (ConnectRequest{RequestId{3}, "host-2", "host-3", {.cells_per_s = 100}, {}, 5, 250}));
  EXPECT_TRUE(due.take().empty()) << "all was taken";
}

TEST(DueRequestsTest, EachManagerHasItsOwnInTheOrderOfTheirFirstRequests) {
  DueRequests due = requests();
  for (const std::uint64_t request : {1, 2, 3, 4, 5})
    due.connect(request % 2, RequestId{request}, {"host-1", "host-2"}, {}, 0);
  std::vector<std::string> reported;
  for (const Dispatch& one : due.take()) {
    reported.push_back(std::to_string(one.manager) + ":");
    for (const ConnectRequest& request : one.batch.connects)
      reported.back() += " " + std::to_string(request.request.value());
  }
  EXPECT_EQ(reported, (std::vector<std::string>{"1: 1 3", "0: 2 4", "1: 5"}));
}

TEST(DueRequestsTest, WhatIsAskedOfACallThatIsUp) {
  DueRequests due = requests(true);
  const ServiceSpec modified{.cells_per_s = 200};
  due.ask(0, RequestKind::kModify, RequestId{1}, ConnectionId{7}, {});
  due.ask(0, RequestKind::kAddLeaf, RequestId{2}, ConnectionId{8}, "host-3");
  due.ask(0, RequestKind::kDropLeaf, RequestId{3}, ConnectionId{8}, "host-3");
  due.ask(0, RequestKind::kCommit, RequestId{4}, ConnectionId{9}, {});
  const std::vector<Dispatch> sent = due.take();
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_EQ(sent[0].batch.modifies,
            (std::vector<ModifyRequest>{{RequestId{1}, ConnectionId{7}, modified, modified}}));
  EXPECT_EQ(sent[0].batch.leaves,
            (std::vector<LeafRequest>{{RequestId{2}, ConnectionId{8}, "host-3", false}}));
  EXPECT_EQ(sent[1].batch.leaves,
            (std::vector<LeafRequest>{{RequestId{3}, ConnectionId{8}, "host-3", true}}));
  EXPECT_EQ(sent[1].batch.commits, (std::vector<CommitRequest>{{RequestId{4}, ConnectionId{9}}}));
}

TEST(DueRequestsTest, BothWaysIsTheSameServiceTheOtherWay) {
  DueRequests due = requests(true);
  due.connect(0, RequestId{1}, {"host-1", "host-2"}, {}, 0);
  const std::vector<Dispatch> sent = due.take();
  EXPECT_EQ(sent.at(0).batch.connects.at(0).reverse, ServiceSpec{.cells_per_s = 100});
}

}  // namespace
}  // namespace xbind::callgen
