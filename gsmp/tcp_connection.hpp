// One TCP connection as both sides of tcp_transport use it: reads in the background, sends at once
// what the socket takes and queues the rest. Needs Boost.Asio: include from .cpp only.
//
// One mutex guards the socket's use, the queue and the end; callbacks run without it, on the thread
// of the io_context. Held alive by its pending handlers.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "core/result.hpp"
#include "core/wire/writer.hpp"

namespace xbind::gsmp {

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
  TcpConnection(boost::asio::ip::tcp::socket socket, Limits limits, Callbacks callbacks);

  void start();                                          // on the io thread
  Result<void> send(std::span<const std::byte> octets);  // any thread
  void close(std::string reason);                        // any thread; closes on the io thread
  // The peer gets a TCP reset, and nothing of what is queued. Any thread.
  void reset(std::string reason);
  // Octets that may be read from now on; 0: none until the next call. Without a call: any number. On
  // the io thread.
  void allow(std::size_t octets);

 private:
  void read();
  void on_readable();
  void wait_writable();
  void on_writable();
  // Sends from the queue what the socket takes; returns whether the socket is well. Lock held.
  bool flush();
  // Returns octets taken, or -1 for an error. Lock held.
  std::ptrdiff_t try_send(std::span<const std::byte> octets);
  void finish(const std::string& reason, bool abort = false);  // io thread
  std::size_t unsent() const { return queue_.size() - queue_begin_; }

  boost::asio::ip::tcp::socket socket_;
  const Limits limits_;
  const Callbacks callbacks_;
  wire::Buffer read_buffer_;
  std::size_t allowance_ = std::numeric_limits<std::size_t>::max();  // io thread
  bool held_ = false;  // the allowance is used up, no read is pending; io thread

  std::mutex mutex_;
  bool open_ = true;
  bool writing_ = false;  // a wait for room in the socket is pending, or about to be
  bool paused_ = false;   // no read is pending
  wire::Buffer queue_;
  std::size_t queue_begin_ = 0;
};

}  // namespace xbind::gsmp
