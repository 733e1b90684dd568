// The memory that a connection that is up costs the manager: its record, its hops, its table
// entries, the client desk's memory of it, and the allocator's overhead.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "exchange.hpp"

namespace xbind::cmgr {
namespace {

constexpr std::size_t kBatch = 64;

class ConnectionMemoryTest : public ExchangeTest {
 protected:
  // Sets up calls over three switches with labels from the caches; appends their ids to up_.
  void set_up(std::size_t calls) {
    for (std::size_t done = 0; done < calls; done += kBatch) {
      RequestBatch batch;
      std::vector<Label> labels;
      for (std::size_t i = 0; i < kBatch; ++i) {
        batch.connects.push_back(call(++request_));
        labels.push_back(vci(++label_));
      }
      answer("sw1", {}, {{PortId{10}, labels}});
      answer("sw2", {}, {{PortId{21}, labels}});
      ask("mia", std::move(batch));
      answer_all_switches();
      for (const Outcome& outcome : reported()) {
        ASSERT_EQ(outcome.kind, OutcomeKind::kConnected) << explain(outcome);
        up_.push_back(outcome.connection);
      }
    }
    wait(milliseconds{50});  // confirmations
  }
  void release_all() {
    for (std::size_t from = 0; from < up_.size(); from += kBatch) {
      RequestBatch batch;
      for (std::size_t i = from; i < std::min(from + kBatch, up_.size()); ++i) {
        batch.releases.push_back({RequestId{++request_}, up_[i]});
      }
      ask("mia", std::move(batch));
      answer_all_switches();
      for (const Outcome& outcome : reported()) ASSERT_EQ(outcome.kind, OutcomeKind::kReleased);
      // The caches have returned their surplus.
      for (const char* name : {"sw1", "sw2", "sw3"}) take(name);
    }
    up_.clear();
    wait(milliseconds{50});
  }
  // Octets in use, as the allocator reports them.
  static std::size_t octets() {
    const struct mallinfo2 info = ::mallinfo2();
    return info.uordblks + info.hblkhd;
  }

  std::vector<ConnectionId> up_;

 private:
  std::uint64_t request_ = 0;
  std::uint32_t label_ = 1;
};

TEST_F(ConnectionMemoryTest, AConnectionOverThreeSwitchesTakesAtMost400Octets) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "NOT TESTED: a sanitizer's allocator does not report the octets in use";
#endif
  constexpr std::size_t kCalls = 313 * kBatch;  // 20 032
  attach_all();
  up_.reserve(2 * kCalls);
  set_up(kBatch);
  release_all();
  const std::size_t before = octets();
  set_up(kCalls);
  ASSERT_EQ(up_.size(), kCalls);
  const std::size_t each = (octets() - before) / kCalls;
  RecordProperty("octets", static_cast<int>(each));
  EXPECT_LE(each, 400U);
  EXPECT_GE(each, sizeof(Connection)) << "or nothing was measured";

  // New connections reuse the memory that the released ones have left.
  release_all();
  EXPECT_EQ(manager().gauges().connections, 0U);
  const std::size_t peak = before + each * kCalls;
  set_up(kCalls);
  EXPECT_LE(octets(), peak + peak / 50);
  release_all();
  expect_nothing_left();
}

}  // namespace
}  // namespace xbind::cmgr
