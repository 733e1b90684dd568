// A load that can be played against managers (corba_target.hpp): a step machine that gets the time
// and the answers and returns the requests to send. A Runner offers calls by a plan;
// closed_loop.hpp keeps a fixed number of requests under way.
#pragma once

#include <cstddef>
#include <vector>

#include "callgen/run/runner.hpp"
#include "core/call.hpp"
#include "core/clock.hpp"

namespace xbind::callgen {

// One thread at a time.
class Player {
 public:
  virtual ~Player() = default;
  virtual void start(TimePoint now) = 0;  // once, before anything else
  // The requests that are due by now, to be sent at once.
  virtual std::vector<Dispatch> advance(TimePoint now) = 0;
  // Answers of this manager, at their time of arrival.
  virtual void answered(const OutcomeBatch& batch, std::size_t manager, TimePoint now) = 0;
  // A manager will not answer any more: the play ends.
  virtual void target_lost(TimePoint now) = 0;
  // The operator requests the end: nothing new is begun, and calls that are up are released within
  // a time limit. Idempotent.
  virtual void stop(TimePoint now) = 0;
  virtual TimePoint next_deadline() const = 0;
  virtual bool finished() const = 0;
};

}  // namespace xbind::callgen
