// xbind-gsmp-ovs: a GSMP switch in front of an Open vSwitch bridge.
#include <fmt/format.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/config/reload.hpp"
#include "core/log.hpp"
#include "core/output.hpp"
#include "core/shortage.hpp"
#include "exporter/exporter.hpp"
#include "ovs/daemon.hpp"
#include "ovs/options.hpp"
#include "ovs/ovs_metrics.hpp"

namespace {

using namespace xbind;

constexpr int kFailed = 1;

struct ProgramOptions {
  ProgramOptions();
  ProgramOptions(const ProgramOptions&) = delete;
  ProgramOptions& operator=(const ProgramOptions&) = delete;

  config::OptionSet set{"xbind-gsmp-ovs",
                        "Makes an Open vSwitch bridge a label switch that speaks GSMP version 3."};
  ovs::Options options;
  std::string metrics;
};

ProgramOptions::ProgramOptions() {
  for (MetricTable& table : ovs::ovs_metrics()) set.add_metrics(std::move(table));
  declare(set, options);
  exporter::add_option(set, metrics);
  set.add_note(fmt::format(
      "Exit codes: 0 after SIGTERM or SIGINT; {} an address to listen on is taken; 2 options are "
      "refused. SIGHUP opens the file of --log-file again and reloads the options.",
      kFailed));
}

}  // namespace

int main(int argc, char** argv) {
  name_shortages();
  ProgramOptions loaded;
  if (const auto exit_code = config::load_or_explain(loaded.set, argc, argv)) return *exit_code;
  ignore_broken_pipes();
  const ovs::Options& options = loaded.options;
  log::start("xbind-gsmp-ovs " + options.name, options.log);
  ovs::Daemon daemon(options, std::random_device{}(), announce);
  config::Reload<ProgramOptions> reload(
      loaded, argc, argv,
      [&](const ProgramOptions& before, const ProgramOptions& wanted, auto&) -> Result<void> {
        const log::Levels& levels = wanted.options.log.level;
        if (before.options.log.level != levels) log::set_levels(levels);
        daemon.change(wanted.options);
        return {};
      });
  daemon.set_options(reload);
  auto exported = exporter::Exporter::open_or_log(loaded.metrics, "xbind-gsmp-ovs",
                                                  {daemon.exposed_part()}, ovs::ovs_metrics());
  if (exported == nullptr) return kFailed;
  exported->serving();
  const auto ran = daemon.run();
  exported.reset();
  if (!ran) {
    log::error("{}", ran.error().text);
    return kFailed;
  }
  log::info("stopped");
  return 0;
}
