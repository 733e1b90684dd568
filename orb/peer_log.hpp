// Logs failures of peers: the first one, each new cause, and then ever more rarely
// (core/repeated_failure_log.hpp); also the recovery. Code that retries calls failed() after each
// failed try and well() after a success. Thread-safe.
#pragma once

#include <string>

#include "core/log.hpp"
#include "core/repeated_failure_log.hpp"
#include "core/steady_now.hpp"

namespace xbind::orb {

class PeerLog {
 public:
  // `problem`: a sentence with the peer, its address and the cause, as from orb::remote(). True: it
  // was logged.
  bool failed(const std::string& peer, const std::string& problem) {
    const auto line = failure_log_.failed(peer, problem, steady_now());
    if (line) log::sessions.warn("{}; retrying", *line);
    return line.has_value();
  }
  void well(const std::string& peer) {
    if (const auto tries = failure_log_.well(peer)) {
      log::sessions.info("{}: available again after {} failed {}", peer, *tries,
                         *tries == 1 ? "attempt" : "attempts");
    }
  }
  std::optional<RepeatedFailureLog::Failing> failing(const std::string& peer) const {
    return failure_log_.failing(peer);
  }

 private:
  RepeatedFailureLog failure_log_;
};

}  // namespace xbind::orb
