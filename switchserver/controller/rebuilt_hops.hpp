// Finds the entry of a switch's table that a rebuilt hop has (LedgerHop::rebuilt). Its manager
// knows such a hop from the hops beside it alone: where cells come from, where they go, or both.
//
// An entry is taken only if it is the only one that fits, and if no other hop could have it: which
// call an entry serves is not guessed. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "core/audit.hpp"
#include "core/cause.hpp"

namespace xbind {

// What fits a hop.
struct EntryFit {
  std::optional<CrossConnect> taken;  // ports and labels of the hop
  bool untold = false;                // of `taken`: the switch does not report where it leads
  // Without `taken`: kNotConnected, nothing fits; kIncomplete, `asked` entries do, or as many as
  // there are outputs that are not reported: 0; kInvalidRequest, too little is known of the hop.
  Cause cause = Cause::kNone;
  std::uint64_t asked = 0;
};

struct RebuiltHop {
  const LedgerHop* claimed;
  EntryFit fit;
};

// Whether both ports and both labels are known.
inline bool is_whole(const CrossConnect& known) {
  return known.input_port != PortId{} && known.input_label.present() &&
         known.output_port != PortId{} && known.output_label.present();
}

// Entries of a table by their inputs and outputs.
class EntryIndex {
 public:
  // `entries` ascend. They must outlive the index, and stay as they are.
  explicit EntryIndex(const std::vector<CrossConnect>& entries);

  // `is_free(entry)`: no hop claims the entry.
  template <class Free>
  EntryFit fit_for(const LedgerHop& hop, Free&& is_free) const {
    const CrossConnect& known = hop.cross_connect;
    const bool input = known.input_port != PortId{} && known.input_label.present();
    const bool output = known.output_port != PortId{} && known.output_label.present();
    if (hop.stage != HopStage::kCommitted || (!input && !output)) {
      return {{}, false, Cause::kInvalidRequest, 0};
    }
    Count count;
    const auto look = [&](const CrossConnect& entry) {
      if (fits(entry, known) && is_free(entry)) count.add(entry);
    };
    if (input) {
      std::ranges::for_each(on_input(known), look);
    } else {
      for (const CrossConnect* entry : on_output(known)) look(*entry);
      for (const CrossConnect* entry : untold(known)) look(*entry);
    }
    return judge(known, count);
  }

 private:
  struct Count {
    std::uint64_t told = 0;
    std::uint64_t untold = 0;
    const CrossConnect* last_told = nullptr;

    void add(const CrossConnect& entry) {
      if (entry.output_port == PortId{}) {
        ++untold;
      } else {
        ++told;
        last_told = &entry;
      }
    }
  };
  struct ByOutput {
    static auto key(const CrossConnect& entry) {
      return std::tie(entry.output_port, entry.output_label, entry.input_port, entry.input_label);
    }
    bool operator()(const CrossConnect* a, const CrossConnect* b) const {
      return key(*a) < key(*b);
    }
  };
  template <class Iterator>
  struct Range {
    Iterator first;
    Iterator last;
    Iterator begin() const { return first; }
    Iterator end() const { return last; }
  };
  using ByInputRange = Range<std::vector<CrossConnect>::const_iterator>;
  using ByOutputRange = Range<std::vector<const CrossConnect*>::const_iterator>;

  static bool fits(const CrossConnect& entry, const CrossConnect& known);
  static EntryFit judge(const CrossConnect& known, const Count& count);
  ByInputRange on_input(const CrossConnect& known) const;
  ByOutputRange on_output(const CrossConnect& known) const;
  ByOutputRange untold(const CrossConnect& known) const;

  const std::vector<CrossConnect>& entries_;
  std::vector<const CrossConnect*> by_output_;
};

// Two hops that only the same entry fits: which of them has it is not known. Two of one call are
// the same hop, as its neighbours on both sides know it: one of them gets it.
void refuse_contested(std::vector<RebuiltHop>& hops);

}  // namespace xbind
