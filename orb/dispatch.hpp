// The path of every upcall of a servant, whatever the operation. It determines the caller, checks
// the permission, counts calls and time, and handles exceptions.
//
//   class ConnectionManagerServant : public orb::Dispatched<POA_xbind::v2::ConnectionManager> {
//     explicit ConnectionManagerServant(orb::Dispatch& dispatch, ...) : Dispatched(dispatch), ...
//
// Dispatched overrides the entry point of the skeleton, so no operation can bypass it. Calls within
// one process do bypass it: they are our own.
#pragma once

#include <omniORB4/CORBA.h>
#include <omniORB4/callHandle.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/metrics/metric_table.hpp"
#include "core/repeated_failure_log.hpp"

namespace xbind::orb {

// For one servant, or for several that belong together. Thread-safe.
class Dispatch {
 public:
  struct Call {
    std::string_view caller;  // "127.0.0.1:46744", or the ORB's text for another transport
    std::string_view operation;
  };
  // Whether the call is permitted. Otherwise the caller gets NO_PERMISSION, and a oneway is
  // dropped.
  using MayCall = std::function<bool(const Call&)>;
  using Now = std::function<TimePoint()>;

  // `servant`: name for logs, "ConnectionManager default". Without a rule every call is permitted.
  explicit Dispatch(std::string servant, MayCall may_call = {});
  Dispatch(std::string servant, MayCall may_call, Now now);

  // `upcall` unmarshals, calls and marshals; it returns false when the servant has no such
  // operation. CORBA exceptions are counted and passed on. Any other exception is a bug of our own:
  // it is logged, and the caller gets INTERNAL.
  bool run(const char* operation, const std::function<bool()>& upcall);

  // Appends for each operation that was called: upcalls_<operation> and upcall_ns_<operation> (from
  // the request's first octet to the reply's last, waiting included). Where there were any, also
  // upcalls_refused_<operation> (exceptions of the contract) and upcalls_failed_<operation> (any
  // other: an invalid request, or a bug). Appends upcalls_not_permitted, if there were any.
  void append_metrics(Metrics& metrics) const;

 private:
  struct Operation {
    std::atomic<std::uint64_t> calls = 0;
    std::atomic<std::uint64_t> refused = 0;
    std::atomic<std::uint64_t> failed = 0;
    std::atomic<std::uint64_t> ns = 0;
  };

  // Has entries only for operations of the skeleton, so there are few. The reference stays valid.
  Operation& counts_of(std::string_view operation);
  void count(std::string_view operation, TimePoint began,
             std::atomic<std::uint64_t> Operation::*what);
  void complain(std::string_view operation, const std::string& what);

  std::string servant_;
  std::atomic<std::uint64_t> not_permitted_ = 0;  // not counted per operation: their names may be
                                                  // anything
  MayCall may_call_;
  Now now_;
  RepeatedFailureLog failure_log_;
  mutable std::shared_mutex mutex_;
  std::map<std::string, std::unique_ptr<Operation>, std::less<>> operations_;
};

template <class Skeleton>
class Dispatched : public Skeleton {
 protected:
  explicit Dispatched(Dispatch& dispatch) : dispatch_(dispatch) {}

  Dispatch& dispatch() const { return dispatch_; }

 private:
  _CORBA_Boolean _dispatch(omniCallHandle& call) override {
    return dispatch_.run(call.operation_name(), [&] { return Skeleton::_dispatch(call) != 0; });
  }

  Dispatch& dispatch_;
};

// The metrics that append_metrics() exports, and those of orb/peer_faults.hpp.
MetricTable upcall_metrics();

}  // namespace xbind::orb
