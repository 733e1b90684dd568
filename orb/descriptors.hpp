// The descriptors of this process, and what sockets say of themselves.
#pragma once

#include <dirent.h>
#include <sys/socket.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace xbind::orb {

// All descriptors of this process. The directory stays open between looks: where no descriptor is
// left it could not be opened. Not thread-safe.
class Descriptors {
 public:
  std::vector<int> now();

 private:
  struct Close {
    void operator()(DIR* directory) const { closedir(directory); }
  };
  std::unique_ptr<DIR, Close> directory_{opendir("/proc/self/fd")};
};

// One end of a TCP socket.
struct TcpEnd {
  std::string host;  // numeric
  unsigned port = 0;

  friend bool operator==(const TcpEnd&, const TcpEnd&) = default;
};

// Nothing for what is no socket of TCP over IP, or, of the peer's end, not connected.
std::optional<TcpEnd> own_end(int descriptor);
std::optional<TcpEnd> peer_end(int descriptor);
bool listens(int descriptor);

}  // namespace xbind::orb
