#include "exporter/http_server.hpp"

#include <civetweb.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <utility>

#include "core/steady_now.hpp"
#include "exporter/timers.hpp"

namespace xbind::exporter {
namespace {

// Octets of one write: the deadline of an answer is checked between writes.
constexpr std::size_t kWriteOctets = std::size_t{16} << 10;

// The kernel sends what is unsent when a connection is closed. With 0 it would discard the rest of
// a long answer.
constexpr const char* kNoLinger = "-1";

std::string_view reason_of(int status) {
  switch (status) {
    case 200: return "OK";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 503: return "Service Unavailable";
    default: return "Unknown";
  }
}

std::string address_text(const HostPort& at) {
  const bool brackets = at.host.find(':') != std::string::npos;
  return brackets ? fmt::format("[{}]:{}", at.host, at.port)
                  : fmt::format("{}:{}", at.host, at.port);
}

void write_until(mg_connection* connection, std::string_view text, TimePoint deadline) {
  while (!text.empty() && steady_now() < deadline) {
    const std::size_t now = std::min(text.size(), kWriteOctets);
    if (mg_write(connection, text.data(), now) != static_cast<int>(now)) return;
    text.remove_prefix(now);
  }
}

int send(mg_connection* connection, const HttpAnswer& answer, bool with_body) {
  mg_disable_keep_alive(connection);
  std::string text = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{}Connection: close\r\n\r\n",
      answer.status, reason_of(answer.status), answer.type, answer.body.size(),
      answer.status == 405 ? "Allow: GET, HEAD\r\n" : "");
  if (with_body) text += answer.body;
  write_until(connection, text, steady_now() + kExporterTimers["http-answer"]);
  return answer.status;
}

}  // namespace

struct HttpServer::Impl {
  OnGet on_get;
  OnRefused on_refused;
  std::string address;
  mg_context* context = nullptr;

  static int on_request(mg_connection* connection) {
    const mg_request_info* const request = mg_get_request_info(connection);
    auto& self = *static_cast<Impl*>(request->user_data);
    const std::string_view method = request->request_method;
    if (method != "GET" && method != "HEAD") {
      self.on_refused();
      return send(connection, {.status = 405, .body = "only GET and HEAD\n"}, true);
    }
    return send(connection, self.on_get(request->local_uri), method == "GET");
  }
  static int log(const mg_connection*, const char*) { return 1; }  // nothing for standard error
};

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpServer::~HttpServer() {
  mg_stop(impl_->context);
  mg_exit_library();
}

const std::string& HttpServer::address() const { return impl_->address; }

Result<std::unique_ptr<HttpServer>> HttpServer::open(const HostPort& listen, OnGet on_get,
                                                     OnRefused on_refused) {
  auto impl = std::make_unique<Impl>();
  impl->on_get = std::move(on_get);
  impl->on_refused = std::move(on_refused);
  const std::string wanted = address_text(listen);
  const std::string silence =
      std::to_string(std::chrono::milliseconds{kExporterTimers.ms("http-silence")}.count());
  const std::string workers = std::to_string(kWorkers);
  const std::string queued = std::to_string(kQueued);
  const std::string request_octets = std::to_string(kRequestOctetsMax);
  const std::array<const char*, 19> options{"listening_ports",
                                            wanted.c_str(),
                                            "num_threads",
                                            workers.c_str(),
                                            "connection_queue",
                                            queued.c_str(),
                                            "max_request_size",
                                            request_octets.c_str(),
                                            "request_timeout_ms",
                                            silence.c_str(),
                                            "enable_keep_alive",
                                            "no",
                                            "linger_timeout_ms",
                                            kNoLinger,
                                            "tcp_nodelay",
                                            "1",
                                            nullptr};
  mg_init_library(MG_FEATURES_DEFAULT);
  mg_callbacks callbacks{};
  callbacks.begin_request = Impl::on_request;
  callbacks.log_message = Impl::log;
  mg_init_data init{&callbacks, impl.get(), const_cast<const char**>(options.data())};
  unsigned code = 0;
  std::array<char, 256> words{};
  mg_error_data error{&code, words.data(), words.size()};
  impl->context = mg_start2(&init, &error);
  if (impl->context == nullptr) {
    mg_exit_library();
    return fail(ErrorCode::kSystem, "cannot listen on {}: {}", wanted, words.data());
  }
  mg_server_port port{};
  if (mg_get_server_ports(impl->context, 1, &port) == 1) {
    impl->address = address_text({listen.host, static_cast<std::uint16_t>(port.port)});
  }
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

}  // namespace xbind::exporter
