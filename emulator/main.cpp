// xbind-switch: emulated switches behind listening sockets. `xbind-switch tell` sends a command to
// a running one.
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/config/reload.hpp"
#include "core/output.hpp"
#include "core/shortage.hpp"
#include "emulator/daemon.hpp"
#include "emulator/switch_metrics.hpp"
#include "emulator/switch_set.hpp"
#include "exporter/exporter.hpp"
#include "net/tell.hpp"

namespace {

using namespace xbind;

constexpr int kFailed = 1;

struct ServeOptions {
  ServeOptions();
  ServeOptions(const ServeOptions&) = delete;
  ServeOptions& operator=(const ServeOptions&) = delete;

  config::OptionSet set{"xbind-switch", "Emulates one or several ATM switches that speak GSMP."};
  emulator::Options options;
  std::string metrics;
  std::vector<emulator::SwitchOptions> switches;  // read by the check
};

ServeOptions::ServeOptions() {
  for (MetricTable& table : emulator::switch_metrics()) set.add_metrics(std::move(table));
  declare(set, options);
  exporter::add_option(set, metrics);
  set.add_check([this]() -> std::optional<std::string> {
    if (options.switches.empty()) {
      switches = {options.one};
      return std::nullopt;
    }
    auto loaded = emulator::load_switches(options.switches);
    if (!loaded) return loaded.error().text;
    switches = std::move(*loaded);
    return std::nullopt;
  });
  set.add_note(
      "Exit codes: 0 after SIGTERM or SIGINT; 1 an address is taken, or a link or capture "
      "cannot be opened; 2 options are refused. SIGHUP opens the file of --log-file again and "
      "reloads the options, including the file of --switches.");
}

// Puts live options into effect.
Result<void> apply(const ServeOptions& before, const ServeOptions& wanted, emulator::Daemon& daemon,
                   std::vector<config::OptionChange>& changes) {
  const auto of_file = emulator::changes_of(before.switches, wanted.switches);
  if (!of_file) return tl::make_unexpected(of_file.error());
  if (auto live = config::check_live(*of_file); !live) return live;
  changes.insert(changes.end(), of_file->begin(), of_file->end());
  const log::Levels& levels = wanted.options.log.level;
  if (before.options.log.level != levels) log::set_levels(levels);
  daemon.change(wanted.switches);
  return {};
}

int serve(int argc, char** argv) {
  ServeOptions loaded;
  if (const auto exit_code = config::load_or_explain(loaded.set, argc, argv)) return *exit_code;
  ignore_broken_pipes();
  const emulator::Options& options = loaded.options;
  const bool several = !options.switches.empty();
  log::start(several ? "xbind-switch" : "xbind-switch " + options.one.name, options.log);

  auto opened = emulator::Daemon::open(loaded.switches, options, std::random_device{}());
  if (!opened) {
    log::error("{}", opened.error().text);
    return kFailed;
  }
  emulator::Daemon& daemon = **opened;
  config::Reload<ServeOptions> reload(
      loaded, argc, argv,
      [&](const ServeOptions& before, const ServeOptions& wanted, auto& changes) {
        return apply(before, wanted, daemon, changes);
      });
  daemon.set_options(reload);
  auto exported = exporter::Exporter::open_or_log(
      loaded.metrics, "xbind-switch", daemon.exposed_parts(), emulator::switch_metrics());
  if (exported == nullptr) return kFailed;
  exported->serving();
  for (const std::string& line : daemon.ready_lines()) announce(line);
  daemon.run();
  exported.reset();
  log::info("stopped");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  name_shortages();
  if (argc > 1 && std::string_view(argv[1]) == "tell") {
    return net::tell("xbind-switch",
                     "Gives a command to a switch over its control socket, the path or "
                     "tcp:HOST:PORT of --control, and prints the answer.",
                     argc - 1, argv + 1);
  }
  return serve(argc, argv);
}
