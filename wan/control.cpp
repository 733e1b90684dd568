#include "wan/control.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/name.hpp"
#include "wan/network_file.hpp"

namespace xbind::wan {
namespace {

using Words = std::vector<std::string>;

struct OrderError {
  OrderFault fault;
  std::string text;
};
using Answer = tl::expected<std::string, OrderError>;  // the words after "ok"

tl::unexpected<OrderError> refuse(OrderFault fault, std::string text) {
  return tl::make_unexpected(OrderError{fault, std::move(text)});
}

struct Context {
  Wan& wan;
  const TuneOrder& tune;
  TimePoint now;
};

// The pairs from one word to the other that have a rule; at least one.
tl::expected<std::vector<Pair>, OrderError> pairs_of(const Wan& wan, const std::string& from,
                                                     const std::string& to) {
  const auto sources = wan.network().addresses_of(from);
  if (!sources) return refuse(OrderFault::kNoSuchPath, sources.error().text);
  const auto sinks = wan.network().addresses_of(to);
  if (!sinks) return refuse(OrderFault::kNoSuchPath, sinks.error().text);
  std::vector<Pair> pairs;
  for (const Address one : *sources) {
    for (const Address other : *sinks) {
      if (wan.line({one, other}) != nullptr) pairs.push_back({one, other});
    }
  }
  if (pairs.empty()) {
    return refuse(OrderFault::kNoSuchPath, fmt::format("no path leads from {} to {}", from, to));
  }
  return pairs;
}

Answer change_path(const Words& words, const Context& context) {
  const auto pairs = pairs_of(context.wan, words[0], words[1]);
  if (!pairs) return tl::make_unexpected(pairs.error());
  const Words values(words.begin() + 2, words.end());
  std::vector<std::pair<Pair, Rule>> changed;
  for (const Pair& pair : *pairs) {
    const auto rule = changed_rule(context.wan.line(pair)->rule(), values);
    if (!rule) return refuse(OrderFault::kBadValue, rule.error().text);
    changed.emplace_back(pair, *rule);
  }
  for (const auto& [pair, rule] : changed) {
    (void)context.wan.change(pair, rule, context.now);  // pairs_of() has found the pair
  }
  return fmt::format("pairs={}", changed.size());
}

void add(LineCounters& sum, const LineCounters& one) {
  sum.packets += one.packets;
  sum.octets += one.octets;
  sum.delivered += one.delivered;
  sum.duplicated += one.duplicated;
  sum.reordered += one.reordered;
  sum.lost += one.lost;
  sum.queue_full += one.queue_full;
  sum.held_most += one.held_most;
  sum.copies_left_out += one.copies_left_out;
  sum.device += one.device;
  sum.queued_most = std::max(sum.queued_most, one.queued_most);
}

Answer show_statistics(const Words& words, const Context& context) {
  const auto pairs = pairs_of(context.wan, words[0], words[1]);
  if (!pairs) return tl::make_unexpected(pairs.error());
  LineCounters sum;
  std::uint64_t queued = 0;
  const Rule& rule = context.wan.line(pairs->front())->rule();
  bool alike = true;
  for (const Pair& pair : *pairs) {
    const Line& line = *context.wan.line(pair);
    add(sum, line.counters);
    queued += line.queued_octets();
    alike = alike && line.rule() == rule;
  }
  return fmt::format(
      "pairs={} packets={} octets={} delivered={} duplicated={} reordered={} lost={} queue-full={} "
      "held-most={} copies-left-out={} device={} queued-octets={} queued-octets-most={} {}",
      pairs->size(), sum.packets, sum.octets, sum.delivered, sum.duplicated, sum.reordered,
      sum.lost, sum.queue_full, sum.held_most, sum.copies_left_out, sum.device, queued,
      sum.queued_most, alike ? to_string(rule) : "rules=differ");
}

Answer show_status(const Words&, const Context& context) {
  const Wan& wan = context.wan;
  SiteCounters sum;
  for (std::size_t site = 0; site < wan.network().sites.size(); ++site) {
    const SiteCounters& one = wan.counters(site);
    sum.packets_in += one.packets_in;
    sum.octets_in += one.octets_in;
    sum.packets_out += one.packets_out;
    sum.octets_out += one.octets_out;
    sum.packets_late += one.packets_late;
    for (std::size_t reason = 0; reason < kDrops; ++reason) sum.drops[reason] += one.drops[reason];
  }
  std::string text = fmt::format(
      "sites={} pairs={} packets-in={} octets-in={} packets-out={} octets-out={} "
      "packets-late={} held-packets={} held-octets={}",
      wan.network().sites.size(), wan.network().rules.size(), sum.packets_in, sum.octets_in,
      sum.packets_out, sum.octets_out, sum.packets_late, wan.held_packets(), wan.held_octets());
  for (std::size_t reason = 0; reason < kDrops; ++reason) {
    text += fmt::format(" {}={}", to_string(static_cast<Drop>(reason)), sum.drops[reason]);
  }
  return text;
}

Answer tune_option(const Words& words, const Context& context) {
  const std::size_t equals = words[0].find('=');
  const std::string option = words[0].substr(0, equals);
  std::optional<std::string> value;
  if (equals != std::string::npos) value = words[0].substr(equals + 1);
  const auto changes = context.tune(option, value);
  if (!changes) return refuse(OrderFault::kBadValue, changes.error().text);
  Words shown;
  for (const config::OptionChange& change : *changes) {
    shown.push_back(fmt::format("{}={}", change.name, change.after));
  }
  return fmt::format("{}", fmt::join(shown, " "));
}

struct Order {
  std::string_view name;
  std::string_view arguments;
  std::size_t min;
  std::size_t max;
  Answer (*run)(const Words&, const Context&);
};
constexpr std::array kOrders{
    Order{"path", "FROM TO KEY=VALUE ...", 3, 16, change_path},
    Order{"statistics", "FROM TO", 2, 2, show_statistics},
    Order{"status", "", 0, 0, show_status},
    Order{"tune", "OPTION[=VALUE]", 1, 1, tune_option},
};

Words words_of(std::string_view line) {
  Words words;
  while (true) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return words;
    const std::size_t end = std::min(line.find_first_of(" \t", begin), line.size());
    words.emplace_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
}

bool has_control_character(std::string_view line) {
  return std::ranges::any_of(line, [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
  });
}

}  // namespace

std::string_view to_string(OrderFault fault) {
  switch (fault) {
    case OrderFault::kUnknownCommand: return "unknown-command";
    case OrderFault::kArguments: return "arguments";
    case OrderFault::kBadValue: return "bad-value";
    case OrderFault::kNotText: return "not-text";
    case OrderFault::kNoSuchPath: return "no-such-path";
    case OrderFault::kLineTooLong: return "line-too-long";
  }
  return "unknown-fault";
}

std::string error_answer(OrderFault fault, std::string_view text) {
  return fmt::format("error {}: {}", to_string(fault), printable(text, kRefusalOctetsMax));
}

bool is_order(std::string_view line) {
  if (has_control_character(line)) return false;
  const Words words = words_of(line);
  return !words.empty() && std::ranges::find(kOrders, words.front(), &Order::name) != kOrders.end();
}

std::string answer_order(std::string_view line, Wan& wan, const TuneOrder& tune, TimePoint now) {
  if (has_control_character(line)) {
    return error_answer(OrderFault::kNotText, "the line has a control character");
  }
  Words words = words_of(line);
  const std::string name = words.empty() ? "" : words.front();
  const auto* const order = std::ranges::find(kOrders, name, &Order::name);
  if (order == kOrders.end()) {
    std::vector<std::string_view> names;
    for (const Order& one : kOrders) names.push_back(one.name);
    return error_answer(
        OrderFault::kUnknownCommand,
        fmt::format("'{}'; there are: {}", printable(name), fmt::join(names, ", ")));
  }
  words.erase(words.begin());
  if (words.size() < order->min || words.size() > order->max) {
    return error_answer(OrderFault::kArguments,
                        fmt::format("{} words after {}; it is: {} {}", words.size(), order->name,
                                    order->name, order->arguments));
  }
  const Answer done = order->run(words, {wan, tune, now});
  if (!done) return error_answer(done.error().fault, done.error().text);
  return done->empty() ? "ok" : "ok " + *done;
}

}  // namespace xbind::wan
