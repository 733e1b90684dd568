// Logs failures of peers: the first one, each new cause, and then ever more rarely
// (core/complaints.hpp); also the recovery. Code that retries calls failed() after each failed try
// and well() after a success. Thread-safe.
#pragma once

#include <string>

#include "core/complaints.hpp"
#include "core/log.hpp"
#include "core/steady_now.hpp"

namespace xbind::orb {

class PeerLog {
 public:
  // `problem`: a sentence with the peer, its address and the cause, as from orb::remote(). True: it
  // was logged.
  bool failed(const std::string& peer, const std::string& problem) {
    const auto line = complaints_.failed(peer, problem, steady_now());
    if (line) log::warn("{}; trying on", *line);
    return line.has_value();
  }
  void well(const std::string& peer) {
    if (const auto tries = complaints_.well(peer)) {
      log::info("{}: works again, {} {} failed before", peer, *tries,
                *tries == 1 ? "try" : "tries");
    }
  }

 private:
  Complaints complaints_;
};

}  // namespace xbind::orb
