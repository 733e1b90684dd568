#include "switchserver/ledger_audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "switchserver/ledger.hpp"

namespace xbind {
namespace {

using Input = std::pair<PortId, Label>;

Input input_of(const CrossConnect& at) { return {at.input_port, at.input_label}; }

// The end of the run of equal inputs that starts at `begin`. The vector must be sorted.
std::vector<CrossConnect>::const_iterator run_end(std::vector<CrossConnect>::const_iterator begin,
                                                  std::vector<CrossConnect>::const_iterator end) {
  const Input input = input_of(*begin);
  return std::find_if(begin, end, [&](const CrossConnect& at) { return input_of(at) != input; });
}

}  // namespace

// ===== switch against ledger =====

std::vector<Finding> compare_table(std::string_view switch_name, std::vector<CrossConnect> table,
                                   TableExpectation expected) {
  std::vector<Finding> findings;
  for (TableDifference& one : differences_of(switch_name, std::move(table), std::move(expected))) {
    findings.push_back(std::move(one.finding));
  }
  return findings;
}

void expect(const Ledger& ledger, HopRef ref, std::uint64_t since, TableExpectation& expected) {
  const HopRecord& record = ledger.hop(ref);
  if (record.state == HopStage::kReserved) return;
  if (ledger.superseded(ref) && record.version <= since) return;
  const bool throughout = record.settled() && !ledger.above(ref) && record.version <= since;
  (throughout ? expected.settled : expected.moving).push_back(ledger.cross_connect(record));
}

std::vector<TableDifference> differences_of(std::string_view switch_name,
                                            std::vector<CrossConnect> table,
                                            TableExpectation expected) {
  std::vector<TableDifference> found;
  const auto find = [&](FindingKind kind, const std::optional<CrossConnect>& extra,
                        const std::optional<CrossConnect>& missing, bool shared = true) {
    found.push_back({finding_of(switch_name, {kind, extra, missing}, shared), extra, missing});
  };
  std::sort(table.begin(), table.end());
  table.erase(std::unique(table.begin(), table.end()), table.end());
  std::sort(expected.settled.begin(), expected.settled.end());
  std::sort(expected.moving.begin(), expected.moving.end());
  const auto by_input = [](const CrossConnect& a, const CrossConnect& b) {
    return input_of(a) < input_of(b);
  };
  const auto is_moving = [&](const CrossConnect& at) {
    return std::binary_search(expected.moving.begin(), expected.moving.end(), at, by_input);
  };

  std::vector<CrossConnect> missing;  // of one input
  std::vector<CrossConnect> extra;
  auto wanted = expected.settled.cbegin();
  const auto wanted_end = expected.settled.cend();
  for (auto there = table.cbegin(); there != table.cend() || wanted != wanted_end;) {
    const bool in_table =
        there != table.cend() && (wanted == wanted_end || !by_input(*wanted, *there));
    const bool known = wanted != wanted_end && (!in_table || !by_input(*there, *wanted));
    const CrossConnect& input = in_table ? *there : *wanted;
    const auto there_end = in_table ? run_end(there, table.cend()) : there;
    const auto known_end = known ? run_end(wanted, wanted_end) : wanted;
    missing.clear();
    extra.clear();
    std::set_difference(wanted, known_end, there, there_end, std::back_inserter(missing));
    if (!is_moving(input)) {
      std::set_difference(there, there_end, wanted, known_end, std::back_inserter(extra));
    }
    const std::size_t changed = std::min(missing.size(), extra.size());
    for (std::size_t i = 0; i < missing.size(); ++i) {
      if (i < changed) {
        find(FindingKind::kChangedCrossConnect, extra[i], missing[i]);
      } else {
        find(FindingKind::kMissingCrossConnect, std::nullopt, missing[i]);
      }
    }
    for (std::size_t i = changed; i < extra.size(); ++i) {
      find(FindingKind::kStrayCrossConnect, extra[i], std::nullopt, known);
    }
    there = there_end;
    wanted = known_end;
  }
  return found;
}

// ===== ledger against itself =====

// Checks the ledger's lists, slots and records against one another; trusts none of them alone.
class LedgerCheck {
 public:
  LedgerCheck(const Ledger& ledger, std::string_view name) : ledger_(ledger), name_(name) {}

  std::vector<Finding> run() {
    collect_hops();
    for (std::uint32_t i = 0; i < ledger_.ports_.size(); ++i) {
      const Ledger::Port& port = ledger_.ports_[i];
      check_labels(port, port.output, seen_out_[i], "output");
      check_labels(port, port.input, seen_in_[i], "input");
      check_accounts(port, i);
    }
    return std::move(findings_);
  }

 private:
  using Index = LabelPool::Index;
  struct Sighting {
    Index index = 0;
    LabelPlace place;
  };
  struct Needs {  // of one manager at one output port
    Resources hops;
    std::uint64_t labels = 0;  // egress labels apart
  };

  // Collects what the hop records claim, port by port.
  void collect_hops() {
    const std::size_t ports = ledger_.ports_.size();
    seen_out_.resize(ports);
    seen_in_.resize(ports);
    needs_.resize(ports);
    ingress_.resize(ports);
    ledger_.for_each_hop([&](HopRef ref, const HopRecord& record) {
      const std::uint32_t out = record.output_port;
      const std::uint32_t in = record.input_port;
      const Label output = record.output_label();
      const Label input = record.input_label();
      const LabelPlace place{LabelHolder::kConnection, record.manager, ref};
      const LabelPool& outputs = ledger_.ports_[out].output;
      const bool joined = outputs.contains(output) && joins(ref, record, outputs.place_of(output));
      if (!joined) {
        see(seen_out_[out], outputs, output, place);
        check_group(ledger_.ports_[out], ref, record);
      }
      check_stack(ledger_.ports_[in], ref, record);
      const LabelPool& inputs = ledger_.ports_[in].input;
      if (input.present() && inputs.contains(input) &&
          !shares(ref, record, inputs.place_of(input))) {
        see(seen_in_[in], inputs, input, place);
      }
      auto& needs = needs_[out];
      if (record.manager.value() >= needs.size()) needs.resize(record.manager.value() + 1U);
      needs[record.manager.value()].hops += record.charge;
      if (!record.last() && !joined) ++needs[record.manager.value()].labels;
      ingress_[in] += ledger_.ingress(ref).value_or(0);
    });
  }

  static bool of_one_call(const HopRecord& a, const HopRecord& b) {
    return a.manager == b.manager && a.key.connection == b.key.connection;
  }

  static bool one_input(const HopRecord& a, const HopRecord& b) {
    return a.input_port == b.input_port && a.input == b.input;
  }

  // Whether the hop rightly shares its output label with other hops on the list that `noted` heads:
  // all of one leg, from different inputs.
  bool joins(HopRef ref, const HopRecord& record, const LabelPlace& noted) const {
    if (noted.holder != LabelHolder::kConnection || noted.hop == ref) return false;
    std::uint32_t next = noted.hop.value();
    for (std::size_t left = ledger_.hops_.size(); left != 0 && next != Ledger::kNil; --left) {
      if (next >= ledger_.hops_.size() || !ledger_.hops_[next].alive) return false;
      if (next == ref.value()) return true;
      const HopRecord& other = ledger_.hops_[next];
      if (!of_one_call(other, record) || other.key.leg != record.key.leg ||
          other.output_port != record.output_port || other.output != record.output ||
          one_input(other, record)) {
        return false;
      }
      next = other.next_on_output;
    }
    return false;
  }

  // The amount charged for the hops on one output label must be what they need.
  void check_group(const Ledger::Port& port, HopRef head, const HopRecord& record) {
    const Ledger::Group group = ledger_.group_of(head.value());
    if (group.needs == group.charged) return;
    find_account(port, fmt::format("connection {}", record.key.connection), group.charged,
                 group.needs);
  }

  // A hop that takes over shares the input of the hop below, which has an earlier generation; the
  // two refer to each other.
  void check_stack(const Ledger::Port& port, HopRef ref, const HopRecord& record) {
    const std::uint32_t at = ledger_.below_of(ref.value());
    if (at == Ledger::kNil) return;
    const HopRecord* below = at < ledger_.hops_.size() ? &ledger_.hops_[at] : nullptr;
    const bool right = below != nullptr && below->alive && ledger_.above_of(at) == ref.value() &&
                       of_one_call(*below, record) && below->key.leg == record.key.leg &&
                       below->key.generation < record.key.generation && one_input(*below, record);
    if (right) return;
    find(FindingKind::kDoubleLabel, port,
         fmt::format(
             "input label {} of connection {}: the hop that it was taken over from does not match",
             to_string(record.input_label()), record.key.connection));
  }

  // Whether one of the two has taken over from the other, directly or through others.
  bool in_one_stack(std::uint32_t a, std::uint32_t b) const {
    const auto stands_on = [&](std::uint32_t upper, std::uint32_t lower) {
      std::uint32_t at = ledger_.below_of(upper);
      for (std::size_t left = ledger_.hops_.size(); left != 0 && at < ledger_.hops_.size();
           --left) {
        if (at == lower) return true;
        at = ledger_.below_of(at);
      }
      return false;
    };
    return stands_on(a, b) || stands_on(b, a);
  }

  // Whether the hop rightly shares its input label with another hop on the list that `noted` heads:
  // a branch of the same connection, or one that took over.
  bool shares(HopRef ref, const HopRecord& record, const LabelPlace& noted) const {
    if (noted.holder != LabelHolder::kConnection || noted.hop == ref) return false;
    std::uint32_t next = noted.hop.value();
    for (std::size_t left = ledger_.hops_.size(); left != 0 && next != Ledger::kNil; --left) {
      if (next >= ledger_.hops_.size() || !ledger_.hops_[next].alive) return false;
      const HopRecord& other = ledger_.hops_[next];
      const bool sibling = of_one_call(other, record) && one_input(other, record);
      if (!sibling) return false;
      if (next == ref.value()) return true;
      if (other.output_port == record.output_port && !in_one_stack(next, ref.value())) {
        return false;
      }
      next = other.next_on_input;
    }
    return false;
  }

  static void see(std::vector<Sighting>& seen, const LabelPool& pool, Label label,
                  LabelPlace place) {
    if (pool.contains(label)) seen.push_back({pool.index_of(label), place});
  }

  static void see_list(std::vector<Sighting>& seen, const LabelPool& pool,
                       const LabelPool::List& list, LabelPlace place) {
    Index index = list.head;
    for (std::uint64_t left = list.size; index != LabelPool::kNil && left != 0; --left) {
      seen.push_back({index, place});
      index = pool.find(index)->next;
    }
  }

  void check_labels(const Ledger::Port& port, const LabelPool& pool, std::vector<Sighting>& seen,
                    std::string_view direction) {
    see_list(seen, pool, pool.free_, {LabelHolder::kFree, {}, {}});
    see_list(seen, pool, pool.unclaimed_, {LabelHolder::kUnclaimed, {}, {}});
    for (std::size_t m = 0; m < pool.managers_.size(); ++m) {
      const ManagerIndex manager{static_cast<std::uint16_t>(m)};
      see_list(seen, pool, pool.managers_[m].cached, {LabelHolder::kCached, manager, {}});
      see_list(seen, pool, pool.managers_[m].quarantine, {LabelHolder::kQuarantine, manager, {}});
      see_list(seen, pool, pool.managers_[m].lapsed, {LabelHolder::kLapsed, manager, {}});
    }
    std::sort(seen.begin(), seen.end(),
              [](const Sighting& a, const Sighting& b) { return a.index < b.index; });

    // Both ascend: the labels seen in records and lists, and the labels that are not kUnused.
    auto next = seen.cbegin();
    const auto before = [&](Index limit) {  // seen, although the pool has them as never used
      for (; next != seen.cend() && next->index < limit; ++next) {
        find_double(port, direction, pool.label_at(next->index), *next,
                    {next->index, {LabelHolder::kUnused, {}, {}}});
      }
    };
    std::uint64_t touched = 0;
    for (std::size_t p = 0; p < pool.pages_.size(); ++p) {
      if (!pool.pages_[p]) continue;
      for (Index i = 0; i < LabelPool::kPage; ++i) {
        const auto index = static_cast<Index>(p * LabelPool::kPage + i);
        const LabelPool::Slot& slot = (*pool.pages_[p])[i];
        if (slot.holder == LabelHolder::kUnused) continue;
        ++touched;
        before(index);
        const Label label = pool.label_at(index);
        if (next == seen.cend() || next->index != index) {
          find(FindingKind::kLeakedLabel, port,
               fmt::format("{} label {} was {} and is nowhere now", direction, to_string(label),
                           words({index, pool.place_of(label)})));
          continue;
        }
        const Sighting first = *next++;
        bool twice = false;
        for (; next != seen.cend() && next->index == index; ++next) {
          find_double(port, direction, label, first, *next);
          twice = true;
        }
        const LabelPlace noted = pool.place_of(label);
        const bool agrees =
            noted.holder == first.place.holder &&
            (noted.holder != LabelHolder::kConnection || noted.hop == first.place.hop);
        if (!twice && !agrees) find_double(port, direction, label, first, {index, noted});
      }
    }
    before(LabelPool::kNil);
    if (touched != pool.touched_) {
      find(FindingKind::kLeakedLabel, port,
           fmt::format("{} {} labels are counted as used, {} are", pool.touched_, direction,
                       touched),
           1, fmt::format("used {} labels", direction));
    }
  }

  void check_accounts(const Ledger::Port& port, std::uint32_t index) {
    auto& needs = needs_[index];
    needs.resize(std::max(needs.size(), port.accounts.size()));
    Resources sum;
    for (std::size_t m = 0; m < needs.size(); ++m) {
      const Resources quota = m < port.accounts.size() ? port.accounts[m].quota : Resources{};
      const Resources hops = needs[m].hops;
      sum += {std::max(quota.cells_per_s, hops.cells_per_s),
              std::max(quota.buffer_cells, hops.buffer_cells)};
      const Ledger::Account noted = m < port.accounts.size() ? port.accounts[m] : Ledger::Account{};
      if (noted.hops != hops) {
        find_account(port, fmt::format("the hops of {}", ledger_.managers_[m].name), noted.hops,
                     hops);
      }
      if (noted.labels != needs[m].labels) {
        find(FindingKind::kLeakedLabel, port,
             fmt::format("{} labels are counted in hops of {}, it is {}", noted.labels,
                         ledger_.managers_[m].name, needs[m].labels),
             1, fmt::format("labels in hops of {}", ledger_.managers_[m].name));
      }
    }
    if (port.taken != sum) find_account(port, "connections and quotas", port.taken, sum);
    if (port.ingress_taken != ingress_[index]) {
      find_account(port, "first hops in receive direction", {port.ingress_taken, 0},
                   {ingress_[index], 0});
    }
  }

  void find_account(const Ledger::Port& port, std::string_view whose, Resources noted,
                    Resources is) {
    const std::uint64_t amount =
        std::max(noted.cells_per_s, is.cells_per_s) - std::min(noted.cells_per_s, is.cells_per_s);
    find(FindingKind::kLeakedBandwidth, port,
         fmt::format("the account says {} cells/s and {} buffer cells for {}, it is {} and {}",
                     noted.cells_per_s, noted.buffer_cells, whose, is.cells_per_s, is.buffer_cells),
         amount, fmt::format("account of {}", whose));
  }

  void find_double(const Ledger::Port& port, std::string_view direction, Label label,
                   const Sighting& one, const Sighting& other) {
    find(FindingKind::kDoubleLabel, port,
         fmt::format("{} label {} is {} and {}", direction, to_string(label), words(one),
                     words(other)),
         1, fmt::format("{} label {}", direction, to_string(label)));
  }

  std::string words(const Sighting& seen) const {
    const LabelPlace& place = seen.place;
    const auto manager = [&] { return ledger_.managers_[place.manager.value()].name; };
    switch (place.holder) {
      case LabelHolder::kUnused: return "never used";
      case LabelHolder::kFree: return "free";
      case LabelHolder::kCached: return "in the cache of " + manager();
      case LabelHolder::kQuarantine: return "in quarantine of " + manager();
      case LabelHolder::kUnclaimed: return "unclaimed";
      case LabelHolder::kLapsed: return "lapsed, of " + manager();
      case LabelHolder::kConnection: break;
    }
    if (place.hop.value() >= ledger_.hops_.size() || !ledger_.hops_[place.hop.value()].alive) {
      return "in a removed connection";
    }
    const HopRecord& record = ledger_.hop(place.hop);
    return fmt::format("in connection {} of {}", record.key.connection,
                       ledger_.managers_[record.manager.value()].name);
  }

  void find(FindingKind kind, const Ledger::Port& port, std::string text, std::uint64_t amount = 1,
            std::string about = {}) {
    findings_.push_back(
        {kind, port_element(name_, port.about.port), std::move(text), amount, std::move(about)});
  }

  const Ledger& ledger_;
  std::string_view name_;
  std::vector<Finding> findings_;
  std::vector<std::vector<Sighting>> seen_out_;  // by port
  std::vector<std::vector<Sighting>> seen_in_;   // by port
  std::vector<std::vector<Needs>> needs_;        // by port, by manager
  std::vector<std::uint64_t> ingress_;           // by port
};

std::vector<Finding> Ledger::self_check(std::string_view name) const {
  return LedgerCheck(*this, name).run();
}

}  // namespace xbind
