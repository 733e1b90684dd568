// Every connection of a manager, by id, by switch and in the order of ids, each at a stable place.
//
// Whatever lasts of a connection changes through the doors below, and a journal hears of each
// (journal.hpp). Nothing else can change it: these fields are private to Connection and this class.
//
// Not thread-safe; owned by the connection manager.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cmgr/parts/call_ends.hpp"
#include "cmgr/parts/connection.hpp"
#include "cmgr/parts/hops_by_switch.hpp"
#include "cmgr/parts/journal.hpp"
#include "cmgr/parts/shown_ids.hpp"
#include "cmgr/procedures/places.hpp"
#include "core/ahead.hpp"
#include "core/check.hpp"
#include "core/flat_map.hpp"
#include "core/pool.hpp"

namespace xbind::cmgr {

class ConnectionTable {
 public:
  // `epoch`: of this process; its low 24 bits are in every id.
  explicit ConnectionTable(std::uint64_t epoch) : epoch_(epoch) {}
  ConnectionTable(const ConnectionTable&) = delete;
  ConnectionTable& operator=(const ConnectionTable&) = delete;
  ~ConnectionTable();

  // Hears every change from now on; null: nobody does. It outlives the table, or is taken away.
  void keep(Journal* journal) { journal_ = journal; }

  // ===== doors =====

  // A new connection under a new id.
  Connection& open(const Opened& what);
  // The path that a setup tries; its labels are not known yet. No journal hears of it before reach().
  void lay(Connection& connection, const std::vector<SwitchIndex>& at,
           const std::vector<PathHop>& route);
  // The path is held (kHeld), or connected (kUp).
  void reach(Connection& connection, Stage stage);
  void set_contract(Connection& connection, const Contract& contract);
  // Numbers for a path, a change and a leaf; none is ever used again.
  void raise_generation(Connection& connection, std::uint32_t generation);
  std::uint32_t next_revision(Connection& connection);
  std::uint16_t next_leg(Connection& connection);
  // The hops of a leaf become part of the tree; the scion is empty then.
  void join(Connection& connection, const std::string& end, HopTree& scion);
  // The destination is there.
  HopTree cut(Connection& connection, const std::string& end);
  // Another path (HopTree::replace).
  void replace(Connection& connection, const std::vector<HopTree::Step>& steps, HopTree& scion,
               std::uint32_t generation);
  // One that was prepared becomes a client's, under a new id; or nobody's again.
  void assign(Connection& connection, const Asker& asker);
  void hand_back(Connection& connection);
  void leave_pool(Connection& connection);
  // From now on its hops may only go.
  void begin_release(Connection& connection);
  // The hops of a procedure that ends with the connection are removed with the others.
  void fold(Connection& connection, HopTree& scion);
  // The hops are gone, or owed: another path may be laid, under another generation.
  void clear(Connection& connection);
  // Ends its life.
  void close(Connection& connection);

  // The hops of a procedure's own tree count among those of their switches. What is grafted on the
  // connection's tree, cut off or replaced stays counted.
  void count(Connection& connection, Hops& hops);
  void count_no_more(Hops& hops);

  // ===== look up =====

  // The two ends of calls, shared by all calls between them.
  CallEndsRef ends(const std::string& from, const std::string& to) { return ends_.get(from, to); }

  // Null: there is none of that id (any more).
  Connection* find(ConnectionId id) const { return by_id_.find(id); }
  // By the id that clients know.
  Connection* find_shown(ConnectionId id) const {
    const ConnectionId own = aliases_.empty() ? ConnectionId{} : aliases_.find(id);
    Connection* const found = find(own == ConnectionId{} ? id : own);
    return found == nullptr || found->shown_id() != id ? nullptr : found;
  }
  // One that is there.
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
  // Where the procedures of its connections are made.
  ProcedurePlaces& places() { return places_; }
  // The connections with hops at that switch, in no order that means anything; one that passes it several
  // times stands there as often. Valid until a hop comes or goes.
  const std::vector<Connection*>& passing(SwitchIndex at) const { return by_switch_.at(at); }
  // handle(item) for each of `items`, in order. What it loads of the hop that hop_of(item) names, as
  // {id, number}, is prefetched some items before (core/ahead.hpp): the connection's place, the connection,
  // and the hop where a path is too long to be part of it.
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
  // The epoch's low 24 bits over a 40-bit counter: unique across restarts.
  ConnectionId new_id() {
    constexpr unsigned kCounterBits = 40;
    return ConnectionId{(epoch_ & 0xff'ffff) << kCounterBits | next_id_++};
  }
  template <class What>
  void write(const Connection& connection, What&& what) {
    journal_->write({connection.id, std::forward<What>(what)});
  }
  void write_numbers(const Connection& connection);
  static Hop& find_indexed(Connection& connection, SwitchIndex at, std::uint32_t place);

  const std::uint64_t epoch_;
  std::uint64_t next_id_ = 1;
  CallEndsTable ends_;
  FlatMap<ConnectionId, Connection*> by_id_;
  FlatMap<ConnectionId, ConnectionId> aliases_;  // of connections that were prepared
  ShownIds shown_;
  HopsBySwitch by_switch_;
  ProcedurePlaces places_;
  Pool<Connection> pool_;
  Journal* journal_ = nullptr;
};

}  // namespace xbind::cmgr
