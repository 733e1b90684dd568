// What is known of each cause of a refusal, a row each: its name, what callers do about it, and
// what people read. To add a cause: its number in cause.hpp and idl/types.idl, and its row in
// cause.cpp. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/cause.hpp"
#include "core/error.hpp"

namespace xbind {

// What a manager may try after a hop's refusal.
enum class Retry : std::uint8_t {
  kNowhere,
  kOtherPath,    // another route may avoid the cause
  kOtherLabels,  // the same route with other labels: these had lapsed, or were not free yet
};

// For those who count refusals.
enum class CauseClass : std::uint8_t {
  kNoRoute,      // no path between the ends, or none within a bound
  kNoBandwidth,  //
  kNoBuffer,     //
  kNoLabel,      // all labels are in use
  kNoService,    // the service is unknown
  kPolicy,       // resources are left, but not for this manager
  kOverload,     // a bounded queue was full; nothing was done
  kTimedOut,     // a switch did not answer in time
  kSwitchDown,   // a switch or a line of the path was down
  kServerDown,   // RouteObject or the QOSMapper was down
  kBadRequest,   // contradicts itself or its object: an end, a connection, a leaf
  kInternal,     // a daemon or a switch did something it should not do
};

// Where the reason of a refusal stands, if it has one.
enum class Reason : std::uint8_t {
  kUnsaid,
  kInstead,  // of the numbers
  kBeside,   // behind the numbers
  kWhole,    // instead of the numbers and of the element, which it names itself
};

struct CauseRow {
  Cause cause = Cause::kNone;
  std::string_view name;  // stable
  ErrorCode code = ErrorCode::kProtocol;
  CauseClass counted = CauseClass::kInternal;
  Retry retry = Retry::kNowhere;
  // The numbers of a refusal, in fmt's syntax with {asked} and {free}; empty: it has none.
  std::string_view numbers_said;
  Reason reason = Reason::kUnsaid;
  std::string_view meaning;  // one or two sentences; empty for kNone alone, as `remedy`
  std::string_view numbers;  // what `asked` and `free` are; empty: they are not used
  std::string_view remedy;   // what to do
};

const CauseRow& row_of(Cause cause);
// All but kNone, in the order of their numbers.
std::span<const CauseRow> refusal_causes();

}  // namespace xbind
