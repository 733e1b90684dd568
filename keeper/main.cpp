// xbind-keeper: keeps the connections of a file up.
#include <fmt/format.h>

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "client/timers.hpp"
#include "core/config/timer_option.hpp"
#include "core/log.hpp"
#include "exporter/exporter.hpp"
#include "keeper/keeper_metrics.hpp"
#include "keeper/program.hpp"
#include "keeper/remote_operations.hpp"

namespace {

using namespace xbind;

void declare(config::OptionSet& set, keeper::Options& options) {
  set.add_string("connections", &options.connections, "",
                 "File of the connections to keep, a table [[connection]] for each; SIGHUP reads "
                 "it again.");
  set.require("connections");
  set.add_string("name", &options.common.name, "keeper",
                 "Name of this client at the manager. All calls of the name belong to the keeper: "
                 "those that are not in the file are released.");
  orb::require_name(set, "name", options.common.name);
  set.add_string("manager", &options.manager, "default",
                 "Name of the ConnectionManager under xbind/cmgr/.");
  orb::require_name(set, "manager", options.manager);
  config::add_timer(set, keeper::kKeeperTimers.row("check-ms"), &options.check_ms,
                    {100, 3'600'000});
  config::add_timer(set, keeper::kKeeperTimers.row("retry-min-ms"), &options.retry_min_ms,
                    {10, 3'600'000});
  config::add_timer(set, keeper::kKeeperTimers.row("retry-max-ms"), &options.retry_max_ms,
                    {10, 3'600'000});
  set.add_uint("requests-at-once", &options.at_once, 64, {1, 10'000},
               "Most setups and releases without an answer.");
  set.add_flag("release-at-end", &options.release_at_end,
               "After SIGTERM or SIGINT releases every call; otherwise they stay up.");
  set.add_string("status-file", &options.status_file, "",
                 "JSON file that shows every call; replaced as a whole when something changes. "
                 "Empty: none.");
  set.add_check([&options]() -> std::optional<std::string> {
    if (options.retry_min_ms <= options.retry_max_ms) return std::nullopt;
    return fmt::format("option --retry-min-ms {} is more than --retry-max-ms {}",
                       options.retry_min_ms, options.retry_max_ms);
  });
  set.add_timers(keeper::kKeeperTimers);
  set.add_timers(client::kClientTimers);
  set.add_metrics(keeper::keeper_metrics());
  for (MetricTable& table : keeper::RemoteOperations::metric_tables()) {
    set.add_metrics(std::move(table));
  }
  orb::add_client_options(set, options.common, log::Level::kInfo);
  exporter::add_option(set, options.common.metrics);
  set.add_note(fmt::format(
      "Exit codes: 0 after SIGTERM or SIGINT; 1 the manager has another version of the protocol, "
      "or --release-at-end could not release every call; 2 options or the file are refused; {} a "
      "newer keeper of the same name has replaced this one. SIGHUP reads the file of --connections "
      "again, whole or not at all, and opens the file of --log-file again.",
      orb::kExitReplaced));
}

}  // namespace

int main(int argc, char** argv) {
  orb::take_signals();  // first, so that SIGTERM ends the process in order from here on
  keeper::Options options;
  std::vector<keeper::Wanted> tables;
  config::OptionSet set("xbind-keeper",
                        "Keeps connections up: sets up those of a file that are missing, and "
                        "releases those that are no longer in it.");
  declare(set, options);
  set.add_check([&]() -> std::optional<std::string> {
    auto loaded = keeper::load_connections(options.connections);
    if (!loaded) return loaded.error().text;
    tables = std::move(*loaded);
    return std::nullopt;
  });
  if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
  log::start("xbind-keeper " + options.common.name, options.common.log);
  log::info("options: {}", set.given_text());

  orb::Runtime runtime(argc, argv, options.common.runtime());
  orb::Ending end;
  std::unique_ptr<keeper::RemoteOperations> operations;  // until the last upcall has ended
  {
    keeper::Program program(runtime, options, std::move(tables));
    operations = std::make_unique<keeper::RemoteOperations>(
        runtime, options.common, set,
        [&program](std::function<void(orb::Supervision::Conditions)> done) {
          program.ask_conditions(std::move(done));
        },
        [&program] { return program.read_file_again(); });
    exporter::Part part = program.exposed_part();
    part.append = [append = std::move(part.append), &operations](Metrics& counted) {
      append(counted);
      operations->append_metrics(counted);
    };
    std::vector<MetricTable> tables_of_metrics = keeper::RemoteOperations::metric_tables();
    tables_of_metrics.push_back(keeper::keeper_metrics());
    auto exported = exporter::Exporter::open_or_log(
        options.common.metrics, "xbind-keeper", {std::move(part)}, std::move(tables_of_metrics));
    end = {1, "the metrics cannot be served"};
    if (exported != nullptr) {
      exported->serving();
      end = program.run();
      exported.reset();
    }
    operations->stop();
  }
  runtime.shutdown();
  operations.reset();
  return orb::log_ending(end);
}
