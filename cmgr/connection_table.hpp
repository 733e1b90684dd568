// The connections of a manager, by their ids; at addresses that are stable
// while they live.
//
// Not thread-safe; owned by the connection manager.
#pragma once

#include <cstddef>

#include "cmgr/connection.hpp"
#include "cmgr/pool.hpp"
#include "core/ahead.hpp"
#include "core/check.hpp"
#include "core/flat_map.hpp"

namespace xbind::cmgr {

class ConnectionTable {
 public:
  ConnectionTable() = default;
  ConnectionTable(const ConnectionTable&) = delete;
  ConnectionTable& operator=(const ConnectionTable&) = delete;
  ~ConnectionTable() {
    for (Connection& connection : *this) pool_.destroy(connection);
  }

  // Null: there is none of that id (any more).
  Connection* find(ConnectionId id) const { return by_id_.find(id); }
  // Asks the memory for what find() and its caller will load, in looks ahead (core/ahead.hpp): the connection's
  // place, the connection, a hop of a path too long to be part of it.
  void prefetch_place(ConnectionId id) const { by_id_.prefetch(id); }
  void prefetch(ConnectionId id) const {
    if (const Connection* const found = find(id)) prefetch_all(*found);
  }
  void prefetch_hop(ConnectionId id, std::size_t hop) const {
    const Connection* const found = find(id);
    if (found != nullptr && hop < found->hops.size()) prefetch_all(found->hops[hop]);
  }
  // One that is there.
  Connection& at(ConnectionId id) const {
    Connection* const found = find(id);
    XB_CHECK(found != nullptr, id);
    return *found;
  }
  // The id is new.
  Connection& make(ConnectionId id) {
    Connection& made = pool_.make();
    made.id = id;
    const bool fresh = by_id_.insert(id, &made);
    XB_CHECK(fresh, id);
    return made;
  }
  // Ends its life.
  void erase(Connection& connection) {
    by_id_.erase(connection.id);
    pool_.destroy(connection);
  }
  std::size_t size() const { return by_id_.size(); }

  // Every connection, in no order that means anything. While somebody iterates
  // none may come or go.
  class Iterator {
   public:
    explicit Iterator(FlatMap<ConnectionId, Connection*>::Iterator at) : at_(at) {}
    Connection& operator*() const { return *(*at_).value; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

   private:
    FlatMap<ConnectionId, Connection*>::Iterator at_;
  };
  Iterator begin() const { return Iterator{by_id_.begin()}; }
  Iterator end() const { return Iterator{by_id_.end()}; }

 private:
  FlatMap<ConnectionId, Connection*> by_id_;
  Pool<Connection> pool_;
};

}  // namespace xbind::cmgr
