// Somebody who looks into calls while a Runner has them up: media_check.hpp. What it is told is what the
// client of a manager knows, nothing else.
//
// Called by the Runner, on its thread, in the order in which things come to pass.
#pragma once

#include <cstdint>

#include "callgen/load/workload.hpp"
#include "core/call.hpp"
#include "core/clock.hpp"

namespace xbind::callgen {

class CallInspector {
 public:
  virtual ~CallInspector() = default;

  // The setup of call k of the run (from 0) is being sent.
  virtual void offered(std::uint64_t call, Ends ends, TimePoint now) = 0;
  // It is connected. True: the Runner does not release it before Runner::inspected(call). Not `plain`: there is
  // more to the call than setup and release (load/scenario.hpp), and the answer must be false.
  virtual bool connected(std::uint64_t call, const Outcome& outcome, TimePoint now, bool plain) = 0;
  // It has ended: `released` when a connected call was released for good. False: it was refused, or its
  // release was; then nobody knows what the network still has of it. Of calls given up nothing is said.
  virtual void over(std::uint64_t call, bool released, TimePoint now) = 0;
};

}  // namespace xbind::callgen
