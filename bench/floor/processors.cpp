#include "bench/floor/processors.hpp"

#include <sched.h>
#include <time.h>

#include <filesystem>
#include <string>

namespace xbind::callgen::null {
namespace {

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

}  // namespace

Duration cpu_time(pid_t pid) {
  clockid_t clock = 0;
  if (pid <= 0 || clock_getcpuclockid(pid, &clock) != 0) return Duration::zero();
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
