#include "orb/process.hpp"

#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <string>

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

std::chrono::nanoseconds since_1970() {
  return std::chrono::system_clock::now().time_since_epoch();
}

}  // namespace xbind::orb
