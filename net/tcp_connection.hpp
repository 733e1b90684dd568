// One connection over TCP or a UNIX stream socket, for both the side that connects and the one that
// listens. Reads in the background, sends at once as much as the socket accepts and queues the
// rest. Needs Boost.Asio: include from .cpp only.
//
// One mutex guards the socket, the queue and the closing. Callbacks run without it, on the thread
// of the io_context. Pending handlers keep the object alive.
#pragma once

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "core/result.hpp"
#include "core/wire/writer.hpp"

namespace xbind::net {

// A TCP socket converts to it.
using StreamSocket = boost::asio::generic::stream_protocol::socket;

class TcpConnection : public std::enable_shared_from_this<TcpConnection> {
 public:
  struct Limits {
    std::size_t queue_octets_max = 0;
    std::size_t read_pause_octets = 0;  // 0: never pause
  };
  struct Callbacks {
    std::function<void(std::span<const std::byte>)> on_octets;
    std::function<void(const std::string& reason)> on_closed;  // exactly once
  };

  // `socket` is connected.
  TcpConnection(StreamSocket socket, Limits limits, Callbacks callbacks);

  void start();                                          // on the io thread
  Result<void> send(std::span<const std::byte> octets);  // any thread
  void close(std::string reason);                        // any thread; closes on the io thread
  // Sends a TCP reset and discards the queue. Any thread.
  void reset(std::string reason);
  // Sets how many octets may be read from now on; 0: none until the next call. Unlimited before the
  // first call. Call on the io thread.
  void allow(std::size_t octets);

 private:
  void read();
  void on_readable();
  void wait_writable();
  void on_writable();
  // Sends as much of the queue as the socket accepts. Returns false on a socket error. Requires the
  // lock.
  bool flush();
  // Returns the octets accepted, or -1 on error. Requires the lock.
  std::ptrdiff_t try_send(std::span<const std::byte> octets);
  void finish(const std::string& reason, bool abort = false);  // io thread
  std::size_t unsent() const { return queue_.size() - queue_begin_; }

  StreamSocket socket_;
  const Limits limits_;
  const Callbacks callbacks_;
  wire::Buffer read_buffer_;
  std::size_t allowance_ = std::numeric_limits<std::size_t>::max();  // io thread
  bool held_ = false;  // the allowance is used up, no read is pending; io thread

  std::mutex mutex_;
  bool open_ = true;
  bool writing_ = false;  // a wait for room in the socket is pending or about to start
  bool paused_ = false;   // no read is pending
  wire::Buffer queue_;
  std::size_t queue_begin_ = 0;
};

}  // namespace xbind::net
