// xbind-callgen null-manager and null-switch: the processes that xbind-callgen floor starts.
#include "bench/commands/commands.hpp"
#include "bench/floor/floor.hpp"
#include "bench/null/daemon.hpp"
#include "bench/null/gathering_options.hpp"
#include "core/config/options.hpp"
#include "core/log.hpp"
#include "orb/runtime.hpp"

namespace xbind::callgen {
namespace {

void declare_address(config::OptionSet& set, orb::RuntimeOptions& options) {
  set.add_string("listen-address", &options.listen_address, options.listen_address,
                 "Numeric address under which this process is reached by its peers.");
}

int null_manager(int argc, char** argv) {
  null::follow_parent();
  orb::RuntimeOptions runtime_options;
  null::GatheringOptions gathering;
  std::uint32_t switches = 0;
  config::OptionSet set("xbind-callgen null-manager",
                        "A manager that answers when its null switches have; xbind-callgen floor "
                        "starts it.");
  set.add_uint("switches", &switches, 0, {0, null::kMostSwitches},
               "References to read from standard input, one a line; 0: it answers by itself.");
  null::declare_gathering_options(set, gathering);
  declare_address(set, runtime_options);
  if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
  log::start("null-manager", log::Level::kWarn);
  orb::Runtime runtime(argc, argv, runtime_options);
  return null::serve_manager(runtime, gathering.gathering(), switches);
}

int null_switch(int argc, char** argv) {
  null::follow_parent();
  orb::RuntimeOptions runtime_options;
  config::OptionSet set(
      "xbind-callgen null-switch",
      "A SwitchServer that does nothing and confirms at once; xbind-callgen floor "
      "starts it.");
  declare_address(set, runtime_options);
  if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
  log::start("null-switch", log::Level::kWarn);
  orb::Runtime runtime(argc, argv, runtime_options);
  return null::serve_switch(runtime);
}

}  // namespace

const Command kNullManager{"null-manager", "Started by floor: a manager that only passes on.",
                           null_manager};
const Command kNullSwitch{"null-switch", "Started by floor: a switch that is done at once.",
                          null_switch};

}  // namespace xbind::callgen
