// xbind-callgen control: steers a run that goes on in another process.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <string>
#include <vector>

#include "bench/commands/commands.hpp"
#include "callgen/timers.hpp"
#include "core/config/options.hpp"
#include "core/name.hpp"
#include "net/ask.hpp"
#include "net/tcp_server.hpp"

namespace xbind::callgen {
namespace {

int control(int argc, char** argv) {
  config::OptionSet set(
      "xbind-callgen control",
      "Steers a run that was started with --control SOCKET: rate N, faster [N], slower [N] (calls "
      "a second), pause, resume, quit, status. The exit code is 1 when the run refuses.");
  std::vector<std::string> words;
  set.take_arguments("SOCKET COMMAND [N]", &words, 2, 3);
  if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
  const std::string line = fmt::format("{}", fmt::join(words.begin() + 1, words.end(), " "));
  if (line.find('\n') != std::string::npos)
    return refuse("control", fmt::format("'{}' is more than one line", printable(line)));
  const std::string& path = words.front();
  if (path.size() > net::kUnixPathMax)
    return refuse("control", fmt::format("{}: the path of a socket has at most {} octets",
                                         printable(path), net::kUnixPathMax));
  const auto answer = net::ask_at(path, line, kCallgenTimers["control-answer"]);
  if (!answer) return fail_with({answer.error().code, "no run answers at " + answer.error().text});
  constexpr std::string_view kOk = "ok: ";
  if (!answer->starts_with(kOk)) {
    fmt::print(stderr, "xbind-callgen: {}\n", *answer);
    return 1;
  }
  fmt::print("{}\n", answer->substr(kOk.size()));
  return 0;
}

}  // namespace

const Command kControl{"control", "Steers a run that goes on: rate, pause, end.", control};

}  // namespace xbind::callgen
