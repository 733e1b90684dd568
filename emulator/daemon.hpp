// The switches of one process with their I/O: a listening socket each, links for their cells, the
// control socket, captures. One thread does all the work, on a Loop. Between two polls of the
// sockets at most one switch moves a bounded number of cells, so a controller's request waits only
// microseconds, however full the lines are. An idle process uses no processor time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/config/reload.hpp"
#include "core/result.hpp"
#include "emulator/options.hpp"
#include "exporter/reading.hpp"

namespace xbind::emulator {

class Daemon {
 public:
  // Opens all sockets, links and captures. kSystem or kBadInput, with the name of the switch. The
  // options must be checked; of `process`, the switches do not count. `seed` derives a seed for
  // each switch without its own.
  static Result<std::unique_ptr<Daemon>> open(const std::vector<SwitchOptions>& switches,
                                              const Options& process, std::uint64_t seed);
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  // The lines to print when ready: the control socket, if any, then a line for each switch.
  std::vector<std::string> ready_lines() const;
  // SIGHUP reloads these options and the control socket's order "tune" sets them, both on the
  // thread of run(). They must outlive run(). Call before run().
  void set_options(config::Reloadable& options);
  // Puts the live options of the switches into effect; as many switches as open() got, in their
  // order. Only within a reload of set_options().
  void change(const std::vector<SwitchOptions>& wanted);
  // A part for each switch. The exporter must end before the daemon does.
  std::vector<exporter::Part> exposed_parts();

  void run();  // until SIGTERM or SIGINT

 private:
  struct Impl;
  explicit Daemon(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace xbind::emulator
