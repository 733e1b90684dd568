// What goes wrong with peers, in the log: the first time, when the cause changes, and then ever
// more rarely (core/complaints.hpp), with the word that it is over. Whoever tries again calls
// failed() after each try and well() after the one that worked. Thread-safe.
#pragma once

#include <string>

#include "core/complaints.hpp"
#include "core/log.hpp"
#include "core/steady_now.hpp"

namespace xbind::orb {

class PeerLog {
 public:
  // `problem`: a sentence that names the peer, its address and the cause, as orb::remote() makes
  // it. True: it was logged.
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
