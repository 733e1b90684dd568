// xbind-gsmp-ovs as a process: an agent behind a listening socket, in front of a bridge. One
// thread, on a Loop.
//
// It listens once the bridge's contents are read, so that a controller never sees a table that is
// not known yet. Afterwards it keeps serving while the bridge is away (ovs_table.hpp).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/config/reload.hpp"
#include "core/result.hpp"
#include "exporter/reading.hpp"
#include "ovs/options.hpp"

namespace xbind::ovs {

class Daemon {
 public:
  // `seed` gives instance numbers. `on_ready` is called once, with the line to print.
  Daemon(const Options& options, std::uint64_t seed,
         std::function<void(const std::string&)> on_ready);
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  // SIGHUP reloads these options, on the thread of run(). They must outlive run(). Call before
  // run().
  void set_options(config::Reloadable& options);
  // Puts the live options into effect. Only within a reload of set_options().
  void change(const Options& wanted);
  // Ready while the session with the bridge is. The exporter must end before the daemon does.
  exporter::Part exposed_part();

  // Until SIGTERM or SIGINT. kSystem, kBadInput: the address to listen on is not available.
  Result<void> run();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace xbind::ovs
