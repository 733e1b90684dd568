// A small HTTP server for GET requests with short answers, on civetweb's threads.
//
// Bounds: kWorkers requests at a time, kQueued connections that wait for a worker, then the
// listening queue of the kernel; kRequestOctetsMax of request line and headers; the timers of
// exporter/timers.hpp. Every connection serves one request, so an idle peer holds no worker. No
// part of a request's body is read.
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
  // Counts a request that was answered without OnGet, because of its method. Any thread.
  using OnRefused = std::function<void()>;

  // Port 0: the system chooses. kSystem: the address is taken, or not one of this host.
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
