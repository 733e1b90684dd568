#include "callgen/statistics/record.hpp"

#include "core/check.hpp"

namespace xbind::callgen {

std::string_view to_string(RequestKind kind) {
  switch (kind) {
    case RequestKind::kSetup: return "setup";
    case RequestKind::kRelease: return "release";
    case RequestKind::kModify: return "modify";
    case RequestKind::kAddLeaf: return "add-leaf";
    case RequestKind::kDropLeaf: return "drop-leaf";
    case RequestKind::kHold: return "hold";
    case RequestKind::kCommit: return "commit";
  }
  XB_CHECK(false);
}

std::string_view to_string(Ended ended) {
  switch (ended) {
    case Ended::kDone: return "done";
    case Ended::kRefused: return "refused";
    case Ended::kBusy: return "busy";
    case Ended::kUnanswered: return "unanswered";
    case Ended::kShed: return "shed";
  }
  XB_CHECK(false);
}

}  // namespace xbind::callgen
