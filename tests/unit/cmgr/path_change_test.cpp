// Changing from one path to another: which hops stay, take over, join, or are new.
#include "cmgr/parts/path_change.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace xbind::cmgr {
namespace {

using ::testing::ElementsAre;
using Kind = StepChange::Kind;

constexpr std::uint16_t kNone = StepChange::kNone;

// A path as a word of switches named by letters. The link from A to B leaves A by port 'B' and
// enters B by port 'A' + 100; the endpoints are at ports 1 and 2.
std::vector<PathStep> path(const std::string& switches) {
  std::vector<PathStep> steps;
  for (std::size_t i = 0; i < switches.size(); ++i) {
    const auto number = [](char letter) { return static_cast<std::uint32_t>(letter); };
    steps.push_back({SwitchIndex{static_cast<SwitchIndex::rep>(switches[i])},
                     PortId{i == 0 ? 1U : number(switches[i - 1]) + 100U},
                     PortId{i + 1 == switches.size() ? 2U : number(switches[i + 1])}});
  }
  return steps;
}

std::vector<StepChange> change(const std::string& from, const std::string& to) {
  return change_of_path(path(from), path(to));
}

TEST(PathChange, TheSamePathStays) {
  EXPECT_THAT(change("ABC", "ABC"),
              ElementsAre(StepChange{Kind::kStays, 0}, StepChange{Kind::kStays, 1},
                          StepChange{Kind::kStays, 2}));
}

TEST(PathChange, ADetourPartsAndJoins) {
  EXPECT_THAT(change("ABCD", "AXYCD"),
              ElementsAre(StepChange{Kind::kTakesOver, 0}, StepChange{Kind::kNew, kNone},
                          StepChange{Kind::kNew, kNone}, StepChange{Kind::kJoins, 2},
                          StepChange{Kind::kStays, 3}));
}

TEST(PathChange, WhatIsCommonInFrontStays) {
  EXPECT_THAT(change("ABCDE", "ABXE"),
              ElementsAre(StepChange{Kind::kStays, 0}, StepChange{Kind::kTakesOver, 1},
                          StepChange{Kind::kNew, kNone}, StepChange{Kind::kJoins, 4}));
}

TEST(PathChange, TheyMayMeetOnALinkBetween) {
  // Both paths contain B -> C: its label stays. The hops before and after it are new.
  EXPECT_THAT(change("ABCD", "AXBCYD"),
              ElementsAre(StepChange{Kind::kTakesOver, 0}, StepChange{Kind::kNew, kNone},
                          StepChange{Kind::kJoins, 1}, StepChange{Kind::kTakesOver, 2},
                          StepChange{Kind::kNew, kNone}, StepChange{Kind::kJoins, 3}));
}

TEST(PathChange, APortThatLeadsElsewhereIsNoLinkToShare) {
  // The line from A has been plugged into X.
  std::vector<PathStep> to = path("AXC");
  to.front().output_port = path("ABC").front().output_port;
  EXPECT_THAT(change_of_path(path("ABC"), to),
              ElementsAre(StepChange{Kind::kTakesOver, 0}, StepChange{Kind::kNew, kNone},
                          StepChange{Kind::kJoins, 2}));
  // Or into another port of B.
  to = path("ABC");
  to[1].input_port = PortId{9};
  EXPECT_THAT(change_of_path(path("ABC"), to),
              ElementsAre(StepChange{Kind::kTakesOver, 0}, StepChange{Kind::kJoins, 1},
                          StepChange{Kind::kStays, 2}));
}

TEST(PathChange, ALinkPassedInAnotherOrderIsNoLinkToShare) {
  // Both use B -> C and D -> E, the second path in the other order. Only one of the two can stay.
  const auto changes = change("ABCDEF", "ADEBCF");
  EXPECT_EQ(std::count_if(changes.begin(), changes.end(),
                          [](const StepChange& it) { return it.kind == Kind::kJoins; }),
            2)
      << "one of the two links, and the way out";
}

TEST(PathChange, OneSwitchStays) {
  EXPECT_THAT(change("A", "A"), ElementsAre(StepChange{Kind::kStays, 0}));
}

// Simulates the cells' way through the switches, by (switch, input port, input label). The old
// path's links carry label 1, new links carry label 2.
class Labels {
 public:
  Labels(std::vector<PathStep> from, std::vector<PathStep> to)
      : from_(std::move(from)), to_(std::move(to)), changes_(change_of_path(from_, to_)) {
    for (std::size_t i = 0; i < from_.size(); ++i) {
      table_[{from_[i].at, from_[i].input_port, 1}] = {from_[i].output_port, 1};
    }
  }
  void add_all_but_take_overs() {
    for (std::size_t i = 0; i < to_.size(); ++i) {
      if (changes_[i].kind != Kind::kNew && changes_[i].kind != Kind::kJoins) continue;
      const bool added = table_.emplace(Place{to_[i].at, to_[i].input_port, 2}, out_of(i)).second;
      EXPECT_TRUE(added) << "switch " << to_[i].at.value();
    }
  }
  std::vector<std::size_t> take_overs() const {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < to_.size(); ++i) {
      if (changes_[i].kind == Kind::kTakesOver) all.push_back(i);
    }
    return all;
  }
  void take_over(std::size_t i) { table_.at({to_[i].at, to_[i].input_port, 1}) = out_of(i); }
  void remove_old() {
    std::set<std::size_t> stay;
    for (const StepChange& change : changes_) {
      if (change.kind == Kind::kStays || change.kind == Kind::kTakesOver) stay.insert(change.old);
    }
    for (std::size_t i = 0; i < from_.size(); ++i) {
      if (!stay.contains(i)) table_.erase({from_[i].at, from_[i].input_port, 1});
    }
  }
  // Whether a cell that enters at the near end leaves at the far end.
  bool reaches() const {
    Place at{from_.front().at, from_.front().input_port, 1};
    for (std::size_t steps = 0; steps <= from_.size() + to_.size(); ++steps) {
      const auto entry = table_.find(at);
      if (entry == table_.end()) return false;
      const auto [port, label] = entry->second;
      const SwitchIndex here = std::get<0>(at);
      if (here == from_.back().at && port == from_.back().output_port) return true;
      at = {SwitchIndex{static_cast<SwitchIndex::rep>(port.value())}, PortId{here.value() + 100U},
            label};
    }
    return false;
  }

 private:
  using Place = std::tuple<SwitchIndex, PortId, int>;
  std::pair<PortId, int> out_of(std::size_t i) const {
    return {to_[i].output_port, changes_[i].kind == Kind::kJoins ? 1 : 2};
  }
  std::vector<PathStep> from_;
  std::vector<PathStep> to_;
  std::vector<StepChange> changes_;
  std::map<Place, std::pair<PortId, int>> table_;
};

// Any two loop-free paths with the same ends, with the take-overs in any order.
TEST(PathChange, CellsHaveExactlyOneWayAtEveryMoment) {
  constexpr unsigned kSeed = 5;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  for (int round = 0; round < 5'000; ++round) {
    const auto some_path = [&] {
      std::string between = "BCDEFGH";
      std::shuffle(between.begin(), between.end(), random);
      return "A" + between.substr(0, random() % 8) + "Z";
    };
    const std::string from = some_path();
    const std::string to = some_path();
    SCOPED_TRACE(from + " to " + to);
    Labels labels(path(from), path(to));
    ASSERT_TRUE(labels.reaches());
    labels.add_all_but_take_overs();
    ASSERT_TRUE(labels.reaches());
    std::vector<std::size_t> order = labels.take_overs();
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t hop : order) {
      labels.take_over(hop);
      ASSERT_TRUE(labels.reaches()) << "after hop " << hop;
    }
    labels.remove_old();
    ASSERT_TRUE(labels.reaches());
  }
}

}  // namespace
}  // namespace xbind::cmgr
