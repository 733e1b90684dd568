#include "orb/daemon.hpp"

#include <cstdio>
#include <utility>

#include "orb/process.hpp"

namespace xbind::orb {

void add_client_options(config::OptionSet& set, CommonOptions& options, log::Level default_level) {
  set.add_string("name-service", &options.name_service, "127.0.0.1:2809",
                 "Where the CORBA name service listens, HOST:PORT.");
  set.add_string("listen-address", &options.listen_address, "127.0.0.1",
                 "Numeric address under which this process is reached by its peers.");
  set.add_uint("call-timeout-ms", &options.call_timeout_ms, 5000, {50, 600000},
               "Milliseconds after which a two-way CORBA call is given up.");
  set.add_enum("log-level", &options.log_level, default_level,
               {{"debug", log::Level::kDebug},
                {"info", log::Level::kInfo},
                {"warn", log::Level::kWarn},
                {"error", log::Level::kError},
                {"off", log::Level::kOff}},
               "Least weight of the lines written to standard error.");
}

void add_daemon_options(config::OptionSet& set, CommonOptions& options,
                        const std::string& default_name) {
  set.add_string("name", &options.name, default_name,
                 "Name under which the object is bound in the name service.");
  if (default_name.empty()) set.require("name");
  add_client_options(set, options, log::Level::kInfo);
}

void add_fault_options(config::OptionSet& set, faults::FaultOptions& options) {
  constexpr config::DoubleBounds kFraction{0, 0.5};
  set.add_double(
      "loss", &options.loss, 0, kFraction,
      "Fraction of the session messages sent that is dropped; for tests, off by default.");
  set.add_double(
      "duplicate", &options.duplicate, 0, kFraction,
      "Fraction of the session messages sent that goes twice; for tests, off by default.");
  set.add_double(
      "reorder", &options.reorder, 0, kFraction,
      "Fraction of the session messages sent that the next overtakes; for tests, off by default.");
  set.add_double(
      "delay", &options.delay, 0, kFraction,
      "Fraction of the session messages sent that goes later; for tests, off by default.");
  set.add_uint("delay-ms", &options.delay_ms_max, 50, {1, 10'000},
               "With --delay: how much later at most, in milliseconds.");
  set.add_strings("fault-legs", &options.legs,
                  "Where these faults happen: client_to_manager, manager_to_client, "
                  "manager_to_switch, switch_to_manager; not given, on each of them.");
  set.add_check([&options]() -> std::optional<std::string> {
    const auto fault = options.legs_fault();
    if (!fault) return std::nullopt;
    return "fault-legs: " + *fault;
  });
  set.add_uint(
      "fault-seed", &options.seed, 1, {},
      "The same seed makes the same choices for --loss, --duplicate, --reorder and --delay.");
}

void serve_until_signal(CORBA::ORB_ptr orb, const std::string& program,
                        const CommonOptions& options, const std::string& path,
                        CORBA::Object_ptr object, std::function<bool()> may_bind) {
  serve_until_signal(orb, program, options,
                     {{options.name, {path, CORBA::Object::_duplicate(object)}}},
                     std::move(may_bind));
}

void serve_until_signal(CORBA::ORB_ptr orb, const std::string& program,
                        const CommonOptions& options, const std::vector<Served>& served,
                        std::function<bool()> may_bind) {
  std::vector<Binding> bindings;
  for (const Served& one : served) bindings.push_back(one.binding);
  const NameKeeper keeper(
      orb, options.name_service, std::move(bindings), std::move(may_bind), [&](std::size_t place) {
        std::printf("%s %s ready\n", program.c_str(), served[place].name.c_str());
        std::fflush(stdout);
      });
  const int signal_number = wait_for_signal();
  log::info("ending in order after signal {}", signal_number);
}

}  // namespace xbind::orb
