// Two managers and an unreliable switch around a controller, driven by random numbers:
// switch_controller_random_test.cpp.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <tuple>

#include "fake_switch.hpp"
#include "random_manager.hpp"
#include "random_ports.hpp"
#include "switchserver/switch_controller.hpp"

namespace xbind {

class RandomPlay {
 public:
  explicit RandomPlay(std::uint64_t seed)
      : random_(seed),
        controller_({.name = "sw",
                     .ledger = {.buffer_cells = 100,
                                .sharing = seed % 2 == 0 ? LabelSharing::kFree
                                                         : LabelSharing::kCooperative}},
                    fake_) {
    fake_.refuse_add = [this](const CrossConnect&) { return refuses(18); };
    fake_.refuse_move = [this](const CrossConnect&) { return refuses(18); };
    fake_.refuse_remove = [this](const CrossConnect&) { return refuses(3); };
    fake_.may_branch = [this](const CrossConnect& there, const CrossConnect& added) {
      return in_ledger(there) && in_ledger(added);
    };
    controller_.on_driver(driver::Up{ports_, false}, now_);
    managers_[0].name = "a";
    managers_[1].name = "b";
    for (RandomManager& manager : managers_) attach(manager);
  }

  void step() {
    now_ += std::chrono::milliseconds{10};
    RandomManager& manager = managers_[below(2)];
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
    for (RandomManager& manager : managers_) {
      // Like a manager after a crash: it audits its hops and removes them.
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
    for (RandomManager& manager : managers_) {
      HopBatch last;
      ++manager.epoch;
      last.returned = controller_.attach(manager.name, Epoch{manager.epoch})->quarantined;
      ASSERT_TRUE(controller_.apply(manager.name, last, ++token_, now_).has_value());
      (void)controller_.take_outputs();
      controller_.detach(manager.name);
    }
    check();
    const Ledger& ledger = controller_.ledger();
    EXPECT_EQ(ledger.hops().size(), 0U);
    EXPECT_EQ(controller_.open_batches(), 0U);
    EXPECT_THAT(fake_.table, ::testing::IsEmpty());
    for (const SwitchPort& port : ports_) {
      const PortUsage usage = *ledger.usage(port.port);
      EXPECT_EQ(usage.taken, Resources{});
      EXPECT_EQ(usage.ingress_cells_per_s, 0U);
      EXPECT_EQ(usage.free_output_labels, label_count(port.labels));
      EXPECT_EQ(usage.free_input_labels, label_count(port.labels));
    }
  }

  std::uint64_t committed() const { return controller_.counters().commits; }
  const SwitchCounters& counters() const { return controller_.counters(); }
  std::uint64_t branches_seen() const { return branches_seen_; }
  std::uint64_t joined_seen() const { return joined_seen_; }
  std::uint64_t superseded_seen() const { return superseded_seen_; }

 private:
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  std::uint8_t refuses(std::uint8_t code) {
    return !fair_ && below(12) == 0 ? code : std::uint8_t{0};
  }

  void attach(RandomManager& manager) {
    manager.cache.clear();
    manager.released.clear();
    manager.sent.clear();
    const auto attached = controller_.attach(manager.name, Epoch{manager.epoch});
    ASSERT_TRUE(attached.has_value());
    for (const PortLabels& of : attached->quarantined) {
      for (const Label label : of.labels) manager.released.emplace_back(of.port, label);
    }
  }

  HopSetup random_setup(RandomManager& manager) {
    HopSetup setup;
    setup.key = {ConnectionId{manager.next_connection++}, Generation{1}, 0,
                 static_cast<std::uint16_t>(below(3))};
    setup.hop_count = 3;
    setup.commit = below(5) != 0;
    setup.input_port = PortId{static_cast<std::uint32_t>(1 + below(kPorts))};
    setup.output_port = PortId{static_cast<std::uint32_t>(1 + below(kPorts))};
    setup.demand = {below(150), below(8)};
    // Every second connection has a contract, which its number determines.
    if (setup.key.connection.value() % 2 == 0) setup.contract = random_contract();
    setup.labels_wanted = static_cast<std::uint16_t>(below(3));
    setup.quota_wanted = {below(8) == 0 ? below(200) : 0, 0};
    if (below(4) == 0) want_labels(setup, ports_, below(17));
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

  // A leaf's leg that branches off the hop, whether or not that hop exists.
  HopSetup branch_of(RandomManager& manager, const HopSetup& root) {
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

  // A hop of the connection's next path, where that leaves or meets the old one.
  HopSetup later_of(RandomManager& manager, const HopSetup& earlier) {
    HopSetup setup = random_setup(manager);
    setup.key = earlier.key;
    setup.key.generation = Generation{earlier.key.generation.value() + 1};
    setup.hop_count = earlier.hop_count;
    if (below(4) == 0) setup.key.hop = static_cast<std::uint16_t>(below(3));
    setup.request = earlier.request;
    setup.contract = earlier.contract;
    if (below(3) != 0) setup.demand = earlier.demand;
    setup.held = false;
    if (below(2) == 0) {
      setup.takes_over = true;
      setup.input_port = earlier.input_port;
      const auto ingress = manager.ingress.find(earlier.key);
      setup.input_label = ingress == manager.ingress.end() ? earlier.input_label : ingress->second;
      if (!setup.commit) setup.input_label = {};
      auto& cache = manager.cache[setup.output_port];
      if (setup.last()) {
        setup.output_label = {};
      } else if (!setup.output_label.present() && setup.commit && !cache.empty()) {
        setup.output_label = cache.front();
        cache.erase(cache.begin());
      }
      return setup;
    }
    setup.joins = true;
    setup.commit = below(20) != 0;
    setup.output_port = earlier.output_port;
    const auto egress = manager.egress.find(earlier.key);
    setup.output_label = egress == manager.egress.end() ? earlier.output_label : egress->second;
    setup.input_label = input_at(ports_, setup.input_port, below(16));
    if (setup.first()) setup.input_label = {};
    return setup;
  }

  HopModify change_of(const RandomManager& manager, const HopSetup& known) {
    const auto revision = manager.revisions.find(known.key);
    const std::uint32_t last = revision == manager.revisions.end() ? 0 : revision->second;
    HopModify change{
        known.key, last + static_cast<std::uint32_t>(below(3)), {below(250), below(12)}};
    // Repeats are as frequent as changes; a few are refused because they change the category.
    if (known.contract.present() != (below(30) == 0)) change.contract = random_contract();
    return change;
  }
  TrafficContract random_contract() {
    return {ServiceCategory::kCbr, static_cast<std::uint32_t>(1 + below(4)), 0};
  }

  void give_labels(RandomManager& manager, HopSetup& setup) {
    if (!setup.first()) {
      // 16: no label of the port
      setup.input_label = input_at(ports_, setup.input_port, below(17));
    }
    auto& cache = manager.cache[setup.output_port];
    if (!setup.last() && !cache.empty()) {
      setup.output_label = cache.front();
      cache.erase(cache.begin());
    }
  }

  // The input label that the commit of a reserved take-over must name.
  Label input_of_earlier(const RandomManager& manager, HopKey key) {
    key.generation = Generation{key.generation.value() - 1};
    const auto ingress = manager.ingress.find(key);
    if (ingress != manager.ingress.end()) return ingress->second;
    const auto open = manager.open.find(key);
    return open == manager.open.end() ? Label{} : open->second.input_label;
  }

  const HopSetup* any_open(const RandomManager& manager) {
    if (manager.open.empty()) return nullptr;
    auto chosen = manager.open.begin();
    std::advance(chosen, static_cast<std::ptrdiff_t>(below(manager.open.size())));
    return &chosen->second;
  }

  // A random hop that the switch has confirmed.
  const HopSetup* any_up(const RandomManager& manager) {
    const Ledger& ledger = controller_.ledger();
    const auto us = ledger.managers().find(manager.name);
    std::vector<HopKey> up;
    ledger.hops().for_each([&](HopRef, const HopRecord& record) {
      if (us && record.manager == *us && record.settled()) up.push_back(record.key);
    });
    if (up.empty()) return nullptr;
    const auto open = manager.open.find(up[below(up.size())]);
    return open == manager.open.end() ? nullptr : &open->second;
  }

  void send(RandomManager& manager) {
    HopBatch batch;
    for (std::uint64_t n = below(5); n != 0; --n) {
      const HopSetup* known = any_open(manager);
      if (known != nullptr && below(5) == 0) {
        batch.setups.push_back(branch_of(manager, *known));
      } else if (const HopSetup* up = any_up(manager); up != nullptr && below(4) == 0) {
        batch.setups.push_back(later_of(manager, *up));
      } else if (known != nullptr && below(6) == 0) {
        HopSetup again = *known;  // a repeat, the second phase, or a new path
        if (!again.commit) {
          again.commit = true;
          if (again.takes_over) {
            again.input_label = input_of_earlier(manager, again.key);
          } else if (!again.first())
            again.input_label = input_at(ports_, again.input_port, below(16));
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
        manager.cache[port].push_back(label);  // reused without a message
      } else {
        batch.returned.push_back({port, {label}});
      }
    }
    if (below(20) == 0) batch.returned.push_back({PortId{1}, {atm_label(0, 40)}});  // not its own
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

  void quota(RandomManager& manager) {
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
    for (RandomManager& manager : managers_) send(manager);
    if (empty) fake_.table.clear();
    controller_.on_driver(driver::Up{ports_, !empty}, now_);
    // The answer with the table comes first: nothing else has been requested.
    if (!empty) deliver_all();
    ASSERT_TRUE(controller_.up());
  }

  void hear() {
    auto outputs = controller_.take_outputs();
    for (const auto& out : outputs.results) {
      RandomManager& manager = managers_[out.manager == "a" ? 0 : 1];
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
      const auto manager = *controller_.ledger().managers().find(recalled.manager);
      const PortRecall& what = recalled.recall;
      ASSERT_TRUE(what.labels != 0 || what.quota != Resources{});
      // The recall is within what the manager held loose; it may have
      // returned some in the same step.
      ASSERT_LE(what.labels, controller_.ledger().labels().output_stock(what.port).all);
      ASSERT_TRUE(what.quota.fits_within(controller_.ledger().ports().quota(manager, what.port)));
    }
    // A stray or missing cross-connect can only result from a refused restoration.
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

  void hear(RandomManager& manager, const HopResult& result) {
    const auto open = manager.open.find(result.key);
    if (open == manager.open.end()) return;
    if (result.action == HopAction::kReserve && result.cause == Cause::kNone &&
        open->second.commit == false) {
      if (!open->second.last()) open->second.output_label = result.output_label;
    }
    if (result.cause == Cause::kNone && result.input_label.present()) {
      manager.ingress[result.key] = result.input_label;
    }
    if (result.cause == Cause::kNone && result.action == HopAction::kCommit &&
        result.output_label.present()) {
      manager.egress[result.key] = result.output_label;
    }
    if (result.action == HopAction::kModify && result.cause == Cause::kNone) {
      const Ledger& ledger = controller_.ledger();
      const auto ref = ledger.hops().find(*ledger.managers().find(manager.name), result.key);
      if (ref) manager.revisions[result.key] = ledger.extras().revision(*ref);
    }
    if (result.action == HopAction::kRemove && result.cause == Cause::kNone) {
      // A label that another hop shares is not released yet.
      const Label label = open->second.output_label;
      const bool joined = std::any_of(manager.open.begin(), manager.open.end(), [&](const auto& o) {
        return o.second.joins && o.second.output_port == open->second.output_port &&
               o.second.output_label == label;
      });
      if (!open->second.last() && label.present() && (!joined || result.output_label.present())) {
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
    // The switch has the ledger's contract, or the ledger marks it as possibly different.
    controller_.ledger().hops().for_each([&](HopRef, const HopRecord& record) {
      const auto reported = fake_.contracts.find(controller_.ledger().hops().cross_connect(record));
      if (record.state() != HopFsm::State::kSet || reported == fake_.contracts.end()) return;
      ASSERT_EQ(reported->second, record.contract());
    });
    // Only hops of one connection share an output, and only where they join. Only hops of one
    // connection share an input: branches to other ports, or hops that have taken over.
    const Ledger& ledger = controller_.ledger();
    std::map<std::pair<PortId, Label>, std::pair<ManagerIndex, ConnectionId>> feeders, owners;
    std::map<std::tuple<PortId, Label, PortId>, int> uses;
    std::map<std::pair<PortId, Label>, Resources> needs;
    ledger.hops().for_each([&](HopRef ref, const HopRecord& record) {
      const CrossConnect at = ledger.hops().cross_connect(record);
      const std::pair owner{record.manager, record.key.connection};
      const auto [fed, fresh] = feeders.try_emplace({at.output_port, at.output_label}, owner);
      EXPECT_TRUE(fresh || (fed->second == owner && ledger.users().shares_output(ref)));
      if (!fresh) ++joined_seen_;
      Resources& most = needs[{at.output_port, at.output_label}];
      most = {std::max(most.cells_per_s, record.demand.cells_per_s),
              std::max(most.buffer_cells, record.demand.buffer_cells)};
      if (!at.input_label.present()) return;
      const auto first = owners.try_emplace({at.input_port, at.input_label}, owner).first;
      EXPECT_EQ(first->second, owner);
      if (record.branch) ++branches_seen_;
      if (ledger.stacks().superseded(ref)) ++superseded_seen_;
      if (!ledger.stacks().above(ref)) ++uses[{at.input_port, at.input_label, at.output_port}];
      // Of hops that take over from one another, the switch has only one.
      for (auto under = ledger.stacks().below(ref); under; under = ledger.stacks().below(*under)) {
        EXPECT_FALSE(fake_.table.contains(at) &&
                     fake_.table.contains(ledger.hops().cross_connect(*under)));
      }
    });
    for (const auto& [use, count] : uses) ASSERT_EQ(count, 1);
    // Joined hops are charged once.
    std::map<PortId, Resources> sums;
    for (const auto& [where, most] : needs) sums[where.first] += most;
    for (const SwitchPort& port : ports_) ASSERT_EQ(ledger.usage(port.port)->hops, sums[port.port]);
    // Everything in the switch is known to the ledger: every requested hop has a record.
    for (const CrossConnect& there : fake_.table) ASSERT_TRUE(in_ledger(there));
  }

  bool in_ledger(const CrossConnect& wanted) const {
    bool found = false;
    const Ledger& ledger = controller_.ledger();
    ledger.users().for_each_on_input(
        wanted.input_port, wanted.input_label,
        [&](HopRef, const HopRecord& hop) { found |= ledger.hops().cross_connect(hop) == wanted; });
    return found;
  }

  std::mt19937_64 random_;
  TimePoint now_{};
  FakeSwitch fake_;
  SwitchController controller_;
  std::vector<SwitchPort> ports_ = random_ports();
  std::array<RandomManager, 2> managers_;
  std::uint64_t token_ = 0;
  std::uint64_t branches_seen_ = 0;
  std::uint64_t joined_seen_ = 0;
  std::uint64_t superseded_seen_ = 0;
  bool fair_ = false;
};

}  // namespace xbind
