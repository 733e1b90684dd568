// What accompanies `xbind-callgen run` while it goes on: its operator, the events of its scenario
// and its live page.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "bench/commands/run_events.hpp"
#include "bench/commands/run_operator.hpp"
#include "bench/live/live_server.hpp"
#include "callgen/corba/corba_experiment.hpp"
#include "callgen/options/run_options.hpp"
#include "callgen/report/report.hpp"
#include "core/config/options.hpp"
#include "core/result.hpp"

namespace xbind::callgen {

class RunCompany {
 public:
  // Declares the options. `generators` is their number; only a single one has company.
  void declare(config::OptionSet& set, const unsigned& generators);

  // From loaded options. `words`: the command line, for the page. An address or socket that cannot
  // be used is an error.
  Result<void> open(const RunOptions& options, bool keys, const std::string& words);
  // For the run; the company must outlive it.
  RunHooks hooks(std::function<bool()> stop);
  // When the run is over: gives the terminal back.
  void close() { operator_.close(); }
  // Waits for the events under way and adds what became of all.
  void finish(RunReport& report);

 private:
  RunOperator operator_;
  std::unique_ptr<RunEvents> events_;
  std::string live_address_;
  std::unique_ptr<LiveServer> live_;
};

}  // namespace xbind::callgen
