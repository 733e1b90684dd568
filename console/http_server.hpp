// An HTTP/1.1 server on Boost.Beast: one thread serves every connection, and no peer can hold it.
//
//   peers ──▶ HttpServer ──OnRequest──▶ handlers      (they answer at once, or from a thread of
//                │   ◀──────Reply──────                their own)
//                └─ publish() ──▶ every event stream
//
// Bounds: HttpLimits, and the timers of console/timers.hpp. A peer beyond a bound gets a problem
// (problem.hpp) where the protocol allows an answer. Where it does not, the peer is cut off: a
// reader that is too slow, a request that does not arrive. HttpCounts counts both.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "console/http_message.hpp"
#include "core/config/host_port.hpp"
#include "core/result.hpp"

namespace xbind::console {

struct HttpLimits {
  std::size_t connections = 256;
  std::size_t streams = 32;
  std::size_t head_octets = 8 * 1024;              // of request line and headers
  std::size_t body_octets = 16 * 1024;             // of a request's body
  std::size_t stream_octets = 4U * 1024U * 1024U;  // that wait for the reader of a stream
};

// Since the start, except the first two.
struct HttpCounts {
  std::uint64_t connections = 0;  // now
  std::uint64_t streams = 0;      // now
  std::uint64_t requests = 0;     // that were handed to the handlers
  std::uint64_t refused = 0;      // answers with a status from 400 on
  std::uint64_t cut_off = 0;      // peers that were too slow
};

// The first event of a stream; later ones have higher numbers.
struct StreamStart {
  std::uint64_t number = 0;
  std::shared_ptr<const std::string> text;
};

class HttpServer {
 public:
  // Called on the server's thread; must not block. `Reply` may be called from any thread, also
  // after stop().
  using OnRequest = std::function<void(const HttpRequest&, Reply)>;
  // What a new stream gets first. Called on the server's thread.
  using OnStream = std::function<StreamStart()>;

  // Listens; port 0: the system chooses. Nothing is accepted before start(). kSystem: the address
  // is taken, or not one of this host.
  static Result<std::unique_ptr<HttpServer>> open(const HostPort& listen, const HttpLimits& limits);
  // After stop(), and after the last Reply that can be called.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // With the chosen port.
  const HostPort& address() const;

  void start(OnRequest on_request, OnStream on_stream);
  // Ends all connections. Idempotent.
  void stop();

  // Sends the text of an event to all streams whose first event has a lower number. Any thread;
  // does not block.
  void publish(std::uint64_t number, std::shared_ptr<const std::string> text);

  HttpCounts counts() const;

 private:
  struct Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace xbind::console
