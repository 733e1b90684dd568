// Serves the metrics and the health of a daemon over HTTP.
//
//   /metrics    the metrics in Prometheus' text format
//   /-/healthy  200: the logic answers within a second; else 503
//   /-/ready    200: the daemon serves; else 503, with the reasons as lines
//
// It costs the logic nothing while nobody asks. Thread-safe.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/config/options.hpp"
#include "core/result.hpp"
#include "exporter/collector.hpp"
#include "exporter/http_server.hpp"

namespace xbind::exporter {

// Adds the option --metrics, its check, and the timers and metrics of the exporter. Both arguments
// must outlive the set's load().
void add_option(config::OptionSet& set, std::string& address);

class Exporter {
 public:
  // As open(); logs the error and returns nullptr.
  static std::unique_ptr<Exporter> open_or_log(const std::string& address,
                                               const std::string& program, std::vector<Part> parts,
                                               std::vector<MetricTable> tables);
  // `address`: HOST:PORT as checked by the option; empty: nothing is served. Once it listens, logs
  // the address and prints "PROGRAM metrics on HOST:PORT" to standard output. kSystem: see
  // HttpServer::open().
  static Result<std::unique_ptr<Exporter>> open(const std::string& address,
                                                const std::string& program, std::vector<Part> parts,
                                                std::vector<MetricTable> tables);

  // The daemon serves from now on: until then it is not ready.
  void serving() { collector_.serving(); }

 private:
  Exporter(const std::string& program, std::vector<Part> parts, std::vector<MetricTable> tables);
  HttpAnswer answer(std::string_view path);

  Collector collector_;
  std::unique_ptr<HttpServer> server_;  // ends before the collector
};

}  // namespace xbind::exporter
