// gsmp_conformance: what any switch has to pass, as GoogleTest tests.
//
//   gsmp_conformance                              emulated switches in memory: ATM in versions 3
//                                                 and 1.1, MPLS, and both with connections of
//                                                 other controllers; the same for the agent in
//                                                 front of an Open vSwitch bridge, also in memory
//   XBIND_CONFORMANCE_SWITCH=HOST:PORT gsmp_conformance
//                                                 the switch that listens there
//   XBIND_CONFORMANCE_VERSIONS=3,1                ... in these versions; default: version 3
//
// Version 3 keeps the connections that the switch has at the beginning. Connections, reservations
// and port sessions are lost at ports without connections then, and everywhere in version 1.1.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>

#include "core/steady_now.hpp"
#include "net/tcp_client.hpp"
#include "tests/conformance/memory_switch.hpp"
#include "tests/conformance/ovs_switch.hpp"
#include "tests/conformance/suite.hpp"

namespace xbind::conformance {
namespace {

constexpr auto kPatience = std::chrono::seconds(10);  // for one answer

class TcpTransport : public Transport {
 public:
  explicit TcpTransport(HostPort peer) : peer_(std::move(peer)) {
    net::TcpClientOptions options;
    options.peer = peer_;
    client_ = std::make_unique<net::TcpClient>(options);
    client_->start(
        {.on_connected = [this] { change([this] { connected_ = !closed_; }); },
         .on_octets =
             [this](std::span<const std::byte> octets) {
               change([&] { came_.insert(came_.end(), octets.begin(), octets.end()); });
             },
         .on_closed = [this](const std::string&) { change([this] { closed_ = true; }); },
         .on_failed = [](const std::string&) {}});  // reached() waits for an attempt that succeeds
  }
  ~TcpTransport() override { client_->stop(); }

  bool reached() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [this] { return connected_; });
  }
  void send(std::span<const std::byte> octets) override {
    const auto sent = client_->send(octets);
    EXPECT_TRUE(sent) << sent.error().text;
  }
  bool receive(wire::Buffer& into) override {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kPatience, [this] { return closed_ || !came_.empty(); });
    into.insert(into.end(), came_.begin(), came_.end());
    const bool something = !came_.empty();
    came_.clear();
    return something;
  }
  TimePoint now() const override { return steady_now(); }
  void advance_one_period() override {}  // real time passes
  std::unique_ptr<Transport> another() override {
    auto made = std::make_unique<TcpTransport>(peer_);
    EXPECT_TRUE(made->reached());
    return made;
  }
  bool has_lines() const override { return false; }
  bool set_line(PortId, bool) override { return false; }

 private:
  template <class F>
  void change(F&& what) {
    const std::lock_guard lock(mutex_);
    what();
    changed_.notify_all();
  }

  HostPort peer_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool connected_ = false;
  bool closed_ = false;
  wire::Buffer came_;
  std::unique_ptr<net::TcpClient> client_;
};

// What these switches lack is written down here, so that a start of the program connects to none.
void register_memory_switches() {
  const std::string paths = "VP switching";
  const std::string ports = "ports without connections of others";
  const std::string reservations = "reservations, none of others";
  const auto add = [](const std::string& prefix, std::uint8_t version, const Connect& connect,
                      const Lacks& lacks) {
    register_cases(prefix, version, connect, lacks);
    register_lacks(prefix, version, connect, lacks);
  };
  const auto memory = [](LabelKind labels, bool shared) {
    return [=] { return connect_in_memory({labels, shared}); };
  };
  add("MemoryV3", 3, memory(LabelKind::kAtm, false), {});
  add("MemoryV1", 1, memory(LabelKind::kAtm, false), {paths, reservations, "Label Range"});
  add("MemoryMplsV3", 3, memory(LabelKind::kMpls, false), {paths});
  add("MemorySharedV3", 3, memory(LabelKind::kAtm, true), {ports, reservations});
  add("MemorySharedMplsV3", 3, memory(LabelKind::kMpls, true), {ports, paths, reservations});
  const auto ovs = [](LabelKind labels, bool shared) {
    return [=] { return connect_to_ovs_in_memory({labels, shared}); };
  };
  add("OvsV3", 3, ovs(LabelKind::kMpls, false), {paths, reservations});
  add("OvsAtmV3", 3, ovs(LabelKind::kAtm, false), {paths, reservations});
  add("OvsSharedV3", 3, ovs(LabelKind::kMpls, true), {ports, paths, reservations});
}

// Registers what applies to the switch there, and prints what does not.
void register_switch(const std::string& prefix, std::uint8_t version, const Connect& connect) {
  const Lacks lacks = lacks_of(version, connect);
  const auto left_out = register_cases(prefix, version, connect, lacks);
  if (left_out.empty()) return;
  std::fprintf(stderr, "%s lacks %s: %zu cases do not apply: %s\n", prefix.c_str(),
               fmt::format("{}", fmt::join(lacks, "; ")).c_str(), left_out.size(),
               fmt::format("{}", fmt::join(left_out, ", ")).c_str());
}

}  // namespace
}  // namespace xbind::conformance

int main(int argc, char** argv) {
  using namespace xbind;
  ::testing::InitGoogleTest(&argc, argv);
  const char* const address = std::getenv("XBIND_CONFORMANCE_SWITCH");
  if (address == nullptr) {
    conformance::register_memory_switches();
    return RUN_ALL_TESTS();
  }
  const auto peer = parse_host_port(address);
  if (!peer) {
    std::fprintf(stderr, "XBIND_CONFORMANCE_SWITCH: %s\n", peer.error().text.c_str());
    return 2;
  }
  const auto connect = [peer = *peer]() -> std::unique_ptr<conformance::Transport> {
    auto made = std::make_unique<conformance::TcpTransport>(peer);
    if (!made->reached()) return nullptr;
    return made;
  };
  const char* const given = std::getenv("XBIND_CONFORMANCE_VERSIONS");
  const std::string versions = given == nullptr ? "3" : given;
  if (versions != "3" && versions != "1" && versions != "3,1") {
    std::fprintf(stderr, "XBIND_CONFORMANCE_VERSIONS: '%s' is none of 3, 1 and 3,1\n", given);
    return 2;
  }
  if (versions.find('3') != std::string::npos) conformance::register_switch("TcpV3", 3, connect);
  if (versions.find('1') != std::string::npos) conformance::register_switch("TcpV1", 1, connect);
  return RUN_ALL_TESTS();
}
