// Every connection of a manager: by id, by switch and in the order of ids. Each has a stable
// address.
//
// The lasting state of a connection changes only through the operations below, which write to the
// journal (journal.hpp). These fields are private to Connection and this class.
//
// Not thread-safe; owned by the connection manager.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cmgr/parts/call_ends.hpp"
#include "cmgr/parts/client_usage.hpp"
#include "cmgr/parts/connection.hpp"
#include "cmgr/parts/hops_by_switch.hpp"
#include "cmgr/parts/journal.hpp"
#include "cmgr/parts/shown_ids.hpp"
#include "cmgr/procedures/places.hpp"
#include "core/ahead.hpp"
#include "core/check.hpp"
#include "core/flat_map.hpp"
#include "core/manager_epochs.hpp"
#include "core/pool.hpp"

namespace xbind::cmgr {

// The ids of connections: the epoch of this process over a counter, so unique across restarts.
class ConnectionIds {
 public:
  explicit ConnectionIds(std::uint64_t epoch) : epoch_(epoch) {}

  // Sets the epoch, before the first id is given out. `renewed`: the epochs of the name have been
  // renewed (core/manager_epochs.hpp), so that an earlier one may be higher.
  void begin_epoch(std::uint64_t epoch, bool renewed) {
    XB_CHECK(next_ == 1 && epoch != 0 && epoch <= kManagerEpochMax, epoch);
    epoch_ = epoch;
    renewed_ = renewed;
  }
  std::uint64_t epoch() const { return epoch_; }
  // Whether the id may have been given out in an earlier epoch.
  bool is_of_earlier_epoch(ConnectionId id) const {
    const std::uint64_t epoch = epoch_of(id);
    return epoch != 0 && (renewed_ ? epoch != epoch_ : epoch < epoch_);
  }
  ConnectionId next() {
    return ConnectionId{(epoch_ & kManagerEpochMax) << kIdCounterBits | next_++};
  }

 private:
  std::uint64_t epoch_;
  bool renewed_ = false;
  std::uint64_t next_ = 1;
};

class ConnectionTable {
 public:
  // `epoch`: of this process; each id contains it.
  explicit ConnectionTable(std::uint64_t epoch) : ids_(epoch) {}
  ConnectionTable(const ConnectionTable&) = delete;
  ConnectionTable& operator=(const ConnectionTable&) = delete;
  ~ConnectionTable();

  ConnectionIds& ids() { return ids_; }
  const ConnectionIds& ids() const { return ids_; }

  // Reports every change from now on to `journal`; null ends that. The journal must outlive the
  // table or be removed.
  void keep(Journal* journal) { journal_ = journal; }

  // ===== changes =====

  // Creates a connection under a new id.
  Connection& open(const Opened& what);
  // Rebuilds a connection of an earlier epoch under its id, which the table must not have.
  struct Found {
    ConnectionId id;
    Opened opened;
    NumbersUsed numbers;
    Restored restored;   // `hops` is ignored
    ConnectionId alias;  // of a prepared connection that its client knows under it; 0: none
  };
  Connection& restore(const Found& found, HopTree&& hops);
  // Lays the path that a setup tries; its labels are not known yet. Written to the journal by
  // reach() only.
  void lay(Connection& connection, const std::vector<SwitchIndex>& at,
           const std::vector<PathHop>& route);
  // Marks the path as held (kHeld) or connected (kUp).
  void reach(Connection& connection, Stage stage);
  void set_contract(Connection& connection, const Contract& contract);
  // New numbers for a path, a change and a leaf; no number is used twice.
  void raise_generation(Connection& connection, std::uint32_t generation);
  std::uint32_t next_revision(Connection& connection);
  std::uint16_t next_leg(Connection& connection);
  // Grafts a leaf's hops onto the tree; the scion is empty afterwards.
  void join(Connection& connection, const std::string& end, HopTree& scion);
  // Cuts a leaf's hops off. `end` must be a destination of the connection.
  HopTree cut(Connection& connection, const std::string& end);
  // Moves the connection to another path (HopTree::replace).
  void replace(Connection& connection, const std::vector<HopTree::Step>& steps, HopTree& scion,
               std::uint32_t generation);
  // Gives a prepared connection to a client, under a new id; hand_back() makes it the manager's own
  // again.
  void assign(Connection& connection, const Asker& asker);
  void hand_back(Connection& connection);
  void leave_pool(Connection& connection);
  // Begins the release: from now on hops may only be removed.
  void begin_release(Connection& connection);
  // Takes over the hops of a procedure that ends with the connection, so that they are removed with
  // it.
  void fold(Connection& connection, HopTree& scion);
  // Removes the hops from the tree, because they are removed or owed. Another path may then be
  // laid, under another generation.
  void clear(Connection& connection);
  // Deletes the connection.
  void close(Connection& connection);

  // Adds the hops of a procedure's own tree to the lists of their switches, or removes them. Hops
  // that are grafted on the connection's tree, cut off or replaced stay in the lists.
  void count(Connection& connection, Hops& hops);
  void uncount(Hops& hops);

  // ===== look up =====

  // The two endpoints of calls, shared by all calls between them.
  CallEndsRef ends(const std::string& from, const std::string& to) { return ends_.get(from, to); }

  // Null if there is no connection with that id (any more).
  Connection* find(ConnectionId id) const { return by_id_.find(id); }
  // Looks up by the id that clients know.
  Connection* find_shown(ConnectionId id) const {
    const ConnectionId own = aliases_.empty() ? ConnectionId{} : aliases_.find(id);
    Connection* const found = find(own == ConnectionId{} ? id : own);
    return found == nullptr || found->shown_id() != id ? nullptr : found;
  }
  // The connection must exist.
  Connection& at(ConnectionId id) const {
    Connection* const found = find(id);
    XB_CHECK(found != nullptr, id);
    return *found;
  }
  // Shown ids above `after`, ascending, at most `limit`.
  std::vector<ConnectionId> page(ConnectionId after, std::size_t limit) const {
    return shown_.page(after, limit);
  }
  std::size_t size() const { return by_id_.size(); }
  // The connections of that pool: being set up, ready, in use by clients, and being released.
  std::uint32_t members_of(std::uint32_t pool) const {
    return pool < pool_members_.size() ? pool_members_[pool] : 0;
  }
  const ClientUsage& usage() const { return usage_; }
  // Memory for the procedures of its connections.
  ProcedurePlaces& places() { return places_; }
  // The connections with hops at that switch, unordered; one that passes several times is listed as
  // often. Valid until a hop is added or removed.
  const std::vector<Connection*>& passing(SwitchIndex at) const { return by_switch_.at(at); }
  // Calls handle(item) for each of `items`, in order. hop_of(item) returns the {id, number} of the
  // item's hop. Its memory is prefetched some items ahead (core/ahead.hpp): the table entry, the
  // connection, and the hop where a long path is stored outside the connection.
  template <class Items, class HopOf, class Handle>
  void for_each_of(const Items& items, HopOf hop_of, Handle handle) const {
    for_each_ahead(
        items, std::move(handle), [&](const auto& item) { by_id_.prefetch(hop_of(item).first); },
        [&](const auto& item) {
          if (const Connection* const found = find(hop_of(item).first)) prefetch_all(*found);
        },
        [&](const auto& item) {
          const auto [id, number] = hop_of(item);
          const Connection* const found = find(id);
          const Hop* const hop = found == nullptr ? nullptr : found->hops().nth(number);
          if (hop != nullptr) prefetch_all(*hop);
        });
  }

 private:
  Connection& make(ConnectionId id, const Opened& what);
  template <class What>
  void write(const Connection& connection, What&& what) {
    journal_->write({connection.id, std::forward<What>(what)});
  }
  void write_numbers(const Connection& connection);
  void show_as(Connection& connection, ConnectionId alias);

  ConnectionIds ids_;
  CallEndsTable ends_;
  FlatMap<ConnectionId, Connection*> by_id_;
  FlatMap<ConnectionId, ConnectionId> aliases_;  // of prepared connections
  ShownIds shown_;
  ClientUsage usage_;
  HopsBySwitch by_switch_;
  ProcedurePlaces places_;
  Pool<Connection> pool_;
  std::vector<std::uint32_t> pool_members_;  // by the number of the pool
  Journal* journal_ = nullptr;
};

}  // namespace xbind::cmgr
