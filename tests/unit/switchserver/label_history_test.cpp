// The history of every label with two managers. At each moment a label is free, in one manager's
// cache or quarantine, lapsed with its session, or in one hop. It never changes from one manager to
// the other without being returned. The test records all grants itself and relies on that record
// only.
#include <map>
#include <random>

#include "ledger_fixture.hpp"

namespace xbind {
namespace {

class History : public LedgerTest, public ::testing::WithParamInterface<std::uint64_t> {
 protected:
  enum class At { kCache, kHop, kQuarantine, kLapsed };
  struct Held {
    ManagerIndex manager;
    At at = At::kCache;
    std::uint64_t connection = 0;
    bool held = false;
    friend bool operator==(const Held&, const Held&) = default;
  };

  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  ManagerIndex any() { return below(2) == 0 ? a : b; }

  // A random label of the manager in one of these states, or none.
  Label one_of(ManagerIndex manager, std::initializer_list<At> where) {
    std::vector<Label> found;
    for (const auto& [label, held] : reported_) {
      for (const At at : where) {
        if (held.manager == manager && held.at == at) found.push_back(label);
      }
    }
    return found.empty() ? Label{} : found[below(found.size())];
  }
  void receives(Label label, Held held) {
    ASSERT_FALSE(reported_.contains(label)) << to_string(label) << " is already held by a manager";
    reported_[label] = held;
  }

  void grant(ManagerIndex manager) {
    std::vector<Label> granted;
    ledger.grants().grant_labels(manager, kOut, below(3), granted);
    for (const Label label : granted) receives(label, {manager, At::kCache});
  }
  void reserve_one(ManagerIndex manager) {
    const std::uint64_t connection = next_++;
    HopSetup setup = reserve(middle(connection, {}, {}, {10, 1}));
    setup.held = below(2) == 0;
    if (below(2) == 0) setup.output_label = one_of(manager, {At::kCache, At::kQuarantine});
    const Admission got = ledger.set_up(manager, setup);
    if (!got.admitted()) return;
    const Label label = ledger.hops().cross_connect(got.hop).output_label;
    if (setup.output_label.present()) {
      ASSERT_EQ(label, setup.output_label);
      reported_.erase(label);
    }
    receives(label, {manager, At::kHop, connection, setup.held});
  }
  void commit_one(ManagerIndex manager) {
    const Label label = one_of(manager, {At::kCache, At::kQuarantine, At::kHop});
    if (!label.present()) return;
    Held& held = reported_.at(label);
    const bool reserved = held.at == At::kHop;
    const std::uint64_t connection = reserved ? held.connection : next_++;
    const Label input = atm_label(0, static_cast<std::uint32_t>(32 + below(8)));
    const Admission got = ledger.set_up(manager, middle(connection, input, label, {10, 1}));
    if (got.admitted() && !got.repeated) {
      held = {manager, At::kHop, connection};
      if (below(4) == 0) {
        ledger.undo(got.hop);
        held = {manager, At::kCache};
      } else {
        ledger.step(got.hop, HopFsm::Event::kAdded);
      }
    } else if (reserved && got.cause == Cause::kForeignInputLabel) {
      held = {manager, At::kCache};
    }
  }
  void remove_one(ManagerIndex manager) {
    const Label label = one_of(manager, {At::kHop});
    if (!label.present()) return;
    HopSetup setup = middle(reported_.at(label).connection, {}, {});
    const auto hop = ledger.hops().find(manager, setup.key);
    ASSERT_TRUE(hop.has_value());
    remove(*hop);
    reported_[label] = {manager, At::kQuarantine};
  }
  void return_one(ManagerIndex manager) {
    const Label label = atm_label(0, static_cast<std::uint32_t>(32 + below(8)));
    const auto known = reported_.find(label);
    const bool rightly = known != reported_.end() && known->second.manager == manager &&
                         (known->second.at == At::kCache || known->second.at == At::kQuarantine);
    ASSERT_EQ(ledger.grants().return_label(manager, kOut, label), rightly) << to_string(label);
    if (rightly) reported_.erase(known);
  }
  void lapse(ManagerIndex manager) {
    ledger.lapse(manager);
    for (auto& [label, held] : reported_) {
      if (held.manager != manager) continue;
      const bool undone =
          held.at == At::kHop && !held.held &&
          !ledger.hops().find(manager, middle(held.connection, {}, {}).key).has_value();
      if (held.at == At::kCache || undone) held = {manager, At::kLapsed};
    }
  }
  void open_session(ManagerIndex manager) {
    ledger.open_session(manager);
    for (auto& [label, held] : reported_) {
      if (held.manager == manager && held.at == At::kLapsed) held.at = At::kQuarantine;
    }
  }

  void compare() {
    for (std::uint32_t vci = 32; vci < 40; ++vci) {
      const Label label = atm_label(0, vci);
      const LabelPlace place = *ledger.labels().output_label(kOut, label);
      const auto held = reported_.find(label);
      if (held == reported_.end()) {
        ASSERT_LE(place.holder, LabelHolder::kFree) << to_string(label);
        continue;
      }
      const At at = held->second.at;
      ASSERT_EQ(place.holder, at == At::kCache    ? LabelHolder::kCached
                              : at == At::kHop    ? LabelHolder::kConnection
                              : at == At::kLapsed ? LabelHolder::kLapsed
                                                  : LabelHolder::kQuarantine)
          << to_string(label);
      ASSERT_EQ(place.manager, held->second.manager) << to_string(label);
    }
  }

  std::mt19937_64 random_{GetParam()};
  std::map<Label, Held> reported_;
  std::uint64_t next_ = 1;
};

TEST_P(History, NoLabelIsHeldTwiceAtAnyMoment) {
  int quarantined = 0;
  for (int step = 0; step < 4000 && !HasFatalFailure(); ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    const ManagerIndex manager = any();
    const std::uint64_t dice = below(100);
    if (dice < 15) {
      grant(manager);
    } else if (dice < 30) {
      reserve_one(manager);
    } else if (dice < 60) {
      commit_one(manager);
    } else if (dice < 75) {
      remove_one(manager);
    } else if (dice < 98) {
      return_one(manager);
    } else {
      lapse(manager);
      compare();
      open_session(manager);
    }
    compare();
    for (const auto& [label, held] : reported_) quarantined += held.at == At::kQuarantine ? 1 : 0;
  }
  EXPECT_GT(next_, 400U) << "the run must have been about something";
  EXPECT_GT(quarantined, 400);
}

INSTANTIATE_TEST_SUITE_P(Seeds, History, ::testing::Range<std::uint64_t>(1, 7));

}  // namespace
}  // namespace xbind
