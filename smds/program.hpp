// xbind-smds as a process: the data plane on a thread of its own, and the calls of its lines, which
// a keeper::Keeper keeps up as it does for permanent connections.
//
//   client's callbacks, worker, timer, main ──▶ Serial ──▶ Keeper ──▶ Client::submit
//                                                 ▲  └──▶ labels ──▶ Daemon (its thread)
//                       worker: list of calls ────┘
//
// Nothing in the Serial blocks: two-way calls and writes of the status run on a worker's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "client/corba/client.hpp"
#include "client/corba/worker.hpp"
#include "core/serial.hpp"
#include "exporter/reading.hpp"
#include "keeper/keeper.hpp"
#include "orb/daemon.hpp"
#include "orb/name_client.hpp"
#include "orb/peer_log.hpp"
#include "orb/runtime.hpp"
#include "orb/timer_thread.hpp"
#include "smds/daemon.hpp"
#include "smds/remote_calls.hpp"
#include "smds/smds_metrics.hpp"
#include "smds/status_document.hpp"

namespace xbind::smds {

struct Options {
  orb::CommonOptions common;  // its name is the server's, and the client's at the manager
  std::string manager;
  std::string network;  // a file
  std::string status_dir;
  std::uint32_t check_ms = 0;
  std::uint32_t retry_min_ms = 0;
  std::uint32_t retry_max_ms = 0;
  std::uint32_t buffer_pdus = 0;
  std::uint32_t interface_mbit_per_s = 0;
  bool jumbo = false;
  std::vector<std::string> host_line_words;
  std::vector<std::string> udp_line_words;

  PduLimits limits() const;
};

class Program {
 public:
  // Starts to attach. The runtime and the options must outlive the program; `server` is an index.
  Program(orb::Runtime& runtime, const Options& options, const Network& network,
          std::uint32_t server, std::unique_ptr<Daemon> daemon);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Ready while there is a session with the manager and every line is connected. The exporter must
  // end before the program does.
  exporter::Part exposed_part();

  // Serves until a signal, or until a newer server of the name fences this one. Main thread.
  orb::Ending run();

 private:
  // Within the Serial.
  void after_drain();
  void looked(const CallList& list, TimePoint now);
  void write_status(TimePoint now);
  exporter::Reading reading(const Snapshot& snapshot) const;
  LineCount line_count() const;

  // Any thread.
  void post(std::function<void(TimePoint)> job);
  void session_changed(const Result<void>& change);

  // Worker's thread.
  void look();
  void explain_absence();
  void store(const keeper::WantedCalls& wanted, const std::vector<LineLabels>& labels,
             bool attached, bool running);

  const Options& options_;
  const ServerSpec server_;
  std::vector<std::string> clients_;  // whose calls are read: our own name, then the neighbours'
  orb::NameClient names_;
  orb::PeerLog log_;
  const std::vector<Port> ports_;
  std::unique_ptr<Daemon> daemon_;

  // Used within the Serial.
  keeper::Keeper keeper_;
  std::vector<LineLabels> labels_;
  bool closing_ = false;  // the client is being destroyed
  bool ready_ = false;
  bool complete_ = false;  // all lines are connected, as last reported
  bool writing_ = false;
  TimePoint status_at_;
  TimePoint explain_at_;  // if there is no session then

  // Used on the worker's thread.
  std::string stored_;  // the last status, without its time
  Snapshot last_;

  Serial serial_;
  orb::TimerThread timer_;
  client::Worker worker_;
  std::unique_ptr<client::Client> client_;
};

}  // namespace xbind::smds
