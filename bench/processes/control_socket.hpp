// A Unix socket at which scripts steer a run: a line in, a line out. The file's mode is 0600.
//
// Nobody waits for anybody: serve() takes what has come and returns. A peer that does not read its
// answers, or sends a line that is too long, is disconnected. One thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "core/result.hpp"

namespace xbind::callgen {

class ControlSocket {
 public:
  static constexpr std::size_t kPathOctetsMax = 107;  // of a Unix socket's address
  static constexpr std::size_t kPeersMax = 8;         // further ones wait to be accepted
  static constexpr std::size_t kLineOctetsMax = 1024;

  // kBadInput: the path is too long. kSystem: another process listens there, the file is no socket,
  // or the folder cannot be written. A socket that nobody listens at any more is replaced.
  static Result<std::unique_ptr<ControlSocket>> open(const std::string& path);
  ~ControlSocket();  // removes the file
  ControlSocket(const ControlSocket&) = delete;
  ControlSocket& operator=(const ControlSocket&) = delete;

  // Answers the lines that have come, each with the line that `answer` returns.
  using Answer = std::function<std::string(std::string_view line)>;
  void serve(const Answer& answer);

 private:
  struct Peer {
    int descriptor = -1;
    std::string received{};
  };
  ControlSocket(std::string path, int listening) : path_(std::move(path)), listening_(listening) {}
  void accept_peers();
  // Whether the peer stays.
  static bool serve(Peer& peer, const Answer& answer);

  std::string path_;
  int listening_;
  std::vector<Peer> peers_;
};

// Sends a line to the socket at `path` and returns the answer, without its newline. kUnreachable:
// nobody listens there. kTimeout: no answer came.
Result<std::string> ask_control(const std::string& path, const std::string& line, Duration timeout);

}  // namespace xbind::callgen
