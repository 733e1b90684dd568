// One connection as the manager stores it. The state of a change under way belongs to its procedure
// (procedures/).
//
// The members that a journal must record are private; only ConnectionTable, the one friend, changes
// them. The others hold what the manager is doing or has observed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cmgr/parts/call_ends.hpp"
#include "cmgr/parts/call_state.hpp"
#include "cmgr/parts/contract.hpp"
#include "cmgr/parts/hop_tree.hpp"
#include "cmgr/parts/refusal.hpp"
#include "core/clock.hpp"
#include "core/ids.hpp"
#include "traffic/admission.hpp"

namespace xbind::cmgr {

class Procedure;   // procedures/procedure.hpp
struct OwedLabel;  // switch_desk.hpp

// Labels that debts hold as well as a hop: of dropped leaves, or of an old path.
using DebtLabels = std::vector<std::shared_ptr<OwedLabel>>;

// Deletes a procedure; defined where Procedure is a complete type.
struct EndProcedure {
  void operator()(Procedure* procedure) const;
};
using ProcedurePtr = std::unique_ptr<Procedure, EndProcedure>;

// A destination beyond the first.
struct Leaf {
  std::string end;
  std::uint16_t leg = 0;  // the last hop of this leg leads to `end`

  friend bool operator==(const Leaf&, const Leaf&) = default;
};

// How far the connection has progressed.
enum class Stage : std::uint8_t { kBegun, kHeld, kUp, kReleasing };

struct Connection {
 public:
  ConnectionId id;
  ProcedurePtr procedure;  // under way; at most one
  bool invoked = false;    // a two-way invocation for one of its hops is under way
  bool traced = false;     // what happens to it is recorded (call_traces.hpp)
  // Second of the time line in which it was connected, plus one; 0: not, or not by this process.
  std::uint32_t up_since_s = 0;
  CallEndsRef ends;

  // --- changed through ConnectionTable only
  Stage stage() const { return stage_; }
  // The state that operators see.
  State state() const;
  bool rests() const { return stage_ == Stage::kUp && procedure == nullptr; }
  // Whether a leaf or another path of it is being set up or removed.
  bool is_changing() const;
  bool both() const { return both_; }  // bidirectional
  // The client that owns it. None: the manager itself, for a connection prepared in advance.
  const OptionalAsker& asker() const { return asker_; }
  Hops& hops() { return hops_; }
  const Hops& hops() const { return hops_; }
  std::uint32_t generation() const { return generation_; }  // of the path
  // Of the last contract that hops were sent.
  std::uint32_t revision() const { return standing_ ? standing_->revision : 0; }
  // The id that clients know. Each time a client takes a prepared connection it gets a new alias,
  // so that a late request of an earlier owner does not reach the new owner's call.
  ConnectionId shown_id() const {
    return standing_ && standing_->alias.value() != 0 ? standing_->alias : id;
  }
  // The pool of a connection prepared in advance, from 1; 0: none.
  std::uint32_t pool() const { return standing_ ? standing_->pool : 0; }
  const std::vector<Leaf>& leaves() const {
    static const std::vector<Leaf> kNone;
    return standing_ ? standing_->leaves : kNone;
  }
  // ends->to is no longer a destination.
  bool first_end_dropped() const { return standing_ && standing_->first_end_dropped; }
  // The same as up_since_s, of the last change of contract, leaves or path; 0: none.
  std::uint32_t changed_s() const { return standing_ ? standing_->changed_s : 0; }
  void changed(TimePoint now) { more().changed_s = second_of(now); }
  // How often the connection has moved to another path.
  std::uint32_t reroutes() const { return standing_ ? standing_->reroutes : 0; }

  // The contract in force; for a change under way see procedures/modify.hpp.
  Contract contract() const {
    Contract whole{forward_, {}, forward_traffic_, {}};
    if (standing_) {
      whole.reverse = standing_->reverse;
      whole.reverse_traffic = standing_->reverse_traffic;
    }
    return whole;
  }
  Resources demand_of_leg(std::uint16_t leg) const {
    if (leg != 1) return forward_;
    return standing_ ? standing_->reverse : Resources{};
  }
  TrafficContract traffic_of_leg(std::uint16_t leg) const {
    if (leg != 1) return forward_traffic_;
    return standing_ ? standing_->reverse_traffic : TrafficContract{};
  }
  // The rate that every link of its path must be able to promise, whatever its switch charges,
  // cells/s.
  std::uint64_t route_cells_per_s() const {
    return std::max(least_cells_per_s(forward_, forward_traffic_),
                    least_cells_per_s(demand_of_leg(1), traffic_of_leg(1)));
  }

  static std::uint32_t second_of(TimePoint now) {
    const auto since = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch());
    return static_cast<std::uint32_t>(since.count() + 1);
  }

  // --- observations, which few connections have
  struct Observed {
    // The element that is down on its path while there is no other path; empty: none.
    std::string broken;
    bool in_doubt = false;  // `broken` is not known to be down, but unknown
    DebtLabels debt_labels;
    std::weak_ptr<const void> led_back;  // what its later removals wait for (removal_order.hpp)
  };
  Observed& note() {
    if (!observed_) observed_ = std::make_unique<Observed>();
    return *observed_;
  }
  // Every path that is laid for a setup is to have these labels at its ends (HopTree::want_ends).
  // No journal needs them: a path that is held or connected has them.
  void want_ends(Label from, Label to) {
    more().wanted_from = from;
    more().wanted_to = to;
  }
  DebtLabels* debt_labels() { return observed_ ? &observed_->debt_labels : nullptr; }
  const Observed& observed() const {
    static const Observed kNothing;
    return observed_ ? *observed_ : kNothing;
  }

 private:
  friend class ConnectionTable;
  // Members that only some connections need.
  struct Standing {
    // resources of the reverse direction; reverse_traffic is its contract for the switches
    Resources reverse;
    TrafficContract reverse_traffic{};
    std::uint32_t revision = 0;
    std::vector<Leaf> leaves;
    bool first_end_dropped = false;
    std::uint16_t next_leg = 2;
    std::uint32_t reroutes = 0;
    std::uint32_t changed_s = 0;
    std::uint32_t pool = 0;
    ConnectionId alias;  // 0: none
    Label wanted_from;   // want_ends()
    Label wanted_to;
  };
  Standing& more() {
    if (!standing_) standing_ = std::make_unique<Standing>();
    return *standing_;
  }
  void set_contract(const Contract& whole) {
    forward_ = whole.forward;
    forward_traffic_ = whole.traffic;
    const bool one_way = whole.reverse == Resources{} && whole.reverse_traffic == TrafficContract{};
    if (!standing_ && one_way) return;
    more().reverse = whole.reverse;
    more().reverse_traffic = whole.reverse_traffic;
  }

  OptionalAsker asker_;
  Resources forward_;
  TrafficContract forward_traffic_{};
  std::uint32_t generation_ = 1;
  Stage stage_ = Stage::kBegun;
  bool both_ = false;
  HopTree hops_;
  std::unique_ptr<Standing> standing_;
  std::unique_ptr<Observed> observed_;
};

inline HopKey key_of(const Connection& connection, const Hop& hop) {
  return {connection.id, Generation{hop.generation}, hop.leg, hop.number};
}

}  // namespace xbind::cmgr
