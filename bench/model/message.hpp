// The messages between the processes of the model: the frames of the real sessions, and what a
// SwitchServer and its switch send each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/call.hpp"
#include "core/hop.hpp"
#include "core/result.hpp"
#include "core/session/session.hpp"
#include "switchserver/drivers/switch_driver.hpp"

namespace xbind::model {

// One write of GSMP requests, and the answers in the same order.
struct SwitchRequests {
  std::vector<driver::Cookie> cookies;
};
struct SwitchAnswers {
  std::vector<driver::Cookie> cookies;
};
// A two-way invocation of a SwitchServer and its reply, by the manager's number.
struct Invocation {
  std::uint64_t number = 0;
  HopBatch batch;
};
struct Reply {
  std::uint64_t number = 0;
  Result<HopResultBatch> results;
};
// Queries to RouteObject or QOSMapper, and as many answers; the manager stores what it queried.
struct Questions {
  std::size_t count = 0;
};
struct Answers {
  std::size_t count = 0;
};
// A reminder of a process to itself; the number identifies it.
struct Reminder {
  std::uint64_t number = 0;
};

struct Message {
  using Body = std::variant<Reminder, session::Frame<RequestBatch>, session::Frame<HopBatch>,
                            session::Frame<HopResultBatch>, session::Frame<OutcomeBatch>,
                            SwitchRequests, SwitchAnswers, Invocation, Reply, Questions, Answers>;
  SessionId session;  // of a frame
  Body body;
};

}  // namespace xbind::model
