// A process that runs a command of this very program and lives at most as long as we do: it ends when its
// standard input does (we hold the other end), in order, and by signal when we die.
//
// One thread; the one that starts a child is to live as long as the child (PR_SET_PDEATHSIG).
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/result.hpp"

namespace xbind::callgen::null {

class Child {
 public:
  // `words`: the command and its options, "null-switch".
  static Result<Child> start(const std::vector<std::string>& words);
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  ~Child();  // end()

  // The next line of its standard output. kTimeout, or kUnreachable when it has ended.
  Result<std::string> line(Duration timeout);
  // Into its standard input.
  Result<void> tell(const std::string& line);
  // Ends it in order; by force after five seconds. Idempotent.
  void end();

  pid_t pid() const { return pid_; }
  // Processor time so far, of all its threads; zero when it is gone.
  Duration cpu_time() const;

 private:
  Child() = default;

  std::string name_;
  pid_t pid_ = -1;
  int in_ = -1;
  int out_ = -1;
  std::string read_;
};

// Of this process.
Duration own_cpu_time();

// The processors that this process may use, ascending.
std::vector<int> processors();
// Binds every thread that the process has now, and those that they start. kNotFound: it is gone.
Result<void> bind_process(pid_t pid, const std::vector<int>& to);
void bind_thread(pid_t thread, const std::vector<int>& to);  // 0: the calling one

}  // namespace xbind::callgen::null
