// The pools of prepared connections that operators have asked for, and what becomes of them when
// the manager starts again.
#include "cmgr/pool_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "cmgr/parts/prepared_pools.hpp"
#include "cmgr/pool_keeper.hpp"
#include "core/durable_file.hpp"
#include "core/state_file.hpp"

namespace xbind::cmgr {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

KeptPool pool(const std::string& from, std::uint64_t cells_per_s, std::uint32_t count,
              std::uint32_t before = 0) {
  return {from,
          "bob",
          {{cells_per_s, 10},
           {ServiceCategory::kNrtVbr, static_cast<std::uint32_t>(cells_per_s), 250, 5, 20, 0}},
          count,
          before};
}

std::string refusal(const std::string& text) {
  const auto read = pools_from_text(text, "here");
  return read ? "accepted" : read.error().text;
}

TEST(PoolFile, IsReadAsItWasWritten) {
  for (const KeptPools& pools : {KeptPools{pool("ann", 100, 3), pool("eve", 7, 0, 8)}, {}}) {
    const auto read = pools_from_text(pools_as_text(pools), "here");
    ASSERT_TRUE(read.has_value()) << read.error().text;
    EXPECT_EQ(*read, pools);
  }
}

TEST(PoolFile, AnotherTextIsRefusedByName) {
  const std::string text = pools_as_text({pool("ann", 100, 3)});
  EXPECT_THAT(refusal(text.substr(0, text.size() / 2)), HasSubstr("here is not whole"));
  EXPECT_THAT(refusal("xbind-cmgr epoch 1\n4\n"), HasSubstr("here line 1: it is not"));
  const auto with = [&](const std::string& before, const std::string& after) {
    std::string changed = text.substr(0, text.find("# end: "));
    changed.replace(changed.find(before), before.size(), after);
    return refusal(with_end_mark(changed));
  };
  EXPECT_THAT(with("count = 3", "count = 1001"), HasSubstr("'count' of a pool is no number"));
  EXPECT_THAT(with("mbs = 20", "mbs = -1"), HasSubstr("'mbs' of a pool is no number"));
  EXPECT_THAT(with("mbs = 20", "mbs = 0"), HasSubstr("the contract of a pool is invalid: MBS"));
  EXPECT_THAT(with("from = 'ann'", "from = ''"), HasSubstr("is no name of an endpoint"));
}

TEST(PoolsAtStart, APoolCountsAsLongAsPrepareGivesWhatItGave) {
  const KeptPools kept{pool("ann", 100, 3, 8), pool("eve", 100, 0, 5), pool("joe", 100, 4)};
  const PoolsAtStart same = pools_at_start(kept, {pool("ann", 100, 8), pool("eve", 100, 5)});
  EXPECT_EQ(same.valid, kept);
  EXPECT_THAT(same.superseded, IsEmpty());
  // --prepare of ann is another number now, eve is no longer there, and joe has become one.
  const PoolsAtStart other = pools_at_start(kept, {pool("ann", 100, 9), pool("joe", 100, 1)});
  EXPECT_THAT(other.valid, IsEmpty());
  EXPECT_EQ(other.superseded, kept);
  EXPECT_EQ(pools_at_start({pool("ann", 100, 3)}, {pool("ann", 99, 8)}).valid.size(), 1U)
      << "the pool of another contract is another one";
}

class PoolKeeperTest : public ::testing::Test {
 protected:
  ~PoolKeeperTest() override { std::filesystem::remove_all(directory_); }

  Result<void> set(PoolKeeper& keeper, std::uint32_t count) {
    return keeper.set("ann", "bob", count,
                      [&](std::uint32_t connections) -> Result<NetworkService> {
                        if (connections > PreparedPools::kWantedMax)
                          return fail(ErrorCode::kBadInput, "too many");
                        in_effect_ = connections;
                        return pool("ann", 100, 0).service;
                      });
  }
  KeptPools stored() const { return *read_pools(file_); }

  const std::string directory_ =
      std::filesystem::temp_directory_path() / ("pool_file_test." + std::to_string(::getpid()));
  const std::string file_ = pool_file_path(directory_, "m1");
  std::uint32_t in_effect_ = 0;
};

TEST_F(PoolKeeperTest, StoresWhatDiffersFromPrepare) {
  std::filesystem::create_directories(directory_);
  PoolKeeper keeper(file_, {pool("ann", 100, 8)});
  EXPECT_TRUE(set(keeper, 3).has_value());
  EXPECT_THAT(stored(), ElementsAre(pool("ann", 100, 3, 8)));
  EXPECT_TRUE(set(keeper, 0).has_value());
  EXPECT_THAT(stored(), ElementsAre(pool("ann", 100, 0, 8))) << "although --prepare has one";
  EXPECT_EQ(set(keeper, 1'001).error().text, "too many");
  EXPECT_THAT(stored(), ElementsAre(pool("ann", 100, 0, 8)));
  EXPECT_TRUE(set(keeper, 8).has_value());
  EXPECT_THAT(stored(), IsEmpty());
}

TEST_F(PoolKeeperTest, APoolThatCannotBeStoredStaysAsItWas) {
  std::filesystem::create_directories(directory_);
  PoolKeeper keeper(file_, {pool("ann", 100, 8)});
  EXPECT_TRUE(set(keeper, 3).has_value());
  std::filesystem::remove_all(directory_);
  const auto refused = set(keeper, 5);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kSystem);
  EXPECT_THAT(refused.error().text, HasSubstr(file_));
  EXPECT_EQ(in_effect_, 3U);
}

TEST_F(PoolKeeperTest, ASupersededPoolDoesNotComeBack) {
  std::filesystem::create_directories(directory_);
  ASSERT_TRUE(write_pools(file_, {pool("ann", 100, 3, 8), pool("eve", 100, 2)}));
  PoolKeeper keeper(file_, {pool("ann", 100, 9)});
  EXPECT_EQ(stored().size(), 2U) << "the file may be another process's";
  EXPECT_TRUE(keeper.restore());
  EXPECT_THAT(stored(), ElementsAre(pool("eve", 100, 2)));
}

TEST_F(PoolKeeperTest, AnOrderThatTheEarlierProcessTakesWhileThisOneStartsIsNotLost) {
  std::filesystem::create_directories(directory_);
  PoolKeeper earlier(file_, {});
  PoolKeeper keeper(file_, {});
  EXPECT_TRUE(set(earlier, 3).has_value());
  EXPECT_TRUE(keeper.restore());
  EXPECT_THAT(keeper.start().valid, ElementsAre(pool("ann", 100, 3)));
  EXPECT_TRUE(set(keeper, 5).has_value());
  EXPECT_THAT(stored(), ElementsAre(pool("ann", 100, 5)));
}

TEST_F(PoolKeeperTest, ADamagedFileIsNamedAndKept) {
  std::filesystem::create_directories(directory_);
  ASSERT_TRUE(replace_file(file_, "# xbind-cmgr pools 1\n[[po"));
  PoolKeeper keeper(file_, {});
  const auto restored = keeper.restore();
  ASSERT_FALSE(restored.has_value());
  EXPECT_THAT(restored.error().text, HasSubstr(file_));
  EXPECT_FALSE(read_pools(file_).has_value());
}

TEST_F(PoolKeeperTest, APoolThatNoFileCanHoldIsRefused) {
  std::filesystem::create_directories(directory_);
  KeptPool vast = pool("ann", 100, 3);
  vast.service.resources.buffer_cells = std::uint64_t{1} << 63;
  PoolKeeper keeper(file_, {});
  const auto refused = keeper.set("ann", "bob", 3, [&](std::uint32_t connections) {
    in_effect_ = connections;
    return Result<NetworkService>{vast.service};
  });
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kBadInput);
  EXPECT_EQ(in_effect_, 0U);
  EXPECT_THAT(stored(), IsEmpty());
}

TEST_F(PoolKeeperTest, WithoutAFileNothingIsStored) {
  PoolKeeper keeper("", {});
  EXPECT_TRUE(set(keeper, 3).has_value());
  EXPECT_EQ(in_effect_, 3U);
}

}  // namespace
}  // namespace xbind::cmgr
