// Two managers that set up, hold, change, branch off and remove hops, a switch that refuses now and then and answers in any order, sessions that lapse
// and a switch that goes away: after every step the books agree with themselves and with what the
// managers were told; after the last removal, return and lapse everything is free again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

#include "fake_switch.hpp"
#include "switchserver/switch_controller.hpp"

namespace xbind {
namespace {

using ::testing::IsEmpty;

constexpr std::uint32_t kPorts = 4;

struct Manager {
  std::string name;
  std::uint64_t epoch = 1;
  std::uint64_t next_connection = 1;
  std::map<PortId, std::vector<Label>> cache;  // as granted or out of quarantine
  std::map<HopKey, HopSetup> open;             // asked for and not removed since
  std::map<std::uint64_t, HopBatch> sent;      // by token
  // Labels of hops that are gone, to be returned. In truth the other end would have to confirm
  // first.
  std::vector<std::pair<PortId, Label>> released;
  std::map<HopKey, Label> ingress;            // as told
  std::map<HopKey, std::uint32_t> revisions;  // of modifies that were done
};

class World {
 public:
  explicit World(std::uint64_t seed)
      : random_(seed),
        controller_({.name = "sw",
                     .ledger = {.buffer_cells = 100,
                                .sharing = seed % 2 == 0 ? LabelSharing::kFree
                                                         : LabelSharing::kCooperative}},
                    fake_) {
    for (std::uint32_t i = 1; i <= kPorts; ++i) {
      ports_.push_back({PortId{i}, {0, i % 2, 32, 47}, 1000, true});
    }
    fake_.refuse_add = [this](const CrossConnect&) { return refuses(18); };
    fake_.refuse_remove = [this](const CrossConnect&) { return refuses(3); };
    fake_.may_branch = [this](const CrossConnect& there, const CrossConnect& added) {
      return in_ledger(there) && in_ledger(added);
    };
    controller_.on_driver(driver::Up{ports_, false}, now_);
    managers_[0].name = "a";
    managers_[1].name = "b";
    for (Manager& manager : managers_) attach(manager);
  }

  void step() {
    now_ += std::chrono::milliseconds{10};
    Manager& manager = managers_[below(2)];
    const std::uint64_t dice = below(1000);
    if (dice < 500) {
      send(manager);
    } else if (dice < 900) {
      deliver_one();
    } else if (dice < 930) {
      quota(manager);
    } else if (dice < 960) {
      (void)controller_.audit(manager.name, ++token_);
    } else if (dice < 990) {
      deliver_all();
    } else if (dice < 996) {
      ++manager.epoch;
      attach(manager);
    } else {
      break_and_return(below(3) == 0);
    }
    hear();
    check();
  }

  void wind_up() {
    fair_ = true;
    deliver_all();
    hear();
    for (Manager& manager : managers_) {
      // As a manager does after a crash: it asks what it has, and removes that.
      ASSERT_TRUE(controller_.audit(manager.name, ++token_).has_value());
      deliver_all();
      const auto audits = controller_.take_outputs().audits;
      ASSERT_EQ(audits.size(), 1U);
      HopBatch last;
      for (const LedgerHop& hop : audits[0].report.hops) last.removals.push_back({hop.key, 0});
      ASSERT_TRUE(controller_.apply(manager.name, last, ++token_, now_).has_value());
      manager.sent[token_] = last;
    }
    deliver_all();
    hear();
    for (Manager& manager : managers_) {
      HopBatch last;
      ++manager.epoch;
      last.returned = controller_.attach(manager.name, Epoch{manager.epoch})->quarantined;
      ASSERT_TRUE(controller_.apply(manager.name, last, ++token_, now_).has_value());
      (void)controller_.take_outputs();
      controller_.detach(manager.name);
    }
    check();
    const Ledger& ledger = controller_.ledger();
    EXPECT_EQ(ledger.hop_count(), 0U);
    EXPECT_EQ(controller_.open_batches(), 0U);
    EXPECT_THAT(fake_.table, IsEmpty());
    for (const SwitchPort& port : ports_) {
      const PortUsage usage = *ledger.usage(port.port);
      EXPECT_EQ(usage.taken, Resources{});
      EXPECT_EQ(usage.ingress_cells_per_s, 0U);
      EXPECT_EQ(usage.free_output_labels, port.labels.size());
      EXPECT_EQ(usage.free_input_labels, port.labels.size());
    }
  }

  std::uint64_t committed() const { return controller_.counters().commits; }
  const SwitchCounters& counters() const { return controller_.counters(); }
  std::uint64_t branches_seen() const { return branches_seen_; }

 private:
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  std::uint8_t refuses(std::uint8_t code) {
    return !fair_ && below(12) == 0 ? code : std::uint8_t{0};
  }

  void attach(Manager& manager) {
    manager.cache.clear();
    manager.released.clear();
    manager.sent.clear();
    const auto attached = controller_.attach(manager.name, Epoch{manager.epoch});
    ASSERT_TRUE(attached.has_value());
    for (const PortLabels& of : attached->quarantined) {
      for (const Label label : of.labels) manager.released.emplace_back(of.port, label);
    }
  }

  HopSetup random_setup(Manager& manager) {
    HopSetup setup;
    setup.key = {ConnectionId{manager.next_connection++}, Generation{1}, 0,
                 static_cast<std::uint16_t>(below(3))};
    setup.hop_count = 3;
    setup.commit = below(5) != 0;
    setup.input_port = PortId{static_cast<std::uint32_t>(1 + below(kPorts))};
    setup.output_port = PortId{static_cast<std::uint32_t>(1 + below(kPorts))};
    setup.demand = {below(150), below(8)};
    // Every other connection has a contract, told by its number.
    if (setup.key.connection.value() % 2 == 0) setup.contract = random_contract();
    setup.labels_wanted = static_cast<std::uint16_t>(below(3));
    setup.quota_wanted = {below(8) == 0 ? below(200) : 0, 0};
    if (setup.commit) {
      give_labels(manager, setup);
      return setup;
    }
    setup.held = below(3) == 0;
    auto& cache = manager.cache[setup.output_port];
    if (!setup.last() && !cache.empty() && below(2) == 0) {
      setup.output_label = cache.front();
      cache.erase(cache.begin());
    }
    return setup;
  }

  // A leaf's leg that is to branch off the hop, whether that is there or not.
  HopSetup branch_of(Manager& manager, const HopSetup& root) {
    HopSetup setup = random_setup(manager);
    setup.key = {root.key.connection, Generation{1}, static_cast<std::uint16_t>(1 + below(5)), 0};
    setup.hop_count = static_cast<std::uint16_t>(1 + below(2));
    setup.branch = true;
    setup.input_port = root.input_port;
    setup.input_label = {};
    if (!setup.commit) return setup;
    const auto ingress = manager.ingress.find(root.key);
    setup.input_label = ingress == manager.ingress.end() ? root.input_label : ingress->second;
    if (setup.last()) setup.output_label = {};
    return setup;
  }

  HopModify change_of(const Manager& manager, const HopSetup& known) {
    const auto revision = manager.revisions.find(known.key);
    const std::uint32_t last = revision == manager.revisions.end() ? 0 : revision->second;
    HopModify change{
        known.key, last + static_cast<std::uint32_t>(below(3)), {below(250), below(12)}};
    // The same one as often as another; now and then what is refused: another category.
    if (known.contract.present() != (below(30) == 0)) change.contract = random_contract();
    return change;
  }
  TrafficContract random_contract() {
    return {ServiceCategory::kCbr, static_cast<std::uint32_t>(1 + below(4)), 0};
  }

  void give_labels(Manager& manager, HopSetup& setup) {
    if (!setup.first()) {
      setup.input_label = atm_label(0, static_cast<std::uint32_t>(32 + below(17)));  // 48: outside
    }
    auto& cache = manager.cache[setup.output_port];
    if (!setup.last() && !cache.empty()) {
      setup.output_label = cache.front();
      cache.erase(cache.begin());
    }
  }

  const HopSetup* any_open(const Manager& manager) {
    if (manager.open.empty()) return nullptr;
    auto chosen = manager.open.begin();
    std::advance(chosen, static_cast<std::ptrdiff_t>(below(manager.open.size())));
    return &chosen->second;
  }

  void send(Manager& manager) {
    HopBatch batch;
    for (std::uint64_t n = below(5); n != 0; --n) {
      const HopSetup* known = any_open(manager);
      if (known != nullptr && below(5) == 0) {
        batch.setups.push_back(branch_of(manager, *known));
      } else if (known != nullptr && below(6) == 0) {
        HopSetup again = *known;  // a repeat, or the second phase, or a path anew
        if (!again.commit) {
          again.commit = true;
          if (!again.first())
            again.input_label = atm_label(0, static_cast<std::uint32_t>(32 + below(16)));
        } else if (below(3) == 0) {
          again.key.generation = Generation{again.key.generation.value() + 1};
          again.output_label = {};
          give_labels(manager, again);
        }
        batch.setups.push_back(again);
      } else {
        batch.setups.push_back(random_setup(manager));
      }
      manager.open.insert_or_assign(batch.setups.back().key, batch.setups.back());
    }
    for (std::uint64_t n = below(5); n != 0; --n) {
      const HopSetup* known = any_open(manager);
      if (known == nullptr) break;
      batch.removals.push_back({known->key, static_cast<std::uint32_t>(below(5))});
    }
    std::sort(batch.removals.begin(), batch.removals.end(),
              [](const HopRemoval& x, const HopRemoval& y) { return x.after < y.after; });
    while (!manager.released.empty() && below(3) != 0) {
      const auto [port, label] = manager.released.back();
      manager.released.pop_back();
      if (below(2) == 0) {
        manager.cache[port].push_back(label);  // used again without a word
      } else {
        batch.returned.push_back({port, {label}});
      }
    }
    if (below(20) == 0) batch.returned.push_back({PortId{1}, {atm_label(0, 40)}});  // whoever's
    for (std::uint64_t n = below(3); n != 0; --n) {
      if (const HopSetup* known = any_open(manager)) {
        batch.modifies.push_back(change_of(manager, *known));
      }
    }
    const PortId port{static_cast<std::uint32_t>(1 + below(kPorts))};
    if (below(10) == 0) batch.quota_returned.push_back({port, {below(100), 0}});
    if (below(40) == 0) {
      batch.declared.push_back({port, static_cast<std::uint32_t>(below(40))});
    }
    const std::uint64_t token = ++token_;
    manager.sent[token] = batch;
    ASSERT_TRUE(controller_.apply(manager.name, batch, token, now_).has_value());
  }

  void quota(Manager& manager) {
    const PortId port{static_cast<std::uint32_t>(1 + below(kPorts))};
    if (below(2) == 0) {
      if (const auto granted =
              controller_.grant(manager.name, port, below(4), {below(500), 10}, now_)) {
        auto& cache = manager.cache[port];
        cache.insert(cache.end(), granted->labels.begin(), granted->labels.end());
      }
    } else {
      ASSERT_TRUE(controller_.give_back(manager.name, {port, {}}, {below(300), below(10)}));
    }
  }

  void deliver_one() {
    if (fake_.answers.empty()) return;
    const auto chosen =
        fake_.answers.begin() + static_cast<std::ptrdiff_t>(below(fake_.answers.size()));
    const driver::Event event = chosen->event;
    fake_.answers.erase(chosen);
    controller_.on_driver(event, now_);
  }
  void deliver_all() {
    while (!fake_.answers.empty()) deliver_one();
  }

  void break_and_return(bool empty) {
    for (const driver::Event& event : fake_.break_session()) controller_.on_driver(event, now_);
    hear();
    check();
    for (Manager& manager : managers_) send(manager);
    if (empty) fake_.table.clear();
    controller_.on_driver(driver::Up{ports_, !empty}, now_);
    // The answer to the table comes before any other: nothing else has been asked.
    if (!empty) deliver_all();
    ASSERT_TRUE(controller_.up());
  }

  void hear() {
    auto outputs = controller_.take_outputs();
    for (const auto& out : outputs.results) {
      Manager& manager = managers_[out.manager == "a" ? 0 : 1];
      const auto sent = manager.sent.find(out.token);
      ASSERT_NE(sent, manager.sent.end()) << "answered twice, or of an ended session";
      ASSERT_EQ(out.batch.results.size(), sent->second.commands());
      manager.sent.erase(sent);
      for (const PortLabels& granted : out.batch.granted) {
        auto& cache = manager.cache[granted.port];
        cache.insert(cache.end(), granted.labels.begin(), granted.labels.end());
      }
      for (const HopResult& result : out.batch.results) hear(manager, result);
    }
    for (const auto& recalled : outputs.recalls) {
      const auto manager = *controller_.ledger().find_manager(recalled.manager);
      const PortRecall& what = recalled.recall;
      ASSERT_TRUE(what.labels != 0 || what.quota != Resources{});
      // What it had loose when it was asked, some of which the same step may have taken back.
      ASSERT_LE(what.labels, controller_.ledger().output_stock(what.port).all);
      ASSERT_TRUE(what.quota.fits_within(controller_.ledger().quota(manager, what.port)));
    }
    // A stray or missing cross-connect can only come from a put-back that was refused.
    for (const auto& audited : outputs.audits) {
      for (const Finding& finding : audited.report.findings) {
        const bool excused = finding.kind == FindingKind::kUnreadable ||
                             (finding.kind == FindingKind::kMissingCrossConnect &&
                              controller_.counters().put_back_refused != 0);
        EXPECT_TRUE(excused) << to_string(finding.kind) << ": " << finding.element << ": "
                             << finding.text;
      }
    }
  }

  void hear(Manager& manager, const HopResult& result) {
    const auto open = manager.open.find(result.key);
    if (open == manager.open.end()) return;
    if (result.action == HopAction::kReserve && result.cause == Cause::kNone &&
        open->second.commit == false) {
      if (!open->second.last()) open->second.output_label = result.output_label;
    }
    if (result.cause == Cause::kNone && result.input_label.present()) {
      manager.ingress[result.key] = result.input_label;
    }
    if (result.action == HopAction::kModify && result.cause == Cause::kNone) {
      const auto ref =
          controller_.ledger().find(*controller_.ledger().find_manager(manager.name), result.key);
      if (ref) manager.revisions[result.key] = controller_.ledger().hop(*ref).revision;
    }
    if (result.action == HopAction::kRemove && result.cause == Cause::kNone) {
      if (!open->second.last() && open->second.output_label.present()) {
        manager.released.emplace_back(open->second.output_port, open->second.output_label);
      }
      manager.open.erase(open);
    }
  }

  void check() {
    for (const Finding& finding : controller_.ledger().self_check("sw")) {
      ADD_FAILURE() << to_string(finding.kind) << ": " << finding.element << ": " << finding.text;
    }
    ASSERT_FALSE(fake_.unflushed());
    ASSERT_EQ(fake_.branches, 0) << "an add made a cross-connect point-to-multipoint";
    for (const SwitchPort& port : ports_) {
      const PortUsage usage = *controller_.ledger().usage(port.port);
      ASSERT_TRUE(usage.taken.fits_within(usage.capacity));
      ASSERT_TRUE(usage.hops.fits_within(usage.taken));
      ASSERT_LE(usage.ingress_cells_per_s, usage.capacity.cells_per_s);
    }
    // The switch has what the books say, or the books say that it may not.
    controller_.ledger().for_each_hop([&](HopRef, const HopRecord& record) {
      const auto told = fake_.contracts.find(record.cross_connect);
      if (!record.settled() || record.progress.untold || told == fake_.contracts.end()) return;
      ASSERT_EQ(told->second, record.contract);
    });
    // No output is fed twice; who shares an input is a hop of one connection to another port.
    std::vector<std::pair<PortId, Label>> outputs;
    std::map<std::tuple<PortId, Label, PortId>, int> uses;
    std::map<std::pair<PortId, Label>, std::pair<ManagerIndex, ConnectionId>> owners;
    controller_.ledger().for_each_hop([&](HopRef, const HopRecord& record) {
      const CrossConnect& at = record.cross_connect;
      outputs.emplace_back(at.output_port, at.output_label);
      if (!at.input_label.present()) return;
      ++uses[{at.input_port, at.input_label, at.output_port}];
      const std::pair owner{record.manager, record.setup.key.connection};
      const auto first = owners.try_emplace({at.input_port, at.input_label}, owner).first;
      EXPECT_EQ(first->second, owner);
      if (record.setup.branch) ++branches_seen_;
    });
    std::sort(outputs.begin(), outputs.end());
    ASSERT_EQ(std::adjacent_find(outputs.begin(), outputs.end()), outputs.end());
    for (const auto& [use, count] : uses) ASSERT_EQ(count, 1);
    // The switch has nothing that the ledger does not know: every hop asked for is in the books.
    for (const CrossConnect& there : fake_.table) ASSERT_TRUE(in_ledger(there));
  }

  bool in_ledger(const CrossConnect& wanted) const {
    bool found = false;
    controller_.ledger().for_each_on_input(
        wanted.input_port, wanted.input_label,
        [&](HopRef, const HopRecord& record) { found = found || record.cross_connect == wanted; });
    return found;
  }

  std::mt19937_64 random_;
  TimePoint now_{};
  FakeSwitch fake_;
  SwitchController controller_;
  std::vector<SwitchPort> ports_;
  std::array<Manager, 2> managers_;
  std::uint64_t token_ = 0;
  std::uint64_t branches_seen_ = 0;
  bool fair_ = false;
};

class RandomWorld : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomWorld, KeepsItsBooks) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  World world(GetParam());
  for (int i = 0; i < 6000 && !::testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE("step " + std::to_string(i));
    world.step();
  }
  if (::testing::Test::HasFailure()) return;
  world.wind_up();
  // The run must have been about something.
  const SwitchCounters& counted = world.counters();
  EXPECT_GT(counted.commits, 300U);
  EXPECT_GT(counted.removes, 300U);
  EXPECT_GT(counted.reserves, 50U);
  EXPECT_GT(counted.repeats, 10U);
  EXPECT_GT(counted.labels_returned, 50U);
  EXPECT_GT(counted.put_back, 5U);
  EXPECT_GT(counted.lapses, 5U);
  EXPECT_GT(counted.modifies, 100U);
  EXPECT_GT(counted.recalls, 5U);
  EXPECT_GT(world.branches_seen(), 500U);
  for (const Cause cause :
       {Cause::kNoBandwidth, Cause::kForeignInputLabel, Cause::kLabelNotHeld,
        Cause::kInvalidRequest, Cause::kStale, Cause::kSwitchRefused, Cause::kSwitchUnreachable,
        Cause::kBeingReleased, Cause::kUnknownConnection}) {
    EXPECT_GT(counted.refusals[static_cast<std::size_t>(cause)], 0U) << to_string(cause);
  }
  EXPECT_EQ(counted.unexpected_answers, 0U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomWorld, ::testing::Range<std::uint64_t>(1, 9));

}  // namespace
}  // namespace xbind
