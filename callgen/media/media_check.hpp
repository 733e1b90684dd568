// Checks whether the cells of calls arrive: compares the outcomes of signalling with the behaviour
// of the switches. Pure: cells are values, time and randomness are passed in.
//
//  connected ──▶ chosen? ──▶ 8 cells at the caller's endpoint, on the ingress label
//                            all arrive at the called endpoint, on the egress label, in order,
//                            and nowhere else; a bidirectional call: the reverse way as well
//            ──▶ checked: the call may be released   (deadline: missing cells are lost)
//  released  ──▶ 4 cells on the old ingress label: none arrives
//
// Checked calls are the first `calls` calls of a run that connect. In addition up to as many calls
// of the rest of the run are checked on a *reused* label: one that an earlier, released call had at
// the same endpoint in the same direction. The first such call of a run is always checked.
//
// With `at_stop` no call is checked when it connects. Instead every call that is up when the run is
// stopped is checked before its release: the calls that stand must carry cells, whatever happened
// since they were connected.
//
// A cell sent after a release may arrive without any fault: if another call of this run has got the
// label since, the network treats the cell as that call's. The holders of a label are known only
// when all outcomes are, so such cells are stored and judged by finish(). A cell is excused if it
// came out at the egress of a call with the same ingress label. The life of that call, from sending
// its request to the answer to its release, must overlap the time from sending the cell to its
// arrival. Calls of other clients are not known here, so their labels must not coincide with ours.
//
// Bounds: at most `at_once` checks wait for cells at a time; other checks, and their calls, wait
// their turn. 2 x `calls` checks, kMostStrays cells to be judged later, kMostFindings sentences
// and kMostFailedCalls numbers are stored. Memory for the open calls of the run comes on top.
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
  std::uint64_t calls = 100;    // minimum number to check; see above. Not with `at_stop`
  bool at_stop = false;         // check the calls that are up when the run is stopped
  std::uint64_t run_calls = 0;  // calls of the whole run
  // for the cells of a check, from their sending
  Duration deadline = kCallgenTimers["probe-deadline"];
  // at the end of the run, the wait for cells that must not come
  Duration silence = kCallgenTimers["probe-silence"];
  std::size_t at_once = 32;
  std::uint64_t seed = 1;  // for the choice of calls
  std::uint64_t run = 0;   // CellMark::run
};

// Counts of cells, unless stated otherwise.
struct MediaFigures {
  std::uint64_t calls_wanted = 0;  // MediaPlan::calls, or the calls that were up at the stop
  std::uint64_t calls_checked = 0;
  std::uint64_t calls_failed = 0;  // of the checked calls
  // The numbers of these, as in --records; at most MediaCheck::kMostFailedCalls.
  std::vector<std::uint64_t> failed_calls;
  // chosen, but without a line at their ends or a label for it
  std::uint64_t calls_uncheckable = 0;
  std::uint64_t calls_on_reused_labels = 0;  // in the whole run
  std::uint64_t reused_checked = 0;          // calls
  std::uint64_t cells_sent = 0;              // in checks
  std::uint64_t cells_received = 0;          // of these, at any place
  std::uint64_t probes_sent = 0;             // after a release
  std::uint64_t probes_excused = 0;          // arrived on a label that another call had by then

  // Violations.
  std::uint64_t lost = 0;          // not arrived by the deadline
  std::uint64_t out_of_order = 0;  // after a later cell of the same call
  std::uint64_t duplicated = 0;    // arrived again at the right place
  std::uint64_t wrong_endpoint = 0;
  std::uint64_t wrong_label = 0;  // at the right endpoint
  std::uint64_t corrupted = 0;    // sent by this run, but changed
  std::uint64_t after_release = 0;

  // Not violations by themselves.
  std::uint64_t late = 0;     // arrived after the deadline and counted as lost
  std::uint64_t foreign = 0;  // not sent by this run

  std::vector<std::string> findings;  // the first violations of each kind, one sentence each

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
  static constexpr std::size_t kMostFailedCalls = 10'000;

  // `endpoints`: those with a line, each once.
  MediaCheck(const MediaPlan& plan, std::vector<MediaEndpoint> endpoints);

  // --- CallInspector ---
  void offered(std::uint64_t call, Ends ends, TimePoint now) override;
  bool connected(std::uint64_t call, const Outcome& outcome, TimePoint now, bool plain) override;
  bool stopped(std::uint64_t call) override;
  void over(std::uint64_t call, bool released, TimePoint now) override;

  // A cell arrived at one of the endpoints at `now`.
  void arrived(std::string_view endpoint, const dataplane::Cell& cell, TimePoint now);

  // Everything to be sent by `now`; its sending time is `now`.
  std::vector<CellsOut> advance(TimePoint now);
  // Calls whose check has ended since the last call; pass them to Runner::inspected().
  std::vector<std::uint64_t> take_inspected();
  // When advance() has something to do next, possibly in the past; kNever when it has nothing.
  TimePoint next_deadline() const;
  // Whether nothing is to be sent or waited for at present.
  bool idle(TimePoint now) const;
  // The time at which the silence after the last release is long enough.
  TimePoint quiet_at() const { return quiet_at_; }

  // Judges the stored cells once all outcomes are known. Call once, when the run is over; nothing
  // else may be called afterwards.
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
    bool reused = false;  // it has a label that a released call had
    Ways ways;
  };
  struct Check {
    Ways ways;
    std::array<std::uint32_t, 2> seen{};     // one bit for each cell
    std::array<std::uint32_t, 2> highest{};  // greatest number seen
    TimePoint deadline = kNever;
    bool over = false;  // the call may be released
    bool failed = false;
    TimePoint probed = kNever;
  };
  struct Life {  // of a call on a label that a probe was sent on
    CallIndex call = 0;
    Place out;
    TimePoint from;
    TimePoint until = kNever;
  };
  struct Watch {
    TimePoint until;  // calls offered later are ignored
    std::vector<Life> lives;
  };
  struct Stray {
    CallIndex call = 0;
    std::uint8_t way = 0;
    Place at;
    TimePoint when;
  };
  using Key = std::uint64_t;  // of a Place, as ingress or as egress

  static Key key_of(const Place& place, bool egress);
  EndIndex end_named(std::string_view name) const;
  // The label of a cell in the form that the endpoint's line carries.
  Label label_at(EndIndex end, const dataplane::Cell& cell) const;
  std::string text_of(const Place& place) const;
  Ways ways_of(const OpenCall& call, const Outcome& outcome) const;
  bool checkable(const Ways& ways) const;
  bool is_reused(const Ways& ways) const;
  bool chosen(CallIndex call, bool reused);
  bool begin_check(CallIndex call, const OpenCall& open);
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
  std::unordered_multimap<Key, CallIndex> holders_;  // connected calls by their ingress labels
  std::unordered_set<Key> had_;                      // labels of released calls
  std::uint64_t plain_calls_ = 0;                    // connected
  std::uint64_t other_calls_ = 0;                    // connected, but not to be checked
  std::uint64_t chosen_first_ = 0;
  std::uint64_t chosen_later_ = 0;

  std::unordered_map<CallIndex, Check> checks_;  // of the whole run
  std::deque<CallIndex> waiting_;                // waiting for their turn
  std::deque<CallIndex> under_way_;              // earliest deadline first; may be over already
  std::size_t under_way_count_ = 0;
  std::vector<CallIndex> inspected_;
  std::deque<CallIndex> to_probe_;
  TimePoint quiet_at_{};

  std::unordered_map<Key, Watch> watched_;
  std::vector<Stray> strays_;
  // findings so far, by the counter of their kind
  std::map<const std::uint64_t*, std::size_t> findings_;
};

}  // namespace xbind::callgen
