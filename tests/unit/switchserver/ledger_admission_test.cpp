// What hops are charged by their contracts: how many of each category a port accepts, the effect on
// modifies and quotas, and that no account ever exceeds its limit.
#include <cstdlib>
#include <map>
#include <random>

#include "ledger_fixture.hpp"

namespace xbind {
namespace {

using ::testing::IsEmpty;

constexpr std::uint64_t kAllCells = 353'207;
constexpr std::uint64_t kBuffer = 4'000;
// The worked example of docs/qos.md: E = 31924 with 364 cells of this port's buffer.
constexpr TrafficContract kVariable{ServiceCategory::kNrtVbr, 50'000, 20, 5'000, 1'000};
constexpr Resources kCharged{31'924, 364};
constexpr Resources kVbrDemand{5'000, 902};  // as mapped by the QOSMapper

class LedgerAdmissionTest : public LedgerTest {
 protected:
  void SetUp() override { use({.admission = AdmissionMode::kEffective, .buffer_cells = kBuffer}); }
  void use(const LedgerOptions& options) {
    ledger = Ledger(options);
    ledger.set_ports(ports(kAllCells, {atm_range(0, 0, 32, 4'000)}));
    a = ledger.manager("a").value();
    b = ledger.manager("b").value();
  }

  // The manager's next hop from the trunk to kOut, with its own labels.
  HopSetup next(ManagerIndex manager, const TrafficContract& contract, Resources demand) {
    const std::uint32_t number = ++count_;
    HopSetup setup = middle(number, atm_label(0, 31 + number), cache_one(manager), demand);
    setup.contract = contract;
    return setup;
  }
  Admission set_up(const TrafficContract& contract, Resources demand) {
    const Admission admission = ledger.set_up(a, next(a, contract, demand));
    if (admission.admitted()) ledger.step(admission.hop, HopFsm::Event::kAdded);
    return admission;
  }
  // Sets up such hops until one is refused; returns their number and the refusal.
  std::pair<std::uint64_t, Admission> fill(const TrafficContract& contract, Resources demand) {
    for (std::uint64_t taken = 0;; ++taken) {
      const Admission admission = set_up(contract, demand);
      if (!admission.admitted()) return {taken, admission};
    }
  }
  HopModify modify(HopRef hop, const TrafficContract& contract, Resources demand) {
    return {ledger.hop(hop).key, ledger.extras().revision(hop) + 1, demand, contract};
  }
  Resources taken() const { return ledger.usage(kOut)->taken; }

  std::uint32_t count_ = 0;
};

TEST_F(LedgerAdmissionTest, APortTakesAsManyVbrSourcesAsTheFormulaSays) {
  const auto [sources, refusal] = fill(kVariable, kVbrDemand);
  EXPECT_EQ(sources, 10U);  // 4000 / 364; the rate would allow 11
  expect_refused(refusal, Cause::kNoBuffer, kOut, 364, 360);
  EXPECT_EQ(refusal.quota_missing, (Resources{0, 4}));
  EXPECT_EQ(taken(), (Resources{10 * 31'924, 10 * 364}));
}

TEST_F(LedgerAdmissionTest, OverbookedItTakesMoreOfThem) {
  use({.admission = AdmissionMode::kEffective, .overbooking = 2.0, .buffer_cells = kBuffer});
  EXPECT_EQ(fill(kVariable, kVbrDemand).first, 21U);  // 4000 / 182; the rate would allow 22
}

TEST_F(LedgerAdmissionTest, ByThePeakAndByDemandItTakesFewer) {
  use({.admission = AdmissionMode::kPeak, .buffer_cells = kBuffer});
  const auto [by_peak, refusal] = fill(kVariable, kVbrDemand);
  EXPECT_EQ(by_peak, 7U);
  expect_refused(refusal, Cause::kNoBandwidth, kOut, 50'000, 3'207);
  use({.admission = AdmissionMode::kDemand, .buffer_cells = kBuffer});
  EXPECT_EQ(fill(kVariable, kVbrDemand).first, 4U);  // 4000 / 902
}

TEST_F(LedgerAdmissionTest, CbrGoesByItsPeakAndIsNeverOverbooked) {
  const TrafficContract cbr{ServiceCategory::kCbr, 100'000, 10};
  EXPECT_EQ(fill(cbr, {100'000, 2}).first, 3U);
  use({.admission = AdmissionMode::kEffective, .overbooking = 1.5, .buffer_cells = kBuffer});
  const auto [sources, refusal] = fill(cbr, {100'000, 2});
  EXPECT_EQ(sources, 3U);
  expect_refused(refusal, Cause::kNoBandwidth, kOut, 150'000, 529'810 - 450'000);
  // There is room for VBR beside it.
  EXPECT_TRUE(set_up(kVariable, kVbrDemand).admitted());
}

TEST_F(LedgerAdmissionTest, WhatAManagerDemandsOfACbrsRateMakesNoDifference) {
  EXPECT_TRUE(set_up({ServiceCategory::kCbr, 100'000, 10}, {1, 2}).admitted());
  EXPECT_EQ(taken(), (Resources{100'000, 2}));
}

TEST_F(LedgerAdmissionTest, BestEffortTakesNothingAndGfrItsMinimum) {
  ASSERT_TRUE(set_up({ServiceCategory::kUbr, 353'207, 3}, {}).admitted());
  EXPECT_EQ(taken(), Resources{});
  ASSERT_TRUE(set_up({ServiceCategory::kGfr, 353'207, 3, 1'000, 100, 50}, {1'000, 101}).admitted());
  EXPECT_EQ(taken(), (Resources{1'000, 101}));
  ASSERT_TRUE(set_up({}, {70, 7}).admitted());
  EXPECT_EQ(taken(), (Resources{1'070, 108})) << "without a contract the demand counts";
}

TEST_F(LedgerAdmissionTest, APortMayHaveAFactorOfItsOwn) {
  use({.admission = AdmissionMode::kEffective,
       .overbooking = 1.5,
       .port_overbooking = {{kOut, 2.0}, {PortId{2}, 1.0}},
       .buffer_cells = kBuffer});
  EXPECT_EQ(ledger.usage(kOut)->capacity, (Resources{2 * kAllCells, kBuffer}));
  EXPECT_EQ(ledger.usage(PortId{2})->capacity, (Resources{kAllCells, kBuffer}));
  EXPECT_EQ(ledger.usage(kTrunk)->capacity, (Resources{kAllCells * 3 / 2, kBuffer}));
}

TEST_F(LedgerAdmissionTest, AModifyIsChargedItsNewContract) {
  const HopRef hop = set_up(kVariable, kVbrDemand).hop;
  EXPECT_EQ(taken(), kCharged);
  TrafficContract twice = kVariable;
  twice.mbs_cells = 2'000;
  ASSERT_TRUE(ledger.modify(a, modify(hop, twice, {5'000, 1'802})).admitted());
  // E = ceil(50000 x 2000 / (2000 + 50000 x 4000 / 353207)) = 38968.
  // 1 + ceil(1999 x (1 - 38968 / 50000)) + ceil(0.00002 x 38968).
  EXPECT_EQ(taken(), (Resources{38'968, 1 + 442 + 1}));
  ASSERT_TRUE(ledger.modify(a, modify(hop, kVariable, kVbrDemand)).admitted());
  EXPECT_EQ(taken(), kCharged);
}

TEST_F(LedgerAdmissionTest, AModifyBeyondTheRoomIsRefusedInWhatIsCharged) {
  const HopRef hop = set_up(kVariable, kVbrDemand).hop;
  ASSERT_TRUE(set_up({ServiceCategory::kCbr, 315'000, 3}, {315'000, 2}).admitted());
  TrafficContract twice = kVariable;
  twice.mbs_cells = 2'000;
  expect_refused(ledger.modify(a, modify(hop, twice, {5'000, 1'802})), Cause::kNoBandwidth, kOut,
                 38'968, kAllCells - 315'000);
  EXPECT_EQ(taken(), (Resources{315'000 + 31'924, 2 + 364}));
}

// With a lower SCR a burst leaves the port more slowly and needs more buffer,
// which may not be available.
TEST_F(LedgerAdmissionTest, AModifyThatAsksForLessNeverTakesMore) {
  TrafficContract quick = kVariable;
  quick.guaranteed_cells_per_s = 45'000;
  const HopRef hop = set_up(quick, {45'000, 102}).hop;
  EXPECT_EQ(taken(), (Resources{45'000, 102}));
  ASSERT_TRUE(set_up({}, {0, kBuffer - 102}).admitted());
  TrafficContract slower = quick;
  slower.guaranteed_cells_per_s = 40'000;
  ASSERT_TRUE(ledger.modify(a, modify(hop, slower, {40'000, 102})).admitted());
  EXPECT_EQ(taken(), (Resources{40'000, kBuffer}));
}

TEST_F(LedgerAdmissionTest, UntilASwitchHasAnsweredBothContractsAreCharged) {
  TrafficContract quick = kVariable;
  quick.guaranteed_cells_per_s = 45'000;
  const Resources charged{45'000, 102};
  const HopRef hop = set_up(kVariable, kVbrDemand).hop;
  const HopModify raise = modify(hop, quick, {45'000, 902});
  ASSERT_TRUE(ledger.modify(a, raise, true).admitted());
  EXPECT_EQ(taken(), (Resources{45'000, 364}));
  ledger.settle(hop, raise.revision, {45'000, 102}, quick);
  EXPECT_EQ(taken(), charged);

  // No buffer is left while the modify is pending. The switch refuses, and
  // the old charge is restored.
  const HopModify lower = modify(hop, kVariable, {45'000, 902});
  ASSERT_TRUE(ledger.modify(a, lower, true).admitted());
  ASSERT_TRUE(set_up({}, {0, kBuffer - taken().buffer_cells}).admitted());
  ledger.settle(hop, lower.revision - 1, {45'000, 102}, quick);
  EXPECT_EQ(taken(), (Resources{45'000, kBuffer - 364 + 102}));
}

TEST_F(LedgerAdmissionTest, AQuotaIsGrantedInWhatIsCharged) {
  EXPECT_EQ(ledger.grants().grant_quota(b, kOut, kCharged), kCharged);
  ASSERT_TRUE(set_up({}, {kAllCells - 31'924, kBuffer - 364}).admitted());
  const Admission within = ledger.set_up(b, next(b, kVariable, kVbrDemand));
  ASSERT_TRUE(within.admitted()) << "though its demand is above the quota's buffer";
  EXPECT_EQ(ledger.ports().unused_quota(b, kOut), Resources{});
  expect_refused(ledger.set_up(b, next(b, kVariable, kVbrDemand)), Cause::kNoBandwidth, kOut,
                 31'924);
}

TEST_F(LedgerAdmissionTest, AnotherLineRateCountsForWhatIsChargedAfterIt) {
  const HopRef hop = set_up(kVariable, kVbrDemand).hop;
  ledger.set_ports(ports(2 * kAllCells, {atm_range(0, 0, 32, 4'000)}));
  EXPECT_EQ(taken(), kCharged);
  EXPECT_THAT(ledger.self_check("sw"), IsEmpty());
  ASSERT_TRUE(set_up(kVariable, kVbrDemand).admitted());
  // B/C is halved: 50000 x 1000 / (1000 + 50000 x 4000 / 706414) = 38968.
  EXPECT_EQ(taken().cells_per_s, 31'924U + 38'968U);
  remove(hop);
  EXPECT_EQ(taken().cells_per_s, 38'968U);
}

// ===== whatever comes =====

class RandomAdmission : public LedgerAdmissionTest {
 protected:
  std::uint32_t between(std::uint32_t least, std::uint32_t most) {
    return std::uniform_int_distribution<std::uint32_t>(least, most)(random_);
  }
  TrafficContract some_contract(ServiceCategory category) {
    TrafficContract contract{category};
    if (!contract.present()) return contract;
    contract.pcr_cells_per_s = between(1, 60'000);
    contract.cdvt_us = between(0, 2'000);
    if (!has_guaranteed_rate(category)) return contract;
    contract.guaranteed_cells_per_s = between(1, contract.pcr_cells_per_s);
    contract.mbs_cells = between(1, 900);
    if (category == ServiceCategory::kGfr) contract.mfs_cells = between(1, contract.mbs_cells);
    return contract;
  }
  Resources some_demand() { return {between(0, 40'000), between(0, 400)}; }

  std::mt19937_64 random_;
};

TEST_F(RandomAdmission, NoAccountExceedsWhatItMayAndCbrNeverTheLine) {
  for (const double overbooking : {0.5, 1.0, 1.5, 3.0}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE(fmt::format("overbooking {}, seed {}", overbooking, seed));
      random_.seed(seed);
      const bool peak = seed % 2 == 0;
      use({.admission = peak ? AdmissionMode::kPeak : AdmissionMode::kEffective,
           .overbooking = overbooking,
           .buffer_cells = kBuffer});
      std::vector<HopRef> hops;
      std::uint64_t refused = 0;
      for (int step = 0; step < 600; ++step) {
        const std::uint32_t dice = between(0, 9);
        if (dice == 0) {
          ledger.grants().grant_quota(between(0, 1) == 0 ? a : b, kOut, some_demand());
        } else if (dice <= 4 && !hops.empty()) {
          const std::size_t at = between(0, static_cast<std::uint32_t>(hops.size() - 1));
          if (dice == 1) {
            remove(hops[at]);
            hops.erase(hops.begin() + static_cast<std::ptrdiff_t>(at));
          } else {
            const HopRecord had = ledger.hop(hops[at]);
            HopModify change =
                modify(hops[at], some_contract(had.contract().category), some_demand());
            const bool reported = dice == 2;
            if (reported)
              change.demand = {std::max(change.demand.cells_per_s, had.demand.cells_per_s),
                               std::max(change.demand.buffer_cells, had.demand.buffer_cells)};
            const bool admitted = ledger.modify(a, change, reported).admitted();
            refused += admitted ? 0 : 1;
            if (admitted && reported && between(0, 1) == 0) {
              ledger.settle(hops[at], change.revision, change.demand, change.contract);
            } else if (admitted && reported) {
              ledger.settle(hops[at], change.revision, had.demand, had.contract());
            }
          }
        } else {
          const auto category = static_cast<ServiceCategory>(between(0, 5));
          const Admission admission = set_up(some_contract(category), some_demand());
          refused += admission.admitted() ? 0 : 1;
          if (admission.admitted()) hops.push_back(admission.hop);
        }
        const PortUsage usage = *ledger.usage(kOut);
        ASSERT_TRUE(usage.taken.fits_within(usage.capacity));
        std::uint64_t cbr = 0;
        Resources charged;
        for (const HopRef hop : hops) {
          const HopRecord& record = ledger.hop(hop);
          charged += record.charge;
          if (record.contract().category == ServiceCategory::kCbr)
            cbr += record.contract().pcr_cells_per_s;
        }
        ASSERT_EQ(usage.hops, charged);
        ASSERT_LE(cbr, kAllCells);
      }
      EXPECT_THAT(ledger.self_check("sw"), IsEmpty());
      // Any number: chance decides; without a refusal the bounds above were not met.
      EXPECT_GT(refused, 0U) << "nothing was ever full";
      for (const HopRef hop : hops) remove(hop);
      EXPECT_EQ(ledger.usage(kOut)->hops, Resources{});
    }
  }
}

// ----- the rate that enters at the first hop -----

// Each hop has an output port of its own, so only the rate that enters at kIn can refuse it.
class LedgerIngressTest : public LedgerTest {
 protected:
  HopSetup first_to(std::uint64_t connection, PortId output, std::uint64_t cells_per_s) {
    HopSetup setup = first(connection, cache_one(a, output), {cells_per_s, 0});
    setup.output_port = output;
    return setup;
  }
};

TEST_F(LedgerIngressTest, AFirstHopTakesExactlyTheRestAndTheNextCellIsRefused) {
  committed(a, first_to(1, kTrunk, 900));
  expect_refused(ledger.set_up(a, first_to(2, kOut, 101)), Cause::kNoBandwidth, kIn, 101, 100);
  committed(a, first_to(3, kOut, 100));
  EXPECT_EQ(ledger.usage(kIn)->ingress_cells_per_s, 1000U);
  expect_refused(ledger.set_up(a, first_to(4, kOut, 1)), Cause::kNoBandwidth, kIn, 1, 0);
  EXPECT_TRUE(ledger.set_up(a, first_to(5, kOut, 0)).admitted()) << "nothing always fits";
}

TEST_F(LedgerIngressTest, AModifyTakesExactlyTheRest) {
  committed(a, first_to(1, kTrunk, 900));
  const HopRef small = committed(a, first_to(2, kOut, 50));
  const HopKey key = ledger.hop(small).key;
  expect_refused(ledger.modify(a, {key, 1, {101, 0}}), Cause::kNoBandwidth, kIn, 101, 100);
  EXPECT_TRUE(ledger.modify(a, {key, 1, {100, 0}}).admitted());
  EXPECT_EQ(ledger.usage(kIn)->ingress_cells_per_s, 1000U);
}

TEST_F(LedgerAdmissionTest, AFactorBetweenThousandthsSellsNoMoreCbrThanTheLineHas) {
  use({.admission = AdmissionMode::kEffective, .overbooking = 1.0005, .buffer_cells = kBuffer});
  const TrafficContract cbr{ServiceCategory::kCbr, 353, 250};
  const std::uint64_t sources = fill(cbr, {353, 1}).first;
  EXPECT_LE(sources * 353, kAllCells);
  EXPECT_EQ(sources, 998U) << "each is charged 354 of the 353383 cells/s that are sold";
}

}  // namespace
}  // namespace xbind
