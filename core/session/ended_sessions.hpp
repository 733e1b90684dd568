// Why sessions have ended, for peers that still name one of them: the last kRemembered.
//
// Not thread-safe.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <deque>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/ids.hpp"
#include "core/result.hpp"
#include "core/session/session_end.hpp"

namespace xbind {

class EndedSessions {
 public:
  static constexpr std::size_t kRemembered = 1'024;

  void add(SessionId session, const SessionEnding& ending) {
    if (!endings_.insert_or_assign(session, ending).second) return;
    order_.push_back(session);
    if (order_.size() <= kRemembered) return;
    endings_.erase(order_.front());
    order_.pop_front();
  }

  // kNotFound: how the session has ended and what to do, or that there is no such session.
  Error error_for(SessionId session) const {
    const auto known = endings_.find(session);
    if (known == endings_.end()) {
      return {ErrorCode::kNotFound, fmt::format("no session {}", session)};
    }
    const SessionEnding& ending = known->second;
    return {ErrorCode::kNotFound,
            fmt::format("session {} has ended ({}{}{}): attach again", session,
                        to_string(ending.why), ending.reason.empty() ? "" : ": ", ending.reason)};
  }

 private:
  std::unordered_map<SessionId, SessionEnding> endings_;
  std::deque<SessionId> order_;  // the oldest first
};

}  // namespace xbind
