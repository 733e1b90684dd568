// xbind-gsmp-ovs: a GSMP switch in front of an Open vSwitch bridge.
#include <cstdio>
#include <random>

#include "core/log.hpp"
#include "ovs/daemon.hpp"
#include "ovs/options.hpp"

int main(int argc, char** argv) {
  using namespace xbind;
  ovs::Options options;
  config::OptionSet set("xbind-gsmp-ovs",
                        "Makes an Open vSwitch bridge a label switch that speaks GSMP version 3.");
  ovs::declare(set, options);
  if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
  log::start("xbind-gsmp-ovs " + options.name, options.log);
  ovs::Daemon daemon(options, std::random_device{}(), [](const std::string& line) {
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
  });
  if (const auto ran = daemon.run(); !ran) {
    log::error("{}", ran.error().text);
    return 1;
  }
  log::info("stopped");
  return 0;
}
