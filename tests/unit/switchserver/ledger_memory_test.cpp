// The memory that a hop needs, and that removed hops leave none behind.
#include <gtest/gtest.h>
#include <malloc.h>

#include <string>
#include <vector>

#include "switchserver/ledger/ledger.hpp"

namespace xbind {
namespace {

constexpr std::uint32_t kHops = 100'000;
constexpr std::uint64_t kOctetsEach = 200;
constexpr PortId kFrom{7};
constexpr PortId kTo{9};

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
constexpr bool kAllocatorCounts = true;
std::uint64_t allocated() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}
#else
constexpr bool kAllocatorCounts = false;
std::uint64_t allocated() { return 0; }
#endif

constexpr const char* kNoCount = "this allocator does not report the octets in use";

std::string endpoint(std::uint32_t number) {
  return "endpoint-of-a-site-" + std::to_string(number);
}

// Committed hops in the middle of their paths, from one trunk to another,
// between `pairs` of endpoints.
class LedgerMemoryTest : public ::testing::Test {
 protected:
  LedgerMemoryTest() {
    const LabelRanges labels{atm_range(0, 1, 32, 65'535)};
    ledger.set_ports({{kFrom, labels, 1U << 30, true}, {kTo, labels, 1U << 30, true}});
    manager = ledger.manager("m").value();
    ledger.grants().grant_labels(manager, kTo, kHops, outputs);
  }

  HopSetup setup(std::uint32_t number) const {
    HopSetup setup;
    setup.key = {ConnectionId{number + 1}, Generation{1}, 0, 1};
    setup.hop_count = 3;
    setup.input_port = kFrom;
    setup.input_label = outputs[number];  // of the same range
    setup.output_port = kTo;
    setup.output_label = outputs[number];
    setup.demand = {1 + number % 5, 1};
    setup.contract = {ServiceCategory::kNrtVbr, 1000, 250, 1 + number % 7, 5};
    setup.request = RequestId{number};
    return setup;
  }
  static HopOwner owner(std::uint32_t pair) {
    return {"a client of some name", Epoch{1}, endpoint(pair % 500), endpoint(1000 + pair / 500)};
  }

  void set_up(std::uint32_t pairs) {
    for (std::uint32_t i = 0; i < kHops; ++i) {
      const std::uint32_t of = ledger.owners().take(owner(i % pairs));
      const Admission admission = ledger.set_up(manager, setup(i), of);
      ledger.owners().release(of);
      ASSERT_TRUE(admission.admitted()) << to_string(admission.cause);
      ledger.step(admission.hop, HopFsm::Event::kAdded);
      hops.push_back(admission.hop);
    }
  }
  void remove_all() {
    for (const HopRef hop : hops) {
      ledger.begin_removal(hop);
      ledger.removed(hop);
    }
    hops.clear();
  }

  Ledger ledger{{.buffer_cells = 1U << 20}};
  ManagerIndex manager;
  std::vector<Label> outputs;
  std::vector<HopRef> hops;
};

TEST_F(LedgerMemoryTest, TwoHundredOctetsForEachCrossConnect) {
  hops.reserve(kHops);
  const std::uint64_t before = allocated();
  set_up(1'000);
  const std::uint64_t reckoned = ledger.hop_octets() + ledger.labels().octets();
  EXPECT_LE(reckoned, kHops * kOctetsEach) << double(reckoned) / kHops;
  EXPECT_GE(reckoned, kHops * (sizeof(HopRecord) + 24)) << "something has not been counted";
  if (!kAllocatorCounts) GTEST_SKIP() << "NOT TESTED: the second half; " << kNoCount;
  // The slots of the output labels were allocated before: 12 octets each.
  const std::uint64_t taken = allocated() - before + kHops * std::uint64_t{12};
  EXPECT_LE(taken, kHops * kOctetsEach) << double(taken) / kHops;
}

TEST_F(LedgerMemoryTest, AlsoWhereNoTwoConnectionsHaveTheSameEndpoints) {
  hops.reserve(kHops);
  const std::uint64_t before = allocated();
  set_up(kHops);
  const std::uint64_t reckoned = ledger.hop_octets() + ledger.labels().octets();
  EXPECT_LE(reckoned, kHops * kOctetsEach) << double(reckoned) / kHops;
  if (!kAllocatorCounts) GTEST_SKIP() << "NOT TESTED: the second half; " << kNoCount;
  const std::uint64_t taken = allocated() - before + kHops * std::uint64_t{12};
  EXPECT_LE(taken, kHops * kOctetsEach) << double(taken) / kHops;
}

TEST_F(LedgerMemoryTest, OnceWarmNothingIsAllocated) {
  if (!kAllocatorCounts) GTEST_SKIP() << "NOT TESTED: " << kNoCount;
  hops.reserve(kHops);
  set_up(1'000);
  remove_all();
  const std::uint64_t once = allocated();
  const std::uint64_t octets = ledger.hop_octets();
  for (int round = 0; round < 2; ++round) {
    set_up(1'000);
    remove_all();
    EXPECT_LE(allocated(), once + 4096) << "a page is the allocator's own affair";
    EXPECT_EQ(ledger.hop_octets(), octets);
  }
}

TEST_F(LedgerMemoryTest, AChangedContractTakesMoreUntilTheHopIsGone) {
  const HopRef hop = ledger.set_up(manager, setup(0)).hop;
  ledger.step(hop, HopFsm::Event::kAdded);
  const std::size_t plain = ledger.hop_octets();
  ASSERT_TRUE(ledger.modify(manager, {setup(0).key, 1, {500, 1}, setup(0).contract}).admitted());
  EXPECT_GT(ledger.hop_octets(), plain);
  // The switch refuses the change: only the old contract needs to be kept.
  ledger.settle(hop, 0, setup(0).demand, setup(0).contract);
  EXPECT_LE(ledger.hop_octets(), plain + 16 * sizeof(void*)) << "except for the map's table";
  EXPECT_EQ(ledger.extras().revision(hop), 0U);
}

}  // namespace
}  // namespace xbind
