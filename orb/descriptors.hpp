// The descriptors of this process, and the addresses of their sockets.
#pragma once

#include <dirent.h>
#include <sys/socket.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace xbind::orb {

// Lists all descriptors of this process. The directory stays open between calls, because it could
// not be opened when no descriptor is left. Not thread-safe.
class Descriptors {
 public:
  std::vector<int> now();

 private:
  struct Close {
    void operator()(DIR* directory) const { closedir(directory); }
  };
  std::unique_ptr<DIR, Close> directory_{opendir("/proc/self/fd")};
};

// Whether half of the descriptors were in use when ConnectionGuard last counted them, without those
// of accepted connections. No connection to a new peer is opened then: the remaining descriptors
// are kept for peers that have a session.
bool few_descriptors_left();
void set_few_descriptors_left(bool few);

// One end of a TCP socket.
struct TcpEnd {
  std::string host;  // numeric
  unsigned port = 0;

  friend bool operator==(const TcpEnd&, const TcpEnd&) = default;
};

// nullopt if the descriptor is no TCP socket over IP; for the peer's end, also if it is not
// connected.
std::optional<TcpEnd> own_end(int descriptor);
std::optional<TcpEnd> peer_end(int descriptor);
bool listens(int descriptor);

}  // namespace xbind::orb
