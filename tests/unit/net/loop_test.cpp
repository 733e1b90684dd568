// Jobs that other threads post to a Loop.
#include "net/loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace xbind::net {
namespace {

using ::testing::ElementsAre;

class PostTest : public ::testing::Test {
 protected:
  // Runs the loop on a thread of its own, which the destructor of the result joins.
  std::jthread running() {
    return std::jthread([this] { loop.run(); });
  }

  Loop loop;
};

TEST_F(PostTest, WakesASleepingLoopAndATurnFollows) {
  std::atomic<int> turns = 0;
  std::thread::id of_job;
  int turns_before = -1;
  loop.set_turn([&] {
    ++turns;
    if (turns_before >= 0 && turns > turns_before) loop.stop();
    return kNever;
  });
  std::jthread thread = running();
  const std::thread::id of_loop = thread.get_id();
  ASSERT_TRUE(loop.post([&] {
    of_job = std::this_thread::get_id();
    turns_before = turns;
  }));
  thread.join();
  EXPECT_EQ(of_job, of_loop);
  EXPECT_GT(turns, turns_before);
}

TEST_F(PostTest, JobsOfAThreadRunInTheirOrder) {
  constexpr int kEach = 500;
  std::vector<std::vector<int>> ran(4);
  std::atomic<int> left = 4 * kEach;
  std::jthread thread = running();
  {
    std::vector<std::jthread> posters;
    for (auto& mine : ran) {
      posters.emplace_back([&] {
        for (int i = 0; i < kEach; ++i) {
          // Four threads together never have more jobs than the loop takes.
          ASSERT_TRUE(loop.post([&mine, &left, i, this] {
            mine.push_back(i);
            if (--left == 0) loop.stop();
          }));
        }
      });
    }
  }
  thread.join();
  for (const auto& mine : ran) {
    ASSERT_EQ(mine.size(), static_cast<std::size_t>(kEach));
    EXPECT_TRUE(std::ranges::is_sorted(mine));
  }
}

TEST_F(PostTest, BeyondTheBoundAJobIsRefusedUntilOthersHaveRun) {
  std::size_t ran = 0;
  for (std::size_t i = 0; i < Loop::kPostedMax; ++i) ASSERT_TRUE(loop.post([&] { ++ran; }));
  EXPECT_FALSE(loop.post([&] { ++ran; }));
  bool taken = false;
  loop.set_turn([&] {
    if (ran == Loop::kPostedMax) {
      taken = loop.post([&] { ++ran; });
      loop.stop();
    }
    return kNever;
  });
  loop.run();
  EXPECT_TRUE(taken);
  EXPECT_EQ(ran, Loop::kPostedMax + 1);
}

TEST_F(PostTest, AnEndedLoopRefusesJobs) {
  loop.stop();
  loop.run();
  EXPECT_FALSE(loop.post([] { FAIL() << "nothing runs any more"; }));
}

TEST(Post, AJobThatNeverRanIsDestroyedWithTheLoop) {
  auto token = std::make_shared<int>(0);
  {
    Loop loop;
    ASSERT_TRUE(loop.post([token] { FAIL() << "the loop never ran"; }));
    EXPECT_EQ(token.use_count(), 2);
  }
  EXPECT_EQ(token.use_count(), 1);
}

TEST_F(PostTest, AHangUpCallsTheOwnerOnTheLoop) {
  int calls = 0;
  loop.stop_on_signals();
  loop.set_on_hang_up([&] {
    if (++calls == 2) return loop.stop();
    ASSERT_EQ(raise(SIGHUP), 0);
  });
  ASSERT_TRUE(loop.post([] { ASSERT_EQ(raise(SIGHUP), 0); }));
  loop.run();
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace xbind::net
