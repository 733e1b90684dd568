// A small HTTP server for GET requests with short answers, on Beast (decision 0095).
//
// Bounds: kWorkers requests at a time, kWorkers + kQueued connections, then the listening queue of
// the kernel; kRequestOctetsMax of request line and headers; the timers of exporter/timers.hpp.
// Every connection serves one request. A peer that is slow holds a connection, and no worker. The
// body of a request is not interpreted.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/config/host_port.hpp"
#include "core/result.hpp"

namespace xbind::exporter {

struct HttpAnswer {
  static constexpr std::string_view kPlain = "text/plain; charset=utf-8";

  int status = 200;
  std::string type = std::string{kPlain};
  std::string body = {};
};

class HttpServer {
 public:
  static constexpr int kWorkers = 8;
  static constexpr int kQueued = 32;
  static constexpr int kRequestOctetsMax = 4096;

  // Answers a GET or HEAD of `path` (without query). Runs on several threads at a time.
  using OnGet = std::function<HttpAnswer(std::string_view path)>;
  // Counts a request that was answered without OnGet: 400, 405, 431. Any thread.
  using OnRefused = std::function<void()>;

  // Listens on an IPv4 or IPv6 address, or the first address of a name that this host has; port 0:
  // the system chooses. kSystem: the address is taken, or not one of this host.
  static Result<std::unique_ptr<HttpServer>> open(const HostPort& listen, OnGet on_get,
                                                  OnRefused on_refused);
  // Ends all connections; waits for the requests under way.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // "127.0.0.1:9470", with the chosen port.
  const std::string& address() const;

 private:
  struct Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace xbind::exporter
