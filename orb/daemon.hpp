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
#include "orb/process.hpp"
#include "orb/runtime.hpp"
#include "orb/timers.hpp"

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
void add_client_options(config::OptionSet& set, CommonOptions& options, log::Level default_level,
                        std::uint32_t default_call_timeout_ms = RuntimeOptions{}.call_timeout_ms);
void add_daemon_options(config::OptionSet& set, CommonOptions& options,
                        const std::string& default_name);
// What the exit codes of serve_until_signal() mean, at the end of --help; add_daemon_options() does
// it.
void add_exit_codes(config::OptionSet& set);

// --loss, --duplicate, --reorder, --delay, --delay-ms, --fault-legs, --fault-seed: faults on purpose
// in what this process sends over its sessions, off by default.
void add_fault_options(config::OptionSet& set, faults::FaultOptions& options);

// Refuses values of an option of `set` that are no names (core/name.hpp); `may_be_empty`: an empty
// one has a meaning of its own. `value` outlives the set's load().
void require_name(config::OptionSet& set, const std::string& option, const std::string& value,
                  bool may_be_empty = false);

// One object of a program, with a ready line.
struct Served {
  std::string name;  // in the ready line
  Binding binding;
};

// What a daemon does between its start and its first line "ready". Each may be empty.
struct Steps {
  // After no living daemon was found to have one of the names, on the caller's thread. Nothing that
  // a daemon of the same name may be in charge of is touched before: no session, no switch.
  std::function<void()> begin;
  // See NameKeeper; on its thread.
  std::function<bool()> may_bind;
};

// The life of a daemon: looks whether its names are free, begins, binds them and keeps them bound,
// prints "PROGRAM NAME ready" to standard output after the first bind of each, and returns,
// unbound, when the process is to end:
//   SIGTERM, SIGINT                                  exit code 0
//   a living daemon has one of the names             kExitNameHeld; nothing was begun
//   one of the names was taken by a living daemon, or end_process() was called (a newer epoch)
//                                                    kExitReplaced
// "Living" answers a two-way call within NameHolders::kAnswerPatience. One that does not is taken
// over. While the name service is away this waits for it, before anything is begun.
Ending serve_until_signal(CORBA::ORB_ptr orb, const std::string& program,
                          const CommonOptions& options, const std::vector<Served>& served,
                          Steps steps = {});
// The last line of the log, once all is stopped; the exit code for main().
int last_word(const Ending& ending);

}  // namespace xbind::orb
