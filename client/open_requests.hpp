// The unanswered requests of one client. Requests that were sent can be repeated in a later
// session, if repeats are enabled: the table then shares the batch in which a request was sent, and
// copies requests only when they are repeated. Without repeats an entry is only a number, because
// the call generator is part of the system that it measures: a ceiling run completes a million
// requests a second.
//
// The owner limits the number of requests. A shared batch stays in memory until its last request is
// answered.
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
  // `repeats` false: nothing is repeated, so no batch is shared and copies_of_sent() is empty.
  explicit OpenRequests(bool repeats) : repeats_(repeats) {}

  std::size_t size() const { return by_number_.size(); }
  bool contains(RequestId request) const { return by_number_.contains(request); }

  // False: the number is open already, and nothing has changed.
  bool add(RequestId request);
  // Records that the owner sends `batch`. The owner must send batches in the order in which it
  // added their requests; only batches of copies_of_sent() may precede them.
  void sent(const std::shared_ptr<const RequestBatch>& batch);
  // Closes the request. False: it was not open.
  bool answered(RequestId request);

  // Copies the open requests that were sent and not copied since, the oldest first, into batches of
  // at most `per_batch`. Afterwards no batch is shared.
  std::vector<RequestBatch> copies_of_sent(std::size_t per_batch);

  struct Left {
    std::vector<RequestId> unsent;   // never sent: the manager has not done them
    std::vector<RequestId> unknown;  // sent at least once: may have been done
  };
  // Removes all requests and returns them, the oldest first.
  Left clear();

 private:
  struct Open {
    RequestId request;
    std::uint64_t order = 0;
    std::shared_ptr<const RequestBatch> batch;  // null: not sent yet
    Place place;                                // position in the batch
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
  std::uint64_t added_ = 0;  // requests added so far, also repeated ones: the latest order
  std::uint64_t sent_ = 0;   // if !repeats_: the order of the last request that was sent
  // If repeats_: the slot of a request plus 1, because a FlatMap stores no zero. Else its order.
  FlatMap<RequestId, std::uint64_t> by_number_;
  std::vector<Open> slots_;
  std::vector<std::uint64_t> free_slots_;
};

}  // namespace xbind::client
