// One connection and its hops as the manager keeps them: plain data.
//
// A connection's hops form a tree: every hop but those at the first switch has a hop upstream, whose
// output label is its input label. Leg 0 is the caller's direction; leg 1 the other direction of a
// bidirectional connection (a chain of its own); every leaf that was added has a leg from 2, whose
// first hop is a branch: it has the same upstream hop and the same input label as its siblings.
//
// While a leaf is being added or dropped, its hops are in a Connection of their own, the party, which
// goes through the states of call_fsm.hpp; then they are joined to the tree, or are no more. At most
// one at a time.
//
// The party of a connection that gets another path (path_change.hpp) has the hops that are new until they
// carry the connection; then these are the connection's, and the party has the old ones, to be removed.
#pragma once

#include <algorithm>
#include <array>
#include <boost/container/small_vector.hpp>
#include <boost/intrusive/list_hook.hpp>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cmgr/call_ends.hpp"
#include "cmgr/call_fsm.hpp"
#include "cmgr/indices.hpp"
#include "core/call.hpp"
#include "core/clock.hpp"
#include "core/hop.hpp"
#include "core/path.hpp"

namespace xbind::cmgr {

// More than any network of ours is wide; a longer path is a mistake of RouteObject.
inline constexpr std::size_t kHopsPerPath = 256;

enum class HopState : std::uint8_t {
  kIdle,       // nothing has been said to the switch
  kReserving,  // phase one is on its way
  kReserved,
  kCommitting,  // phase two is on its way
  kCommitted,
  kChanging,  // another contract is on its way
  kRefused,   // the switch said no; nothing of it is left there
  kRemoving,  // the removal is on its way
  kRemoved,
  kNotRemoved,  // nobody to tell, or the switch cannot be reached: the removal will be owed
};

// What a hop is to be told; in the engines that do one invocation after another it waits for that.
enum class Errand : std::uint8_t { kNone, kReserve, kCommit, kModify, kRemove };

// A label in five octets: most of what a manager remembers is hops.
class HopLabel {
 public:
  HopLabel() = default;
  HopLabel(Label label) : kind_(label.kind) {  // NOLINT(google-explicit-constructor): it is a Label
    std::memcpy(value_.data(), &label.value, value_.size());
  }
  operator Label() const {  // NOLINT(google-explicit-constructor): likewise
    Label label{kind_, 0};
    std::memcpy(&label.value, value_.data(), value_.size());
    return label;
  }
  bool present() const { return kind_ != LabelKind::kNone; }

 private:
  std::array<std::uint8_t, sizeof(std::uint32_t)> value_{};
  LabelKind kind_ = LabelKind::kNone;
};

struct Hop {
  static constexpr std::int16_t kNoHop = -1;

  PortId input_port;
  PortId output_port;
  std::uint32_t attachment = 0;  // of the switch when the path was chosen (SwitchDesk::attachment)
  std::uint32_t generation = 1;
  SwitchIndex at;
  std::uint16_t leg = 0;
  std::int16_t upstream = kNoHop;  // index in the same list of hops
  // Of a party's hop, indices in the connection's list: the hop whose output label is this one's input
  // label, and the hop that owns this one's output label.
  std::int16_t outer = kNoHop;
  std::int16_t borrows = kNoHop;
  std::uint16_t labels_asked = 0;    // replacements asked for with the command under way
  HopLabel input_label;              // known before the commit, but for the first hop
  HopLabel output_label;             // known before the commit, but for the last hop
  std::uint8_t number = 0;           // in the leg, when it was set up
  std::uint8_t last_number = 0;      // of the leg's hops, likewise
  std::uint8_t answers_to_skip = 0;  // to changes that a later one has overtaken
  HopState state = HopState::kIdle;
  Errand errand = Errand::kNone;
  bool branch : 1 = false;
  bool takes_over : 1 = false;     // of a party: core/hop.hpp
  bool joins : 1 = false;          // likewise; the last hop of a path does not borrow for that
  bool reserved : 1 = false;       // phase one was used: until removed, a reservation may be there
  bool in_quarantine : 1 = false;  // the SwitchServer has said that output_label rests there
  bool behind : 1 = false;         // a contract was owed when it was told the one under way
  bool changed : 1 = false;        // has confirmed the contract of the change under way
  bool booked : 1 = false;         // counts in the quota cache

  // The hop of that number of a leg of so many: 1..kHopsPerPath.
  void place(std::size_t at_number, std::size_t hops) {
    number = static_cast<std::uint8_t>(at_number);
    last_number = static_cast<std::uint8_t>(hops - 1);
  }
  std::uint16_t count() const { return static_cast<std::uint16_t>(last_number + 1); }
  bool last() const { return number == last_number; }
  // Its removal was asked for, and nobody has confirmed it.
  bool owes_removal() const {
    return state == HopState::kRemoving || state == HopState::kNotRemoved;
  }
};
static_assert(sizeof(Hop) == 44 && kHopsPerPath <= 256);

// Most calls are in one direction over a few switches: their hops are part of the connection.
using Hops = boost::container::small_vector<Hop, 3>;

// Why the call ended as it did; the first refusal counts.
struct Refusal {
  Cause cause = Cause::kNone;
  std::string element;
  std::uint64_t asked = 0;
  std::uint64_t free = 0;
  std::string reason{};  // the rule that was broken, or empty
};

// Whom to answer.
struct Asker {
  ClientIndex client;
  RequestId request;
};

// Somebody to answer, or nobody.
class OptionalAsker {
 public:
  OptionalAsker() = default;
  OptionalAsker(const Asker& asker) : asker_(asker) {}  // NOLINT(google-explicit-constructor)

  explicit operator bool() const { return has_value(); }
  bool has_value() const { return asker_.client != kNoClient; }
  const Asker& operator*() const { return asker_; }
  const Asker* operator->() const { return &asker_; }
  Asker value_or(const Asker& other) const { return has_value() ? asker_ : other; }
  void reset() { *this = {}; }

 private:
  Asker asker_{kNoClient, {}};
};

// What both directions take, and what the switches are told of each. The reverse ones are nought for a
// connection in one direction.
struct Contract {
  Resources forward;
  Resources reverse;
  TrafficContract traffic{};
  TrafficContract reverse_traffic{};

  const Resources& of_leg(std::uint16_t leg) const { return leg == 1 ? reverse : forward; }
  const TrafficContract& traffic_of_leg(std::uint16_t leg) const {
    return leg == 1 ? reverse_traffic : traffic;
  }
  friend bool operator==(const Contract&, const Contract&) = default;
};

// A destination beyond the first.
struct Leaf {
  std::string end;
  std::uint16_t leg = 0;  // whose last hop leads to it
};

struct Connection;
struct OwedLabel;  // switch_desk.hpp

// Another path, under way (connection_manager_reroute.cpp).
struct Reroute {
  // The new path's hops, one leg after the other: an index in the connection's list, or ~(an index in the
  // party's).
  std::vector<std::int16_t> path;
  std::string left;       // what the connection is to leave: "switch-1 port 2"
  bool old_down = false;  // and that is down
  // While it is undone: the hops that have taken over go first, so that cells are led back to the old
  // path before the new one goes.
  bool leading_back = false;
  bool led_back = false;
  bool turn_left = false;  // it counts no more among those at once: it waits for a switch
  bool gone_over = false;  // the party has the old hops
  std::uint64_t topology_version = 0;  // when it was begun
};

// What only some connections need.
struct ConnectionExtras {
  // What its other direction takes, and what the switches are told of it.
  Resources reverse;
  TrafficContract reverse_traffic{};
  OptionalAsker changer;  // of a modify, or of the commit of a hold
  Refusal refusal;
  Contract target;                   // of the modify under way
  Refusal change_refusal;            // why it is being taken back
  std::uint32_t revision = 0;        // of the last contract that hops were told
  Duration hold = Duration::zero();  // above zero: a hold, for so long
  TimePoint held_until = kNever;
  bool try_next = false;           // once undone, another route is looked for
  std::uint32_t tries = 0;         // routes given up so far
  std::vector<SwitchIndex> owing;  // where removals of theirs were owed when they were given up
  std::vector<PathElement> avoid;  // what refused
  std::vector<Leaf> leaves;
  bool first_end_dropped = false;  // ends->to is a destination no more
  std::uint16_t next_leg = 2;
  std::unique_ptr<Connection> party;
  std::unique_ptr<Reroute> reroute;   // of a party: what it is for; else it is a leaf's
  std::uint32_t reroutes = 0;         // other paths it has had
  std::optional<std::string> broken;  // what is down on its path, and no other could be had
  bool in_doubt = false;              // ... and that is not known to be down, but unknown
  // Labels of the tree's hops that the debts of dropped leaves, or of an old path, hold as well.
  std::vector<std::shared_ptr<OwedLabel>> lent;
  std::uint32_t pool = 0;  // of connections prepared in advance, from 1
  // What clients call one that was prepared, while it is theirs: each taking has a name of its own, so
  // that a late word of an earlier owner meets nobody. 0: its own id.
  ConnectionId alias;
};

struct Connection
    : boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
  ConnectionId id;
  Connection* root = nullptr;  // of a party: the connection whose leaf or other path it is
  std::unique_ptr<ConnectionExtras> extras;
  TimesIndex times = kNotTimed;  // of the setup or release under way
  std::uint32_t generation = 1;  // of the path
  std::uint16_t pending = 0;     // answers still expected in this state
  State state = State::kRouting;
  bool both : 1 = false;     // bidirectional
  bool invoked : 1 = false;  // a two-way invocation for it or its party is on its way
  Hops hops;
  CallEndsRef ends;
  TimePoint deadline = kNever;  // of the state's timer
  OptionalAsker asker;          // of the setup; nobody: the manager itself, in advance
  OptionalAsker releaser;       // of the release under way

  // What the connection has: of a change under way see ConnectionExtras::target.
  Contract contract() const {
    Contract whole{forward_, {}, forward_traffic_, {}};
    if (extras) {
      whole.reverse = extras->reverse;
      whole.reverse_traffic = extras->reverse_traffic;
    }
    return whole;
  }
  void set_contract(const Contract& whole) {
    forward_ = whole.forward;
    forward_traffic_ = whole.traffic;
    if (!extras && whole.reverse == Resources{} && whole.reverse_traffic == TrafficContract{})
      return;
    more().reverse = whole.reverse;
    more().reverse_traffic = whole.reverse_traffic;
  }
  Resources demand_of_leg(std::uint16_t leg) const {
    if (leg != 1) return forward_;
    return extras ? extras->reverse : Resources{};
  }
  TrafficContract traffic_of_leg(std::uint16_t leg) const {
    if (leg != 1) return forward_traffic_;
    return extras ? extras->reverse_traffic : TrafficContract{};
  }
  // The most that a link on its path must have free, cells/s.
  std::uint64_t most_cells_per_s() const {
    return std::max(forward_.cells_per_s, demand_of_leg(1).cells_per_s);
  }

  ConnectionExtras& more() {
    if (!extras) extras = std::make_unique<ConnectionExtras>();
    return *extras;
  }
  // Why the call ends as it does.
  const Refusal& refusal() const {
    static const Refusal kNone;
    return extras ? extras->refusal : kNone;
  }
  void refuse(Refusal why) { more().refusal = std::move(why); }
  // As clients know it.
  ConnectionId shown_id() const {
    const Connection& call = root != nullptr ? *root : *this;
    return call.extras && call.extras->alias.value() != 0 ? call.extras->alias : call.id;
  }
  bool held() const { return extras && extras->hold > Duration::zero(); }
  Connection* party() const { return extras ? extras->party.get() : nullptr; }
  Reroute* reroute() const { return extras ? extras->reroute.get() : nullptr; }

 private:
  Resources forward_;
  TrafficContract forward_traffic_{};
};

}  // namespace xbind::cmgr
