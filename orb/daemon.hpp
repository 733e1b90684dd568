// What every CORBA program of ours has in common: the options for name, name service, address and log,
// and the life of a daemon (bind, say "ready", wait for a signal, end in order).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/config/options.hpp"
#include "core/faults/fault_plan.hpp"
#include "core/log.hpp"
#include "orb/name_keeper.hpp"
#include "orb/runtime.hpp"

namespace xbind::orb {

struct CommonOptions {
  std::string name;
  std::string name_service;
  std::string listen_address;
  log::Level log_level = log::Level::kInfo;
  std::uint32_t call_timeout_ms = 0;

  RuntimeOptions runtime() const { return {listen_address, call_timeout_ms}; }
};

// --name-service, --listen-address, --log-level, --call-timeout-ms; for daemons also --name (with
// `default_name`; empty: the option is required).
void add_client_options(config::OptionSet& set, CommonOptions& options, log::Level default_level);
void add_daemon_options(config::OptionSet& set, CommonOptions& options,
                        const std::string& default_name);

// --loss, --duplicate, --reorder, --delay, --delay-ms, --fault-legs, --fault-seed: faults on purpose
// in what this process sends over its sessions, off by default.
void add_fault_options(config::OptionSet& set, faults::FaultOptions& options);

// Binds `object` as `path` and keeps it bound; prints "PROGRAM NAME ready" to standard output after the
// first bind; returns after SIGTERM or SIGINT, unbound. `may_bind`: see NameKeeper.
void serve_until_signal(CORBA::ORB_ptr orb, const std::string& program,
                        const CommonOptions& options, const std::string& path,
                        CORBA::Object_ptr object, std::function<bool()> may_bind = {});
// The same for several objects of one program, with a ready line for each.
struct Served {
  std::string name;  // in the ready line
  Binding binding;
};
void serve_until_signal(CORBA::ORB_ptr orb, const std::string& program,
                        const CommonOptions& options, const std::vector<Served>& served,
                        std::function<bool()> may_bind = {});

}  // namespace xbind::orb
