// Ledger::would_take() against set_up(): what the dry run answers is what taking then does.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <vector>

#include "core/hop_room.hpp"
#include "ledger_fixture.hpp"
#include "traffic/contract.hpp"

namespace xbind {
namespace {

// ===== single rules =====

class LedgerRoom : public LedgerTest {
 protected:
  static HopQuestion through(Resources demand) {
    return {.input_port = kTrunk, .output_port = kOut, .demand = demand};
  }
  static HopQuestion entering(Resources demand) {
    return {.input_port = kIn, .output_port = kOut, .enters = true, .demand = demand};
  }
  HopRoom room(const HopQuestion& question) const { return ledger.would_take(a, {{question}})[0]; }
  static void expect_short(const HopRoom& got, std::uint64_t copies, Cause cause, PortId port,
                           std::uint64_t asked, std::uint64_t free) {
    EXPECT_EQ(got.copies, copies);
    EXPECT_EQ(got.cause, cause);
    EXPECT_EQ(got.port, port);
    EXPECT_EQ(got.asked, asked);
    EXPECT_EQ(got.free, free);
  }
};

TEST_F(LedgerRoom, TheScarcestResourceBinds) {
  expect_short(room(through({300, 10})), 3, Cause::kNoBandwidth, kOut, 300, 100);
  expect_short(room(through({1, 200})), 2, Cause::kNoBuffer, kOut, 200, 100);
  expect_short(room(through({1, 1})), 8, Cause::kNoLabel, kOut, 1, 0);
  EXPECT_EQ(room(through({300, 10})).most_cells_per_s, 1'000U);
  EXPECT_EQ(room(through({1, 501})).most_cells_per_s, 0U);
}

TEST_F(LedgerRoom, WhereCellsEnterTheReceiveSideCounts) {
  committed(a, first(1, cache_one(a), {400, 0}));
  // The output has 600 left, and so has the input: another output shows which one binds.
  HopQuestion other = entering({500, 0});
  other.output_port = PortId{2};
  expect_short(room(other), 1, Cause::kNoBandwidth, kIn, 500, 100);
  other.enters = false;
  expect_short(room(other), 2, Cause::kNoBandwidth, PortId{2}, 500, 0);
}

TEST_F(LedgerRoom, OwnLabelsAndOwnQuotaAreRoomForTheirManagerAlone) {
  std::vector<Label> granted;
  ledger.grants().grant_labels(a, kOut, 8, granted);
  ledger.grants().grant_quota(a, kOut, {900, 0});
  EXPECT_EQ(room(through({200, 0})).copies, 5U);
  const HopRoom others = ledger.would_take(b, {{through({200, 0})}})[0];
  expect_short(others, 0, Cause::kNoLabel, kOut, 1, 0);
}

TEST_F(LedgerRoom, AManagerThatIsNotKnownHasNothing) {
  ledger.grants().grant_quota(a, kOut, {900, 0});
  expect_short(ledger.would_take(ManagerIndex{0xffff}, {{through({100, 0})}})[0], 1,
               Cause::kNoBandwidth, kOut, 100, 0);
}

TEST_F(LedgerRoom, QuestionsOfAListSeeWhatThoseBeforeThemTake) {
  HopQuestion hop = through({300, 0});
  hop.copies = 2;
  const auto rooms = ledger.would_take(a, {{hop, through({300, 0}), through({400, 0})}});
  EXPECT_EQ(rooms[0].copies, 3U);
  EXPECT_EQ(rooms[1].copies, 1U);
  EXPECT_EQ(rooms[2].copies, 1U);
  EXPECT_EQ(rooms[2].most_cells_per_s, 400U);
  hop.copies = 1'000;  // more than there is room for
  EXPECT_EQ(ledger.would_take(a, {{hop, through({100, 0})}})[1].copies, 1U);
}

TEST_F(LedgerRoom, WhatIsNoRequestIsRefusedAsOne) {
  HopQuestion hop = through({100, 0});
  hop.output_port = PortId{9};
  expect_short(room(hop), 0, Cause::kUnknownPort, PortId{9}, 9, 0);
  hop = through({100, 0});
  hop.contract = {.category = ServiceCategory::kCbr};
  EXPECT_EQ(room(hop).cause, Cause::kInvalidRequest);
  EXPECT_EQ(room(hop).copies, 0U);
}

// ===== random books =====

constexpr std::uint64_t kSeed = 46;
constexpr int kBooks = 100'000;
constexpr std::uint32_t kPorts = 3;

class RandomBook {
 public:
  explicit RandomBook(std::uint64_t seed) : random_(seed), ledger_(options()) {
    ledger_.set_ports(ports(1));
    for (const char* name : {"a", "b"}) {
      managers_.push_back(ledger_.manager(name).value());
      ledger_.open_session(managers_.back());
    }
    for (auto changes = pick(12); changes != 0; --changes) change();
    if (one_in(4)) ledger_.set_ports(ports(1 + pick(3)));  // rates that have dropped
  }

  Ledger& ledger() { return ledger_; }
  ManagerIndex manager() { return managers_[pick(2) - 1]; }
  std::uint64_t pick(std::uint64_t most) { return 1 + random_() % most; }
  bool one_in(std::uint64_t times) { return random_() % times == 0; }

  HopQuestion question() {
    HopQuestion hop;
    hop.input_port = port();
    hop.output_port = port();
    hop.enters = one_in(2);
    hop.leaves = one_in(3);
    hop.contract = contract();
    hop.demand = !hop.contract.present() || one_in(4) ? Resources{pick(rate_), pick(40) - 1}
                                                      : resources_of(hop.contract);
    return hop;
  }

  // A reserve and its commit, as a manager sends them. A hop that does not enter here is reserved
  // only: its input label is that of the hop before it.
  Admission take(ManagerIndex manager, const HopQuestion& hop) {
    HopSetup setup;
    setup.key = {ConnectionId{++connections_}, Generation{1}, 0,
                 static_cast<std::uint16_t>(hop.enters ? 0 : 1)};
    setup.hop_count = static_cast<std::uint16_t>(setup.key.hop + (hop.leaves ? 1 : 2));
    setup.input_port = hop.input_port;
    setup.output_port = hop.output_port;
    setup.demand = hop.demand;
    setup.contract = hop.contract;
    setup.commit = false;
    if (!hop.leaves) setup.output_label = own_label(manager, hop.output_port);
    const Admission reserved = ledger_.set_up(manager, setup);
    if (!reserved.admitted() || !hop.enters) return reserved;
    setup.output_label = {};
    setup.commit = true;
    const Admission done = ledger_.set_up(manager, setup);
    if (done.admitted()) ledger_.step(done.hop, HopFsm::Event::kAdded);
    return done;
  }

 private:
  PortId port() { return PortId{static_cast<std::uint32_t>(pick(kPorts))}; }

  LedgerOptions options() {
    LedgerOptions options;
    options.admission = static_cast<AdmissionMode>(random_() % 3);
    constexpr std::array kFactors{0.5, 1.0, 1.3, 2.0};
    options.overbooking = kFactors[random_() % kFactors.size()];
    if (one_in(3)) options.port_overbooking[PortId{1}] = kFactors[random_() % kFactors.size()];
    options.buffer_cells = 1ULL << random_() % 14;
    options.rt_wait_us = static_cast<std::uint32_t>(pick(2'000));
    options.sharing = one_in(3) ? LabelSharing::kCooperative : LabelSharing::kFree;
    if (one_in(8)) options.hops_max = pick(12);
    return options;
  }

  std::vector<SwitchPort> ports(std::uint64_t slower) {
    std::vector<SwitchPort> all;
    for (std::uint32_t i = 1; i <= kPorts; ++i) {
      const auto labels = static_cast<std::uint16_t>(one_in(8) ? pick(60) : pick(10));
      const auto last = static_cast<std::uint16_t>(31 + labels);
      all.push_back({PortId{i}, {atm_range(0, 0, 32, last)}, pick(rate_ * 4) / slower, true});
    }
    return all;
  }

  TrafficContract contract() {
    TrafficContract it;
    it.category = static_cast<ServiceCategory>(random_() % 6);
    if (!it.present()) return it;
    it.pcr_cells_per_s = static_cast<std::uint32_t>(pick(rate_));
    it.cdvt_us = static_cast<std::uint32_t>(pick(2'000) - 1);
    if (!has_guaranteed_rate(it.category)) return it;
    it.guaranteed_cells_per_s = static_cast<std::uint32_t>(pick(it.pcr_cells_per_s));
    it.mbs_cells = static_cast<std::uint32_t>(pick(300));
    if (it.category == ServiceCategory::kGfr) {
      it.mfs_cells = static_cast<std::uint32_t>(pick(it.mbs_cells));
      if (one_in(4)) it.guaranteed_cells_per_s = 0;
    }
    return it;
  }

  Label own_label(ManagerIndex manager, PortId at) const {
    for (const auto& loose : {ledger_.labels().list(LabelHolder::kCached, manager),
                              ledger_.labels().list(LabelHolder::kQuarantine, manager)}) {
      for (const PortLabels& of : loose) {
        if (of.port == at) return of.labels.front();
      }
    }
    return {};
  }

  void change() {
    const ManagerIndex who = manager();
    std::vector<Label> granted;
    switch (random_() % 8) {
      case 0: ledger_.grants().grant_labels(who, port(), pick(4), granted); break;
      case 1: ledger_.grants().grant_quota(who, port(), {pick(rate_), pick(100)}); break;
      case 2: ledger_.grants().declare(who, port(), static_cast<std::uint32_t>(pick(8) - 1)); break;
      case 3: remove_one(); break;
      case 4:
        if (!one_in(3)) break;
        ledger_.lapse(who);
        if (one_in(2)) ledger_.end_rest(who);
        if (one_in(2)) ledger_.open_session(who);
        break;
      default: take(who, question());
    }
  }

  void remove_one() {
    std::optional<HopRef> any;
    ledger_.hops().for_each([&](HopRef ref, const HopRecord&) {
      if (!any) any = ref;
    });
    if (any && !ledger_.begin_removal(*any)) ledger_.removed(*any);
  }

  std::mt19937_64 random_;
  const std::uint64_t rate_ = 1ULL << (4 + random_() % 16);  // cells/s that numbers are around
  Ledger ledger_;
  std::vector<ManagerIndex> managers_;
  std::uint64_t connections_ = 0;
};

void expect_refused(const Admission& got, const HopRoom& said) {
  ASSERT_FALSE(got.admitted()) << "one more than said";
  EXPECT_EQ(got.cause, said.cause) << to_string(got.cause) << ", said " << to_string(said.cause);
  EXPECT_EQ(got.port, said.port);
  EXPECT_EQ(got.asked, said.asked);
  EXPECT_EQ(got.free, said.free);
}

TEST(LedgerRoomRandom, WhatIsAnsweredIsWhatTakingDoes) {
  std::array<std::uint64_t, static_cast<std::size_t>(kCauseLast) + 1> causes{};
  std::uint64_t taken = 0;
  for (std::uint64_t seed = kSeed; seed < kSeed + kBooks && !::testing::Test::HasFailure();
       ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    RandomBook book(seed);
    const ManagerIndex manager = book.manager();
    std::vector<HopQuestion> hops;
    for (auto before = book.pick(3); before != 0; --before) {
      hops.push_back(book.question());
      hops.back().copies = book.pick(4) - 1;
    }
    const std::vector<HopRoom> rooms = book.ledger().would_take(manager, hops);
    ASSERT_EQ(rooms.size(), hops.size());
    for (std::size_t i = 0; i + 1 < hops.size(); ++i) {
      for (auto n = std::min(hops[i].copies, rooms[i].copies); n != 0; --n) {
        ASSERT_TRUE(book.take(manager, hops[i]).admitted()) << "hop " << i << " of the list";
      }
    }
    HopQuestion hop = hops.back();
    if (book.one_in(3)) {
      const std::uint64_t most = rooms.back().most_cells_per_s;
      for (const std::uint64_t rate : {most + 1, most}) {
        if (rate == 0) continue;
        hop.demand.cells_per_s = rate;
        hop.contract = contract_of_cells(rate);
        ASSERT_EQ(book.take(manager, hop).admitted(), rate == most) << rate << " cells/s";
      }
      continue;
    }
    for (std::uint64_t n = 0; n != rooms.back().copies; ++n, ++taken) {
      const Admission got = book.take(manager, hop);
      ASSERT_TRUE(got.admitted()) << n << " of " << rooms.back().copies << ": "
                                  << to_string(got.cause) << " at port " << got.port.value()
                                  << ", asked " << got.asked << ", free " << got.free;
    }
    expect_refused(book.take(manager, hop), rooms.back());
    ++causes[static_cast<std::size_t>(rooms.back().cause)];
    if (seed % 100 == 0) {
      EXPECT_THAT(book.ledger().self_check("sw"), ::testing::IsEmpty());
    }
  }
  // Every resource has been the short one, and hops were taken.
  for (const Cause cause :
       {Cause::kNoBandwidth, Cause::kNoBuffer, Cause::kNoLabel, Cause::kOverShare, Cause::kBusy}) {
    EXPECT_GT(causes[static_cast<std::size_t>(cause)], kBooks / 500) << to_string(cause);
  }
  EXPECT_GT(taken, std::uint64_t{kBooks});
}

}  // namespace
}  // namespace xbind
