// How long the steps of a manager take, by kind of step. A step is one call into the manager with
// the finish_step() after it; no other event is served meanwhile.
//
// Not thread-safe.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.hpp"

namespace xbind::cmgr {

// Processor time of this thread, so that other processes on the machine do not count.
inline double thread_cpu_us() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) * 1e-3;
}

class StepTimes {
 public:
  using Clock = TimePoint (*)();

  explicit StepTimes(Clock clock) : clock_(clock) {}

  template <class Step>
  void time(const std::string& kind, Step&& step) {
    const TimePoint wall_begin = clock_();
    const double cpu_begin = thread_cpu_us();
    step();
    const double cpu = thread_cpu_us() - cpu_begin;
    const double wall = std::chrono::duration<double, std::micro>(clock_() - wall_begin).count();
    const auto [kept, fresh] = kinds_.try_emplace(kind);
    if (fresh) order_.push_back(kind);
    kept->second.cpu_us.push_back(static_cast<float>(cpu));
    kept->second.longest_wall_us = std::max(kept->second.longest_wall_us, wall);
  }

  // Prints a row for each kind of step, in the order of their first steps.
  void print() {
    fmt::print(
        "| step | steps | median, us | 99.99 %, us | longest, ms | longest on the clock, ms |\n");
    fmt::print("| --- | --- | --- | --- | --- | --- |\n");
    for (const std::string& kind : order_) {
      Kind& it = kinds_.at(kind);
      std::ranges::sort(it.cpu_us);
      const std::size_t last = it.cpu_us.size() - 1;
      fmt::print("| {} | {} | {:.1f} | {:.1f} | {:.2f} | {:.2f} |\n", kind, it.cpu_us.size(),
                 it.cpu_us[last / 2], it.cpu_us[last - it.cpu_us.size() / 10'000],
                 it.cpu_us[last] / 1e3F, it.longest_wall_us / 1e3);
    }
  }

  // The kinds of step of which one took more processor time than that, each with its time.
  std::vector<std::string> longer_than(std::chrono::milliseconds bound) const {
    std::vector<std::string> longer;
    for (const std::string& kind : order_) {
      const double longest_us = *std::ranges::max_element(kinds_.at(kind).cpu_us);
      if (longest_us > static_cast<double>(bound.count()) * 1e3) {
        longer.push_back(fmt::format("{}: {:.2f} ms", kind, longest_us / 1e3));
      }
    }
    return longer;
  }

 private:
  struct Kind {
    std::vector<float> cpu_us;
    double longest_wall_us = 0;
  };

  Clock clock_;
  std::map<std::string, Kind> kinds_;
  std::vector<std::string> order_;
};

}  // namespace xbind::cmgr
