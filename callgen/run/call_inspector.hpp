// Inspects calls while a Runner has them up: see media_check.hpp. It gets only the information that
// a client of a manager has.
//
// Called by the Runner, on its thread, in the order of events.
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
  // The call is connected. True: the Runner does not release it before Runner::inspected(call).
  // `plain` is false if the call has more requests than setup and release (load/scenario.hpp); the
  // answer must then be false.
  virtual bool connected(std::uint64_t call, const Outcome& outcome, TimePoint now, bool plain) = 0;
  // The run is being stopped, and this call is up with no request under way. True: the Runner does
  // not release it before Runner::inspected(call). Called again after inspected(); the answer must
  // then be false.
  virtual bool stopped(std::uint64_t call) = 0;
  // The call has ended. `released`: a connected call was released completely. False: the call or
  // its release was refused, and it is unknown which of its resources the network still holds. Not
  // called for calls given up.
  virtual void over(std::uint64_t call, bool released, TimePoint now) = 0;
};

}  // namespace xbind::callgen
