#include "switchserver/ledger/self_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "switchserver/ledger/holdings.hpp"

namespace xbind {

// Checks the ledger's lists, slots and records against one another; trusts none of them alone.
class LedgerCheck {
 public:
  LedgerCheck(const LedgerParts& parts, std::string_view name) : parts_(parts), name_(name) {}

  std::vector<Finding> run() {
    collect_hops();
    for (std::size_t i = 0; i < parts_.numbers.size(); ++i) {
      const PortIndex port{static_cast<PortIndex::rep>(i)};
      check_labels(port, parts_.labels.output(port), seen_out_[i], "output");
      check_labels(port, parts_.labels.input(port), seen_in_[i], "input");
      check_accounts(port);
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
    const std::size_t ports = parts_.numbers.size();
    seen_out_.resize(ports);
    seen_in_.resize(ports);
    needs_.resize(ports);
    ingress_.resize(ports);
    parts_.hops.for_each([&](HopRef ref, const HopRecord& record) {
      const std::uint32_t out = record.output_port().value();
      const std::uint32_t in = record.input_port().value();
      const Label output = record.output_label();
      const Label input = record.input_label();
      const LabelPlace place{LabelHolder::kConnection, record.manager, ref};
      const LabelPool& outputs = parts_.labels.output(record.output_port());
      const bool joined = outputs.contains(output) && joins(ref, record, outputs.place_of(output));
      if (!joined) {
        see(seen_out_[out], outputs, output, place);
        check_group(ref, record);
      }
      check_stack(ref, record);
      const LabelPool& inputs = parts_.labels.input(record.input_port());
      if (input.present() && inputs.contains(input) &&
          !shares(ref, record, inputs.place_of(input))) {
        see(seen_in_[in], inputs, input, place);
      }
      auto& needs = needs_[out];
      if (record.manager.value() >= needs.size()) needs.resize(record.manager.value() + 1U);
      needs[record.manager.value()].hops += record.charge;
      if (!record.last() && !joined) ++needs[record.manager.value()].labels;
      ingress_[in] += parts_.extras.ingress(ref).value_or(0);
    });
  }

  static bool of_one_call(const HopRecord& a, const HopRecord& b) {
    return a.manager == b.manager && a.key.connection == b.key.connection;
  }

  static bool one_input(const HopRecord& a, const HopRecord& b) {
    return a.input_port() == b.input_port() && a.input_label() == b.input_label();
  }

  // Whether the hop rightly shares its output label with other hops on the list that `noted` heads:
  // all of one leg, from different inputs.
  bool joins(HopRef ref, const HopRecord& record, const LabelPlace& noted) const {
    if (noted.holder != LabelHolder::kConnection || noted.hop == ref) return false;
    std::uint32_t next = noted.hop.value();
    for (std::size_t left = parts_.hops.places(); left != 0 && next != HopRecord::kNil; --left) {
      if (next >= parts_.hops.places() || !parts_.hops[next].alive) return false;
      if (next == ref.value()) return true;
      const HopRecord& other = parts_.hops[next];
      if (!of_one_call(other, record) || other.key.leg != record.key.leg ||
          other.output_port() != record.output_port() ||
          other.output_label() != record.output_label() || one_input(other, record)) {
        return false;
      }
      next = other.next_on_output();
    }
    return false;
  }

  // The amount charged for the hops on one output label must be what they need.
  void check_group(HopRef head, const HopRecord& record) {
    const OutputGroup group = group_of(parts_, head.value());
    if (group.needs == group.charged) return;
    find_account(record.output_port(), fmt::format("connection {}", record.key.connection),
                 group.charged, group.needs);
  }

  // A hop that takes over shares the input of the hop below, which has an earlier generation; the
  // two refer to each other.
  void check_stack(HopRef ref, const HopRecord& record) {
    const std::uint32_t at = parts_.stacks.below_of(ref.value());
    if (at == HopRecord::kNil) return;
    const HopRecord* below = at < parts_.hops.places() ? &parts_.hops[at] : nullptr;
    const bool right = below != nullptr && below->alive &&
                       parts_.stacks.above_of(at) == ref.value() && of_one_call(*below, record) &&
                       below->key.leg == record.key.leg &&
                       below->key.generation < record.key.generation && one_input(*below, record);
    if (right) return;
    find(FindingKind::kDoubleLabel, record.input_port(),
         fmt::format(
             "input label {} of connection {}: the hop that it was taken over from does not match",
             to_string(record.input_label()), record.key.connection));
  }

  // Whether one of the two has taken over from the other, directly or through others.
  bool in_one_stack(std::uint32_t a, std::uint32_t b) const {
    const auto stands_on = [&](std::uint32_t upper, std::uint32_t lower) {
      std::uint32_t at = parts_.stacks.below_of(upper);
      for (std::size_t left = parts_.hops.places(); left != 0 && at < parts_.hops.places();
           --left) {
        if (at == lower) return true;
        at = parts_.stacks.below_of(at);
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
    for (std::size_t left = parts_.hops.places(); left != 0 && next != HopRecord::kNil; --left) {
      if (next >= parts_.hops.places() || !parts_.hops[next].alive) return false;
      const HopRecord& other = parts_.hops[next];
      const bool sibling = of_one_call(other, record) && one_input(other, record);
      if (!sibling) return false;
      if (next == ref.value()) return true;
      if (other.output_port() == record.output_port() && !in_one_stack(next, ref.value())) {
        return false;
      }
      next = other.next_on_input();
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

  void check_labels(PortIndex port, const LabelPool& pool, std::vector<Sighting>& seen,
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

  void check_accounts(PortIndex port) {
    auto& needs = needs_[port.value()];
    needs.resize(std::max(needs.size(), parts_.managers.size()));
    const PortUsage usage = parts_.ports.usage(port);
    Resources sum;
    for (std::size_t m = 0; m < needs.size(); ++m) {
      const ManagerIndex manager{static_cast<std::uint16_t>(m)};
      const Resources hops = needs[m].hops;
      sum += greater(parts_.ports.quota(manager, port), hops);
      const std::string& name = parts_.managers.name(manager);
      if (const Resources noted = parts_.ports.hops(manager, port); noted != hops) {
        find_account(port, fmt::format("the hops of {}", name), noted, hops);
      }
      if (const std::uint64_t noted = parts_.labels.in_calls(manager, port);
          noted != needs[m].labels) {
        find(FindingKind::kLeakedLabel, port,
             fmt::format("{} labels are counted in hops of {}, it is {}", noted, name,
                         needs[m].labels),
             1, fmt::format("labels in hops of {}", name));
      }
    }
    if (usage.taken != sum) find_account(port, "connections and quotas", usage.taken, sum);
    const std::uint64_t ingress = ingress_[port.value()];
    if (usage.ingress_cells_per_s != ingress) {
      find_account(port, "first hops in receive direction", {usage.ingress_cells_per_s, 0},
                   {ingress, 0});
    }
  }

  void find_account(PortIndex port, std::string_view whose, Resources noted, Resources is) {
    const std::uint64_t amount =
        std::max(noted.cells_per_s, is.cells_per_s) - std::min(noted.cells_per_s, is.cells_per_s);
    find(FindingKind::kLeakedBandwidth, port,
         fmt::format("the account says {} cells/s and {} buffer cells for {}, it is {} and {}",
                     noted.cells_per_s, noted.buffer_cells, whose, is.cells_per_s, is.buffer_cells),
         amount, fmt::format("account of {}", whose));
  }

  void find_double(PortIndex port, std::string_view direction, Label label, const Sighting& one,
                   const Sighting& other) {
    find(FindingKind::kDoubleLabel, port,
         fmt::format("{} label {} is {} and {}", direction, to_string(label), words(one),
                     words(other)),
         1, fmt::format("{} label {}", direction, to_string(label)));
  }

  std::string words(const Sighting& seen) const {
    const LabelPlace& place = seen.place;
    const auto manager = [&] { return parts_.managers.name(place.manager); };
    switch (place.holder) {
      case LabelHolder::kUnused: return "never used";
      case LabelHolder::kFree: return "free";
      case LabelHolder::kCached: return "in the cache of " + manager();
      case LabelHolder::kQuarantine: return "in quarantine of " + manager();
      case LabelHolder::kUnclaimed: return "unclaimed";
      case LabelHolder::kLapsed: return "lapsed, of " + manager();
      case LabelHolder::kConnection: break;
    }
    if (!parts_.hops.is_there(place.hop)) {
      return "in a removed connection";
    }
    const HopRecord& record = parts_.hops.hop(place.hop);
    return fmt::format("in connection {} of {}", record.key.connection,
                       parts_.managers.name(record.manager));
  }

  void find(FindingKind kind, PortIndex port, std::string text, std::uint64_t amount = 1,
            std::string about = {}) {
    findings_.push_back({kind, port_element(name_, parts_.numbers.id(port)), std::move(text),
                         amount, std::move(about)});
  }

  const LedgerParts& parts_;
  std::string_view name_;
  std::vector<Finding> findings_;
  std::vector<std::vector<Sighting>> seen_out_;  // by port
  std::vector<std::vector<Sighting>> seen_in_;   // by port
  std::vector<std::vector<Needs>> needs_;        // by port, by manager
  std::vector<std::uint64_t> ingress_;           // by port
};

std::vector<Finding> self_check(const LedgerParts& parts, std::string_view name) {
  return LedgerCheck(parts, name).run();
}

}  // namespace xbind
