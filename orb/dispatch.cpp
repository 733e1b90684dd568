#include "orb/dispatch.hpp"

#include <fmt/format.h>

#include <mutex>

#include "core/log.hpp"
#include "core/name.hpp"
#include "core/steady_now.hpp"
#include "orb/caller.hpp"
#include "orb/kept_state.hpp"
#include "orb/object_questions.hpp"
#include "orb/peer_faults.hpp"

namespace xbind::orb {
namespace {

constexpr MetricNames kUpcallMetrics{{
    {"upcalls_not_permitted", MetricKind::kCounter, "",
     "Invocations refused because their connection may not make them; only where there were any."},
    {"upcalls_<operation>", MetricKind::kCounter, "", "Invocations of the operation."},
    {"upcall_ns_<operation>", MetricKind::kCounter, "ns",
     "Time from the request's first octet to the reply's last, waiting included."},
    {"upcalls_refused_<operation>", MetricKind::kCounter, "",
     "Invocations that ended with an exception of the contract; only where there were any."},
    {"upcalls_failed_<operation>", MetricKind::kCounter, "",
     "Invocations that ended with any other exception: the request made no sense, or a bug."},
}};

}  // namespace

Dispatch::Dispatch(std::string servant, MayCall may_call)
    : Dispatch(std::move(servant), std::move(may_call), steady_now) {}

Dispatch::Dispatch(std::string servant, MayCall may_call, Now now)
    : servant_(std::move(servant)), may_call_(std::move(may_call)), now_(std::move(now)) {}

bool Dispatch::run(const char* operation, const std::function<bool()>& upcall) {
  // Copied, because the ORB frees its own copy of the name with the request.
  const std::string name = operation;
  const TimePoint began = now_();
  if (may_call_ && !may_call_({caller_address(), name})) {
    ++not_permitted_;
    complain(name, "is not permitted");
    throw CORBA::NO_PERMISSION(0, CORBA::COMPLETED_NO);
  }
  try {
    if (!upcall()) {
      // The ORB itself answers the questions that every object has, after this.
      if (!is_object_question(name)) note_callers_fault(PeerFault::kUnknownOperation, name);
      return false;
    }
    count(name, began, nullptr);
    return true;
  } catch (const CORBA::UserException&) {
    count(name, began, &Operation::refused);
    throw;
  } catch (const CORBA::Exception& exception) {
    count(name, began, &Operation::failed);
    complain(name, fmt::format("ended with {}", exception._name()));
    throw;
  } catch (const std::exception& exception) {
    count(name, began, &Operation::failed);
    complain(name, fmt::format("threw: {}", exception.what()));
    throw CORBA::INTERNAL(0, CORBA::COMPLETED_MAYBE);
  }
}

Dispatch::Operation& Dispatch::counts_of(std::string_view operation) {
  {
    const std::shared_lock lock(mutex_);
    const auto found = operations_.find(operation);
    if (found != operations_.end()) return *found->second;
  }
  const std::unique_lock lock(mutex_);
  auto& counts = operations_[std::string{operation}];
  if (!counts) counts = std::make_unique<Operation>();
  return *counts;
}

void Dispatch::count(std::string_view operation, TimePoint began,
                     std::atomic<std::uint64_t> Operation::*what) {
  Operation& counts = counts_of(operation);
  ++counts.calls;
  counts.ns += static_cast<std::uint64_t>((now_() - began).count());
  if (what != nullptr) ++(counts.*what);
}

void Dispatch::complain(std::string_view operation, const std::string& what) {
  // Without the port: a caller that reconnects again and again counts as one.
  const std::string_view address = caller_address();
  const std::string host{address.substr(0, address.rfind(':'))};
  const std::string caller = host.empty() ? "an unknown address" : host;
  const auto said =
      failure_log_.failed(caller, fmt::format("{} {}", printable(operation), what), now_());
  if (said) log::orb.warn("{}, called from {}: {}", servant_, caller, *said);
}

void Dispatch::append_metrics(Metrics& metrics) const {
  append_kept_state(metrics);
  const std::shared_lock lock(mutex_);
  const auto add = [&metrics](std::string_view family, const std::string& operation,
                              std::uint64_t value) {
    metrics.emplace_back(filled(family, {operation}), value);
  };
  if (not_permitted_ != 0) {
    metrics.emplace_back(filled(kUpcallMetrics["upcalls_not_permitted"], {}), not_permitted_);
  }
  for (const auto& [name, counts] : operations_) {
    add(kUpcallMetrics["upcalls_<operation>"], name, counts->calls);
    add(kUpcallMetrics["upcall_ns_<operation>"], name, counts->ns);
    if (counts->refused != 0) {
      add(kUpcallMetrics["upcalls_refused_<operation>"], name, counts->refused);
    }
    if (counts->failed != 0) {
      add(kUpcallMetrics["upcalls_failed_<operation>"], name, counts->failed);
    }
  }
}

MetricTable upcall_metrics() {
  MetricTable table = metric_table("orb", kUpcallMetrics);
  append_peer_faults(table);
  append_kept_state(table);
  return table;
}

}  // namespace xbind::orb
