// xbind-gsmp-ovs as a process: an agent behind a listening socket, in front of a bridge. One
// thread, on a TcpLoop.
//
// It listens once the bridge's contents are read, so that a controller never sees a table that is
// not known yet. Afterwards it keeps serving while the bridge is away (ovs_table.hpp).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/result.hpp"
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

  // Until SIGTERM or SIGINT. kSystem, kBadInput: the address to listen on is not available.
  Result<void> run();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace xbind::ovs
