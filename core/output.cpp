#include "core/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <stdio_ext.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>

#include "core/log.hpp"

namespace xbind {
namespace {

using Clock = std::chrono::steady_clock;

// The first failure. 0: none yet.
std::atomic<int> first_errno = 0;
constexpr int kUnknown = -1;  // stdio has failed before the last flush, and forgotten the reason

std::atomic<bool> reported = false;  // by end_output()

std::string reason_of(int error) {
  return error == kUnknown ? "an earlier write has failed" : std::strerror(error);
}

// The end of the reader is an error of the descriptor, without a write.
bool reader_left(int wait_ms) {
  pollfd output{STDOUT_FILENO, 0, 0};
  return ::poll(&output, 1, wait_ms) > 0 && (output.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0;
}

// A network file system may report only at close() that the octets have not arrived.
int errno_of_close() {
  const int copy = ::dup(STDOUT_FILENO);
  if (copy < 0) return 0;  // closed, or no descriptor is left: write() has judged
  return ::close(copy) == 0 ? 0 : errno;
}

int errno_of_flush() {
  errno = 0;
  if (std::fflush(stdout) != 0) return errno == 0 ? EIO : errno;
  if (std::ferror(stdout) == 0) return errno_of_close();
  return reader_left(0) ? EPIPE : kUnknown;
}

[[noreturn]] void end_by_sigpipe() {
  constexpr int kSignalled = 128;  // as shells count
  ::signal(SIGPIPE, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, SIGPIPE);
  ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  ::raise(SIGPIPE);
  ::_exit(kSignalled + SIGPIPE);  // the first process of a container survives signals
}

// While it lives, a write of this thread to a pipe that nobody reads is an error, and no SIGPIPE: a
// program without an ORB does not ignore that signal.
class NoSigpipe {
 public:
  NoSigpipe() {
    sigset_t pending;
    sigemptyset(&only_);
    sigaddset(&only_, SIGPIPE);
    was_pending_ = ::sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
    ::pthread_sigmask(SIG_BLOCK, &only_, &before_);
  }
  ~NoSigpipe() {
    const timespec at_once{};
    while (!was_pending_ && ::sigtimedwait(&only_, nullptr, &at_once) < 0 && errno == EINTR) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoSigpipe(const NoSigpipe&) = delete;
  NoSigpipe& operator=(const NoSigpipe&) = delete;

 private:
  sigset_t only_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

}  // namespace

void hold_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number is this one; the opposite direction makes each use fail.
    static_cast<void>(::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  }
}

void print_output(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size()) return;
  if (first_errno == 0) first_errno = errno == 0 ? kUnknown : errno;
}

std::optional<std::string> output_fault() {
  if (first_errno == 0) first_errno = errno_of_flush();
  if (first_errno == 0) return std::nullopt;
  return reason_of(first_errno);
}

bool reader_left_within(std::chrono::nanoseconds patience) {
  constexpr std::chrono::milliseconds kLongest{std::numeric_limits<int>::max()};  // of poll()
  const auto until = Clock::now() + patience;
  for (;;) {
    const auto left = std::clamp<Clock::duration>(until - Clock::now(), {}, kLongest);
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(left);
    if (reader_left(static_cast<int>(wait.count()))) {
      if (first_errno == 0) first_errno = EPIPE;
      return true;
    }
    if (Clock::now() >= until) return false;
  }
}

int end_output(std::string_view program, int exit_code) {
  const auto fault = output_fault();
  if (!fault) return exit_code;
  if (first_errno == EPIPE) end_by_sigpipe();
  if (reported.exchange(true)) return exit_code;  // after load_or_explain()
  fmt::print(stderr, "{}: standard output cannot be written: {}; exit code {}\n", program, *fault,
             exit_code == 0 ? kExitNotWritten : exit_code);
  return exit_code == 0 ? kExitNotWritten : exit_code;
}

void ignore_broken_pipes() { ::signal(SIGPIPE, SIG_IGN); }

void announce(const std::string& line) {
  const NoSigpipe no_signal;
  print_output(line + '\n');
  const auto fault = output_fault();
  if (!fault) return;
  log::warn("standard output cannot be written: {}; the line was: {}", *fault, line);
  ::__fpurge(stdout);
  std::clearerr(stdout);
  first_errno = 0;
}

}  // namespace xbind
