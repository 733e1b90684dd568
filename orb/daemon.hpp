// Common parts of all our CORBA programs: the options for name, name service, address and log, and
// the life of a daemon (bind, print "ready", wait for a signal, shut down in order).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/config/options.hpp"
#include "core/log.hpp"
#include "core/log_output.hpp"
#include "orb/accepted_connections.hpp"
#include "orb/name_keeper.hpp"
#include "orb/process.hpp"
#include "orb/runtime.hpp"
#include "orb/timers.hpp"
#include "orb/watched_names.hpp"

namespace xbind::orb {

struct CommonOptions {
  std::string name;
  std::string name_service;
  std::string listen_address;
  log::Output log;
  std::uint32_t call_timeout_ms = 0;
  std::uint32_t connections_max = 0;  // of daemons
  std::uint32_t connections_per_host_max = 0;
  std::string metrics;  // of daemons: where exporter/ listens, HOST:PORT; empty: nowhere

  ConnectionLimits connections() const { return {connections_max, connections_per_host_max}; }
  RuntimeOptions runtime() const { return {listen_address, call_timeout_ms}; }
};

// Add --name-service, --listen-address, --call-timeout-ms and those of the log; for daemons also
// --accepted-max and --accepted-per-host-max, and --name (default `default_name`; empty: the
// option is required).
void add_client_options(config::OptionSet& set, CommonOptions& options, log::Level default_level,
                        std::uint32_t default_call_timeout_ms = RuntimeOptions{}.call_timeout_ms);
void add_connection_options(config::OptionSet& set, CommonOptions& options);
void add_daemon_options(config::OptionSet& set, CommonOptions& options,
                        const std::string& default_name);
// The options that every daemon takes while it runs: --log-level and the limits of connections.
void set_live_options(config::OptionSet& set);
// Puts them into effect where they differ.
void apply_live_options(const CommonOptions& before, const CommonOptions& wanted);
// Adds the meaning of serve_until_signal()'s exit codes to the end of --help. add_daemon_options()
// calls it.
void add_exit_codes(config::OptionSet& set);

// Refuses option values that are not valid names (core/name.hpp). `may_be_empty`: an empty value
// has a meaning of its own. `value` must outlive the set's load().
void require_name(config::OptionSet& set, const std::string& option, const std::string& value,
                  bool may_be_empty = false);

// One object of a program; the program prints a ready line for it.
struct Served {
  std::string name;  // in the ready line
  Binding binding;
};

// What a daemon does between its start and its first "ready" line. Each may be empty.
struct Steps {
  // Called on the caller's thread, after no living daemon was found under any of the names. Before
  // this call the daemon touches nothing that another daemon of its name may control: no session,
  // no switch, no file of --state-dir, whose texts count as they are now. May call end_process():
  // then no name is bound.
  std::function<void()> begin;
  // See NameKeeper; on its thread.
  std::function<bool()> ready_to_bind;
  // Called once, after all names were bound for the first time; on the NameKeeper's thread.
  std::function<void()> serving = {};
  // The other daemons that are watched for this one's alarms (orb/daemon_watch.hpp).
  Watching watching = {};
};

// The life of a daemon: checks that its names are free, begins, binds them and keeps them bound.
// Prints "PROGRAM NAME ready" to standard output after the first bind of each. Unbinds and returns
// when the process must end:
//   SIGTERM, SIGINT                                  exit code 0
//   a living daemon has one of the names             kExitNameHeld; nothing was begun
//   one of the names was taken by a living daemon, or end_process() was called (a newer epoch)
//                                                    kExitReplaced
// A living daemon answers a two-way call within NameHolders::kAnswerPatience; the name of any other
// is taken over. While the name service is unavailable, this waits for it before it begins
// anything.
Ending serve_until_signal(CORBA::ORB_ptr orb, const std::string& program,
                          const CommonOptions& options, const std::vector<Served>& served,
                          Steps steps = {});
// Writes the last log line, after everything has stopped. Returns the exit code for main().
int log_ending(const Ending& ending);

}  // namespace xbind::orb
