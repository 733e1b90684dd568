// frame_relay ONE OTHER: forwards every frame of one network interface to the other, both ways,
// until SIGTERM. The baseline of hosts_bench.py: what a chain of switches costs beyond the system
// calls that a chain of processes needs in any case. Reads and writes as a line of frames does
// (packet_socket.hpp). Needs CAP_NET_RAW.
//
// Prints "ready" when it forwards. Frames that the other interface does not take are dropped.
#include <fmt/format.h>
#include <poll.h>

#include <array>
#include <cstdio>

#include "dataplane/links/packet_socket.hpp"

namespace xbind::dataplane {
namespace {

constexpr std::size_t kSocketBufferOctets = 1U << 20;  // as PacketLineOptions

// Whether there may be more.
bool forward(PacketSocket& from, PacketSocket& to) {
  const std::size_t count = from.receive();
  for (std::size_t index = 0; index < count; ++index) {
    if (!to.room()) to.flush([](PacketSocket::Sent, std::span<const std::byte>) {});
    if (to.room()) to.put(from.received(index).octets);
  }
  to.flush([](PacketSocket::Sent, std::span<const std::byte>) {});
  return count == PacketSocket::kBatch;
}

int run(const char* one, const char* other) {
  auto first = PacketSocket::open(one, kSocketBufferOctets);
  auto second = PacketSocket::open(other, kSocketBufferOctets);
  for (const auto* opened : {&first, &second}) {
    if (*opened) continue;
    fmt::print(stderr, "frame_relay: {}\n", opened->error().text);
    return 1;
  }
  fmt::print("ready\n");
  std::fflush(stdout);
  std::array<pollfd, 2> waited{
      {{(*first)->frames().number(), POLLIN, 0}, {(*second)->frames().number(), POLLIN, 0}}};
  while (poll(waited.data(), waited.size(), -1) >= 0) {
    while (forward(**first, **second) || forward(**second, **first)) {
    }
  }
  return 1;
}

}  // namespace
}  // namespace xbind::dataplane

int main(int count, char** words) {
  if (count != 3) {
    fmt::print(stderr, "usage: frame_relay ONE OTHER\n");
    return 2;
  }
  return xbind::dataplane::run(words[1], words[2]);
}
