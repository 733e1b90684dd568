#include "orb/descriptors.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <atomic>
#include <charconv>
#include <cstring>

namespace xbind::orb {
namespace {

std::atomic<bool> few_left = false;

using AskEnd = int (*)(int, sockaddr*, socklen_t*);

std::optional<TcpEnd> end_of(int descriptor, AskEnd ask) {
  union {
    sockaddr any;
    sockaddr_in four;
    sockaddr_in6 six;
    sockaddr_storage room;
  } address{};
  socklen_t size = sizeof address;
  if (ask(descriptor, &address.any, &size) != 0) return std::nullopt;
  char text[INET6_ADDRSTRLEN] = "";
  switch (address.any.sa_family) {
    case AF_INET:
      inet_ntop(AF_INET, &address.four.sin_addr, text, sizeof text);
      return TcpEnd{text, ntohs(address.four.sin_port)};
    case AF_INET6:
      inet_ntop(AF_INET6, &address.six.sin6_addr, text, sizeof text);
      return TcpEnd{text, ntohs(address.six.sin6_port)};
    default: return std::nullopt;
  }
}

}  // namespace

std::vector<int> Descriptors::now() {
  std::vector<int> all;
  if (!directory_) return all;
  rewinddir(directory_.get());
  while (const dirent* const entry = readdir(directory_.get())) {
    int descriptor = -1;
    const char* const end = entry->d_name + std::strlen(entry->d_name);
    const auto [last, error] = std::from_chars(entry->d_name, end, descriptor);
    if (error == std::errc{} && last == end) all.push_back(descriptor);
  }
  return all;
}

bool few_descriptors_left() { return few_left; }
void set_few_descriptors_left(bool few) { few_left = few; }

std::optional<TcpEnd> own_end(int descriptor) { return end_of(descriptor, getsockname); }
std::optional<TcpEnd> peer_end(int descriptor) { return end_of(descriptor, getpeername); }

bool listens(int descriptor) {
  int accepts = 0;
  socklen_t size = sizeof accepts;
  return getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &size) == 0 && accepts != 0;
}

}  // namespace xbind::orb
