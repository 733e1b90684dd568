#include "bench/floor/ping.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <thread>
#include <vector>

#include "bench/floor/processors.hpp"
#include "core/steady_now.hpp"

namespace xbind::callgen::null {
namespace {

constexpr std::size_t kPingOctets = 64;
using Octets = std::array<char, kPingOctets>;

// A descriptor that its destructor closes.
class Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  ~Socket() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int get() const { return descriptor_; }
  bool ok() const { return descriptor_ >= 0; }

 private:
  int descriptor_;
};

tl::unexpected<Error> system_error(const char* what) {
  return fail(ErrorCode::kExhausted, "the loopback ping: {}: {}", what, std::strerror(errno));
}

void no_delay(int socket) {
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

bool send_all(int socket, const Octets& octets) {
  return send(socket, octets.data(), octets.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(octets.size());
}
bool receive_all(int socket, Octets& octets) {
  return recv(socket, octets.data(), octets.size(), MSG_WAITALL) ==
         static_cast<ssize_t>(octets.size());
}

Result<Histogram> measure(const std::function<Result<void>()>& ping) {
  Histogram seen;
  for (int i = -kWarmUpPings; i < kPings; ++i) {
    const TimePoint begun = steady_now();
    if (const auto done = ping(); !done) return tl::make_unexpected(done.error());
    if (i >= 0) seen.record(steady_now() - begun);
  }
  return seen;
}

// `place` binds the peer to these processors.
Result<Pings> three_ways(const std::function<Result<void>(const std::vector<int>&)>& place,
                         const std::function<Result<void>()>& ping) {
  const std::vector<int> all = processors();
  Pings pings;
  const auto one_way = [&](const std::vector<int>& here, const std::vector<int>& there,
                           Histogram& into) -> Result<void> {
    bind_thread(0, here);
    if (auto placed = place(there); !placed) return placed;
    auto seen = measure(ping);
    if (!seen) return tl::make_unexpected(seen.error());
    into = std::move(*seen);
    return {};
  };
  auto done = one_way(all, all, pings.as_scheduled);
  if (done) done = one_way({all.front()}, {all.front()}, pings.same_processor);
  if (done && all.size() > 1) done = one_way({all.front()}, {all.back()}, pings.other_processor);
  bind_thread(0, all);
  if (const auto placed = place(all); !placed && done) done = placed;
  if (!done) return tl::make_unexpected(done.error());
  return pings;
}

}  // namespace

Result<Pings> tcp_pings() {
  const Socket listening(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  if (!listening.ok() || bind(listening.get(), generic, size) != 0 ||
      listen(listening.get(), 1) != 0 || getsockname(listening.get(), generic, &size) != 0) {
    return system_error("no port");
  }
  const Socket here(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!here.ok() || connect(here.get(), generic, size) != 0) return system_error("no connection");
  const Socket there(accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!there.ok()) return system_error("no connection");
  no_delay(here.get());
  no_delay(there.get());
  pid_t echoing = 0;
  std::jthread echo([&there] {
    Octets octets{};
    const pid_t self = gettid();
    static_assert(sizeof self <= kPingOctets);
    std::memcpy(octets.data(), &self, sizeof self);
    if (!send_all(there.get(), octets)) return;
    while (receive_all(there.get(), octets) && send_all(there.get(), octets)) {
    }
  });
  Octets octets{};
  // The peer's thread number comes first, so that it can be bound.
  if (!receive_all(here.get(), octets)) return system_error("no answer");
  std::memcpy(&echoing, octets.data(), sizeof echoing);
  const auto pings = three_ways(
      [&](const std::vector<int>& to) -> Result<void> {
        bind_thread(echoing, to);
        return {};
      },
      [&]() -> Result<void> {
        if (send_all(here.get(), octets) && receive_all(here.get(), octets)) return {};
        return system_error("no answer");
      });
  shutdown(here.get(), SHUT_RDWR);  // the echo ends
  return pings;
}

Result<Pings> process_pings(int peer, const std::function<Result<void>()>& ping) {
  return three_ways([&](const std::vector<int>& to) { return bind_process(peer, to); }, ping);
}

}  // namespace xbind::callgen::null
