#include "bench/commands/generator_processes.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "bench/processes/own_child.hpp"
#include "bench/search/merge.hpp"
#include "callgen/report/report_from_json.hpp"
#include "callgen/timers.hpp"
#include "core/config/variable_name.hpp"
#include "core/steady_now.hpp"

namespace xbind::callgen {
namespace {

// From the last generator's readiness to the common start: all have read the start time by then.
constexpr Duration kLead = kCallgenTimers["common-start"];
// The longest time before a stop request is noticed.
constexpr Duration kLookForStop = kCallgenTimers["stop-look"];

// Options that only the parent uses, or that a share replaces.
const std::vector<std::string> kNotForChildren{"generators",
                                               "assert",
                                               "calls",
                                               "rate",
                                               "duration",
                                               "erlangs",
                                               "hold",
                                               "seed",
                                               "client-name",
                                               "json",
                                               "out",
                                               "csv",
                                               "records",
                                               "quiet",
                                               "progress-interval",
                                               "with-floor",
                                               "floor-switches",
                                               "expect-refusals"};

// The environment of a child: that of this process without the parent's own variables.
std::vector<std::string> child_environment() {
  std::vector<std::string> kept = own_environment();
  std::erase_if(kept, [](const std::string& entry) {
    return std::any_of(kNotForChildren.begin(), kNotForChildren.end(),
                       [&](const std::string& name) {
                         return entry.starts_with(config::variable_of(name) + "=");
                       });
  });
  return kept;
}

// State of the reader threads, under one lock.
struct Shared {
  std::mutex mutex;
  std::condition_variable changed;
};

struct Child {
  std::string name;  // "generator 2"
  OwnChild process;
  std::jthread reader{};

  // Guarded by the lock.
  bool ready = false;
  bool over = false;  // its output has ended
  Progress progress{};
  std::string json{};
  std::string trouble{};
};

// Reads the next line, and the report that may follow it.
Result<std::pair<ChildLine, std::string>> next_of(Child& child) {
  const auto text = child.process.line(OwnChild::kForever);
  if (!text) return tl::make_unexpected(text.error());
  auto line = parse_line(*text);
  if (!line) return tl::make_unexpected(line.error());
  if (!std::holds_alternative<ReportFollows>(*line))
    return std::pair{std::move(*line), std::string{}};
  auto json = child.process.octets(std::get<ReportFollows>(*line).octets, OwnChild::kForever);
  if (!json) return tl::make_unexpected(json.error());
  return std::pair{std::move(*line), std::move(*json)};
}

// Runs on the child's own thread until the output ends or breaks the protocol.
void read_all(Child& child, Shared& shared) {
  for (bool more = true; more;) {
    auto said = next_of(child);
    const std::lock_guard lock(shared.mutex);
    if (!said) {
      if (said.error().code != ErrorCode::kUnreachable) child.trouble = said.error().text;
      child.over = true;
      more = false;
    } else if (std::holds_alternative<Ready>(said->first)) {
      child.ready = true;
    } else if (std::holds_alternative<Progress>(said->first)) {
      child.progress = std::get<Progress>(said->first);
    } else if (std::holds_alternative<ChildFailed>(said->first)) {
      child.trouble = std::get<ChildFailed>(said->first).sentence;
    } else if (std::holds_alternative<ReportFollows>(said->first)) {
      child.json = std::move(said->second);
    }
    shared.changed.notify_all();
  }
}

using Children = std::vector<std::unique_ptr<Child>>;

// Ends the remaining children and waits for all.
class Keeper {
 public:
  explicit Keeper(Children& children) : children_(children) {}
  ~Keeper() { end(); }
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  void end() {
    stop();
    wait();
  }
  // They end in order, and report.
  void stop() {
    for (const auto& child : children_) child->process.terminate();
  }
  void wait() {
    for (const auto& child : children_) {
      if (child->reader.joinable()) child->reader.join();
      child->process.end();
    }
  }

 private:
  Children& children_;
};

// The first child that failed: it sent an error, or ended without its report. Called under the
// lock.
const Child* failed_of(const Children& children) {
  for (const auto& child : children) {
    if (!child->trouble.empty() || (child->over && child->json.empty())) return child.get();
  }
  return nullptr;
}

tl::unexpected<Error> error_of(const Child& child) {
  return fail(ErrorCode::kUnreachable, "{}: {}", child.name,
              child.trouble.empty() ? "it ended without a report" : child.trouble);
}

template <class Predicate>
bool every(const Children& children, Predicate predicate) {
  for (const auto& child : children) {
    if (!predicate(*child)) return false;
  }
  return true;
}

Result<std::vector<RunReport>> reports_of(const Children& children) {
  std::vector<RunReport> reports;
  for (const auto& child : children) {
    auto report = report_from_json(child->json);
    if (!report) return fail(report.error().code, "{}: {}", child->name, report.error().text);
    reports.push_back(std::move(*report));
  }
  return reports;
}

// Starts a generator for each share of the load, and a thread that reads its output.
Result<void> start_children(const ClientOptions& client, const RunOptions& run,
                            std::uint32_t generators, const std::vector<std::string>& words,
                            Shared& shared, Children& children) {
  const std::string client_name =
      client.client_name.empty() ? fmt::format("callgen-{}", getpid()) : client.client_name;
  for (std::uint32_t k = 0; k < generators; ++k) {
    const Share share = share_of(run, k, generators);
    std::vector<std::string> command{"generator"};
    const auto own =
        child_words(words, kNotForChildren,
                    {"--calls", std::to_string(share.calls), "--rate",
                     fmt::format("{}", share.rate), "--hold", fmt::format("{}", run.hold), "--seed",
                     std::to_string(share.seed), "--phase-ns", std::to_string(share.phase.count()),
                     "--client-name", fmt::format("{}-{}", client_name, k + 1)});
    command.insert(command.end(), own.begin(), own.end());
    auto process = OwnChild::start(command, child_environment());
    if (!process) return tl::make_unexpected(process.error());
    children.push_back(std::make_unique<Child>(
        Child{.name = fmt::format("generator {}", k + 1), .process = std::move(*process)}));
    Child& one = *children.back();
    one.reader = std::jthread([&one, &shared] { read_all(one, shared); });
  }
  return {};
}

// Waits until every generator is ready. When one fails or `stop` returns true, ends all of them and
// releases the lock.
Result<void> await_ready(Shared& shared, std::unique_lock<std::mutex>& lock,
                         const Children& children, Keeper& keeper,
                         const std::function<bool()>& stop) {
  while (!shared.changed.wait_for(lock, kLookForStop, [&] {
    return failed_of(children) != nullptr ||
           every(children, [](const Child& child) { return child.ready; });
  })) {
    if (!stop()) continue;
    lock.unlock();
    keeper.end();
    return fail(ErrorCode::kUnreachable, "interrupted before a call was offered");
  }
  if (const Child* const failed = failed_of(children)) {
    const auto error = error_of(*failed);
    lock.unlock();
    keeper.end();
    return error;
  }
  return {};
}

// Merges the reports of the shares into one of the whole load.
RunReport merged_of(std::vector<RunReport> reports,
                    const std::map<std::string, AuditReport>& audits, const RunOptions& run,
                    std::uint32_t generators) {
  for (RunReport& report : reports) {
    report.audits = audits;
    doubt_audits(report);
  }
  RunReport merged = merge(reports);
  // The manifest describes the whole load; each share follows from it.
  for (const auto& [name, value] : manifest_of(plan_of(run))) {
    merged.manifest[name] = value;
    for (std::uint32_t k = 1; k <= generators; ++k)
      merged.manifest.erase(fmt::format("{} (generator {})", name, k));
  }
  merged.manifest["generators"] = std::to_string(generators);
  return merged;
}

}  // namespace

Result<RunReport> run_generators(const ClientOptions& client, const RunOptions& run,
                                 std::uint32_t generators, const std::vector<std::string>& words,
                                 orb::Runtime& runtime,
                                 const std::function<void(const Progress&)>& progress,
                                 const std::function<bool()>& stop) {
  Shared shared;
  Children children;
  Keeper keeper(children);
  if (const auto started = start_children(client, run, generators, words, shared, children);
      !started) {
    return tl::make_unexpected(started.error());
  }

  std::unique_lock lock(shared.mutex);
  if (const auto ready = await_ready(shared, lock, children, keeper, stop); !ready) {
    return tl::make_unexpected(ready.error());
  }
  const TimePoint begin = steady_now() + kLead;
  for (const auto& child : children) {
    // The reader notices a child that has ended by the end of its output.
    static_cast<void>(child->process.tell(line_of(Started{begin.time_since_epoch()})));
  }

  const bool shown = !run.quiet && run.progress_interval > 0;
  const auto interval =
      std::chrono::duration_cast<Duration>(std::chrono::duration<double>(run.progress_interval));
  bool stopped = false;
  TimePoint show_at = shown ? steady_now() + interval : kNever;
  while (!every(children, [](const Child& child) { return child.over; })) {
    if (const Child* const failed = failed_of(children)) {
      const auto error = error_of(*failed);
      lock.unlock();
      keeper.end();
      return error;
    }
    shared.changed.wait_for(lock, std::min(kLookForStop, show_at - steady_now()), [&] {
      return failed_of(children) != nullptr ||
             every(children, [](const Child& child) { return child.over; });
    });
    if (!stopped && stop()) {
      stopped = true;
      keeper.stop();
    }
    if (steady_now() < show_at) continue;
    show_at = steady_now() + interval;
    std::vector<Progress> all;
    for (const auto& child : children) all.push_back(child->progress);
    Progress sum = sum_of(all);
    sum.elapsed = steady_now() - begin;
    lock.unlock();
    progress(sum);
    lock.lock();
  }
  if (const Child* const failed = failed_of(children)) return error_of(*failed);
  lock.unlock();
  keeper.wait();

  auto reports = reports_of(children);
  if (!reports) return tl::make_unexpected(reports.error());
  const auto audits = audits_of(client, run, runtime);
  if (!audits) return tl::make_unexpected(audits.error());
  return merged_of(std::move(*reports), *audits, run, generators);
}

}  // namespace xbind::callgen
