#include "core/manager_epochs.hpp"

#include <gmock/gmock.h>

#include <numeric>
#include <vector>

namespace xbind {
namespace {

using ::testing::ElementsAre;

constexpr std::uint64_t kMax = kManagerEpochMax;

ManagerEpochs together(const std::vector<ManagerEpochs>& sources) {
  ManagerEpochs all;
  for (const ManagerEpochs& one : sources) merge(all, one);
  return all;
}

TEST(ManagerEpochs, AManagerTakesOneMoreThanAnybodyKnows) {
  EXPECT_EQ(next_epoch({}), Epoch{1});
  const ManagerEpochs all =
      together({epochs_in_file(Epoch{4}, 0), epochs_at_switch(Epoch{7}, 0, {1, 7}),
                epochs_at_switch(Epoch{0}, 0, {}), epochs_at_switch(Epoch{5}, 0, {5, 7})});
  EXPECT_THAT(all.used, ElementsAre(1, 5, 7));
  EXPECT_EQ(next_epoch(all), Epoch{8});
}

TEST(ManagerEpochs, OnesThatStandingCallsUseArePassedOver) {
  EXPECT_EQ(next_epoch(epochs_at_switch(Epoch{7}, 1, {3, 8, 9, 11})), Epoch{10});
}

TEST(ManagerEpochs, WhatWasRenewedMoreOftenIsNewerAlsoThanTheFile) {
  EXPECT_EQ(
      next_epoch(together({epochs_in_file(Epoch{kMax}, 0), epochs_at_switch(Epoch{5}, 1, {5})})),
      Epoch{6});
  EXPECT_EQ(next_epoch(together({epochs_in_file(Epoch{9}, 1), epochs_at_switch(Epoch{5}, 1, {5})})),
            Epoch{10});
}

TEST(ManagerEpochs, NoneIsTakenThatASwitchServerWouldFenceOff) {
  EXPECT_EQ(next_epoch(epochs_at_switch(Epoch{kMax}, 0, {5})), std::nullopt);
  EXPECT_EQ(next_epoch(together(
                {epochs_at_switch(Epoch{5}, 1, {5}), epochs_at_switch(Epoch{kMax}, 0, {5})})),
            std::nullopt);
}

TEST(ManagerEpochs, AreRenewedAboveThoseOfStandingCalls) {
  EXPECT_EQ(renewed_epoch({}), Epoch{1});
  EXPECT_EQ(renewed_epoch(epochs_at_switch(Epoch{kMax}, 0, {3, 5})), Epoch{5});
  // A call of one of the last epochs: the first room for many starts.
  EXPECT_EQ(renewed_epoch(epochs_at_switch(Epoch{kMax}, 0, {3, 5, 900, kMax - 2})), Epoch{900});
  EXPECT_EQ(renewed_epoch(epochs_at_switch(Epoch{kMax}, 0, {kMax})), Epoch{1});
}

TEST(ManagerEpochs, WhatASourceDoesNotListMayBeUsed) {
  std::vector<std::uint64_t> dense(kEpochsListedMax);
  std::iota(dense.begin(), dense.end(), 1);
  const ManagerEpochs all = epochs_at_switch(Epoch{3}, 1, dense);
  EXPECT_EQ(all.unlisted_from, kEpochsListedMax + 1);
  EXPECT_EQ(next_epoch(all), std::nullopt);
  EXPECT_EQ(renewed_epoch(all), std::nullopt);
}

}  // namespace
}  // namespace xbind
