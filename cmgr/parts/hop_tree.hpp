// The hops of one connection as a tree, with the manager's data on each hop: plain data with named
// operations.
//
// Every hop except those at the first switch has an upstream hop, whose output label is its input
// label. Leg 0 is the caller's direction; leg 1 is the reverse direction of a bidirectional
// connection (a chain of its own). Each added leaf has a leg from 2, whose first hop is a branch:
// it shares its upstream hop and input label with its siblings.
//
// A procedure that adds hops to a connection that is up (a leaf, another path) keeps them in a
// separate tree, a scion, until it grafts them onto the connection's tree, the stock. A scion's hop
// refers to the stock in two ways only: to the stock's hop upstream of it, and to the stock's hop
// that owns its output label. While a scion refers to the stock, only the operations below may
// change the stock.
//
// A reference to a hop is valid until its tree changes. Not thread-safe.
#pragma once

#include <array>
#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "cmgr/parts/indices.hpp"
#include "core/check.hpp"
#include "core/hop.hpp"
#include "core/path.hpp"

namespace xbind::cmgr {

// Longer than any real path; a longer one is a mistake of RouteObject.
inline constexpr std::size_t kHopsPerPath = 256;

enum class HopState : std::uint8_t {
  kIdle,       // nothing sent to the switch
  kReserving,  // phase one sent, not answered
  kReserved,
  kCommitting,  // phase two sent, not answered
  kCommitted,
  kChanging,  // another contract sent, not answered
  kRefused,   // the switch refused, and has nothing of the hop
  kRemoving,  // removal sent, not answered
  kRemoved,
  kNotRemoved,  // the switch cannot be reached: the removal will be owed
};

// The command that a hop still needs; the engines that make one invocation after another queue it.
enum class Errand : std::uint8_t { kNone, kReserve, kCommit, kModify, kRemove };

// A label in five octets, because hops make up most of a manager's memory.
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

// The position of a hop in its tree.
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
  // number of the switch's attachment when the path was chosen (SwitchDesk::attachment)
  std::uint32_t attachment = 0;
  std::uint32_t generation = 1;
  std::uint32_t indexed_at = kNotIndexed;  // kept by HopsBySwitch
  SwitchIndex at;
  std::uint16_t leg = 0;
  std::uint16_t labels_asked = 0;  // replacements requested with the command under way
  // Known before the commit, except at the first (last) hop; there a label that is known before has
  // been asked for by the client.
  HopLabel input_label;
  HopLabel output_label;
  std::uint8_t number = 0;       // position in the leg when it was set up
  std::uint8_t last_number = 0;  // greatest position in the leg at that time
  std::uint8_t asked_in = 0;     // low octet of the attachment in which labels were requested
  HopState state = HopState::kIdle;
  Errand errand = Errand::kNone;
  bool branch : 1 = false;
  bool takes_over : 1 = false;  // hop of a scion: see core/hop.hpp
  bool joins : 1 = false;       // likewise; a path's last hop that joins still owns its label
  // phase one was used: a reservation may exist until the hop is removed
  bool reserved : 1 = false;
  bool in_quarantine : 1 = false;  // the SwitchServer has reported output_label as quarantined
  bool behind : 1 = false;         // a contract was owed when the present change was sent
  bool changed : 1 = false;        // confirmed the contract of the change under way
  bool booked : 1 = false;         // counted in the quota cache

  // Sets the hop's position in a leg of `hops` hops, 1..kHopsPerPath.
  void place(std::size_t at_number, std::size_t hops) {
    number = static_cast<std::uint8_t>(at_number);
    last_number = static_cast<std::uint8_t>(hops - 1);
  }
  // Compares all of the key except the connection.
  bool is(SwitchIndex at_switch, const HopKey& key) const {
    return number == key.hop && leg == key.leg && at == at_switch &&
           generation == key.generation.value();
  }
  std::uint16_t count() const { return static_cast<std::uint16_t>(last_number + 1); }
  bool last() const { return number == last_number; }
  bool starts() const { return !upstream_.present(); }  // has no upstream hop in its own tree
  // Whether the output label belongs to another hop.
  bool borrows() const { return owner_.present(); }
  // Whether its removal was requested and is not confirmed.
  bool owes_removal() const {
    return state == HopState::kRemoving || state == HopState::kNotRemoved;
  }
  bool was_commanded() const { return state != HopState::kIdle && state != HopState::kRefused; }

 private:
  friend class Hops;
  friend class HopTree;
  HopPlace upstream_;  // in the same tree
  HopPlace outer_;     // for the first hop of a scion: the stock's hop upstream
  HopPlace owner_;     // for a hop of a scion: the stock's hop that owns the output label
};
static_assert(sizeof(Hop) == 48 && kHopsPerPath <= 256);

// The hops of a tree, for look-up and for changes of single hops. The shape of the tree is fixed.
class Hops {
 public:
  // The point where a route leaves the tree.
  struct Fork {
    std::size_t step = 0;  // of the route: its first hop that is not in the tree
    HopPlace upstream;     // the hop it follows; none: it begins at the tree's first switch
    HopPlace sibling;      // a hop with the same input as the route's next hop; none: no such hop
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
  // The hop at that place of the list; null beyond its end. The list begins with leg 0 in path
  // order as long as no leaf was dropped.
  const Hop* nth(std::size_t place) const { return place < hops_.size() ? &hops_[place] : nullptr; }
  // The number under which operators see each hop, in the order of the list. On a path that has
  // changed, hops keep the numbers of their setup, so those of the legs 0 and 1 are counted.
  std::vector<std::uint16_t> shown_numbers() const;
  HopPlace place_of(const Hop& hop) const {
    return HopPlace{static_cast<std::size_t>(&hop - hops_.data())};
  }

  // Returns null if the tree has no such hop.
  Hop* find(SwitchIndex at, const HopKey& key) {
    // Usually leg 0, in path order.
    if (key.hop < hops_.size() && hops_[key.hop].is(at, key)) return &hops_[key.hop];
    return search(at, key);
  }
  const Hop* last_of(std::uint16_t leg) const;
  const Hop* first_of(std::uint16_t leg) const;
  // The hop whose output label is the input label of `hop`; null for a hop that starts.
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
  // The next hop of the same chain; null after the last one.
  const Hop* next_in_leg(const Hop& hop) const {
    const std::size_t next = place_of(hop).value() + 1;
    return next < hops_.size() && hops_[next].upstream_ == place_of(hop) ? &hops_[next] : nullptr;
  }
  // For a hop of a scion, the hop of `stock` upstream of it (Hop::outer_); null: none.
  static Hop* outer_of(const Hop& hop, Hops& stock) {
    return hop.outer_.present() ? &stock[hop.outer_] : nullptr;
  }
  static Hop& owner_of(const Hop& hop, Hops& stock) { return stock[hop.owner_]; }
  Fork fork(const std::vector<SwitchIndex>& at, const std::vector<PathHop>& route) const;

 protected:
  // Most calls are unidirectional over few switches: their hops are stored in the connection
  // itself.
  using List = boost::container::small_vector<Hop, 3>;

  Hops() = default;
  ~Hops() = default;
  // For journals only: calls are processed without copying a tree.
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

// The same, with the operations that change the tree.
class HopTree : public Hops {
 public:
  // The next hop of a path: a hop of the stock that stays, or one of the scion.
  struct Step {
    bool stays = false;
    HopPlace place;
  };

  // Puts hops that are there already together: `upstream` of each is its index in the list, kNone
  // for a hop that starts.
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  static HopTree assemble(const std::vector<std::pair<Hop, std::size_t>>& hops);
  // Lays the hops of a path, followed by those of the reverse direction. The tree must be empty.
  void lay(const std::vector<SwitchIndex>& at, const std::vector<PathHop>& route, bool both);
  // Makes these the labels that the hops of both legs are to have at the ends of the path; none:
  // the SwitchServer allots one. The path has been laid and no command sent.
  void want_ends(Label from, Label to);
  // Lays a leaf's hops, from where the route leaves `stock`. The tree must be empty.
  void lay_branch(const std::vector<SwitchIndex>& at, const std::vector<PathHop>& route,
                  const Fork& fork, const Hops& stock, std::uint16_t leg);
  // Appends one hop to the leg of another path, after the last hop of this tree. It may take over
  // from `old` of the stock, or join it.
  enum class Tie : std::uint8_t { kNone, kTakesOver, kJoins };
  HopPlace append(Hop hop, Tie tie, HopPlace old, const Hops& stock);

  // Moves the hops of a scion into this tree, the stock; the scion is empty afterwards.
  void graft(HopTree&& scion);
  // Cuts off the leaf with that leg: its last hop and those before it, up to the branch.
  HopTree cut(std::uint16_t leg);
  // Replaces the path: `steps` name hops of this tree that stay and hops of `scion`. Afterwards the
  // scion holds the old hops, as the procedure that removes them needs them. A label that a new hop
  // shares by joining then belongs to the new hop.
  void replace(const std::vector<Step>& steps, HopTree& scion);
  void clear() { hops_.clear(); }
};

}  // namespace xbind::cmgr
