#include "exporter/exporter.hpp"

#include <fmt/format.h>
#include <prometheus/text_serializer.h>

#include <optional>
#include <utility>

#include "core/config/host_port.hpp"
#include "core/log.hpp"
#include "core/output.hpp"
#include "core/steady_now.hpp"

namespace xbind::exporter {
namespace {

HttpAnswer verdict(std::string_view good, const std::vector<std::string>& reasons) {
  if (reasons.empty()) return {.body = fmt::format("{}\n", good)};
  HttpAnswer answer;
  answer.status = 503;
  for (const std::string& reason : reasons) answer.body += reason + "\n";
  return answer;
}

}  // namespace

void add_option(config::OptionSet& set, std::string& address) {
  set.add_string(
      "metrics", &address, "",
      "Serve metrics and health over HTTP on this HOST:PORT, for Prometheus; port 0: the "
      "system chooses. There is no access control, so prefer a loopback address. Empty: "
      "nothing is served.");
  set.add_check([&address]() -> std::optional<std::string> {
    if (address.empty()) return std::nullopt;
    const auto parsed = parse_host_port(address);
    return parsed ? std::nullopt : std::optional("--metrics: " + parsed.error().text);
  });
  set.add_timers(kExporterTimers);
  set.add_metrics(exporter_metrics());
}

Exporter::Exporter(const std::string& program, std::vector<Part> parts,
                   std::vector<MetricTable> tables)
    : collector_({.program = program, .now = steady_now}, std::move(parts), std::move(tables)) {}

Result<std::unique_ptr<Exporter>> Exporter::open(const std::string& address,
                                                 const std::string& program,
                                                 std::vector<Part> parts,
                                                 std::vector<MetricTable> tables) {
  std::unique_ptr<Exporter> exporter(new Exporter(program, std::move(parts), std::move(tables)));
  if (address.empty()) return exporter;
  const auto listen = parse_host_port(address);
  if (!listen) return tl::make_unexpected(listen.error());
  Exporter& self = *exporter;
  auto server = HttpServer::open(
      *listen, [&self](std::string_view path) { return self.answer(path); },
      [&self] { self.collector_.count_request(true); });
  if (!server) return fail(server.error().code, "--metrics: {}", server.error().text);
  self.server_ = std::move(*server);
  log::info("metrics on http://{}/metrics", self.server_->address());
  announce(fmt::format("{} metrics on {}", program, self.server_->address()));
  return exporter;
}

std::unique_ptr<Exporter> Exporter::open_or_log(const std::string& address,
                                                const std::string& program, std::vector<Part> parts,
                                                std::vector<MetricTable> tables) {
  auto opened = open(address, program, std::move(parts), std::move(tables));
  if (opened) return std::move(*opened);
  log::error("{}", opened.error().text);
  return nullptr;
}

HttpAnswer Exporter::answer(std::string_view path) {
  const bool known = path == "/metrics" || path == "/-/healthy" || path == "/-/ready";
  collector_.count_request(!known);
  if (path == "/metrics") {
    return {.type = "text/plain; version=0.0.4; charset=utf-8",
            .body = prometheus::TextSerializer{}.Serialize(collector_.Collect())};
  }
  if (path == "/-/healthy") return verdict("healthy", collector_.not_healthy());
  if (path == "/-/ready") return verdict("ready", collector_.not_ready());
  return {.status = 404, .body = "there are /metrics, /-/healthy and /-/ready\n"};
}

}  // namespace xbind::exporter
