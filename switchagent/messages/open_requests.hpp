// The requests that the table has not completed yet, each with the results of its parts so far and
// the controller to answer.
//
//   begin() ── the table's function is called ──▶ note() ... ──▶ finished()   complete: answer now
//                                                          └──▶ keep()       otherwise: wait
//   note() of a kept request: Progress::kComplete ──▶ take(), answer
//
// Most requests are complete when the table's function returns. Such a request is never stored: its
// outcome lies in one object that all of them reuse.
//
// Bounded by `max`, given at construction; full() must be asked before begin(). A request whose
// adjacency has ended keeps its entry, without its octets, until the table completes it.
// Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "core/wire/writer.hpp"
#include "switchagent/messages/controller.hpp"
#include "switchagent/messages/table_outcome.hpp"

namespace xbind::switchagent {

class OpenRequests {
 public:
  struct Request {
    std::optional<ControllerId> from;  // nullopt: its adjacency has ended
    wire::Buffer octets;               // the request message, source of the answer
    TableOutcome outcome;
  };
  // What a completed ticket means.
  enum class Progress : std::uint8_t {
    kUnknown,   // no such ticket, or it was answered before
    kNoted,     // more to come, or the request is the one that is being asked
    kComplete,  // the last part of a stored request: take() it
  };

  explicit OpenRequests(std::size_t max) : max_(max) {}

  std::size_t size() const { return open_.size(); }
  bool full() const { return open_.size() >= max_; }

  // Begins to ask the table for a request of `parts` parts; `reads`: they return readings. Returns
  // the request's number for the tickets.
  std::uint64_t begin(std::uint32_t parts, bool reads) {
    asked_.begin(parts, reads);
    asking_ = ++last_;
    return asking_;
  }
  // Ends what begin() began. The outcome if all parts are complete, valid until the next begin();
  // null: call keep().
  TableOutcome* finished() {
    asking_ = 0;
    return asked_.complete() ? &asked_ : nullptr;
  }
  // Stores the request that was begun last.
  void keep(ControllerId from, wire::Buffer octets) {
    open_.emplace(last_, Request{from, std::move(octets), std::move(asked_)});
  }

  Progress note(Ticket ticket, gsmp::FailureCode code) {
    // The common case: the table completes the ticket before its function returns.
    if (ticket.request == asking_ && asking_ != 0)
      return asked_.note(ticket.part, code) ? Progress::kNoted : Progress::kUnknown;
    return note(ticket, code, TableReading{});
  }
  Progress note(Ticket ticket, gsmp::FailureCode code, TableReading reading);

  // The request must be stored.
  Request take(std::uint64_t id) { return std::move(open_.extract(id).mapped()); }
  // The adjacency of `from` has ended: its answers will be dropped.
  void abandon(ControllerId from);

 private:
  std::size_t max_;
  std::uint64_t last_ = 0;    // number of the last request that was begun
  std::uint64_t asking_ = 0;  // the request between begin() and finished(); 0: none
  TableOutcome asked_;        // its outcome
  std::map<std::uint64_t, Request> open_;
};

}  // namespace xbind::switchagent
