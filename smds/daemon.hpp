// The data plane of xbind-smds: a thread with the server, its lines and their sockets.
//
//   open_host_lines ──▶ AtmLayer ─┐
//   UDP sockets ──────▶ UdpLayer ─┴─▶ Server ──▶ both            all on the thread of the loop
//
// What other threads want of it is posted to the loop.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/result.hpp"
#include "dataplane/links/link_spec.hpp"
#include "smds/line_calls.hpp"
#include "smds/network.hpp"
#include "smds/server.hpp"
#include "smds/snapshot.hpp"
#include "smds/udp_layer.hpp"

namespace xbind::smds {

struct DaemonOptions {
  ServerOptions server{};
  std::vector<dataplane::NamedLink> host_lines{};  // that of the server's endpoint is used
  std::vector<NamedUdpLine> udp_lines{};           // those of the server's subscribers are used
};

class Daemon {
 public:
  // Opens the lines of the server, which is an index, and starts. kNotFound: a line that the
  // network has is not among the options. Else the errors of the lines.
  static Result<std::unique_ptr<Daemon>> open(const Network& network, std::uint32_t server,
                                              const DaemonOptions& options);
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  const std::vector<Port>& ports() const { return ports_; }
  // By index of a port; any thread.
  void set_labels(std::vector<LineLabels> labels);
  // Passes a snapshot to `done` on the loop's thread; any thread. Dropped when the loop is busy or
  // has ended.
  void ask(std::function<void(const Snapshot&)> done);

 private:
  class Work;
  Daemon(std::vector<Port> ports, std::unique_ptr<Work> work);

  std::vector<Port> ports_;
  std::unique_ptr<Work> work_;
  std::thread thread_;
};

}  // namespace xbind::smds
