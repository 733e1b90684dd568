// xbind-keeper as a process: the Keeper, its client session, the looks and the signals.
//
//   client's callbacks, worker, timer, main ──▶ Serial ──▶ Keeper ──┬──▶ Client::submit
//                                                 ▲                 ├──▶ worker: list, status file
//                                                 └── results ◀─────┘
//
// Nothing in the Serial blocks: the two-way calls of a look and the writes of the status file run
// on a worker's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "client/corba/client.hpp"
#include "client/corba/two_way.hpp"
#include "client/corba/worker.hpp"
#include "core/alarms/alarm.hpp"
#include "core/serial.hpp"
#include "exporter/reading.hpp"
#include "keeper/connection_file.hpp"
#include "keeper/file_turns.hpp"
#include "keeper/keeper.hpp"
#include "keeper/keeper_metrics.hpp"
#include "keeper/status_pace.hpp"
#include "orb/daemon.hpp"
#include "orb/name_client.hpp"
#include "orb/peer_log.hpp"
#include "orb/process.hpp"
#include "orb/runtime.hpp"
#include "orb/timer_thread.hpp"

namespace xbind::keeper {

struct Options {
  orb::CommonOptions common;  // its name is the client's
  std::string manager;
  std::string connections;  // a file
  std::uint32_t check_ms = 0;
  std::uint32_t retry_min_ms = 0;
  std::uint32_t retry_max_ms = 0;
  std::uint32_t at_once = 0;
  bool release_at_end = false;
  std::string status_file;  // empty: none

  Limits limits() const;
};

class Program {
 public:
  // Starts to attach. The runtime and the options must outlive the program.
  Program(orb::Runtime& runtime, const Options& options, std::vector<Wanted> tables);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Ready while there is a session with the manager and its list of calls has been read. The
  // exporter must end before the program does.
  exporter::Part exposed_part();

  // Passes the connections that are not up to `done`, once, from any thread.
  void ask_conditions(std::function<void(std::vector<AlarmCondition>)> done);
  // Reads the file of --connections again, whole or not at all. Any thread; readers take turns.
  Result<FileChange> read_file_again();

  // Keeps the connections up until a signal, or until a newer keeper of the name fences this one.
  // With --release-at-end also releases them. Main thread.
  orb::Ending run();

 private:
  // Within the Serial.
  void after_drain();
  void write_status(TimePoint now);
  exporter::Reading reading(TimePoint now) const;
  void say_ready();

  // Any thread.
  void post(std::function<void(TimePoint)> job);
  void end(int exit_code, std::string why);
  void session_changed(const Result<void>& change);
  // The reason of end(), or an orderly end for that one.
  orb::Ending ending(const std::string& otherwise) const;

  // Worker's thread.
  void look();
  void explain_absence();
  void store(const WantedCalls& wanted, bool attached);

  // Main thread.
  void open_log_again() const;
  void hang_up();
  // Any thread, by turns.
  Result<std::vector<Wanted>> load_file();
  Result<FileChange> take_file(std::vector<Wanted> tables);
  orb::Ending release_all(orb::Ending ending);

  const Options& options_;
  orb::NameClient names_;
  orb::PeerLog log_;

  FileTurns file_turns_;

  mutable std::mutex mutex_;
  std::optional<orb::Ending> ending_;  // guarded by mutex_

  // Used within the Serial.
  Keeper keeper_;
  bool ready_ = false;
  bool closing_ = false;    // the client is being destroyed
  bool releasing_ = false;  // --release-at-end
  StatusPace status_pace_;
  FileCounters file_counters_;
  TimePoint explain_at_;  // if there is no session then

  Serial serial_;
  orb::TimerThread timer_;
  client::Worker worker_;
  std::unique_ptr<client::Client> client_;
};

}  // namespace xbind::keeper
