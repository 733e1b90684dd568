#include "ovs/daemon.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <random>
#include <utility>

#include "core/log.hpp"
#include "core/repeated_failure_log.hpp"
#include "core/resident_memory.hpp"
#include "core/steady_now.hpp"
#include "net/tcp_server.hpp"
#include "ovs/ovs_metrics.hpp"
#include "switchagent/table/fabric.hpp"

namespace xbind::ovs {

using net::ConnectionKey;

struct Daemon::Impl {
  Impl(const Options& options, std::uint64_t seed, std::function<void(const std::string&)> ready)
      : name(options.name),
        listen(*parse_host_port(options.listen)),
        parts(parts_of(options)),
        on_ready(std::move(ready)),
        instance_bits(seed),
        // Sessions of ports are the same in the next life: the connections are still there.
        session_bits(parts.agent.name),
        fabric(parts.fabric, [this] { return static_cast<std::uint32_t>(session_bits() >> 32); }),
        table(fabric, parts.table),
        link(loop, parts.bridge,
             {[this] { table.bridge().connected(steady_now()); },
              [this](std::span<const std::byte> octets) {
                table.bridge().receive(octets, steady_now());
              },
              [this](const std::string& reason, bool was_connected) {
                bridge_closed(reason, was_connected);
              }}) {
    for (std::uint32_t port = 1; port <= parts.fabric.ports; ++port)
      table.set_line(PortId(port), false);  // until the bridge says otherwise
  }

  Result<void> run() {
    loop.stop_on_signals();
    loop.set_turn([this] { return turn(); });
    loop.run();
    return outcome;
  }

  // ----- the bridge -----

  void bridge_closed(const std::string& reason, bool was_connected) {
    if (table.bridge().ready()) {
      ++met.lost;
      away_since = steady_now();
    }
    if (!was_connected) ++met.failed_attempts;
    why_away = reason;
    table.bridge().closed();
    const auto complaint = failures.failed(
        "bridge", was_connected ? reason : "cannot be connected: " + reason, steady_now());
    if (complaint) log::warn("bridge {}: {}", to_string(parts.bridge), *complaint);
  }

  void serve_bridge(TimePoint now) {
    link.tick(now);
    if (table.bridge().next_deadline() <= now || table.next_deadline() <= now) table.tick(now);
    table.flush();
    if (const auto& why = table.bridge().to_close()) {
      link.close(*why);
      return;
    }
    table.bridge().take_output(output);
    if (!output.empty()) link.send(output);
    for (const std::string& notice : table.take_notices()) log::warn("{}", notice);
    if (table.bridge().ready() && !std::exchange(was_ready, true)) bridge_ready();
    if (!table.bridge().ready()) was_ready = false;
  }

  void bridge_ready() {
    link.well();
    failures.well("bridge");
    const OvsTableCounters& found = table.counters();
    log::info("bridge {}: ready; connections: {} adopted, {} restored; {} flows removed",
              to_string(parts.bridge), found.adopted, found.restored, found.removed);
    if (!agent) start_agent();
  }

  // ----- controllers -----

  void start_agent() {
    // Connections of an earlier life are offered as a table that survived (PFlag 2).
    parts.agent.recovered = table.branches() > 0;
    agent.emplace(table, parts.agent,
                  [this] { return static_cast<std::uint32_t>(instance_bits() >> 32); });
    net::TcpServerOptions options;
    options.listen = listen;
    net::ServerUpcalls callbacks;
    callbacks.on_connected = [this](ConnectionKey key) { connected(key); };
    callbacks.on_octets = [this](ConnectionKey key, std::span<const std::byte> octets) {
      const auto found = controllers.find(key);
      if (found != controllers.end()) agent->receive(found->second, octets, steady_now());
    };
    callbacks.on_closed = [this](ConnectionKey key, const std::string& reason) {
      log::gsmp.info("connection {}: {}", key, reason);
      const auto found = controllers.find(key);
      if (found == controllers.end()) return;
      agent->closed(found->second, steady_now());
      controllers.erase(found);
    };
    callbacks.on_refused = [](const std::string& reason) {
      log::gsmp.warn("connection refused: {}", reason);
    };
    auto opened = net::TcpServer::listen(loop, options, std::move(callbacks));
    if (!opened) {
      outcome = tl::make_unexpected(opened.error());
      return loop.stop();
    }
    server = std::move(*opened);
    on_ready(fmt::format("xbind-gsmp-ovs {} listening on {}", name, server->address()));
  }

  void connected(ConnectionKey key) {
    const auto known = agent->connected(steady_now());
    if (!known) return server->close(key, known.error().text);
    controllers.emplace(key, *known);
    log::gsmp.info("connection {}: a controller", key);
  }

  void serve_controllers(TimePoint now) {
    if (agent->next_deadline() <= now) agent->tick(now);
    for (const auto& [key, controller] : controllers) {
      agent->take_output(controller, output);
      if (!output.empty()) {
        if (const auto sent = server->send(key, output); !sent)
          log::gsmp.warn("connection {}: {}", key, sent.error().text);
      }
      if (const auto why = agent->to_close(controller)) server->close(key, *why);
    }
    for (const switchagent::AgentNotice& notice : agent->take_notices()) {
      if (notice.trouble) {
        log::gsmp.warn("{}", notice.text);
      } else {
        log::gsmp.info("{}", notice.text);
      }
    }
  }

  // ----- metrics -----

  exporter::Reading reading() const {
    using std::chrono::milliseconds;
    exporter::Reading read;
    LinkReading bridge = met;
    if (!table.bridge().ready()) {
      const auto away = std::chrono::ceil<milliseconds>(steady_now() - away_since).count();
      bridge.away_ms = std::max<std::uint64_t>(1, away);  // 0 means that the bridge is ready
      read.not_ready.push_back(fmt::format("bridge {} has had no session for {} s{}{}",
                                           to_string(parts.bridge), bridge.away_ms / 1000,
                                           why_away.empty() ? "" : ": ", why_away));
    }
    if (!server) read.not_ready.emplace_back("no controller is served until the bridge is read");
    read.metrics =
        metrics_of(agent ? switchagent::AgentReading(*agent) : switchagent::AgentReading{}, fabric,
                   table, bridge);
    return read;
  }

  TimePoint turn() {
    const TimePoint now = steady_now();
    serve_bridge(now);
    if (agent && server) serve_controllers(now);
    // What the agent has made of its input goes to the bridge now, as one batch.
    table.flush();
    table.bridge().take_output(output);
    if (!output.empty()) link.send(output);
    TimePoint due = std::min(table.next_deadline(), link.next_attempt());
    if (agent) due = std::min(due, agent->next_deadline());
    return due;
  }

  std::string name;
  HostPort listen;
  SwitchParts parts;
  std::function<void(const std::string&)> on_ready;
  std::mt19937_64 instance_bits;
  std::mt19937_64 session_bits;
  net::Loop loop;
  switchagent::Fabric fabric;
  OvsTable table;
  BridgeLink link;
  std::optional<switchagent::SwitchAgent> agent;
  std::unique_ptr<net::Server> server;
  std::map<ConnectionKey, switchagent::ControllerId> controllers;
  RepeatedFailureLog failures;
  wire::Buffer output;
  bool was_ready = false;
  LinkReading met;  // without away_ms
  TimePoint away_since = steady_now();
  std::string why_away;  // the last failure
  Result<void> outcome;
};

Daemon::Daemon(const Options& options, std::uint64_t seed,
               std::function<void(const std::string&)> on_ready)
    : impl_(std::make_unique<Impl>(options, seed, std::move(on_ready))) {}
Daemon::~Daemon() = default;

void Daemon::set_options(config::Reloadable& options) {
  impl_->loop.set_on_hang_up([&options] { (void)config::reload_and_log(options, "SIGHUP"); });
}

void Daemon::change(const Options& wanted) {
  impl_->fabric.set_bounds(wanted.branches_max, impl_->fabric.options().buffer_cells);
}

exporter::Part Daemon::exposed_part() {
  exporter::Part part{.name = impl_->name, .labels = {}, .ask = {}, .append = {}};
  part.labels = {{"switch", impl_->name}};
  part.ask = [this](const std::function<void(exporter::Reading)>& done) {
    // Refused when the process ends: the question is then dropped, as Part says.
    (void)impl_->loop.post([this, done] { done(impl_->reading()); });
  };
  part.append = [](Metrics& metrics) { append_process_metrics(own_resident_kib(), metrics); };
  return part;
}

Result<void> Daemon::run() { return impl_->run(); }

}  // namespace xbind::ovs
