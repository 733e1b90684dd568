// A process that runs a command of this very program and lives at most as long as we do: it ends when its
// standard input does (we hold the other end), in order, and by signal when we die.
//
// Threads: one reads (line, octets), one does all else; end() when nobody reads any more. The one that starts a
// child is to live as long as the child (PR_SET_PDEATHSIG).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "callgen/processes/spawn.hpp"
#include "core/clock.hpp"
#include "core/result.hpp"

namespace xbind::callgen {

class OwnChild {
 public:
  static constexpr std::size_t kLongestLine = 16'384;    // octets
  static constexpr Duration kForever = Duration::max();  // to wait

  // `words`: the command and its options, "null-switch"; `environment`: "NAME=value" each, nothing: ours.
  // From now on a child that is gone is an error and no SIGPIPE. kSystem: it cannot be started.
  static Result<OwnChild> start(const std::vector<std::string>& words,
                                std::optional<std::vector<std::string>> environment = {});
  OwnChild(OwnChild&& other) noexcept;
  OwnChild& operator=(OwnChild&&) = delete;
  ~OwnChild();  // end()

  // The next line of its standard output. kTimeout; kUnreachable when it has ended; kProtocol when the line is
  // longer than kLongestLine.
  Result<std::string> line(Duration timeout);
  // The next `count` octets of it; likewise.
  Result<std::string> octets(std::size_t count, Duration timeout);
  // Into its standard input.
  Result<void> tell(const std::string& line);
  // Asks it to end, with SIGTERM; whoever reads comes to the end of its output.
  void terminate() const;
  // Ends it in order; by force after five seconds. Idempotent.
  void end();

  pid_t pid() const { return pid_; }

 private:
  OwnChild(std::string name, Pipe in, Pipe out);
  Result<void> read_more(TimePoint until, Duration timeout);

  std::string name_;
  pid_t pid_ = -1;
  Pipe in_;   // we write
  Pipe out_;  // we read
  std::string read_;
};

}  // namespace xbind::callgen
