// A proxy between controllers and a switch: forwards octets unchanged and prints the messages. Each
// connection of a controller has its own connection to the switch.
//
// A side that does not read slows the other one down, as without the proxy. All octets are
// forwarded, GSMP or not. When one side ends its stream, the proxy ends the stream to the other
// side.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "core/result.hpp"
#include "gsmp/gsmpdump/dump.hpp"
#include "net/tcp_client.hpp"

namespace xbind::gsmpdump {

struct ProxyOptions {
  HostPort listen;  // port 0: the operating system picks
  HostPort to;
  std::size_t connections_max = 64;  // further ones are closed at once
};

class Proxy {
 public:
  // `dump` must outlive the proxy. `now` is called for every chunk. Errors: kSystem, kNotFound as
  // in net::TcpServer.
  static Result<std::unique_ptr<Proxy>> listen(const ProxyOptions& options, Dump& dump,
                                               std::function<Micros()> now);
  ~Proxy();

  const std::string& address() const;  // "127.0.0.1:6068", with the actual port
  void run();                          // until SIGINT or SIGTERM

 private:
  struct Impl;
  explicit Proxy(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace xbind::gsmpdump
