#include "orb/connection_guard.hpp"

#include <fcntl.h>
#include <linux/tcp.h>  // glibc's tcp_info does not have bytes_received
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/log.hpp"
#include "core/steady_now.hpp"
#include "orb/descriptors.hpp"
#include "orb/peer_faults.hpp"
#include "orb/timers.hpp"

namespace xbind::orb {
namespace {

constexpr std::uint64_t kDescriptorsWanted = 65'536;
constexpr Duration kPeriod = kOrbTimers["connection-watch"];
constexpr Duration kTellPeriod = kOrbTimers["connection-warning"];

// Beyond this number idle connections are closed. Below the limit itself: connections that reach it
// and stay would keep out every newcomer.
std::size_t roomy(std::size_t limit) { return limit - limit / 8; }

std::optional<AcceptedConnection> connection_of(int descriptor) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return {};
  constexpr unsigned kEstablished = 1;             // of the kernel's net/tcp_states.h
  if (info.tcpi_state != kEstablished) return {};  // the connection is being closed already
  return AcceptedConnection{descriptor, info.tcpi_bytes_received != 0,
                            std::chrono::milliseconds{info.tcpi_last_data_recv}};
}

}  // namespace

std::uint64_t raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1'024;
  const rlim_t wanted = std::min<rlim_t>(limit.rlim_max, kDescriptorsWanted);
  if (limit.rlim_cur < wanted) {
    const rlim_t before = std::exchange(limit.rlim_cur, wanted);
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) limit.rlim_cur = before;
  }
  return limit.rlim_cur;
}

ConnectionGuard::ConnectionGuard(std::uint64_t descriptors_max, const ConnectionLimits& limits)
    : descriptors_max_(descriptors_max), spare_(open("/dev/null", O_RDONLY | O_CLOEXEC)) {
  accepted_connections().set_limits(limits);
  thread_ = std::thread([this] { run(); });
}

ConnectionGuard::~ConnectionGuard() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
  if (spare_ >= 0) close(spare_);
}

void ConnectionGuard::run() {
  Descriptors descriptors;
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, kPeriod, [this] { return stop_; })) {
    lock.unlock();
    look(descriptors.now());
    lock.lock();
  }
}

void ConnectionGuard::look(const std::vector<int>& all) {
  std::set<unsigned> ports;
  std::vector<std::pair<int, unsigned>> sockets;
  for (const int descriptor : all) {
    const auto end = own_end(descriptor);
    if (!end) continue;
    if (listens(descriptor)) {
      ports.insert(end->port);
    } else {
      sockets.emplace_back(descriptor, end->port);
    }
  }
  std::vector<AcceptedConnection> accepted;
  std::vector<std::string> hosts;
  std::map<std::string, std::vector<AcceptedConnection>> of_host;
  for (const auto& [descriptor, port] : sockets) {
    if (!ports.contains(port)) continue;
    const auto connection = connection_of(descriptor);
    if (!connection) continue;
    accepted.push_back(*connection);
    if (auto peer = peer_end(descriptor)) {
      of_host[peer->host].push_back(*connection);
      hosts.push_back(std::move(peer->host));
    }
  }
  accepted_connections().seen(hosts);
  const std::size_t connections = accepted.size();
  std::set<int> closed;
  // Read each time: a reload may change them.
  const ConnectionLimits limits = accepted_connections().limits();
  limits_.connections_max = std::min<std::size_t>(roomy(limits.total), descriptors_max_ / 2);
  limits_of_host_.connections_max = roomy(limits.per_host);
  for (const int descriptor : connections_to_close(std::move(accepted), limits_)) {
    closed.insert(descriptor);
  }
  for (auto& [host, of_it] : of_host) {
    for (const int descriptor : connections_to_close(std::move(of_it), limits_of_host_)) {
      closed.insert(descriptor);
    }
  }
  for (const int descriptor : closed) close_one(descriptor);

  const TimePoint now = steady_now();
  closed_unlogged_ += closed.size();
  count_closed_idle(closed.size());
  if (closed_unlogged_ != 0 && now - closed_logged_at_ >= kTellPeriod) {
    log::orb.warn("closed {} idle connections without a session; {} of at most {} remain open",
                  closed_unlogged_, connections - closed.size(), limits_.connections_max);
    closed_unlogged_ = 0;
    closed_logged_at_ = now;
  }
  set_few_descriptors_left(all.size() - std::min(all.size(), connections) >= descriptors_max_ / 2);
  if (all.size() >= descriptors_max_ / 8 * 7 && !std::exchange(shortage_logged_, true)) {
    log::orb.warn(
        "few file descriptors left: {} of {} in use, {} by accepted connections; "
        "raise the limit (ulimit -n)",
        all.size(), descriptors_max_, connections);
  }
  if (all.size() < descriptors_max_ / 2) shortage_logged_ = false;
}

// Works on a duplicate, because the number may belong to another socket by now; the duplicate keeps
// referring to one connection, which is checked again.
void ConnectionGuard::close_one(int descriptor) {
  if (spare_ < 0 || dup3(descriptor, spare_, O_CLOEXEC) < 0) return;
  const auto connection = connection_of(spare_);
  if (connection && connection->idle >= limits_.silent_for_crowded) shutdown(spare_, SHUT_RDWR);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing < 0) return;  // the next dup3() replaces the duplicate
  dup3(nothing, spare_, O_CLOEXEC);
  close(nothing);
}

}  // namespace xbind::orb
