// xbind-wan: a WAN in user space between network namespaces. `xbind-wan tell` sends an order to a
// running one.
#include <fmt/format.h>

#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/config/reload.hpp"
#include "core/log.hpp"
#include "core/output.hpp"
#include "core/shortage.hpp"
#include "exporter/exporter.hpp"
#include "net/tell.hpp"
#include "wan/daemon.hpp"
#include "wan/network_file.hpp"
#include "wan/options.hpp"
#include "wan/wan_metrics.hpp"

namespace {

using namespace xbind;

constexpr int kFailed = 1;

struct ProgramOptions {
  ProgramOptions();
  ProgramOptions(const ProgramOptions&) = delete;
  ProgramOptions& operator=(const ProgramOptions&) = delete;

  config::OptionSet set{"xbind-wan",
                        "Joins network namespaces by lines with a rate, a delay and losses."};
  wan::Options options;
  std::string metrics;
};

ProgramOptions::ProgramOptions() {
  for (MetricTable& table : wan::wan_metrics()) set.add_metrics(std::move(table));
  declare(set, options);
  exporter::add_option(set, metrics);
  set.add_note(fmt::format(
      "Exit codes: 0 after SIGTERM or SIGINT; {} a device or the control socket cannot be opened, "
      "or a device is gone; 2 options are refused. SIGHUP opens the file of --log-file again and "
      "reloads the options, and the rules of the file of --sites.",
      kFailed));
}

Result<void> apply(const ProgramOptions& before, const ProgramOptions& wanted, wan::Daemon& daemon,
                   std::vector<config::OptionChange>& changes) {
  const auto of_file = wan::changes_of(before.options.network, wanted.options.network);
  if (!of_file) return tl::make_unexpected(of_file.error());
  changes.insert(changes.end(), of_file->begin(), of_file->end());
  const log::Levels& levels = wanted.options.log.level;
  if (before.options.log.level != levels) log::set_levels(levels);
  daemon.change(before.options.network, wanted.options.network);
  return {};
}

int serve(int argc, char** argv) {
  ProgramOptions loaded;
  if (const auto exit_code = config::load_or_explain(loaded.set, argc, argv)) return *exit_code;
  const wan::Options& options = loaded.options;
  if (options.describe) {
    print_output(wan::described(options.network));
    return end_output(loaded.set.program(), 0);
  }
  ignore_broken_pipes();
  log::start("xbind-wan", options.log);
  auto opened = wan::Daemon::open(options, std::random_device{}());
  if (!opened) {
    log::error("{}", opened.error().text);
    return kFailed;
  }
  wan::Daemon& daemon = **opened;
  config::Reload<ProgramOptions> reload(
      loaded, argc, argv,
      [&](const ProgramOptions& before, const ProgramOptions& wanted, auto& changes) {
        return apply(before, wanted, daemon, changes);
      });
  daemon.set_options(reload);
  auto exported = exporter::Exporter::open_or_log(loaded.metrics, "xbind-wan",
                                                  daemon.exposed_parts(), wan::wan_metrics());
  if (exported == nullptr) return kFailed;
  exported->serving();
  announce(fmt::format("xbind-wan ready, {} sites, {} pairs of addresses",
                       options.network.sites.size(), options.network.rules.size()));
  const auto ran = daemon.run();
  exported.reset();
  if (!ran) {
    log::error("{}", ran.error().text);
    return kFailed;
  }
  log::info("stopped");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  name_shortages();
  if (argc > 1 && std::string_view(argv[1]) == "tell") {
    return net::tell("xbind-wan",
                     "Gives an order to a WAN over its control socket, the path of --control, and "
                     "prints the answer.",
                     argc - 1, argv + 1);
  }
  return serve(argc, argv);
}
