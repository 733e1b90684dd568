// adjacency_master: the controller's end of GSMP for an access node that connects to it. ANCP nodes
// (RFC 6320) connect to their controller; a GSMP switch waits for the controller.
//
//   adjacency_master TIMER    our Timer in units of 100 ms, 1 to 255
//
// Prints its address. Then prints one line for each event of every connection's adjacency:
// "state ESTAB", "received adjacency ACK ...", "up ...", "down ...", "closed ...". Ends on SIGTERM.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <map>
#include <memory>
#include <random>
#include <string_view>

#include "core/steady_now.hpp"
#include "gsmp/session.hpp"

#include "gsmp/codec.hpp"
#include "gsmp/print.hpp"
#include "net/tcp_server.hpp"

namespace xbind::gsmp {
namespace {

void say(const std::string& line) {
  std::fputs((line + '\n').c_str(), stdout);
  std::fflush(stdout);
}

class Master {
 public:
  explicit Master(std::uint8_t timer) {
    options_.adjacency.name = 0x02000000'0001;
    options_.adjacency.port = 0;  // such nodes never return our port: test C expects 0
    options_.adjacency.timer = timer;
    options_.adjacency.m_in_all = true;  // such nodes refuse every message with M = 0
  }

  Result<void> listen() {
    net::TcpServerOptions options;
    options.listen = {"127.0.0.1", 0};
    net::ServerUpcalls callbacks;
    callbacks.on_connected = [this](net::ConnectionKey key) {
      auto node = std::make_unique<Node>(options_, [this] { return draw(); });
      node->session.connected(steady_now());
      deliver(key, *nodes_.emplace(key, std::move(node)).first->second);
    };
    callbacks.on_octets = [this](net::ConnectionKey key, std::span<const std::byte> octets) {
      const auto found = nodes_.find(key);
      if (found == nodes_.end()) return;
      print_received(*found->second, octets);
      found->second->session.receive(octets, steady_now());
      deliver(key, *found->second);
    };
    callbacks.on_closed = [this](net::ConnectionKey key, const std::string& reason) {
      if (const auto found = nodes_.find(key); found != nodes_.end()) {
        found->second->session.closed(steady_now());
        deliver(key, *found->second);
        nodes_.erase(found);
      }
      say("closed " + reason);
    };
    auto server = net::TcpServer::listen(loop_, options, std::move(callbacks));
    if (!server) return tl::make_unexpected(server.error());
    server_ = std::move(*server);
    loop_.set_turn([this] {
      TimePoint due = kNever;
      for (auto& [key, node] : nodes_) {
        node->session.tick(steady_now());
        deliver(key, *node);
        due = std::min(due, node->session.next_deadline());
      }
      return due;
    });
    loop_.stop_on_signals();
    say("adjacency_master listening on " + server_->address());
    return {};
  }

  void run() { loop_.run(); }

 private:
  struct Node {
    Node(const SessionOptions& options, std::function<std::uint32_t()> random)
        : session(options, std::move(random)) {}
    Session session;
    FrameReader seen;
    std::string_view state;
  };

  std::uint32_t draw() { return static_cast<std::uint32_t>(random_()); }

  static void print_received(Node& node, std::span<const std::byte> octets) {
    node.seen.feed(octets, [](std::span<const std::byte> message) {
      const auto decoded = decode(message);
      say("received " + (decoded ? to_string(*decoded) : to_string(decoded.error())));
      return true;
    });
  }

  void deliver(net::ConnectionKey key, Node& node) {
    if (const auto state = to_string(node.session.adjacency().state()); state != node.state) {
      node.state = state;
      say(fmt::format("state {}", state));
    }
    for (const SessionEvent& event : node.session.take_events()) {
      if (const auto* up = std::get_if<SessionUp>(&event)) {
        say(fmt::format("up {} version {} pflag {}", name_to_string(up->peer.name),
                        node.session.adjacency().version(), up->effective_flag));
      } else if (const auto* down = std::get_if<SessionDown>(&event)) {
        say(fmt::format("down {}", to_string(down->reason)));
      } else if (const auto* drop = std::get_if<DropTransport>(&event)) {
        say("drop " + drop->reason);
        server_->close(key, drop->reason);
      }
    }
    if (!node.session.has_output()) return;
    if (const auto sent = server_->send(key, node.session.take_output()); !sent) {
      say("not sent " + sent.error().text);
    }
  }

  std::mt19937 random_{std::random_device{}()};
  SessionOptions options_;
  net::Loop loop_;
  std::unique_ptr<net::Server> server_;
  std::map<net::ConnectionKey, std::unique_ptr<Node>> nodes_;
};

}  // namespace
}  // namespace xbind::gsmp

int main(int argc, char** argv) {
  const std::string_view text = argc == 2 ? argv[1] : "";
  std::uint8_t timer = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), timer);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || timer == 0) {
    std::fputs("usage: adjacency_master TIMER (1 to 255, in units of 100 ms)\n", stderr);
    return 2;
  }
  xbind::gsmp::Master master(timer);
  if (const auto listening = master.listen(); !listening) {
    fmt::print(stderr, "adjacency_master: {}\n", listening.error().text);
    return 1;
  }
  master.run();
  return 0;
}
