#include "net/tell.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <optional>
#include <vector>

#include "core/config/options.hpp"
#include "core/config/timer_option.hpp"
#include "core/output.hpp"
#include "net/ask.hpp"
#include "net/control_address.hpp"
#include "net/timers.hpp"

namespace xbind::net {
namespace {

constexpr int kFailed = 1;

struct TellOptions {
  std::uint32_t timeout_ms = 0;
  std::vector<std::string> words;  // the first is the address
};

void declare(config::OptionSet& set, TellOptions& options) {
  config::add_timer(set, kTellTimers.row("timeout-ms"), &options.timeout_ms, {1, 600000});
  set.add_timers(kTellTimers);
  set.take_arguments("ADDRESS COMMAND...", &options.words, 2, 64);
  set.add_check([o = &options]() -> std::optional<std::string> {
    if (o->words.empty()) return std::nullopt;
    const auto parsed = parse_control_address(o->words.front());
    return parsed ? std::nullopt : std::optional(parsed.error().text);
  });
}

}  // namespace

int tell(const std::string& program, const std::string& purpose, int argc, char** argv) {
  TellOptions options;
  config::OptionSet set(program + " tell", purpose);
  declare(set, options);
  if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
  const auto peer = parse_control_address(options.words.front());  // the check has accepted it
  options.words.erase(options.words.begin());
  const std::string order = fmt::format("{}", fmt::join(options.words, " "));
  const std::chrono::milliseconds patience(options.timeout_ms);
  const auto answer =
      peer->path.empty() ? ask(peer->tcp, order, patience) : ask_at(peer->path, order, patience);
  if (!answer) {
    std::fprintf(stderr, "%s: %s\n", set.program().c_str(), answer.error().text.c_str());
    return kFailed;
  }
  print_output(*answer + '\n');
  const bool good = *answer == "ok" || answer->starts_with("ok ");
  return end_output(set.program(), good ? 0 : kFailed);
}

}  // namespace xbind::net
