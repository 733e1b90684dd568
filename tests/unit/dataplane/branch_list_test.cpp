// BranchList compared with a vector: after every change both hold the same
// branches in the same order.
#include "dataplane/branch_list.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace xbind::dataplane {
namespace {

Branch branch(std::uint32_t number) {
  return {.port = PortId(number), .vpi = 1, .vci = 32, .priority = 2, .tag = number};
}

std::vector<Branch> content(const BranchList& list) { return {list.begin(), list.end()}; }

TEST(BranchList, BeginsEmpty) {
  const BranchList list;
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.begin(), list.end());
}

TEST(BranchList, GrowsFromOneInPlaceToManyAndBack) {
  BranchList list;
  list.push_back(branch(1));
  EXPECT_EQ(list.front(), branch(1));
  list.push_back(branch(2));
  list.push_back(branch(3));
  EXPECT_EQ(content(list), (std::vector{branch(1), branch(2), branch(3)}));
  list.erase(list.begin(), list.begin() + 2);
  EXPECT_EQ(content(list), (std::vector{branch(3)}));
  list.erase(list.begin(), list.end());
  EXPECT_TRUE(list.empty());
}

TEST(BranchList, HoldsWhatAVectorHolds) {
  constexpr unsigned kSeed = 20;
  SCOPED_TRACE(kSeed);
  std::mt19937 chance(kSeed);
  BranchList list;
  std::vector<Branch> model;
  for (std::uint32_t step = 0; step < 20'000; ++step) {
    // The list grows and shrinks in turn, so every size from 0 to some dozens is
    // passed in both directions.
    const bool grows = chance() % 8 < (step / 500 % 2 == 0 ? 5U : 3U);
    if (grows) {
      list.push_back(branch(step));
      model.push_back(branch(step));
    } else if (!model.empty()) {
      const std::ptrdiff_t at = chance() % model.size();
      const std::ptrdiff_t end =
          std::min<std::ptrdiff_t>(at + 1 + chance() % 3 / 2, std::ssize(model));
      list.erase(list.begin() + at, list.begin() + end);
      model.erase(model.begin() + at, model.begin() + end);
    } else {
      list.clear();
    }
    ASSERT_EQ(content(list), model) << "step " << step;
    ASSERT_EQ(list.size(), model.size());
  }
}

}  // namespace
}  // namespace xbind::dataplane
