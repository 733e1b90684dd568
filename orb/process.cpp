#include "orb/process.hpp"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>

#include "core/log.hpp"
#include "core/log_output.hpp"
#include "core/output.hpp"
#include "core/shortage.hpp"
#include "orb/timers.hpp"

namespace xbind::orb {
namespace {

sigset_t taken_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGHUP);
  return signals;
}

std::function<void()> when_hung_up;  // used on the waiting thread only

// The first reason to end; later ones are ignored.
std::mutex ending_mutex;
std::optional<Ending> ending;

std::optional<Ending> ending_of(int signal_number) {
  if (signal_number == SIGHUP) {
    if (when_hung_up) {
      log::hang_up();
      when_hung_up();
    } else {
      log::hang_up_only();
    }
    return std::nullopt;
  }
  const std::lock_guard lock(ending_mutex);
  if (!ending) ending = Ending{0, signal_number == SIGINT ? "after SIGINT" : "after SIGTERM"};
  return ending;
}

}  // namespace

void take_signals() {
  name_shortages();
  const sigset_t signals = taken_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  ignore_broken_pipes();
}

Ending wait_for_end() {
  for (;;) {
    if (auto end = wait_for_end(kOrbTimers.ms("signal-wait"))) return *end;
  }
}

std::optional<Ending> wait_for_end(std::chrono::milliseconds patience) {
  const sigset_t signals = taken_signals();
  const auto until = std::chrono::steady_clock::now() + patience;
  for (;;) {
    const auto left = std::max(std::chrono::nanoseconds{0},
                               std::chrono::nanoseconds{until - std::chrono::steady_clock::now()});
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
    const timespec wait{seconds.count(), (left - seconds).count()};
    const int number = sigtimedwait(&signals, nullptr, &wait);
    if (number > 0) {
      if (auto end = ending_of(number)) return end;
    } else if (errno != EINTR) {
      return std::nullopt;  // EAGAIN: the time has passed
    }
  }
}

void on_hang_up(std::function<void()> call) { when_hung_up = std::move(call); }

void end_process(int exit_code, std::string why) {
  {
    const std::lock_guard lock(ending_mutex);
    if (ending) return;
    log::error("{}; this process ends with exit code {}", why, exit_code);
    ending = Ending{exit_code, std::move(why)};
  }
  kill(getpid(), SIGTERM);  // blocked in every thread (take_signals): wait_for_end() gets it
}

std::optional<ProcessUse> process_use(int pid) {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0)
    return std::nullopt;
  ProcessUse use;
  use.cpu = std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
  std::error_code gone;
  const std::filesystem::directory_iterator threads("/proc/" + std::to_string(pid) + "/task", gone);
  if (gone) return std::nullopt;
  for (auto thread = threads; thread != end(threads); thread.increment(gone)) {
    if (gone) break;
    std::ifstream status(thread->path() / "status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("voluntary_ctxt_switches:"))
        use.voluntary_switches += std::stoull(line.substr(24));
      if (line.starts_with("nonvoluntary_ctxt_switches:"))
        use.involuntary_switches += std::stoull(line.substr(27));
    }
  }
  return use;
}

std::chrono::nanoseconds since_1970() {
  return std::chrono::system_clock::now().time_since_epoch();
}

}  // namespace xbind::orb
