// xbind-switch: the agent behind a listening socket. One thread does everything.
#include <cstdio>
#include <map>
#include <memory>
#include <random>

#include "core/steady_now.hpp"
#include "switchserver/emulator/options.hpp"
#include "switchserver/emulator/switch_agent.hpp"
#include "switchserver/gsmp/tcp_transport.hpp"

namespace {

using namespace xbind;
using emulator::ControllerId;
using gsmp::TcpConnectionKey;

emulator::FabricOptions fabric_options(const emulator::Options& options) {
  emulator::FabricOptions fabric;
  fabric.ports = options.ports;
  fabric.labels = options.labels;
  fabric.link_cells_per_s = options.link_cells_per_s;
  for (const std::string& text : options.port_rates) {
    fabric.port_cells_per_s.insert(*emulator::parse_port_rate(text));
  }
  fabric.priorities = options.priorities;
  fabric.branches_max = options.branches_max;
  return fabric;
}

emulator::AgentOptions agent_options(const emulator::Options& options) {
  emulator::AgentOptions agent;
  agent.name = emulator::name_from(options.name);
  agent.timer = options.timer;
  agent.window = options.window;
  return agent;
}

// Joins connections to the agent's controllers.
class Switch {
 public:
  explicit Switch(const emulator::Options& options)
      : random_(std::random_device{}()),
        fabric_(fabric_options(options), [this] { return draw(); }),
        agent_(fabric_, agent_options(options), [this] { return draw(); }) {
    if (options.refuse_next > 0) {
      agent_.refuse_next(options.refuse_next, static_cast<gsmp::FailureCode>(options.refuse_code));
    }
  }

  Result<void> listen(const gsmp::HostPort& address) {
    gsmp::TcpServerOptions options;
    options.listen = address;
    gsmp::TcpServerCallbacks callbacks;
    callbacks.on_connected = [this](TcpConnectionKey key) { connected(key); };
    callbacks.on_octets = [this](TcpConnectionKey key, std::span<const std::byte> octets) {
      if (const auto found = controllers_.find(key); found != controllers_.end()) {
        agent_.receive(found->second, octets, steady_now());
        deliver();
      }
    };
    callbacks.on_closed = [this](TcpConnectionKey key, const std::string& reason) {
      log::info("connection {}: {}", key, reason);
      const auto found = controllers_.find(key);
      if (found == controllers_.end()) return;
      agent_.closed(found->second, steady_now());
      controllers_.erase(found);
      deliver();
    };
    callbacks.on_tick = [this] {
      agent_.tick(steady_now());
      deliver();
    };
    callbacks.on_refused = [](const std::string& reason) { log::warn("not taken: {}", reason); };
    auto server = gsmp::TcpServer::listen(options, std::move(callbacks));
    if (!server) return tl::make_unexpected(server.error());
    server_ = std::move(*server);
    return {};
  }

  gsmp::TcpServer& server() { return *server_; }

 private:
  std::uint32_t draw() { return static_cast<std::uint32_t>(random_()); }

  void connected(TcpConnectionKey key) {
    const auto id = agent_.connected(steady_now());
    if (!id) return server_->close(key, id.error().text);
    controllers_.emplace(key, *id);
    log::info("connection {}: controller {}", key, *id);
    deliver();
  }

  // After every event: what the agent has to say, to whom it concerns.
  void deliver() {
    for (const auto& [key, id] : controllers_) {
      agent_.take_output(id, output_);
      if (!output_.empty()) {
        if (const auto sent = server_->send(key, output_); !sent) {
          log::warn("connection {}: {}", key, sent.error().text);
        }
      }
      if (const auto reason = agent_.to_close(id)) server_->close(key, *reason);
    }
    for (const emulator::AgentNotice& notice : agent_.take_notices()) {
      if (notice.trouble) {
        log::warn("controller {}: {}", notice.controller, notice.text);
      } else {
        log::info("controller {}: {}", notice.controller, notice.text);
      }
    }
  }

  std::mt19937 random_;
  emulator::Fabric fabric_;
  emulator::SwitchAgent agent_;
  std::unique_ptr<gsmp::TcpServer> server_;
  std::map<TcpConnectionKey, ControllerId> controllers_;
  wire::Buffer output_;
};

}  // namespace

int main(int argc, char** argv) {
  emulator::Options options;
  config::OptionSet set = emulator::declare(options);
  if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
  log::start("xbind-switch " + options.name, options.log_level);

  Switch emulated(options);
  const auto address = gsmp::parse_host_port(options.listen);
  if (!address) return 2;  // the options have been checked
  if (const auto listening = emulated.listen(*address); !listening) {
    log::error("{}", listening.error().text);
    return 1;
  }
  emulated.server().stop_on_signals();
  std::printf("xbind-switch %s listening on %s\n", options.name.c_str(),
              emulated.server().address().c_str());
  std::fflush(stdout);
  emulated.server().run();
  log::info("stopped");
  return 0;
}
