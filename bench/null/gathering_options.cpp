#include "bench/null/gathering_options.hpp"

namespace xbind::callgen::null {

void declare_gathering_options(config::OptionSet& set, GatheringOptions& options) {
  set.add_flag("adaptive", &options.adaptive,
               "Gather commands only while --in-flight batches are on their way; so it is without "
               "--threshold, as in xbind-cmgr.");
  set.add_uint("threshold", &options.threshold, 0, {0, 4096},
               "Commands that a batch to a switch waits for; 0: adaptive, without a threshold.");
  set.add_double("flush-timeout-ms", &options.flush_timeout_ms, 5, {0.05, 10'000},
                 "With --threshold: milliseconds after which a batch goes with fewer commands.");
  set.add_uint("in-flight", &options.in_flight, 4, {1, 256},
               "Without --threshold: unconfirmed batches to a switch that let more commands "
               "gather.");
  set.add_check([&set, &options]() -> std::optional<std::string> {
    if (options.adaptive && options.threshold > 0)
      return "options --threshold and --adaptive exclude each other";
    if (options.threshold > 0 && set.given("in-flight"))
      return "options --threshold and --in-flight exclude each other: a fixed threshold does not "
             "count the batches in flight";
    if (options.threshold == 0 && set.given("flush-timeout-ms"))
      return "option --flush-timeout-ms needs --threshold: adaptive aggregation never waits";
    return std::nullopt;
  });
}

}  // namespace xbind::callgen::null
