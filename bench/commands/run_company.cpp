#include "bench/commands/run_company.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace xbind::callgen {

void RunCompany::declare(config::OptionSet& set, const unsigned& generators) {
  operator_.declare(set, generators);
  declare_live_option(set, live_address_);
  set.add_check([this, &generators]() -> std::optional<std::string> {
    if (live_address_.empty() || generators == 1) return std::nullopt;
    return "options --live and --generators exclude each other: a single generator is shown";
  });
}

Result<void> RunCompany::open(const RunOptions& options, bool keys, const std::string& words) {
  if (auto opened = operator_.open(keys); !opened) return opened;
  events_ = std::make_unique<RunEvents>(options.scenario_file ? options.scenario_file->events
                                                              : std::vector<ScenarioEvent>{});
  if (live_address_.empty()) return {};
  auto opened = LiveServer::open(live_address_, words);
  if (!opened) return tl::make_unexpected(opened.error());
  live_ = std::move(*opened);
  return {};
}

RunHooks RunCompany::hooks(std::function<bool()> stop) {
  RunHooks hooks;
  hooks.stop = std::move(stop);
  hooks.operate = [this](Conduct& conduct) {
    operator_.operate(conduct);
    events_->look(conduct.offer());
  };
  if (live_) hooks.look = [this](const Progress& progress) { live_->take(progress); };
  return hooks;
}

void RunCompany::finish(RunReport& report) { report.events = events_->finish(); }

}  // namespace xbind::callgen
