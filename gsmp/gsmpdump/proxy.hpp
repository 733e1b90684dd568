// A place between controllers and a switch: what comes from one side goes to the other as it came,
// and is printed on the way. Every connection of a controller gets one of its own to the switch.
//
// A side that does not read slows the other down, as without us. Octets are handed on whether they
// are GSMP or not; when one side has ended its stream, so does ours to the other.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "core/result.hpp"
#include "gsmp/gsmpdump/dump.hpp"
#include "gsmp/tcp_transport.hpp"

namespace xbind::gsmpdump {

struct ProxyOptions {
  gsmp::HostPort listen;  // port 0: the operating system picks
  gsmp::HostPort to;
  std::size_t connections_max = 64;  // one more is closed at once
};

class Proxy {
 public:
  // `dump` outlives it; `now` is asked for every chunk. kSystem, kNotFound as of gsmp::TcpServer.
  static Result<std::unique_ptr<Proxy>> listen(const ProxyOptions& options, Dump& dump,
                                               std::function<Micros()> now);
  ~Proxy();

  const std::string& address() const;  // "127.0.0.1:6068", the real port
  void run();                          // until SIGINT or SIGTERM

 private:
  struct Impl;
  explicit Proxy(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace xbind::gsmpdump
