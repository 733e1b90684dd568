// xbind-wan as a process: the engine between the TUN devices of its sites, and the control socket.
// One thread, on a Loop.
#pragma once

#include <memory>
#include <vector>

#include "core/config/reload.hpp"
#include "core/result.hpp"
#include "exporter/reading.hpp"
#include "wan/options.hpp"

namespace xbind::wan {

class Daemon {
 public:
  // Opens the devices and the control socket. `seed`: if the options have none. Errors as
  // net::TunDevice::open() and net::LineServer::listen().
  static Result<std::unique_ptr<Daemon>> open(const Options& options, std::uint64_t seed);
  ~Daemon();

  // SIGHUP loads these again, and the order "tune" changes them. They must outlive run().
  void set_options(config::Reloadable& options);
  // Gives each pair whose rule differs between the two the one of `wanted`; what orders have
  // changed at others stays. Both have the pairs of the daemon. Within run().
  void change(const Network& before, const Network& wanted);

  // One for each site.
  std::vector<exporter::Part> exposed_parts();

  // Until SIGTERM or SIGINT. kSystem: a device is gone.
  Result<void> run();

 private:
  struct Impl;
  explicit Daemon(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace xbind::wan
