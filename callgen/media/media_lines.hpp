// The lines between callgen and the endpoints of the network: sockets, the thread that listens to them,
// and a capture of what goes over them. The thinking is in media_check.hpp.
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
  // Cells that came in at an endpoint, with the moment they were taken off the socket.
  using OnCells =
      std::function<void(const std::string& endpoint, std::vector<dataplane::Cell>, TimePoint)>;

  // Opens all or none; `capture`: a file ending in .erf or .pcap, empty: none. Errors: those of
  // open_host_lines() and CaptureFile::open().
  static Result<std::unique_ptr<MediaLines>> open(std::span<const dataplane::NamedLink> hosts,
                                                  const std::string& capture);
  ~MediaLines();  // stop()
  MediaLines(const MediaLines&) = delete;
  MediaLines& operator=(const MediaLines&) = delete;

  const std::vector<MediaEndpoint>& endpoints() const { return endpoints_; }  // any thread

  // From now on `on_cells` is called, on a thread of its own, until stop() has returned. Once.
  void start(OnCells on_cells);
  // At an endpoint of ours. Any thread. Cells for which there is no room in 16384 waiting ones are
  // dropped and counted.
  void send(const std::string& endpoint, std::span<const dataplane::Cell> cells);
  // No cell is handed on afterwards; the capture is whole. kSystem: the capture is not.
  Result<void> stop();

  std::uint64_t cells_not_sent() const;
  // Of the capture; zeros without one.
  dataplane::CaptureCounters captured() const;

 private:
  MediaLines(dataplane::HostLines hosts, std::vector<MediaEndpoint> endpoints,
             std::unique_ptr<dataplane::CaptureFile> capture, int wake);
  void listen();
  bool take_all(TimePoint now);  // whether cells wait to be sent
  void capture(dataplane::Direction direction, std::span<const dataplane::Cell> cells);
  void wake();

  const std::vector<MediaEndpoint> endpoints_;
  mutable std::mutex mutex_;  // guards what follows, all of it of the data plane's one thread
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
