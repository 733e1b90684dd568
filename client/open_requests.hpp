// The requests of one client that have no answer yet. Those that were sent can be sent again in a later
// session, if there is to be one: the table shares the batch that a request went out with and copies
// nothing until then. Without repeats an entry is a number alone: the call generator takes part in
// what it measures, and a ceiling run completes a million requests a second.
//
// Bound: the owner adds at most as many requests as its limit allows. A shared batch stays in memory
// until its last request is answered.
//
// Pure; owned by a Requester, one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "client/request_batch.hpp"
#include "core/flat_map.hpp"
#include "core/ids.hpp"

namespace xbind::client {

class OpenRequests {
 public:
  // `repeats` false: nothing will be sent again, so no batch is shared and copies_of_sent() is empty.
  explicit OpenRequests(bool repeats) : repeats_(repeats) {}

  std::size_t size() const { return by_number_.size(); }
  bool contains(RequestId request) const { return by_number_.contains(request); }

  // False: the number is open already, and nothing is changed.
  bool add(RequestId request);
  // Notes that the owner sends `batch`. The owner sends batches in the order in which it added their
  // requests; only those of copies_of_sent() go before.
  void sent(const std::shared_ptr<const RequestBatch>& batch);
  // The request is open no longer. False: it was not open.
  bool answered(RequestId request);

  // Copies of the open requests that were sent and not copied since, the oldest first, in batches of
  // at most `per_batch`. Afterwards no batch is shared.
  std::vector<RequestBatch> copies_of_sent(std::size_t per_batch);

  struct Left {
    std::vector<RequestId> unsent;   // never sent: nothing has been done
    std::vector<RequestId> unknown;  // sent at least once: the manager may have done it
  };
  // Forgets every request; tells which they were, the oldest first.
  Left clear();

 private:
  struct Open {
    RequestId request;
    std::uint64_t order = 0;
    std::shared_ptr<const RequestBatch> batch;  // null: it waits to be sent
    Place place;                                // in the batch
    bool was_sent = false;
  };
  struct Known {
    std::uint64_t order = 0;
    RequestId request;
    bool was_sent = false;
  };
  // All open requests, the oldest first.
  std::vector<Known> in_order() const;

  bool repeats_;
  std::uint64_t added_ = 0;  // so far, repeated numbers as well: the order of the last one
  std::uint64_t sent_ = 0;   // without repeats: the order of the last request that was sent
  // With repeats the slot of a request plus 1, because a FlatMap holds no zero; without, its order.
  FlatMap<RequestId, std::uint64_t> by_number_;
  std::vector<Open> slots_;
  std::vector<std::uint64_t> free_slots_;
};

}  // namespace xbind::client
