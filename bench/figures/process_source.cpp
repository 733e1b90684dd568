#include "bench/figures/process_source.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "bench/figures/process_shown.hpp"
#include "bench/processes/interrupts.hpp"
#include "callgen/report/json_file.hpp"
#include "callgen/timers.hpp"
#include "core/read_file.hpp"

namespace xbind::figures {
namespace {

namespace fs = std::filesystem;
using callgen::ChildEnd;
using callgen::ChildPlan;

constexpr Duration kLabMayTake = callgen::kCallgenTimers["lab"];
constexpr Duration kToolMayTake = callgen::kCallgenTimers["tool"];
constexpr std::size_t kLinesOfError = 12;
constexpr std::size_t kReportOctetsMax = 1U << 30;
// Exit codes of callgen: failed calls and a void load stand in the report.
constexpr int kCallsFailed = 1;
constexpr int kVoid = 3;

tl::unexpected<Error> refused(const Words& command, const ChildEnd& end) {
  auto failed = fail(ErrorCode::kSystem, "{} {} ended with exit code {}:", command[0],
                     command.size() > 1 ? command[1] : "", end.exit_code);
  // The last words of the child stand on lines of their own.
  failed.value().text +=
      "\n" + callgen::last_lines(end.err.empty() ? end.out : end.err, kLinesOfError);
  return failed;
}

// "export NAME='value'" lines.
std::map<std::string, std::string> exports(std::string_view text) {
  constexpr std::string_view kExport = "export ";
  std::map<std::string, std::string> variables;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!line.starts_with(kExport)) continue;
    line.remove_prefix(kExport.size());
    const std::size_t equals = line.find("='");
    if (equals == std::string_view::npos || !line.ends_with('\'')) continue;
    variables.emplace(line.substr(0, equals), line.substr(equals + 2, line.size() - equals - 3));
  }
  return variables;
}

std::optional<std::string> impossible(const Point& point) {
  const System& system = point.system;
  if (system.switches < kFewestSwitches || system.switches > kMostSwitches) {
    return fmt::format("a path of {} switches: processes have {} to {}", system.switches,
                       kFewestSwitches, kMostSwitches);
  }
  if (!point.load.one_at_a_time && !(point.load.calls_per_s > 0)) {
    return fmt::format("{} calls a second", point.load.calls_per_s);
  }
  if (point.load.calls == 0) return "no calls";
  return std::nullopt;
}

}  // namespace

ProcessSource::ProcessSource(Places places, Pacing pacing, RunChild run_child, Note note)
    : places_(std::move(places)),
      pacing_(pacing),
      run_child_(std::move(run_child)),
      note_(std::move(note)) {}

ProcessSource::~ProcessSource() {
  if (const auto ended = end_lab(); !ended) note_(ended.error().text);
}

std::string ProcessSource::name() const {
  return pacing_.on() ? "processes on this machine, at the pace of the model's hosts"
                      : "processes on this machine";
}

Result<Shown> ProcessSource::measure(const Point& point) {
  if (const auto why = impossible(point)) return fail(ErrorCode::kBadInput, "{}", *why);
  if (const auto ready = provide(point.system); !ready) return tl::make_unexpected(ready.error());
  auto shown = offer(point);
  if (!shown) {
    // Its leftovers are unknown.
    if (const auto ended = end_lab(); !ended) note_(ended.error().text);
  }
  return shown;
}

Result<void> ProcessSource::provide(const System& system) {
  if (up_ == system) return {};
  if (!up_ || !same_lab(*up_, system)) {
    if (auto ended = end_lab(); !ended) return ended;
    return start_lab(system);
  }
  const Words command = set_aggregation(places_, system);
  const auto set = run_in_lab(command, kToolMayTake);
  if (!set) return tl::make_unexpected(set.error());
  if (set->exit_code != 0) return refused(command, *set);
  up_ = system;
  return {};
}

Result<void> ProcessSource::start_lab(const System& system) {
  const std::string topology = topology_file(places_, system.switches);
  if (auto written = callgen::write_file(topology, chain_topology(system.switches)); !written) {
    return written;
  }
  const Words command = lab_up(places_, system, pacing_);
  up_ = system;  // from here on there may be processes to end
  const auto started = run_child_({command, {{"PYTHONDONTWRITEBYTECODE", "1"}}, kLabMayTake});
  if (!started) return tl::make_unexpected(started.error());
  if (started->exit_code != 0) {
    up_.reset();  // it has cleaned up after itself
    return refused(command, *started);
  }
  const Words asked = lab_env(places_);
  const auto done = run_child_({asked, {{"PYTHONDONTWRITEBYTECODE", "1"}}, kToolMayTake});
  if (!done) return tl::make_unexpected(done.error());
  if (done->exit_code != 0) return refused(asked, *done);
  environment_ = exports(done->out);
  return {};
}

Result<void> ProcessSource::end_lab() {
  if (!up_) return {};
  up_.reset();
  const callgen::Interrupts::Pause pause;
  const Words command = lab_down(places_);
  const auto ended = run_child_({command, {{"PYTHONDONTWRITEBYTECODE", "1"}}, kLabMayTake});
  if (!ended) return tl::make_unexpected(ended.error());
  if (ended->exit_code != 0) return refused(command, *ended);
  return {};
}

Result<Shown> ProcessSource::offer(const Point& point) {
  std::error_code nothing_there;
  fs::remove(report_file(places_), nothing_there);
  fs::remove(records_file(places_), nothing_there);
  const Words command = run(places_, point.load);
  const auto end = run_in_lab(command, longest(point.load));
  if (!end) return tl::make_unexpected(end.error());
  if (end->exit_code != 0 && end->exit_code != kCallsFailed && end->exit_code != kVoid) {
    return refused(command, *end);
  }
  const auto report = read_file(report_file(places_), kReportOctetsMax);
  const auto records = read_file(records_file(places_), kReportOctetsMax);
  if (!report || !records) return refused(command, *end);
  const auto figures = read_report(*report);
  if (!figures) return tl::make_unexpected(figures.error());
  const auto requests = read_records(*records);
  if (!requests) return tl::make_unexpected(requests.error());
  if (!figures->why_void.empty()) note_("a point is void: " + figures->why_void);
  const Shown shown = shown_by(*requests, *figures, pacing_.callers);
  if (!figures->clean || shown.unanswered > 0 || figures->releases_failed > 0) {
    note_(fmt::format(
        "the lab is restarted after a point with {} setups unanswered, {} releases "
        "failed, {} audit",
        shown.unanswered, figures->releases_failed, figures->clean ? "a clean" : "no clean"));
    if (const auto ended = end_lab(); !ended) note_(ended.error().text);
  }
  return shown;
}

Result<ChildEnd> ProcessSource::run_in_lab(const Words& command, Duration timeout) {
  return run_child_({command, environment_, timeout});
}

// ===== on this machine =====

namespace {

// The parts that a source needs while it exists. The source is destroyed first.
class OwnedSource final : public PointSource {
 public:
  OwnedSource(const Places& places, const Pacing& pacing)
      : directory_(places.directory),
        source_(std::make_unique<ProcessSource>(
            places, pacing, callgen::run_child,
            [](const std::string& text) { std::fprintf(stderr, "note: %s\n", text.c_str()); })) {}
  ~OwnedSource() override {
    source_.reset();
    std::error_code left;
    fs::remove_all(directory_, left);
  }
  OwnedSource(const OwnedSource&) = delete;
  OwnedSource& operator=(const OwnedSource&) = delete;

  std::string name() const override { return source_->name(); }
  Result<Shown> measure(const Point& point) override { return source_->measure(point); }

 private:
  callgen::Interrupts interrupts_;
  std::string directory_;
  std::unique_ptr<ProcessSource> source_;
};

Result<std::string> own_directory() {
  const char* const below = std::getenv("TMPDIR");
  std::string directory = std::string{below != nullptr ? below : "/tmp"} + "/xbind-figures-XXXXXX";
  if (mkdtemp(directory.data()) != nullptr) return directory;
  return fail(ErrorCode::kSystem, "no directory {} can be made", directory);
}

}  // namespace

Result<std::unique_ptr<PointSource>> make_process_source(const ProcessOptions& options) {
  std::error_code trouble;
  const fs::path program = fs::read_symlink("/proc/self/exe", trouble);
  if (trouble) return fail(ErrorCode::kSystem, "/proc/self/exe: {}", trouble.message());
  const fs::path bin_dir = program.parent_path();
  const fs::path deploy = options.deploy.empty()
                              ? (bin_dir / ".." / ".." / "deploy").lexically_normal()
                              : fs::absolute(options.deploy);
  Places places{.lab = (deploy / "lab").string(),
                .bin_dir = bin_dir.string(),
                .callgen = (bin_dir / "xbind-callgen").string(),
                .directory = {}};
  if (!fs::is_regular_file(places.lab, trouble)) {
    return fail(ErrorCode::kNotFound, "{} is not there: --deploy says where the folder is",
                places.lab);
  }
  for (const char* daemon : {"xbind-callgen", "xbind-cmgr", "xbind-switch", "xbindctl"}) {
    if (!fs::exists(bin_dir / daemon, trouble)) {
      return fail(ErrorCode::kNotFound,
                  "{} is not there: the programs of a lab stand beside this one",
                  (bin_dir / daemon).string());
    }
  }
  auto directory = own_directory();
  if (!directory) return tl::make_unexpected(directory.error());
  places.directory = std::move(*directory);
  return std::make_unique<OwnedSource>(places, options.pacing);
}

}  // namespace xbind::figures
