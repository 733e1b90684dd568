// xbind-callgen: offers calls to ConnectionManagers and accounts for every one of them. The
// commands are in commands/; this file looks the command up.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "bench/commands/commands.hpp"
#include "core/config/options.hpp"
#include "core/output.hpp"
#include "core/shortage.hpp"

namespace {

using namespace xbind;

const std::vector<callgen::Command>& commands() {
  static const std::vector<callgen::Command> all{
      callgen::kRun,         callgen::kSaturate,         callgen::kSearch,
      callgen::kControl,     callgen::kCeiling,          callgen::kOverloadCommand,
      callgen::kSoak,        callgen::kCompare,          callgen::kReport,
      callgen::kFigures,     callgen::kGeneratorCommand, callgen::kFloor,
      callgen::kNullManager, callgen::kNullSwitch};
  return all;
}

std::string purpose() {
  std::string text = "Offers calls to a ConnectionManager. Each command has its own --help:";
  for (const callgen::Command& command : commands()) {
    text += fmt::format("\n  {:<12} {}", command.word, command.purpose);
  }
  return text;
}

int run(int argc, char** argv) {
  const std::string_view word = argc > 1 ? argv[1] : "";
  for (const callgen::Command& command : commands()) {
    if (command.word == word) return command.run(argc - 1, argv + 1);
  }
  config::OptionSet set("xbind-callgen", purpose());
  std::vector<std::string> words;
  set.take_arguments("COMMAND [OPTION...]", &words, 1, 1'000);
  if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
  std::vector<std::string_view> known;
  for (const callgen::Command& command : commands()) known.push_back(command.word);
  std::fprintf(stderr, "xbind-callgen: '%s' is no command of it; there are: %s\n",
               words.front().c_str(), fmt::format("{}", fmt::join(known, ", ")).c_str());
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  name_shortages();
  return end_output("xbind-callgen", run(argc, argv));
}
