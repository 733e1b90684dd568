// What became of a request, as few classes as a reader needs: every request that was offered is in exactly
// one of them, so that they add up to the offer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "callgen/statistics/record.hpp"
#include "core/cause.hpp"

namespace xbind::callgen {

enum class OutcomeClass : std::uint8_t {
  kSuccess,
  kNoRoute,      // blocked: no path joins the ends, or none within a bound
  kNoBandwidth,  // blocked
  kNoBuffer,     // blocked
  kNoLabel,      // blocked: every label is taken
  kNoService,    // blocked: the service is unknown
  kPolicy,       // blocked: there was something left, but not for this manager
  kOverload,     // busy: a bounded queue was full and nothing was done
  kTimedOut,     // a switch did not answer in time
  kSwitchDown,   // a switch or a line of the path was away
  kServerDown,   // the RouteObject or the QOSMapper was away
  kBadRequest,   // it contradicts itself or what it is about: an end, a connection, a leaf
  kInternal,     // somebody of ours, or a switch, did what should not be
  kUnanswered,   // sent, and given up
  kShed,         // never sent
};
inline constexpr std::size_t kOutcomeClasses = 15;

// "success", "no_route", ...: keys of the JSON.
std::string_view to_string(OutcomeClass outcome);
// For people: "blocked: no route".
std::string_view phrase_of(OutcomeClass outcome);

OutcomeClass class_of(Cause cause);  // of a refusal
// kUnanswered also for a request that could not be sent any more because the manager was lost.
OutcomeClass class_of_failure(const RequestRecord& record);
inline OutcomeClass class_of(const RequestRecord& record) {
  return record.ended == Ended::kDone ? OutcomeClass::kSuccess : class_of_failure(record);
}

}  // namespace xbind::callgen
