#include "callgen/commands/generator_processes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "callgen/report/merge.hpp"
#include "callgen/report/report_from_json.hpp"
#include "core/config/variable_name.hpp"
#include "core/steady_now.hpp"

namespace xbind::callgen {
namespace {

// From the last one's readiness to the common start: all have read it by then.
constexpr Duration kLead = std::chrono::milliseconds{100};
constexpr std::size_t kLongestLine = 4096;

// Options that the parent answers for, or that a share replaces.
const std::vector<std::string> kNotForChildren{
    "generators",        "assert",     "calls",         "rate",
    "duration",          "erlangs",    "hold",          "seed",
    "client-name",       "json",       "out",           "csv",
    "records",           "hgrm",       "quiet",         "floor",
    "progress-interval", "with-floor", "floor-switches"};

// Our environment for a child, without what only the parent answers for.
std::vector<std::string> child_environment() {
  std::vector<std::string> kept;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text{*entry};
    const bool dropped = std::any_of(
        kNotForChildren.begin(), kNotForChildren.end(),
        [&](const std::string& name) { return text.starts_with(config::variable_of(name) + "="); });
    if (!dropped) kept.emplace_back(text);
  }
  return kept;
}

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Closer>;

// What the readers know, under one lock.
struct Shared {
  std::mutex mutex;
  std::condition_variable changed;
};

struct Child {
  std::string name;  // "generator 2"
  pid_t pid = -1;
  File to;
  File from;
  std::jthread reader;

  // Under the lock.
  bool ready = false;
  bool over = false;  // its output has ended
  Progress progress;
  std::string json;
  std::string trouble;
};

// As exec takes them: ended by a null.
std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

Result<void> start(Child& child, const std::vector<std::string>& words) {
  std::array<int, 2> in{-1, -1};
  std::array<int, 2> out{-1, -1};
  if (pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(out.data(), O_CLOEXEC) != 0)
    return fail(ErrorCode::kSystem, "no pipe for {}: {}", child.name, std::strerror(errno));
  child.to.reset(fdopen(in[1], "w"));
  child.from.reset(fdopen(out[0], "r"));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  std::vector<std::string> kept = words;
  std::vector<std::string> environment = child_environment();
  std::vector<char*> argv = pointers_to(kept);
  std::vector<char*> envp = pointers_to(environment);
  const int error =
      posix_spawn(&child.pid, "/proc/self/exe", &actions, nullptr, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  if (error == 0) return {};
  child.pid = -1;
  return fail(ErrorCode::kSystem, "{} could not be started: {}", child.name, std::strerror(error));
}

std::optional<std::string> read_line(std::FILE* from) {
  std::string line;
  for (int octet = std::fgetc(from); octet != EOF; octet = std::fgetc(from)) {
    if (octet == '\n') return line;
    if (line.size() == kLongestLine) return line;
    line += static_cast<char>(octet);
  }
  return std::nullopt;
}

// On the child's own thread, until its output ends.
void read_all(Child& child, Shared& shared) {
  while (const auto text = read_line(child.from.get())) {
    const auto line = parse_line(*text);
    std::string json;
    if (line && std::holds_alternative<ReportFollows>(*line)) {
      json.resize(std::get<ReportFollows>(*line).octets);
      json.resize(std::fread(json.data(), 1, json.size(), child.from.get()));
    }
    const std::lock_guard lock(shared.mutex);
    if (!line) {
      child.trouble = line.error().text;
    } else if (std::holds_alternative<Ready>(*line)) {
      child.ready = true;
    } else if (std::holds_alternative<Progress>(*line)) {
      child.progress = std::get<Progress>(*line);
    } else if (std::holds_alternative<ChildFailed>(*line)) {
      child.trouble = std::get<ChildFailed>(*line).sentence;
    } else if (std::holds_alternative<ReportFollows>(*line)) {
      child.json = std::move(json);
    }
    shared.changed.notify_all();
  }
  const std::lock_guard lock(shared.mutex);
  child.over = true;
  shared.changed.notify_all();
}

using Children = std::vector<std::unique_ptr<Child>>;

// Ends those that are still there, and waits for all.
class Keeper {
 public:
  explicit Keeper(Children& children) : children_(children) {}
  ~Keeper() { end(); }
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  void end() {
    for (const auto& child : children_) {
      if (child->pid > 0) kill(child->pid, SIGTERM);
    }
    wait();
  }
  void wait() {
    for (const auto& child : children_) {
      if (child->reader.joinable()) child->reader.join();
      int status = 0;
      while (child->pid > 0 && waitpid(child->pid, &status, 0) < 0 && errno == EINTR) {
      }
      child->pid = -1;
    }
  }

 private:
  Children& children_;
};

// The first that has failed: it said so, or ended without what it owed. Under the lock.
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

}  // namespace

Result<RunReport> run_generators(const ClientOptions& client, const RunOptions& run,
                                 std::uint32_t generators, const std::vector<std::string>& words,
                                 orb::Runtime& runtime,
                                 const std::function<void(const Progress&)>& progress) {
  std::signal(SIGPIPE, SIG_IGN);  // a child that is gone is a sentence, not our end
  Shared shared;
  Children children;
  Keeper keeper(children);
  const std::string client_name =
      client.client_name.empty() ? fmt::format("callgen-{}", getpid()) : client.client_name;
  for (std::uint32_t k = 0; k < generators; ++k) {
    const Share share = share_of(run, k, generators);
    auto child = std::make_unique<Child>();
    child->name = fmt::format("generator {}", k + 1);
    std::vector<std::string> argv{"xbind-callgen", "generator"};
    const auto own =
        child_words(words, kNotForChildren,
                    {"--calls", std::to_string(share.calls), "--rate",
                     fmt::format("{}", share.rate), "--hold", fmt::format("{}", run.hold), "--seed",
                     std::to_string(share.seed), "--phase-ns", std::to_string(share.phase.count()),
                     "--client-name", fmt::format("{}-{}", client_name, k + 1)});
    argv.insert(argv.end(), own.begin(), own.end());
    const auto started = start(*child, argv);
    children.push_back(std::move(child));
    if (!started) return tl::make_unexpected(started.error());
    Child& one = *children.back();
    one.reader = std::jthread([&one, &shared] { read_all(one, shared); });
  }

  std::unique_lock lock(shared.mutex);
  shared.changed.wait(lock, [&] {
    return failed_of(children) != nullptr ||
           every(children, [](const Child& child) { return child.ready; });
  });
  if (const Child* const failed = failed_of(children)) {
    const auto error = error_of(*failed);
    lock.unlock();
    keeper.end();
    return error;
  }
  const TimePoint begin = steady_now() + kLead;
  for (const auto& child : children) {
    std::fprintf(child->to.get(), "%s\n", line_of(Started{begin.time_since_epoch()}).c_str());
    std::fflush(child->to.get());
  }

  const bool shown = !run.quiet && run.progress_interval > 0;
  const auto interval =
      std::chrono::duration_cast<Duration>(std::chrono::duration<double>(run.progress_interval));
  while (!every(children, [](const Child& child) { return child.over; })) {
    if (const Child* const failed = failed_of(children)) {
      const auto error = error_of(*failed);
      lock.unlock();
      keeper.end();
      return error;
    }
    if (!shown) {
      shared.changed.wait(lock);
      continue;
    }
    shared.changed.wait_for(lock, interval, [&] {
      return failed_of(children) != nullptr ||
             every(children, [](const Child& child) { return child.over; });
    });
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
  for (RunReport& report : *reports) {
    report.audits = *audits;
    report.audit = sum_of(report.audits);
  }
  RunReport merged = merge(*reports);
  // The load is the whole one; which share was whose follows from it.
  for (const auto& [name, value] : manifest_of(plan_of(run))) {
    merged.manifest[name] = value;
    for (std::uint32_t k = 1; k <= generators; ++k)
      merged.manifest.erase(fmt::format("{} (generator {})", name, k));
  }
  merged.manifest["generators"] = std::to_string(generators);
  return merged;
}

}  // namespace xbind::callgen
