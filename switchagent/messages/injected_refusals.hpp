// Refusals that a test or an operator has ordered: the next requests fail although the table would
// execute them.
#pragma once

#include <cstdint>
#include <optional>

#include "gsmp/messages/failure_code.hpp"
#include "gsmp/messages/header.hpp"

namespace xbind::switchagent {

class InjectedRefusals {
 public:
  // The next `count` requests fail with `code`: those of `type`, or all without one. Replaces an
  // earlier order.
  void set(std::uint64_t count, gsmp::FailureCode code, std::optional<gsmp::MessageType> type) {
    left_ = count;
    code_ = code;
    type_ = type;
  }
  bool none() const { return left_ == 0; }
  // Takes one refusal for a request of `type`: its code, or nullopt if none is ordered.
  std::optional<gsmp::FailureCode> take(gsmp::MessageType type) {
    if (left_ == 0 || (type_ && *type_ != type)) return std::nullopt;
    --left_;
    return code_;
  }

 private:
  std::uint64_t left_ = 0;
  gsmp::FailureCode code_ = gsmp::FailureCode::kNone;
  std::optional<gsmp::MessageType> type_;
};

}  // namespace xbind::switchagent
