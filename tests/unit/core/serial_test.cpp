#include "core/serial.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace xbind {
namespace {

using ::testing::ElementsAre;

TEST(SerialTest, AnIdleOneRunsTheJobOnTheThreadThatPostsIt) {
  std::vector<std::string> happened;
  Serial serial([&] { happened.emplace_back("drained"); });
  const auto me = std::this_thread::get_id();
  serial.post([&] {
    EXPECT_EQ(std::this_thread::get_id(), me);
    happened.emplace_back("job");
  });
  EXPECT_THAT(happened, ElementsAre("job", "drained"));
}

TEST(SerialTest, WhatAJobPostsRunsAfterItAndNotWithinIt) {
  std::vector<std::string> happened;
  Serial serial([&] { happened.emplace_back("drained"); });
  serial.post([&] {
    serial.post([&] { happened.emplace_back("second"); });
    happened.emplace_back("first");
  });
  EXPECT_THAT(happened, ElementsAre("first", "drained", "second", "drained"));
}

TEST(SerialTest, AStepTakesInWhatComesMeanwhileUpToItsNumberOfJobs) {
  std::vector<std::string> happened;
  Serial serial([&] { happened.emplace_back("drained"); }, {.jobs = 3});
  const auto job = [&](const char* name, auto then) {
    return [&happened, name, then] {
      happened.emplace_back(name);
      then();
    };
  };
  const auto nothing = [] {};
  serial.post(job("1", [&] {
    serial.post(job("2", [&] { serial.post(job("3", [&] { serial.post(job("4", nothing)); })); }));
  }));
  EXPECT_THAT(happened, ElementsAre("1", "2", "3", "drained", "4", "drained"));
}

TEST(SerialTest, ABacklogIsDrainedWheneverSoManyItemsAreDone) {
  std::vector<std::string> happened;
  Serial serial([&] { happened.emplace_back("drained"); }, {.jobs = 32, .items = 10});
  const auto job = [&](const char* name) {
    return [&happened, name] { happened.emplace_back(name); };
  };
  serial.post(
      [&] {
        happened.emplace_back("1");
        serial.post(job("9 items"), 9);
        serial.post(job("one more"), 1);
        serial.post(job("100 items"), 100);
        serial.post(job("last"), 1);
      },
      0);
  EXPECT_THAT(happened, ElementsAre("1", "9 items", "one more", "drained", "100 items", "drained",
                                    "last", "drained"));
}

TEST(SerialTest, AStepThatEndsWithTheQueueIsDrainedOnce) {
  int drained = 0;
  Serial serial([&] { ++drained; }, {.jobs = 32, .items = 10});
  serial.post([] {}, 10);
  EXPECT_EQ(drained, 1);
}

TEST(SerialTest, WhatTheDrainPostsRunsToo) {
  std::vector<std::string> happened;
  Serial* self = nullptr;
  Serial serial([&] {
    happened.emplace_back("drained");
    if (happened.size() < 4) self->post([&] { happened.emplace_back("more"); });
  });
  self = &serial;
  serial.post([&] { happened.emplace_back("job"); });
  EXPECT_THAT(happened, ElementsAre("job", "drained", "more", "drained"));
}

TEST(SerialTest, WhoeverPostsWhileAnotherRunsReturnsAtOnce) {
  int drained = 0;
  Serial serial([&] { ++drained; });
  std::latch running{1};
  std::latch posted{1};
  bool second_ran = false;
  std::thread runner([&] {
    serial.post([&] {
      running.count_down();
      posted.wait();
      EXPECT_FALSE(second_ran) << "one job at a time";
    });
  });
  running.wait();
  serial.post([&] { second_ran = true; });  // would wait for ever if it ran the queue itself
  posted.count_down();
  runner.join();
  EXPECT_TRUE(second_ran);
  EXPECT_EQ(drained, 2);
}

TEST(SerialTest, ManyThreadsLoseNoJobAndNoTwoRunTogether) {
  constexpr int kThreads = 8;
  constexpr int kJobs = 2'000;
  int inside = 0;
  int together = 0;
  int drains = 0;
  std::vector<int> order[kThreads];
  Serial serial([&] {
    together += inside != 0;
    ++drains;
  });
  std::latch start{kThreads};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      start.arrive_and_wait();
      for (int i = 0; i < kJobs; ++i) {
        serial.post([&, t, i] {
          together += ++inside != 1;
          order[t].push_back(i);
          --inside;
        });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(together, 0);
  // Any number: the scheduler decides how many jobs a drain takes.
  EXPECT_GT(drains, 0);
  for (const auto& jobs : order) {
    ASSERT_EQ(jobs.size(), std::size_t{kJobs});
    EXPECT_TRUE(std::is_sorted(jobs.begin(), jobs.end())) << "one thread's jobs stay in order";
  }
}

TEST(SerialTest, AJobIsLetGoWhenItHasRun) {
  const auto held = std::make_shared<int>(1);
  Serial serial([] {});
  serial.post([held] {});
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace xbind
