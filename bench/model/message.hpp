// The messages between the processes of the model (sites.hpp), which machine.hpp delivers: frames
// of the real sessions, two-way invocations of SwitchServers, queries to RouteObject and QOSMapper,
// and GSMP. Where the contents do not affect costs or decisions, a message carries their number.
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

// GSMP requests that a SwitchServer sends its switch in one write; each cookie stands for one.
struct SwitchRequests {
  std::vector<driver::Cookie> cookies;
};
// The switch's success responses, in the order of the requests.
struct SwitchAnswers {
  std::vector<driver::Cookie> cookies;
};
// A two-way invocation that the manager makes at a SwitchServer.
struct Invocation {
  std::uint64_t number = 0;  // chosen by the manager, unique; the Reply repeats it
  HopBatch batch;
};
struct Reply {
  std::uint64_t number = 0;
  Result<HopResultBatch> results;
};
// The manager's queries to RouteObject or QOSMapper, and as many answers in the same order. The
// model's manager stores the queries and makes up the answers itself (ManagerSite).
struct Questions {
  std::size_t count = 0;
};
struct Answers {
  std::size_t count = 0;
};
// A timer that a process sends itself (Outbox::remind()); `number` tells it what to do then.
struct Reminder {
  std::uint64_t number = 0;
};

struct Message {
  using Body = std::variant<Reminder, session::Frame<RequestBatch>, session::Frame<HopBatch>,
                            session::Frame<HopResultBatch>, session::Frame<OutcomeBatch>,
                            SwitchRequests, SwitchAnswers, Invocation, Reply, Questions, Answers>;
  // Of a frame and an Invocation. Questions and Answers: kRoutes or kServices of sites.cpp instead.
  // Otherwise unused.
  SessionId session;
  Body body;
};

}  // namespace xbind::model
