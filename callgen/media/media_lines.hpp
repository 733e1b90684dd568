// The lines between callgen and the network's endpoints: sockets, the thread that receives from
// them, and a capture of the traffic. media_check.hpp judges the cells.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "callgen/media/media_cells.hpp"
#include "core/clock.hpp"
#include "core/result.hpp"
#include "dataplane/capture_file.hpp"
#include "dataplane/host/open_host_lines.hpp"

namespace xbind::callgen {

class MediaLines {
 public:
  // Cells that arrived at an endpoint, and the time when they were read from the socket.
  using OnCells =
      std::function<void(const std::string& endpoint, std::vector<dataplane::Cell>, TimePoint)>;

  // Opens all lines or none. `capture`: a file ending in .erf or .pcap; empty: none. Errors: those
  // of open_host_lines() and CaptureFile::open().
  static Result<std::unique_ptr<MediaLines>> open(std::span<const dataplane::NamedLink> hosts,
                                                  const std::string& capture);
  ~MediaLines();  // calls stop()
  MediaLines(const MediaLines&) = delete;
  MediaLines& operator=(const MediaLines&) = delete;

  const std::vector<MediaEndpoint>& endpoints() const { return endpoints_; }  // any thread

  // From now on `on_cells` is called on a separate thread, until stop() has returned. Call once.
  void start(OnCells on_cells);
  // Sends cells at one of these endpoints. Any thread. Cells that find no room among 16384 waiting
  // ones are dropped and counted.
  void send(const std::string& endpoint, std::span<const dataplane::Cell> cells);
  // Afterwards `on_cells` is not called any more and the capture is complete. kSystem: the capture
  // is incomplete.
  Result<void> stop();

  std::uint64_t cells_not_sent() const;
  // Counters of the capture; zeros without one.
  dataplane::CaptureCounters captured() const;

 private:
  MediaLines(dataplane::HostLines hosts, std::vector<MediaEndpoint> endpoints,
             std::unique_ptr<dataplane::CaptureFile> capture, int wake);
  void listen();
  bool take_all(TimePoint now);  // returns whether cells wait to be sent
  void capture(dataplane::Direction direction, std::span<const dataplane::Cell> cells);
  void wake();

  const std::vector<MediaEndpoint> endpoints_;
  // guards the members below, because the data plane allows one thread at a time
  mutable std::mutex mutex_;
  dataplane::HostLines hosts_;
  std::unique_ptr<dataplane::CaptureFile> capture_;
  std::map<std::string, std::vector<dataplane::Cell>> taken_;
  std::uint64_t not_sent_ = 0;

  OnCells on_cells_;
  int wake_;  // eventfd
  std::atomic<bool> ending_ = false;
  std::thread listener_;
};

}  // namespace xbind::callgen
