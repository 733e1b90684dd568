// The hops of one connection as a tree, and what the manager knows of each hop: plain data with named
// operations.
//
// Every hop but those at the first switch has a hop upstream, whose output label is its input label. Leg 0
// is the caller's direction; leg 1 the other direction of a bidirectional connection (a chain of its own);
// every leaf that was added has a leg from 2, whose first hop is a branch: it has the same upstream hop and
// the same input label as its siblings.
//
// A procedure that adds hops to a connection that is up (a leaf, another path) has them in a tree of its
// own, a scion, until they are grafted on the connection's tree, the stock. A scion's hop refers to hops of
// the stock in two ways, and only in these: the stock's hop upstream of it, and the stock's hop that owns
// its output label. The stock does not change while a scion refers to it, but by the operations below.
//
// A reference to a hop is valid until its tree changes. Not thread-safe.
#pragma once

#include <array>
#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "cmgr/parts/indices.hpp"
#include "core/check.hpp"
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
  kRefused,   // the switch said no; nothing of the hop is left there
  kRemoving,  // the removal is on its way
  kRemoved,
  kNotRemoved,  // the switch cannot be reached: the removal will be owed
};

// What a hop is to be told; the engines that do one invocation after another queue it.
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

// The place of a hop in its tree.
class HopPlace {
 public:
  constexpr HopPlace() = default;  // none
  constexpr explicit HopPlace(std::size_t place) : place_(static_cast<std::uint16_t>(place)) {}
  constexpr bool present() const { return place_ != kNone; }
  constexpr std::size_t value() const { return place_; }
  friend constexpr bool operator==(HopPlace, HopPlace) = default;

 private:
  static constexpr std::uint16_t kNone = 0xffff;
  std::uint16_t place_ = kNone;
};

struct Hop {
  static constexpr std::uint32_t kNotIndexed = 0xffff'ffff;

  PortId input_port;
  PortId output_port;
  std::uint32_t attachment = 0;  // of the switch when the path was chosen (SwitchDesk::attachment)
  std::uint32_t generation = 1;
  std::uint32_t indexed_at = kNotIndexed;  // kept by HopsBySwitch
  SwitchIndex at;
  std::uint16_t leg = 0;
  std::uint16_t labels_asked = 0;  // replacements asked for with the command under way
  HopLabel input_label;            // known before the commit, but for the first hop
  HopLabel output_label;           // known before the commit, but for the last hop
  std::uint8_t number = 0;         // in the leg, when it was set up
  std::uint8_t last_number = 0;    // of the leg's hops, likewise
  std::uint8_t asked_in = 0;       // the low octet of the attachment in which labels were asked for
  HopState state = HopState::kIdle;
  Errand errand = Errand::kNone;
  bool branch : 1 = false;
  bool takes_over : 1 = false;     // of a scion: core/hop.hpp
  bool joins : 1 = false;          // likewise; the last hop of a path owns its label all the same
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
  // But for the connection.
  bool is(SwitchIndex at_switch, const HopKey& key) const {
    return number == key.hop && leg == key.leg && at == at_switch &&
           generation == key.generation.value();
  }
  std::uint16_t count() const { return static_cast<std::uint16_t>(last_number + 1); }
  bool last() const { return number == last_number; }
  bool starts() const { return !upstream_.present(); }  // nothing upstream in its own tree
  // The output label is another hop's.
  bool borrows() const { return owner_.present(); }
  // Its removal was asked for, and nobody has confirmed it.
  bool owes_removal() const {
    return state == HopState::kRemoving || state == HopState::kNotRemoved;
  }
  bool told() const { return state != HopState::kIdle && state != HopState::kRefused; }

 private:
  friend class Hops;
  friend class HopTree;
  HopPlace upstream_;  // in the same tree
  HopPlace outer_;     // of a scion's hop that starts: the stock's hop upstream
  HopPlace owner_;     // of a scion's hop: the stock's hop that owns the output label
};
static_assert(sizeof(Hop) == 48 && kHopsPerPath <= 256);

// The hops of a tree, to be looked up, told and marked. What hangs on what stays as it is.
class Hops {
 public:
  // Where a route parts from the tree.
  struct Fork {
    std::size_t step = 0;  // of the route: the first hop that is not in the tree
    HopPlace upstream;     // the hop it hangs on; none: the tree's first switch
    HopPlace sibling;      // a hop with the same input as the route's next; none: another input
  };

  std::size_t size() const { return hops_.size(); }
  bool empty() const { return hops_.empty(); }
  auto begin() { return hops_.begin(); }
  auto end() { return hops_.end(); }
  auto begin() const { return hops_.begin(); }
  auto end() const { return hops_.end(); }
  Hop& front() { return hops_.front(); }
  const Hop& front() const { return hops_.front(); }
  const Hop& back() const { return hops_.back(); }
  Hop& operator[](HopPlace place) { return hops_[place.value()]; }
  const Hop& operator[](HopPlace place) const { return hops_[place.value()]; }
  // The hop at that place of the list, which starts with leg 0 in its order as long as no leaf was dropped.
  const Hop* nth(std::size_t place) const { return place < hops_.size() ? &hops_[place] : nullptr; }
  HopPlace place_of(const Hop& hop) const {
    return HopPlace{static_cast<std::size_t>(&hop - hops_.data())};
  }

  // Null: the tree has none.
  Hop* find(SwitchIndex at, const HopKey& key) {
    // As a rule: the caller's direction, in its order.
    if (key.hop < hops_.size() && hops_[key.hop].is(at, key)) return &hops_[key.hop];
    return search(at, key);
  }
  const Hop* last_of(std::uint16_t leg) const;
  const Hop* first_of(std::uint16_t leg) const;
  // The hop whose output label is that one's input label; null for a hop that starts.
  Hop* upstream_of(const Hop& hop) {
    return hop.upstream_.present() ? &hops_[hop.upstream_.value()] : nullptr;
  }
  // Visits the hops whose input label is the output label of `hop`.
  template <class Visit>
  void for_each_downstream(const Hop& hop, Visit&& visit) {
    const HopPlace place = place_of(hop);
    for (Hop& other : hops_) {
      if (other.upstream_ == place) visit(other);
    }
  }
  // The next hop of the same chain; null behind the last one.
  const Hop* next_in_leg(const Hop& hop) const {
    const std::size_t next = place_of(hop).value() + 1;
    return next < hops_.size() && hops_[next].upstream_ == place_of(hop) ? &hops_[next] : nullptr;
  }
  // Of a scion's hop, in `stock`: see Hop. Null: none.
  static Hop* outer_of(const Hop& hop, Hops& stock) {
    return hop.outer_.present() ? &stock[hop.outer_] : nullptr;
  }
  static Hop& owner_of(const Hop& hop, Hops& stock) { return stock[hop.owner_]; }
  Fork fork(const std::vector<SwitchIndex>& at, const std::vector<PathHop>& route) const;

 protected:
  // Most calls are in one direction over a few switches: their hops are part of the connection.
  using List = boost::container::small_vector<Hop, 3>;

  Hops() = default;
  ~Hops() = default;
  // For journals alone: nothing in a call's way copies a tree.
  Hops(const Hops& other) { copy(other); }
  Hops& operator=(const Hops& other) {
    if (this != &other) copy(other);
    return *this;
  }
  Hops(Hops&&) = default;
  Hops& operator=(Hops&&) = default;

  List hops_;

 private:
  Hop* search(SwitchIndex at, const HopKey& key);
  void copy(const Hops& other);
};

// The same, and what changes the tree.
class HopTree : public Hops {
 public:
  // A hop of the stock that stays, or one of the scion: the next hop of a path.
  struct Step {
    bool stays = false;
    HopPlace place;
  };

  // The hops of a path, and of the other direction behind them. The tree is empty.
  void lay(const std::vector<SwitchIndex>& at, const std::vector<PathHop>& route, bool both);
  // A leaf's hops, from where the route parts from `stock`. The tree is empty.
  void lay_branch(const std::vector<SwitchIndex>& at, const std::vector<PathHop>& route,
                  const Fork& fork, const Hops& stock, std::uint16_t leg);
  // One hop more of another path's leg: after `previous` of the same tree, taking over from `old` of the
  // stock, or joining it.
  enum class Tie : std::uint8_t { kNone, kTakesOver, kJoins };
  HopPlace append(Hop hop, Tie tie, HopPlace old, const Hops& stock);

  // Grafts a scion: its hops become the stock's; the scion is empty then.
  void graft(HopTree&& scion);
  // Cuts the leaf with that leg off, from its last hop up to where something else hangs on.
  HopTree cut(std::uint16_t leg);
  // Replaces the path: `steps` lead along hops of this tree that stay and hops of `scion`. The scion has the
  // old hops then, as the procedure that removes them needs them: what a joining hop shares is the heir's.
  void replace(const std::vector<Step>& steps, HopTree& scion);
  void clear() { hops_.clear(); }
};

}  // namespace xbind::cmgr
