// The results of requests in a few classes for readers: every offered request is in exactly one of
// them, so that they add up to the offer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "callgen/statistics/record.hpp"
#include "core/cause.hpp"

namespace xbind::callgen {

enum class OutcomeClass : std::uint8_t {
  kSuccess,
  kNoRoute,      // blocked: no path between the ends, or none within a bound
  kNoBandwidth,  // blocked
  kNoBuffer,     // blocked
  kNoLabel,      // blocked: all labels are in use
  kNoService,    // blocked: the service is unknown
  kPolicy,       // blocked: resources are left, but not for this manager
  kOverload,     // busy: a bounded queue was full; nothing was done
  kTimedOut,     // a switch did not answer in time
  kSwitchDown,   // a switch or a line of the path was down
  kServerDown,   // RouteObject or the QOSMapper was down
  kBadRequest,   // contradicts itself or its object: an end, a connection, a leaf
  kInternal,     // a daemon or a switch did something it should not do
  kUnanswered,   // sent, and given up
  kShed,         // never sent
};
inline constexpr std::size_t kOutcomeClasses = 15;

// "success", "no_route", ...: keys of the JSON.
std::string_view to_string(OutcomeClass outcome);
// For people: "blocked: no route".
std::string_view phrase_of(OutcomeClass outcome);

OutcomeClass class_of(Cause cause);  // of a refusal
// kUnanswered also for a request that could not be sent because the manager was lost.
OutcomeClass class_of_failure(const RequestRecord& record);
inline OutcomeClass class_of(const RequestRecord& record) {
  return record.ended == Ended::kDone ? OutcomeClass::kSuccess : class_of_failure(record);
}

}  // namespace xbind::callgen
