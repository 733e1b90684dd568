#include "callgen/null/gathering_options.hpp"

namespace xbind::callgen::null {

void declare_gathering_options(config::OptionSet& set, GatheringOptions& options) {
  set.add_uint("threshold", &options.threshold, 10, {1, 4096},
               "Commands that a batch to a switch waits for; adaptive goes without.");
  set.add_flag("adaptive", &options.adaptive,
               "Gather commands only while --in-flight batches are on their way.");
  set.add_double("flush-timeout-ms", &options.flush_timeout_ms, 5, {0.05, 10'000},
                 "Milliseconds after which a batch goes with fewer commands than the threshold.");
  set.add_uint("in-flight", &options.in_flight, 4, {1, 256},
               "With --adaptive: unconfirmed batches to a switch that let more commands gather.");
  set.add_check([&set, &options]() -> std::optional<std::string> {
    if (options.adaptive) {
      for (const char* const fixed : {"threshold", "flush-timeout-ms"}) {
        if (set.given(fixed))
          return std::string{"options --"} + fixed + " and --adaptive exclude each other";
      }
    } else if (set.given("in-flight")) {
      return "option --in-flight needs --adaptive: a fixed threshold does not look at it";
    }
    return std::nullopt;
  });
}

}  // namespace xbind::callgen::null
