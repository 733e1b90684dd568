// What every upcall of a servant goes through, whichever operation it is: who calls, may he, how
// often, how long, and what becomes of an exception.
//
//   class ConnectionManagerServant : public orb::Dispatched<POA_xbind::v2::ConnectionManager> {
//     explicit ConnectionManagerServant(orb::Dispatch& dispatch, ...) : Dispatched(dispatch), ...
//
// Dispatched overrides the skeleton's own entry, so that an operation cannot be added beside it. Calls
// within one process go past it: they are ours.
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
#include "core/complaints.hpp"
#include "core/metrics/metric_table.hpp"

namespace xbind::orb {

// Of one servant, or of several that belong together. Thread-safe.
class Dispatch {
 public:
  struct Call {
    std::string_view caller;  // "127.0.0.1:46744", or the ORB's own words for another transport
    std::string_view operation;
  };
  // Whether the call goes on. No: the caller gets NO_PERMISSION, and a oneway is dropped.
  using MayCall = std::function<bool(const Call&)>;
  using Now = std::function<TimePoint()>;

  // `servant`: in logs, "ConnectionManager default". Without a rule everybody may call everything.
  explicit Dispatch(std::string servant, MayCall may_call = {});
  Dispatch(std::string servant, MayCall may_call, Now now);

  // `upcall` unmarshals, calls and marshals; false: the servant has no such operation. Exceptions
  // of CORBA pass, counted; any other is our bug: logged, and INTERNAL for the caller.
  bool run(const char* operation, const std::function<bool()>& upcall);

  // For each operation that was called: upcalls_<operation>, upcall_ns_<operation> (from the request's
  // first octet to the reply's last, waiting included) and, where there were any,
  // upcalls_refused_<operation> (an exception of the contract) and upcalls_failed_<operation> (any
  // other: the request made no sense, or a bug). And upcalls_not_permitted, if there were any.
  void append_metrics(Metrics& metrics) const;

 private:
  struct Operation {
    std::atomic<std::uint64_t> calls = 0;
    std::atomic<std::uint64_t> refused = 0;
    std::atomic<std::uint64_t> failed = 0;
    std::atomic<std::uint64_t> ns = 0;
  };

  // Only of operations that the skeleton knows, so there are few. The reference stays.
  Operation& counts_of(std::string_view operation);
  void count(std::string_view operation, TimePoint began,
             std::atomic<std::uint64_t> Operation::*what);
  void complain(std::string_view operation, const std::string& what);

  std::string servant_;
  std::atomic<std::uint64_t> not_permitted_ = 0;  // the names of those may be anything
  MayCall may_call_;
  Now now_;
  Complaints complaints_;
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

// What append_metrics() exports.
MetricTable upcall_metrics();

}  // namespace xbind::orb
