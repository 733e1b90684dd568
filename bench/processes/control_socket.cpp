#include "bench/processes/control_socket.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace xbind::callgen {
namespace {

constexpr int kWaiting = 16;  // connections that the kernel keeps until they are accepted

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

Result<sockaddr_un> address_of(const std::string& path) {
  if (path.empty() || path.size() > ControlSocket::kPathOctetsMax)
    return fail(ErrorCode::kBadInput, "{}: the path of a socket has 1 to {} octets, this one {}",
                path, ControlSocket::kPathOctetsMax, path.size());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::copy(path.begin(), path.end(), address.sun_path);
  return address;
}

int bound(int socket, const sockaddr_un& address) {
  return bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

// A socket file whose process has ended without removing it.
bool is_left_over(const std::string& path, const sockaddr_un& address) {
  struct stat file {};
  if (lstat(path.c_str(), &file) != 0 || !S_ISSOCK(file.st_mode)) return false;
  const Descriptor probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 &&
         errno == ECONNREFUSED;
}

}  // namespace

Result<std::unique_ptr<ControlSocket>> ControlSocket::open(const std::string& path) {
  const auto address = address_of(path);
  if (!address) return tl::make_unexpected(address.error());
  Descriptor listening(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  // Before bind(): the file never has another mode.
  fchmod(listening.get(), S_IRUSR | S_IWUSR);
  int failed = bound(listening.get(), *address);
  if (failed != 0 && errno == EADDRINUSE && is_left_over(path, *address)) {
    unlink(path.c_str());
    failed = bound(listening.get(), *address);
  }
  if (failed == 0) failed = listen(listening.get(), kWaiting);
  if (failed != 0)
    return fail(ErrorCode::kSystem, "cannot listen at {}: {}", path, std::strerror(errno));
  return std::unique_ptr<ControlSocket>(new ControlSocket(path, listening.release()));
}

ControlSocket::~ControlSocket() {
  for (const Peer& peer : peers_) close(peer.descriptor);
  close(listening_);
  unlink(path_.c_str());
}

void ControlSocket::accept_peers() {
  while (peers_.size() < kPeersMax) {
    const int peer = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (peer < 0) return;
    peers_.push_back({.descriptor = peer});
  }
}

void ControlSocket::serve(const Answer& answer) {
  accept_peers();
  std::erase_if(peers_, [&answer](Peer& peer) {
    const bool stays = serve(peer, answer);
    if (!stays) close(peer.descriptor);
    return !stays;
  });
}

bool ControlSocket::serve(Peer& peer, const Answer& answer) {
  std::array<char, kLineOctetsMax> octets{};
  const ssize_t count = recv(peer.descriptor, octets.data(), octets.size(), 0);
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  peer.received.append(octets.data(), static_cast<std::size_t>(count));
  for (std::size_t end = 0; (end = peer.received.find('\n')) != std::string::npos;) {
    const std::string line = answer(std::string_view{peer.received}.substr(0, end)) + "\n";
    peer.received.erase(0, end + 1);
    const ssize_t sent = send(peer.descriptor, line.data(), line.size(), MSG_NOSIGNAL);
    if (sent != static_cast<ssize_t>(line.size())) return false;
  }
  return count > 0 && peer.received.size() < kLineOctetsMax;
}

Result<std::string> ask_control(const std::string& path, const std::string& line,
                                Duration timeout) {
  const auto address = address_of(path);
  if (!address) return tl::make_unexpected(address.error());
  const Descriptor peer(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto us = std::chrono::duration_cast<std::chrono::microseconds>(timeout).count();
  const timeval wait{.tv_sec = us / 1'000'000, .tv_usec = us % 1'000'000};
  setsockopt(peer.get(), SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
  setsockopt(peer.get(), SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
  if (connect(peer.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0)
    return fail(ErrorCode::kUnreachable, "no run listens at {}: {}", path, std::strerror(errno));
  const std::string sent = line + "\n";
  if (send(peer.get(), sent.data(), sent.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(sent.size()))
    return fail(ErrorCode::kUnreachable, "{} takes no command: {}", path, std::strerror(errno));
  std::string answer;
  std::array<char, ControlSocket::kLineOctetsMax> octets{};
  while (answer.find('\n') == std::string::npos) {
    const ssize_t count = recv(peer.get(), octets.data(), octets.size(), 0);
    if (count == 0) return fail(ErrorCode::kUnreachable, "the run at {} has ended", path);
    if (count < 0)
      return fail(ErrorCode::kTimeout, "no answer came from {}: {}", path, std::strerror(errno));
    answer.append(octets.data(), static_cast<std::size_t>(count));
  }
  return answer.substr(0, answer.find('\n'));
}

}  // namespace xbind::callgen
