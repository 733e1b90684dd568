#include "callgen/null/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/steady_now.hpp"

extern char** environ;  // NOLINT

namespace xbind::callgen::null {
namespace {

constexpr Duration kEndPatience = std::chrono::seconds{5};

Duration time_of(clockid_t clock) {
  timespec now{};
  if (clock_gettime(clock, &now) != 0) return Duration::zero();
  return std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec};
}

cpu_set_t set_of(const std::vector<int>& which) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int processor : which) CPU_SET(processor, &set);
  return set;
}

int left_ms(TimePoint until) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(until - steady_now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
}

}  // namespace

Result<Child> Child::start(const std::vector<std::string>& words) {
  // Closed on exec: a child that held another's input open would keep it alive.
  std::array<int, 2> in{-1, -1};
  std::array<int, 2> out{-1, -1};
  if (pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(out.data(), O_CLOEXEC) != 0) {
    for (const int end : {in[0], in[1]}) {
      if (end >= 0) close(end);
    }
    return fail(ErrorCode::kExhausted, "no pipe to {}: {}", words.front(), std::strerror(errno));
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  std::vector<std::string> all{"xbind-callgen"};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  Child child;
  child.name_ = words.front();
  const int error =
      posix_spawn(&child.pid_, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  child.in_ = in[1];
  child.out_ = out[0];
  if (error != 0) {
    child.pid_ = -1;
    return fail(ErrorCode::kExhausted, "{} cannot be started: {}", words.front(),
                std::strerror(error));
  }
  return child;
}

Child::Child(Child&& other) noexcept
    : name_(std::move(other.name_)),
      pid_(std::exchange(other.pid_, -1)),
      in_(std::exchange(other.in_, -1)),
      out_(std::exchange(other.out_, -1)),
      read_(std::move(other.read_)) {}

Child::~Child() { end(); }

Result<std::string> Child::line(Duration timeout) {
  const TimePoint until = steady_now() + timeout;
  for (;;) {
    if (const auto end = read_.find('\n'); end != std::string::npos) {
      std::string line = read_.substr(0, end);
      read_.erase(0, end + 1);
      return line;
    }
    pollfd source{out_, POLLIN, 0};
    const int ready = poll(&source, 1, left_ms(until));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) {
      return fail(ErrorCode::kTimeout, "{} (process {}) has said nothing for {} ms", name_, pid_,
                  std::chrono::duration_cast<std::chrono::milliseconds>(timeout).count());
    }
    std::array<char, 4096> octets{};
    const ssize_t got = read(out_, octets.data(), octets.size());
    if (got <= 0) return fail(ErrorCode::kUnreachable, "{} (process {}) has ended", name_, pid_);
    read_.append(octets.data(), static_cast<std::size_t>(got));
  }
}

Result<void> Child::tell(const std::string& line) {
  const std::string text = line + "\n";
  std::size_t told = 0;
  while (told < text.size()) {
    const ssize_t now = write(in_, text.data() + told, text.size() - told);
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) return fail(ErrorCode::kUnreachable, "{} (process {}) has ended", name_, pid_);
    told += static_cast<std::size_t>(now);
  }
  return {};
}

void Child::end() {
  if (in_ >= 0) close(std::exchange(in_, -1));
  if (pid_ > 0) {
    // Its output ends when it does: that can be waited for with a limit.
    const TimePoint until = steady_now() + kEndPatience;
    for (bool over = false; !over;) {
      pollfd source{out_, POLLIN, 0};
      const int ready = poll(&source, 1, left_ms(until));
      if (ready < 0 && errno == EINTR) continue;
      std::array<char, 4096> octets{};
      over = ready <= 0 || read(out_, octets.data(), octets.size()) <= 0;
      if (ready <= 0) kill(pid_, SIGKILL);
    }
    waitpid(std::exchange(pid_, -1), nullptr, 0);
  }
  if (out_ >= 0) close(std::exchange(out_, -1));
}

Duration Child::cpu_time() const {
  clockid_t clock = 0;
  if (pid_ <= 0 || clock_getcpuclockid(pid_, &clock) != 0) return Duration::zero();
  return time_of(clock);
}

Duration own_cpu_time() { return time_of(CLOCK_PROCESS_CPUTIME_ID); }

std::vector<int> processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  std::vector<int> all;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (CPU_ISSET(processor, &set)) all.push_back(processor);
  }
  return all;
}

Result<void> bind_process(pid_t pid, const std::vector<int>& to) {
  std::error_code gone;
  for (const auto& thread :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task", gone)) {
    bind_thread(std::stoi(thread.path().filename().string()), to);
  }
  if (gone) return fail(ErrorCode::kNotFound, "process {} is gone", pid);
  return {};
}

void bind_thread(pid_t thread, const std::vector<int>& to) {
  const cpu_set_t set = set_of(to);
  sched_setaffinity(thread, sizeof set, &set);
}

}  // namespace xbind::callgen::null
