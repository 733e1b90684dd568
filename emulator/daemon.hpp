// The switches of one process, joined to the world: a listening socket each, links for their cells, the
// control socket, captures. One thread does everything, on a TcpLoop: between any two looks at the
// sockets at most one switch moves cells, a bounded number, so that a controller's request waits for
// microseconds however full the lines are. Nothing to do: nothing runs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "emulator/options.hpp"

namespace xbind::emulator {

class Daemon {
 public:
  // Opens everything: kSystem or kBadInput, with the switch it was about. The options have been checked.
  // `seed` is for switches that have none; each gets one of its own from it. `pace` is of the process.
  static Result<std::unique_ptr<Daemon>> open(const std::vector<SwitchOptions>& switches,
                                              const std::string& control, std::uint64_t seed,
                                              const PaceOptions& pace = {});
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  // What it prints when it serves: the control socket if there is one, then a line for each switch.
  std::vector<std::string> ready_lines() const;
  void run();  // until SIGTERM or SIGINT

 private:
  struct Impl;
  explicit Daemon(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace xbind::emulator
