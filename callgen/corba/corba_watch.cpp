#include "callgen/corba/corba_watch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <optional>

#include "core/utc_text.hpp"
#include "core/version.hpp"

namespace xbind::callgen {
namespace {

// nullopt: the process has ended. It stays in the table, because it was expected to run.
std::optional<double> megabytes(int pid) {
  const auto kib = orb::resident_kib(pid);
  return kib ? std::optional{static_cast<double>(*kib) / 1024} : std::nullopt;
}

}  // namespace

ProcessWatch::ProcessWatch(const std::vector<std::pair<std::string, int>>& processes)
    : time_before_(machine_time()), load_before_(load_average()) {
  began_ = utc_iso(std::chrono::floor<std::chrono::seconds>(orb::since_1970()));
  watched_["xbind-callgen"].pid = getpid();
  for (const auto& [name, pid] : processes) watched_[name].pid = pid;
  for (auto& [name, watched] : watched_) {
    watched.before = orb::process_use(watched.pid);
    watched.cost.rss_before_mb = watched.cost.rss_full_mb = megabytes(watched.pid);
  }
}

void ProcessWatch::look(std::uint64_t calls_up) {
  if (calls_up <= most_up_) return;
  most_up_ = calls_up;
  for (auto& [name, watched] : watched_) watched.cost.rss_full_mb = megabytes(watched.pid);
}

void ProcessWatch::finish(RunReport& report) {
  report.calls_up_at_full = most_up_;
  for (auto& [name, watched] : watched_) {
    ProcessCost& cost = watched.cost;
    cost.rss_after_mb = megabytes(watched.pid);
    if (cost.rss_after_mb) report.rss_mb[name] = *cost.rss_after_mb;
    const auto after = orb::process_use(watched.pid);
    if (after && watched.before) {
      cost.cpu_s = std::chrono::duration<double>(after->cpu - watched.before->cpu).count();
      // Ended threads no longer contribute to the count of context switches.
      const auto grown = [](std::uint64_t then, std::uint64_t now) {
        return now > then ? now - then : 0;
      };
      cost.voluntary_switches =
          grown(watched.before->voluntary_switches, after->voluntary_switches);
      cost.involuntary_switches =
          grown(watched.before->involuntary_switches, after->involuntary_switches);
    }
    report.processes[name] = cost;
    report.manifest["placement of " + name] =
        fmt::format("pid {}, may run on CPU {}", watched.pid, allowed_cpus(watched.pid));
  }
  const MachineTime time_after = machine_time();
  report.manifest["began"] = began_;
  report.manifest["load before"] = load_before_;
  report.manifest["load after"] = load_average();
  report.manifest["processors busy"] = busy_share(time_before_, time_after);
  report.manifest["processors stolen"] = stolen_share(time_before_, time_after);
  report.manifest["version"] = std::string{version()};
  report.manifest["revision"] = std::string{revision()};
  for (const auto& [name, value] : machine_of()) report.manifest[name] = value;
}

}  // namespace xbind::callgen
