// xbind-callgen figures: the paper's figures from one command.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>

#include "bench/commands/commands.hpp"
#include "bench/fairisle/reproduce.hpp"
#include "bench/figures/model_source.hpp"
#include "bench/figures/process_source.hpp"
#include "bench/figures/reproduce.hpp"
#include "callgen/report/manifest.hpp"
#include "core/config/options.hpp"
#include "core/log.hpp"
#include "core/utc_text.hpp"
#include "core/version.hpp"

namespace xbind::callgen {
namespace {

enum class Paper : std::uint8_t { kXbind, kFairisle };
enum class Profile : std::uint8_t { k1999, kNative };

struct Options {
  Paper paper = Paper::kXbind;
  Profile profile = Profile::k1999;
  bool quick = false;
  std::string out;
  std::uint64_t seed = 1;
  std::string deploy;
  bool no_checks = false;
};

// Limits of a point measured with real processes, in real time.
constexpr double kQuickPoint_s = 0.7;
constexpr double kFullPoint_s = 12;

void declare(config::OptionSet& set, Options& options) {
  set.add_enum("paper", &options.paper, Paper::kXbind,
               {{"xbind", Paper::kXbind}, {"fairisle", Paper::kFairisle}},
               "xbind: the connection management system; fairisle: the port controllers of the "
               "Fairisle switch, on virtual time, and beside them what the emulated switch costs "
               "here.");
  set.add_enum("profile", &options.profile, Profile::k1999,
               {{"1999", Profile::k1999}, {"native", Profile::kNative}},
               "1999: a model of the paper's hosts around the real programs' logic, on virtual "
               "time; native: "
               "the real programs on this machine, rates scaled to it.");
  set.add_flag("quick", &options.quick, "Fewer points, and fewer calls in each.");
  set.add_string("out", &options.out, "build/figures",
                 "Folder for the page, the pictures and the numbers; made if it is not there.");
  set.add_uint("seed", &options.seed, 1, {1, 1'000'000'000}, "What chance begins with.");
  set.add_string("deploy", &options.deploy, "",
                 "Folder deploy of the sources, for labs of real processes; empty: beside the "
                 "folder of the build.");
  set.add_flag("no-checks", &options.no_checks,
               "Leave out the points that profile 1999 measures once more with real processes.");
  set.add_check([&options, &set]() -> std::optional<std::string> {
    for (const char* name : {"profile", "seed", "deploy", "no-checks"}) {
      if (options.paper == Paper::kFairisle && set.given(name)) {
        return fmt::format("--{} and --paper fairisle: it is for --paper xbind", name);
      }
    }
    if (options.out.empty()) return "option --out: '' is no folder";
    return std::nullopt;
  });
}

std::string date_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return utc_date(std::chrono::floor<std::chrono::seconds>(now));
}

int show(const std::vector<figures::Made>& made, const std::string& folder) {
  for (const figures::Made& each : made) {
    std::printf("%-8s %s\n", each.id.c_str(),
                each.figure ? std::string{to_string(each.figure->verdict.shape)}.c_str()
                            : "could not be made");
  }
  std::printf("%s Page: %s/index.html\n", figures::summary_of(made).c_str(), folder.c_str());
  return std::ranges::all_of(made, [](const auto& each) { return each.figure.has_value(); }) ? 0
                                                                                             : 1;
}

int figures_of_fairisle(const Options& options, figures::Manifest manifest,
                        const figures::Bench::Progress& progress) {
  for (const auto& [name, value] : machine_of()) manifest.machine.emplace_back(name, value);
  const auto made = fairisle::reproduce(options.quick, std::move(manifest), options.out, progress);
  return made ? show(*made, options.out) : fail_with(made.error());
}

int figures_command(int argc, char** argv) {
  Options options;
  config::OptionSet set("xbind-callgen figures",
                        "Reproduces the figures of a paper, each with a verdict.");
  declare(set, options);
  if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
  log::start("xbind-callgen", log::Level::kError);
  if (const auto ready = figures::prepare_folder(options.out); !ready)
    return fail_with(ready.error());
  if (const auto ready = plot::check_gnuplot(); !ready) return fail_with(ready.error());

  const auto began = std::chrono::steady_clock::now();
  const figures::Bench::Progress progress = [began](const std::string& line) {
    const std::chrono::duration<double> since = std::chrono::steady_clock::now() - began;
    std::fprintf(stderr, "%7.1f s  %s\n", since.count(), line.c_str());
  };
  figures::Scale scale;
  scale.quick = options.quick;
  scale.seed = options.seed;
  figures::Manifest manifest;
  manifest.version = version();
  manifest.revision = revision();
  manifest.date = date_now();
  if (options.paper == Paper::kFairisle)
    return figures_of_fairisle(options, std::move(manifest), progress);

  std::unique_ptr<figures::PointSource> source;
  std::unique_ptr<figures::PointSource> checks;
  figures::ProcessOptions processes;
  processes.deploy = options.deploy;
  if (options.profile == Profile::k1999) {
    const model::PaperHosts hosts = model::paper_hosts();
    manifest.profile = "1999";
    manifest.constants = figures::constants_of(hosts);
    source = std::make_unique<figures::ModelSource>(hosts);
    if (!options.no_checks) {
      processes.pacing = figures::pacing_of(model::costs_of(hosts), options.seed);
      auto made = figures::make_process_source(processes);
      if (made) {
        checks = std::move(*made);
      } else {
        manifest.unchecked = made.error().text;
        std::fprintf(stderr, "xbind-callgen: no checks with real processes: %s\n",
                     manifest.unchecked.c_str());
      }
    } else {
      manifest.unchecked = "--no-checks";
    }
  } else {
    manifest.profile = "native";
    auto made = figures::make_process_source(processes);
    if (!made) return fail_with(made.error());
    source = std::move(*made);
    const auto speed = figures::find_speed(*source, scale, progress);
    if (!speed) return fail_with(speed.error());
    scale.speed = *speed;
    scale.seconds_at_most = options.quick ? kQuickPoint_s : kFullPoint_s;
  }
  if (checks || options.profile == Profile::kNative) {
    for (const auto& [name, value] : machine_of()) manifest.machine.emplace_back(name, value);
  }

  const auto all =
      figures::reproduce(*source, checks.get(), scale, manifest, options.out, progress);
  if (!all) return fail_with(all.error());
  return show(all->made, options.out);
}

}  // namespace

const Command kFigures{"figures", "Reproduces the figures of a paper, each with a verdict.",
                       figures_command};

}  // namespace xbind::callgen
