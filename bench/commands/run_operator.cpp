#include "bench/commands/run_operator.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdio>
#include <utility>

#include "callgen/load/load_limits.hpp"
#include "callgen/run/run_command.hpp"

namespace xbind::callgen {
namespace {

constexpr std::size_t kPeersMax = 8;
constexpr std::size_t kUnreadMax = 64U << 10;  // octets of answers that a peer leaves unread

}  // namespace

void RunOperator::declare(config::OptionSet& set, const unsigned& generators) {
  set.add_string("control", &socket_path_, "",
                 "Unix socket at which `xbind-callgen control` and scripts change the rate, hold "
                 "calls back and end the run.");
  set.add_double("rate-step", &step_, 1, {kRateMin, kRateMax},
                 "Calls a second by which the keys + and - change the rate; * and / change it by "
                 "ten times as much.");
  set.add_check([this, &set, &generators]() -> std::optional<std::string> {
    if (socket_path_.size() > net::kUnixPathMax)
      return fmt::format("option --control {}: the path of a socket has at most {} octets",
                         socket_path_, net::kUnixPathMax);
    if (generators > 1 && set.given("control"))
      return fmt::format(
          "options --generators {} and --control exclude each other: only the rate of a single "
          "generator can be changed",
          generators);
    return std::nullopt;
  });
}

Result<void> RunOperator::open(bool keys) {
  if (!socket_path_.empty()) {
    net::LineServerOptions options;
    options.server.path = socket_path_;
    options.server.connections_max = kPeersMax;
    options.server.queue_octets_max = kUnreadMax;
    net::LineServerUpcalls upcalls;
    upcalls.on_line = [this](std::string_view line) { return on_line(line); };
    auto opened = net::LineServer::listen(loop_, options, std::move(upcalls));
    if (!opened) return fail(opened.error().code, "option --control: {}", opened.error().text);
    socket_ = std::move(*opened);
  }
  if (!keys) return {};
  keys_ = TerminalKeys::open();
  if (keys_)
    std::fprintf(stderr,
                 "keys: + - * / change the rate, p pauses and goes on, q ends the offer, q again "
                 "releases all calls\n");
  return {};
}

void RunOperator::operate(Conduct& conduct) {
  if (keys_) {
    for (const char key : keys_->read()) {
      const auto command = command_of_key(key, step_);
      if (!command) continue;
      const auto done = conduct.perform(*command);
      std::fprintf(stderr, "\r\x1b[K%s\n", (done ? *done : done.error().text).c_str());
    }
  }
  if (!socket_) return;
  conduct_ = &conduct;
  loop_.poll();
  conduct_ = nullptr;
}

net::LineAnswer RunOperator::on_line(std::string_view line) {
  const auto command = parse_command(line, step_);
  if (!command) return {"refused: " + command.error().text, {}};
  const auto done = conduct_->perform(*command);
  return {done ? "ok: " + *done : "refused: " + done.error().text, {}};
}

void RunOperator::close() {
  keys_.reset();
  socket_.reset();
}

}  // namespace xbind::callgen
