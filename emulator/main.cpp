// xbind-switch: emulated switches behind listening sockets. `xbind-switch tell` sends a command to
// a running one.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <optional>
#include <random>
#include <string_view>

#include "emulator/daemon.hpp"
#include "emulator/switch_set.hpp"
#include "gsmp/tcp_ask.hpp"

namespace {

using namespace xbind;

constexpr int kFailed = 1;
constexpr int kRefused = 2;

// Exit code 0: the switch answered ok; 1: it answered error, or not at all.
int tell(int argc, char** argv) {
  emulator::TellOptions options;
  config::OptionSet set("xbind-switch tell",
                        "Gives a command to a switch over its control socket, "
                        "and prints the answer.");
  declare(set, options);
  if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
  const auto peer = gsmp::parse_host_port(options.words.front());
  if (!peer) return kRefused;  // the options parser has checked it
  options.words.erase(options.words.begin());
  const auto answer = gsmp::ask(*peer, fmt::format("{}", fmt::join(options.words, " ")),
                                std::chrono::milliseconds(options.timeout_ms));
  if (!answer) {
    std::fprintf(stderr, "xbind-switch tell: %s\n", answer.error().text.c_str());
    return kFailed;
  }
  std::printf("%s\n", answer->c_str());
  const bool good = *answer == "ok" || answer->starts_with("ok ");
  return std::fflush(stdout) == 0 && good ? 0 : kFailed;
}

int serve(int argc, char** argv) {
  emulator::Options options;
  config::OptionSet set("xbind-switch", "Emulates one or several ATM switches that speak GSMP.");
  declare(set, options);
  std::vector<emulator::SwitchOptions> switches;
  set.add_check([&]() -> std::optional<std::string> {
    if (options.switches.empty()) {
      switches = {options.one};
      return std::nullopt;
    }
    auto loaded = emulator::load_switches(options.switches);
    if (!loaded) return loaded.error().text;
    switches = std::move(*loaded);
    return std::nullopt;
  });
  if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
  const bool several = !options.switches.empty();
  log::start(several ? "xbind-switch" : "xbind-switch " + options.one.name, options.log);

  const auto daemon = emulator::Daemon::open(switches, options.control, std::random_device{}(),
                                             options.impairments);
  if (!daemon) {
    log::error("{}", daemon.error().text);
    return kFailed;
  }
  for (const std::string& line : (*daemon)->ready_lines()) std::printf("%s\n", line.c_str());
  std::fflush(stdout);
  (*daemon)->run();
  log::info("stopped");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "tell") return tell(argc - 1, argv + 1);
  return serve(argc, argv);
}
