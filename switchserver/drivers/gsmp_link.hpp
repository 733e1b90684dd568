// What the parts of a GsmpDriver share: the adjacency with the switch, the time of the call that is
// under way, and where their results go. The parts hold their own state themselves.
//
// Not thread-safe: owner and threads as GsmpDriver.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/cause.hpp"
#include "core/clock.hpp"
#include "core/result.hpp"
#include "gsmp/session.hpp"
#include "switchserver/drivers/added_entries.hpp"
#include "switchserver/drivers/driver_counters.hpp"
#include "switchserver/drivers/switch_driver.hpp"

namespace xbind {

struct GsmpLink {
  GsmpLink(const gsmp::SessionOptions& options, std::function<std::uint32_t()> random)
      : session(options, std::move(random)) {}

  gsmp::Session session;
  TimePoint now{};
  bool up = false;  // driver::Up has been reported, and no loss of the adjacency since
  DriverCounters counters;
  AddedEntries added;  // of a switch that cannot list its table
  std::vector<driver::Event> events;
  std::string drop_reason;  // not empty: the connection must be closed, for this reason

  // Reports the answer to an add, a move or a delete. Every such answer passes here.
  void finish(const driver::Done& done) {
    if (!added.nothing_open()) [[unlikely]]
      added.done(done);
    events.emplace_back(done);
  }
  bool lists_its_table() const {
    return gsmp::exists_in(gsmp::MessageType::kReportConnectionState, session.version());
  }
};

// The answer's body; null: it has none, or a different message.
template <class M>
const M* body_of(const gsmp::Response& response) {
  return response.body ? std::get_if<M>(response.body.get()) : nullptr;
}

// Why the session refused a request. A request that this version cannot express counts as refused
// by the switch, which would not understand it.
inline Cause cause_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::kExhausted: return Cause::kBusy;
    case ErrorCode::kVersion: return Cause::kSwitchRefused;
    default: return Cause::kSwitchUnreachable;
  }
}
inline std::uint8_t code_of(const Error& error) {
  return error.code == ErrorCode::kVersion
             ? static_cast<std::uint8_t>(gsmp::FailureCode::kNotImplemented)
             : std::uint8_t{0};
}

}  // namespace xbind
