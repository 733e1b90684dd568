// Do the cells of a call arrive? A check of what signalling says against what the switches do: pure,
// cells in and out are values, time and chance are handed in.
//
//   connected ──▶ chosen? ──▶ 8 cells at the caller's endpoint, on the ingress label
//                             all arrive at the called endpoint, on the egress label, in order,
//                             and nowhere else; of a bidirectional call the other way as well
//             ──▶ checked: the call may be released        (deadline: what is missing is lost)
//   released  ──▶ 4 cells on the old ingress label: none arrives
//
// Which calls: the first `calls` of a run that are connected, so that there are always so many if there
// are so many at all; and up to as many again, over the rest of the run, of calls on a *reused* label,
// one that an earlier, released call had at the same endpoint and in the same direction. The first such
// call of a run is always among them.
//
// A cell of the second kind may arrive and nobody is to blame: when the label has been given to another
// call of this run meanwhile, the cell is that call's for the network. Which calls had it is known when
// all outcomes are: so such cells are kept and judged by finish(). One is excused if it came out where a
// call of the same ingress label has its egress, and that call's life, from the sending of its request to
// the answer to its release, meets the time from the sending of the cell to its arrival. Calls of other
// clients are not known here: their labels must not meet ours.
//
// Bounds: at most `at_once` checks wait for cells at a time, the others wait their turn (and their calls
// with them); 2 x `calls` checks are remembered, kMostStrays cells to be judged later, kMostFindings
// sentences. What the run's open calls need besides grows with them.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "callgen/load/random.hpp"
#include "callgen/media/media_cells.hpp"
#include "callgen/run/call_inspector.hpp"
#include "callgen/timers.hpp"

namespace xbind::callgen {

struct MediaPlan {
  std::uint64_t calls = 100;    // to check at least; see above
  std::uint64_t run_calls = 0;  // of the whole run
  Duration deadline =
      kCallgenTimers["probe-deadline"];  // of the cells of a check, from their sending
  Duration silence = kCallgenTimers["probe-silence"];  // the run's end waits for what must not come
  std::size_t at_once = 32;
  std::uint64_t seed = 1;  // of the choice
  std::uint64_t run = 0;   // CellMark::run
};

// Cells unless another thing is said.
struct MediaFigures {
  std::uint64_t calls_wanted = 0;  // MediaPlan::calls
  std::uint64_t calls_checked = 0;
  std::uint64_t calls_failed = 0;  // of these
  std::uint64_t calls_uncheckable =
      0;  // chosen, but without a line to their ends, or a label for it
  std::uint64_t calls_on_reused_labels = 0;  // of the run
  std::uint64_t reused_checked = 0;          // calls
  std::uint64_t cells_sent = 0;              // in checks
  std::uint64_t cells_received = 0;          // of these, wherever they came out
  std::uint64_t probes_sent = 0;             // after a release
  std::uint64_t probes_excused = 0;          // arrived, on a label that was another call's by then

  // Violations.
  std::uint64_t lost = 0;          // not there by the deadline
  std::uint64_t out_of_order = 0;  // behind a later one of the same call
  std::uint64_t duplicated = 0;    // came once more at the right place
  std::uint64_t wrong_endpoint = 0;
  std::uint64_t wrong_label = 0;  // at the right endpoint
  std::uint64_t corrupted = 0;    // one of ours, and not as it was sent
  std::uint64_t after_release = 0;

  // No violations by themselves.
  std::uint64_t late = 0;     // after the deadline; has been counted as lost
  std::uint64_t foreign = 0;  // not of this run

  std::vector<std::string> findings;  // the first violations of each kind, a sentence each

  std::uint64_t violations() const {
    return lost + out_of_order + duplicated + wrong_endpoint + wrong_label + corrupted +
           after_release;
  }
};

struct CellsOut {
  std::string endpoint;
  std::vector<dataplane::Cell> cells;
};

class MediaCheck final : public CallInspector {
 public:
  static constexpr std::size_t kMostStrays = 100'000;
  static constexpr std::size_t kMostFindings = 3;  // of each kind of violation

  // `endpoints`: those that have a line; without repetition.
  MediaCheck(const MediaPlan& plan, std::vector<MediaEndpoint> endpoints);

  // --- CallInspector ---
  void offered(std::uint64_t call, Ends ends, TimePoint now) override;
  bool connected(std::uint64_t call, const Outcome& outcome, TimePoint now, bool plain) override;
  void over(std::uint64_t call, bool released, TimePoint now) override;

  // A cell came in at one of the endpoints at `now`.
  void arrived(std::string_view endpoint, const dataplane::Cell& cell, TimePoint now);

  // Everything to be sent by `now`; counts as sent at `now`.
  std::vector<CellsOut> advance(TimePoint now);
  // Calls whose check is over since the last time: Runner::inspected().
  std::vector<std::uint64_t> take_inspected();
  // When advance() has something to do next, perhaps already past; kNever when it has nothing.
  TimePoint next_deadline() const;
  // Nothing is to be sent or waited for any more, as things stand.
  bool idle(TimePoint now) const;
  // From when on silence after the last release has lasted long enough.
  TimePoint quiet_at() const { return quiet_at_; }

  // Judges what had to wait for the knowledge of all outcomes. Once, when the run is over; nothing else
  // is called afterwards.
  const MediaFigures& finish();
  const MediaFigures& figures() const { return figures_; }

 private:
  using CallIndex = std::uint64_t;
  using EndIndex = std::uint32_t;
  static constexpr EndIndex kNoEnd = UINT32_MAX;

  struct Place {  // a label at an endpoint, in one direction
    EndIndex end = kNoEnd;
    Label label;
    friend bool operator==(const Place&, const Place&) = default;
  };
  struct Way {
    Place in;   // where cells enter the network
    Place out;  // and where they leave it
  };
  struct Ways {
    std::array<Way, 2> each;
    std::uint8_t count = 0;
  };
  struct OpenCall {
    EndIndex from = kNoEnd;
    EndIndex to = kNoEnd;
    TimePoint offered;
    bool connected = false;
    Ways ways;
  };
  struct Check {
    Ways ways;
    std::array<std::uint32_t, 2> seen{};     // a bit for each cell
    std::array<std::uint32_t, 2> highest{};  // of the numbers seen
    TimePoint deadline = kNever;
    bool over = false;  // its call may be released
    bool failed = false;
    TimePoint probed = kNever;
  };
  struct Life {  // of a call, on a label that a probe was sent on
    CallIndex call = 0;
    Place out;
    TimePoint from;
    TimePoint until = kNever;
  };
  struct Watch {
    TimePoint until;  // calls offered later are of no interest
    std::vector<Life> lives;
  };
  struct Stray {
    CallIndex call = 0;
    std::uint8_t way = 0;
    Place at;
    TimePoint when;
  };
  using Key = std::uint64_t;  // of a Place as an ingress or an egress

  static Key key_of(const Place& place, bool egress);
  EndIndex end_named(std::string_view name) const;
  // The label of a cell as the endpoint's line carries it.
  Label label_at(EndIndex end, const dataplane::Cell& cell) const;
  std::string text_of(const Place& place) const;
  Ways ways_of(const OpenCall& call, const Outcome& outcome) const;
  bool checkable(const Ways& ways) const;
  bool is_reused(const Ways& ways) const;
  bool chosen(CallIndex call, bool reused);
  void hold_labels(CallIndex call, const OpenCall& open);
  void give_back_labels(CallIndex call, const OpenCall& open, bool released, TimePoint now);
  void send(CallIndex call, const Check& check, bool after_release, std::vector<CellsOut>& out);
  void watch(CallIndex call, const Check& check, TimePoint now);
  void check_arrived(CallIndex call, Check& check, const CellMark& mark, const Place& at);
  void end_check(CallIndex call, Check& check);
  void violation(Check* check, std::uint64_t& counter, CallIndex call, std::uint8_t way,
                 std::string_view what, std::uint64_t cells = 1);
  void judge(const Stray& stray);

  MediaPlan plan_;
  std::vector<MediaEndpoint> endpoints_;
  std::map<std::string, EndIndex, std::less<>> end_index_;
  RandomBits bits_;
  MediaFigures figures_;

  std::unordered_map<CallIndex, OpenCall> open_;
  std::unordered_multimap<Key, CallIndex> holders_;  // connected calls by the labels they enter on
  std::unordered_set<Key> had_;                      // by released calls
  std::uint64_t plain_calls_ = 0;                    // connected
  std::uint64_t other_calls_ = 0;                    // connected, and not to be looked into
  std::uint64_t chosen_first_ = 0;
  std::uint64_t chosen_later_ = 0;

  std::unordered_map<CallIndex, Check> checks_;  // of the whole run
  std::deque<CallIndex> waiting_;                // for their turn
  std::deque<CallIndex> under_way_;              // the earliest deadline first; may be over already
  std::size_t under_way_count_ = 0;
  std::vector<CallIndex> inspected_;
  std::deque<CallIndex> to_probe_;
  TimePoint quiet_at_{};

  std::unordered_map<Key, Watch> watched_;
  std::vector<Stray> strays_;
  std::map<const std::uint64_t*, std::size_t> told_;  // findings by the counter of their kind
};

}  // namespace xbind::callgen
