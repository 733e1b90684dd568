// The connections of a manager, by their ids; at addresses that are stable
// while they live.
//
// Not thread-safe; owned by the connection manager.
#pragma once

#include <cstddef>
#include <utility>

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
  // handle(item) for each of `items`, in order. What it will load of the hop that hop_of(item) names, as {id, number},
  // has been asked for some items before (core/ahead.hpp): the connection's place, the connection, and the hop
  // where a path is too long to be part of it.
  template <class Items, class HopOf, class Handle>
  void for_each_of(const Items& items, HopOf hop_of, Handle handle) const {
    for_each_ahead(
        items, std::move(handle), [&](const auto& item) { by_id_.prefetch(hop_of(item).first); },
        [&](const auto& item) {
          if (const Connection* const found = find(hop_of(item).first)) prefetch_all(*found);
        },
        [&](const auto& item) {
          const auto [id, hop] = hop_of(item);
          const Connection* const found = find(id);
          if (found != nullptr && hop < found->hops.size()) {
            prefetch_all(found->hops[hop]);
          }
        });
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
