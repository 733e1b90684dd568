// A process that runs a command of this program and ends at the latest when this process does. It
// ends in order when its standard input closes (this process holds the other end), and by a signal
// when this process dies.
//
// Threads: one thread reads (line, octets), another may do the rest; call end() when no thread
// reads any more. The thread that starts a child must live as long as the child (PR_SET_PDEATHSIG).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bench/processes/spawn.hpp"
#include "core/clock.hpp"
#include "core/result.hpp"

namespace xbind::callgen {

class OwnChild {
 public:
  static constexpr std::size_t kLongestLine = 16'384;    // octets
  static constexpr Duration kForever = Duration::max();  // wait without limit

  // `words`: the command and its options, "null-switch". `environment`: entries "NAME=value";
  // nullopt: inherited. From now on writing to an ended child is an error and raises no SIGPIPE.
  // kSystem: it cannot be started.
  static Result<OwnChild> start(const std::vector<std::string>& words,
                                std::optional<std::vector<std::string>> environment = {});
  OwnChild(OwnChild&& other) noexcept;
  OwnChild& operator=(OwnChild&&) = delete;
  ~OwnChild();  // calls end()

  // The next line of its standard output. kTimeout; kUnreachable when the child has ended;
  // kProtocol when the line is longer than kLongestLine.
  Result<std::string> line(Duration timeout);
  // The next `count` octets of its output; the same errors.
  Result<std::string> octets(std::size_t count, Duration timeout);
  // Writes a line to its standard input.
  Result<void> tell(const std::string& line);
  // Sends SIGTERM; a reader then reaches the end of its output.
  void terminate() const;
  // Ends the child in order, or by force after five seconds. Idempotent.
  void end();

  pid_t pid() const { return pid_; }

 private:
  OwnChild(std::string name, Pipe in, Pipe out);
  Result<void> read_more(TimePoint until, Duration timeout);

  std::string name_;
  pid_t pid_ = -1;
  Pipe in_;   // written by this process
  Pipe out_;  // read by this process
  std::string read_;
};

}  // namespace xbind::callgen
