#include "orb/process.hpp"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace xbind::orb {
namespace {

sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

}  // namespace

void take_signals() {
  const sigset_t signals = ending_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

int wait_for_signal() {
  const sigset_t signals = ending_signals();
  int number = 0;
  while (sigwait(&signals, &number) != 0) {
  }
  return number;
}

std::optional<std::uint64_t> resident_kib(int pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stoull(line.substr(6));
  }
  return std::nullopt;
}

std::uint64_t own_resident_kib() { return resident_kib(getpid()).value_or(0); }

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
