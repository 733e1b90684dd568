#include "callgen/statistics/outcome_class.hpp"

#include "core/cause_table.hpp"
#include "core/check.hpp"

namespace xbind::callgen {

std::string_view to_string(OutcomeClass outcome) {
  switch (outcome) {
    case OutcomeClass::kSuccess: return "success";
    case OutcomeClass::kNoRoute: return "no_route";
    case OutcomeClass::kNoBandwidth: return "no_bandwidth";
    case OutcomeClass::kNoBuffer: return "no_buffer";
    case OutcomeClass::kNoLabel: return "no_label";
    case OutcomeClass::kNoService: return "no_service";
    case OutcomeClass::kPolicy: return "policy";
    case OutcomeClass::kOverload: return "overload";
    case OutcomeClass::kTimedOut: return "timed_out";
    case OutcomeClass::kSwitchDown: return "switch_down";
    case OutcomeClass::kServerDown: return "server_down";
    case OutcomeClass::kBadRequest: return "bad_request";
    case OutcomeClass::kInternal: return "internal";
    case OutcomeClass::kUnanswered: return "unanswered";
    case OutcomeClass::kShed: return "shed";
  }
  XB_CHECK(false);
}

std::string_view phrase_of(OutcomeClass outcome) {
  switch (outcome) {
    case OutcomeClass::kSuccess: return "done";
    case OutcomeClass::kNoRoute: return "blocked: no route";
    case OutcomeClass::kNoBandwidth: return "blocked: no bandwidth";
    case OutcomeClass::kNoBuffer: return "blocked: no buffer";
    case OutcomeClass::kNoLabel: return "blocked: no label";
    case OutcomeClass::kNoService: return "blocked: unknown service";
    case OutcomeClass::kPolicy: return "blocked: above the manager's share";
    case OutcomeClass::kOverload: return "rejected: a queue was full";
    case OutcomeClass::kTimedOut: return "failed: a switch did not answer in time";
    case OutcomeClass::kSwitchDown: return "failed: a switch or line was down";
    case OutcomeClass::kServerDown: return "failed: RouteObject or QOSMapper was away";
    case OutcomeClass::kBadRequest: return "failed: a request that cannot be met";
    case OutcomeClass::kInternal: return "failed: internal";
    case OutcomeClass::kUnanswered: return "not answered";
    case OutcomeClass::kShed: return "not sent: too many calls were open";
  }
  XB_CHECK(false);
}

OutcomeClass class_of(Cause cause) {
  switch (row_of(cause).counted) {
    case CauseClass::kNoRoute: return OutcomeClass::kNoRoute;
    case CauseClass::kNoBandwidth: return OutcomeClass::kNoBandwidth;
    case CauseClass::kNoBuffer: return OutcomeClass::kNoBuffer;
    case CauseClass::kNoLabel: return OutcomeClass::kNoLabel;
    case CauseClass::kNoService: return OutcomeClass::kNoService;
    case CauseClass::kPolicy: return OutcomeClass::kPolicy;
    case CauseClass::kOverload: return OutcomeClass::kOverload;
    case CauseClass::kTimedOut: return OutcomeClass::kTimedOut;
    case CauseClass::kSwitchDown: return OutcomeClass::kSwitchDown;
    case CauseClass::kServerDown: return OutcomeClass::kServerDown;
    case CauseClass::kBadRequest: return OutcomeClass::kBadRequest;
    case CauseClass::kInternal: return OutcomeClass::kInternal;
  }
  XB_CHECK(false, static_cast<int>(cause));
}

OutcomeClass class_of_failure(const RequestRecord& record) {
  switch (record.ended) {
    case Ended::kDone: return OutcomeClass::kSuccess;
    case Ended::kRefused: return class_of(record.cause);
    case Ended::kBusy: return OutcomeClass::kOverload;
    case Ended::kUnanswered: return OutcomeClass::kUnanswered;
    case Ended::kShed: return OutcomeClass::kShed;
  }
  XB_CHECK(false);
}

}  // namespace xbind::callgen
