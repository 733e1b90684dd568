#include "bench/commands/run_company.hpp"

#include <utility>
#include <vector>

namespace xbind::callgen {

void RunCompany::declare(config::OptionSet& set, const unsigned& generators) {
  operator_.declare(set, generators);
}

Result<void> RunCompany::open(const RunOptions& options, bool keys) {
  if (auto opened = operator_.open(keys); !opened) return opened;
  events_ = std::make_unique<RunEvents>(options.scenario_file ? options.scenario_file->events
                                                              : std::vector<ScenarioEvent>{});
  return {};
}

RunHooks RunCompany::hooks(std::function<bool()> stop) {
  RunHooks hooks;
  hooks.stop = std::move(stop);
  hooks.operate = [this](Conduct& conduct) {
    operator_.operate(conduct);
    events_->look(conduct.offer());
  };
  return hooks;
}

void RunCompany::finish(RunReport& report) { report.events = events_->finish(); }

}  // namespace xbind::callgen
