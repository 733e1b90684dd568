#include "bench/processes/own_child.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "callgen/timers.hpp"
#include "core/steady_now.hpp"

namespace xbind::callgen {
namespace {

constexpr Duration kEndPatience = kCallgenTimers["own-child-end"];

TimePoint in(Duration timeout) {
  return timeout == OwnChild::kForever ? kNever : steady_now() + timeout;
}

// In the form that poll() accepts; poll() may return early.
int left_ms(TimePoint until) {
  if (until == kNever) return -1;
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(until - steady_now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
}

}  // namespace

OwnChild::OwnChild(std::string name, Pipe in, Pipe out)
    : name_(std::move(name)), in_(std::move(in)), out_(std::move(out)) {}

Result<OwnChild> OwnChild::start(const std::vector<std::string>& words,
                                 std::optional<std::vector<std::string>> environment) {
  signal(SIGPIPE, SIG_IGN);
  auto in = Pipe::open();
  auto out = Pipe::open();
  for (const auto* const pipe : {&in, &out}) {
    if (!*pipe) return fail(pipe->error().code, "{}: {}", words.front(), pipe->error().text);
  }
  OwnChild child(words.front(), std::move(*in), std::move(*out));
  SpawnPlan plan{.program = kThisProgram,
                 .words = {"xbind-callgen"},
                 .environment = std::move(environment),
                 .in = child.in_.reading(),
                 .out = child.out_.writing()};
  plan.words.insert(plan.words.end(), words.begin(), words.end());
  const auto started = spawn(plan);
  if (!started) return fail(started.error().code, "{}: {}", words.front(), started.error().text);
  child.pid_ = *started;
  child.in_.close_reading();
  child.out_.close_writing();
  return child;
}

OwnChild::OwnChild(OwnChild&& other) noexcept
    : name_(std::move(other.name_)),
      pid_(std::exchange(other.pid_, -1)),
      in_(std::move(other.in_)),
      out_(std::move(other.out_)),
      read_(std::move(other.read_)) {}

OwnChild::~OwnChild() { end(); }

Result<std::string> OwnChild::line(Duration timeout) {
  const TimePoint until = in(timeout);
  for (;;) {
    const auto end = read_.find('\n');
    if (std::min(end, read_.size()) > kLongestLine)
      return fail(ErrorCode::kProtocol, "{} (process {}) wrote a line longer than {} octets", name_,
                  pid_, kLongestLine);
    if (end != std::string::npos) {
      std::string line = read_.substr(0, end);
      read_.erase(0, end + 1);
      return line;
    }
    if (const auto more = read_more(until, timeout); !more)
      return tl::make_unexpected(more.error());
  }
}

Result<std::string> OwnChild::octets(std::size_t count, Duration timeout) {
  const TimePoint until = in(timeout);
  while (read_.size() < count) {
    if (const auto more = read_more(until, timeout); !more)
      return tl::make_unexpected(more.error());
  }
  std::string octets = read_.substr(0, count);
  read_.erase(0, count);
  return octets;
}

Result<void> OwnChild::read_more(TimePoint until, Duration timeout) {
  for (;;) {
    pollfd source{out_.reading(), POLLIN, 0};
    const int ready = poll(&source, 1, left_ms(until));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0 && steady_now() < until) continue;
    if (ready <= 0) {
      return fail(ErrorCode::kTimeout, "{} (process {}) has written nothing for {} ms", name_, pid_,
                  std::chrono::duration_cast<std::chrono::milliseconds>(timeout).count());
    }
    std::array<char, 16'384> octets{};
    const ssize_t got = read(out_.reading(), octets.data(), octets.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return fail(ErrorCode::kUnreachable, "{} (process {}) has ended", name_, pid_);
    read_.append(octets.data(), static_cast<std::size_t>(got));
    return {};
  }
}

Result<void> OwnChild::tell(const std::string& line) {
  const std::string text = line + "\n";
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t now = write(in_.writing(), text.data() + written, text.size() - written);
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) return fail(ErrorCode::kUnreachable, "{} (process {}) has ended", name_, pid_);
    written += static_cast<std::size_t>(now);
  }
  return {};
}

void OwnChild::terminate() const {
  if (pid_ > 0) kill(pid_, SIGTERM);
}

void OwnChild::end() {
  in_.close_writing();
  if (pid_ > 0) {
    // The child's output ends when the child ends, so this can be waited for with a limit.
    const TimePoint until = steady_now() + kEndPatience;
    for (bool over = false; !over;) {
      pollfd source{out_.reading(), POLLIN, 0};
      const int ready = poll(&source, 1, left_ms(until));
      if (ready < 0 && errno == EINTR) continue;
      std::array<char, 4096> octets{};
      over = ready <= 0 || read(out_.reading(), octets.data(), octets.size()) <= 0;
      if (ready <= 0) kill(pid_, SIGKILL);
    }
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
  }
  out_.close_reading();
}

}  // namespace xbind::callgen
