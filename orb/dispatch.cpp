#include "orb/dispatch.hpp"

#include <fmt/format.h>

#include <mutex>

#include "core/log.hpp"
#include "core/name.hpp"
#include "core/steady_now.hpp"
#include "orb/caller.hpp"

namespace xbind::orb {

Dispatch::Dispatch(std::string servant, MayCall may_call)
    : Dispatch(std::move(servant), std::move(may_call), steady_now) {}

Dispatch::Dispatch(std::string servant, MayCall may_call, Now now)
    : servant_(std::move(servant)), may_call_(std::move(may_call)), now_(std::move(now)) {}

bool Dispatch::run(const char* operation, const std::function<bool()>& upcall) {
  // The ORB frees its own copy of the name with the request.
  const std::string name = operation;
  const TimePoint began = now_();
  if (may_call_ && !may_call_({caller_address(), name})) {
    ++not_permitted_;
    complain(name, "is not permitted");
    throw CORBA::NO_PERMISSION(0, CORBA::COMPLETED_NO);
  }
  try {
    if (!upcall()) return false;
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
  // Without its port: somebody who connects again and again is one caller.
  const std::string_view address = caller_address();
  const std::string host{address.substr(0, address.rfind(':'))};
  const std::string caller = host.empty() ? "somebody" : host;
  const auto said =
      complaints_.failed(caller, fmt::format("{} {}", printable(operation), what), now_());
  if (said) log::warn("{}, called from {}: {}", servant_, caller, *said);
}

void Dispatch::append_metrics(std::vector<std::pair<std::string, std::uint64_t>>& metrics) const {
  const std::shared_lock lock(mutex_);
  if (not_permitted_ != 0) metrics.emplace_back("upcalls_not_permitted", not_permitted_);
  for (const auto& [name, counts] : operations_) {
    metrics.emplace_back("upcalls_" + name, counts->calls);
    metrics.emplace_back("upcall_ns_" + name, counts->ns);
    if (counts->refused != 0) metrics.emplace_back("upcalls_refused_" + name, counts->refused);
    if (counts->failed != 0) metrics.emplace_back("upcalls_failed_" + name, counts->failed);
  }
}

}  // namespace xbind::orb
