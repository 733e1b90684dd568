#include "emulator/control.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>

#include "core/duration_numbers.hpp"
#include "core/label_text.hpp"
#include "core/name.hpp"

namespace xbind::emulator {
namespace {

using Words = std::vector<std::string_view>;

template <class... Args>
tl::unexpected<ControlError> refuse(ControlFault fault, fmt::format_string<Args...> text,
                                    Args&&... args) {
  return tl::make_unexpected(ControlError{fault, fmt::format(text, std::forward<Args>(args)...)});
}

Words split(std::string_view line) {
  Words words;
  while (true) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return words;
    const std::size_t end = std::min(line.find_first_of(" \t", begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
}

ControlResult<std::uint64_t> number(std::string_view what, std::string_view word, std::uint64_t min,
                                    std::uint64_t max) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size() || value < min || value > max) {
    return refuse(ControlFault::kBadValue, "{} '{}' is not {} to {}", what, word, min, max);
  }
  return value;
}

// "off" is 0.
ControlResult<std::uint64_t> number_or_off(std::string_view what, std::string_view word,
                                           std::uint64_t max) {
  if (word == "off") return 0;
  auto value = number(what, word, 1, max);
  if (!value) value.error().text += ", or off";
  return value;
}

ControlResult<PortId> port_of(std::string_view word) {
  const auto value = number("port", word, 1, 65535);
  if (!value) return tl::make_unexpected(value.error());
  return PortId(static_cast<std::uint32_t>(*value));
}

ControlResult<std::size_t> one_of(std::string_view what, std::string_view word,
                                  const std::vector<std::string_view>& choices) {
  const auto found = std::ranges::find(choices, word);
  if (found == choices.end()) {
    return refuse(ControlFault::kBadValue, "{} '{}' is not one of {}", what, word,
                  fmt::join(choices, ", "));
  }
  return static_cast<std::size_t>(found - choices.begin());
}

// ----- one parser for each command; `words` are its arguments, of the right number -----

ControlResult<Command> read_line(const Words& words) {
  const auto port = port_of(words[0]);
  if (!port) return tl::make_unexpected(port.error());
  const auto state = one_of("state", words[1], {"down", "up"});
  if (!state) return tl::make_unexpected(state.error());
  return command::SetLine{*port, *state == 1};
}

ControlResult<Command> read_card(const Words& words) {
  const auto port = port_of(words[0]);
  if (!port) return tl::make_unexpected(port.error());
  const auto state = one_of("state", words[1], {"out", "in"});
  if (!state) return tl::make_unexpected(state.error());
  return command::SetCard{*port, *state == 1};
}

ControlResult<Command> read_refuse_next(const Words& words) {
  const auto count = number("count", words[0], 0, 1'000'000'000);
  if (!count) return tl::make_unexpected(count.error());
  const auto code = number("failure code", words[1], 1, 255);
  if (!code) return tl::make_unexpected(code.error());
  return command::RefuseNext{*count, static_cast<gsmp::FailureCode>(*code)};
}

ControlResult<Command> read_drop_adjacency(const Words& words) {
  if (words.empty()) return command::DropAdjacency{};
  const auto how = one_of("way", words[0], {"rstack", "silent", "off"});
  if (!how) return tl::make_unexpected(how.error());
  return command::DropAdjacency{static_cast<command::DropAdjacency::How>(*how)};
}

ControlResult<Command> read_tcp_reset(const Words&) { return command::TcpReset{}; }

ControlResult<Command> read_slow_reader(const Words& words) {
  const auto rate = number_or_off("octets a second", words[0], 1'000'000'000);
  if (!rate) return tl::make_unexpected(rate.error());
  return command::SetSlowReader{static_cast<std::uint32_t>(*rate)};
}

ControlResult<Command> read_reorder(const Words& words) {
  if (words[0] == "off") return command::Reorder{};
  double probability = 0;
  const char* const last = words[0].data() + words[0].size();
  const auto [end, error] = std::from_chars(words[0].data(), last, probability);
  if (error != std::errc{} || end != last || !(probability > 0 && probability <= 1)) {
    return refuse(ControlFault::kBadValue, "probability '{}' is not above 0 and at most 1, nor off",
                  words[0]);
  }
  return command::Reorder{probability};
}

ControlResult<Command> read_partial_frames(const Words& words) {
  const auto octets = number_or_off("octets", words[0], 65535);
  if (!octets) return tl::make_unexpected(octets.error());
  return command::PartialFrames{*octets};
}

ControlResult<Command> read_restart(const Words& words) {
  const auto how = one_of("restart", words[0], {"hot", "cold"});
  if (!how) return tl::make_unexpected(how.error());
  return command::RestartNow{*how == 0 ? Restart::kHot : Restart::kCold};
}

ControlResult<Command> read_delay(const Words& words) {
  const auto what = one_of("delay of", words[0], {"message", "connection", "table"});
  if (!what) return tl::make_unexpected(what.error());
  const auto us = number("microseconds", words[1], 0, kDelayMaxUs);
  if (!us) return tl::make_unexpected(us.error());
  return command::Delay{static_cast<command::Delay::Of>(*what), std::chrono::microseconds{*us}};
}

constexpr std::string_view kLabelsArguments =
    "PORT VPI_MIN VPI_MAX VCI_MIN VCI_MAX, or PORT mpls:FIRST-LAST ...";

ControlResult<Command> read_mpls_labels(PortId port, const Words& words) {
  LabelRanges ranges;
  for (const std::string_view word : std::span(words).subspan(1)) {
    const auto range = parse_label_range(word);
    if (!range) return refuse(ControlFault::kBadValue, "{}", range.error().text);
    ranges.push_back(*range);
    if (range->kind != LabelKind::kMpls || !checked_ranges(ranges).left_out.empty()) {
      return refuse(ControlFault::kBadValue, "'{}' is ATM's, or overlaps another range", word);
    }
  }
  return command::Labels{port, std::move(ranges)};
}

ControlResult<Command> read_labels(const Words& words) {
  const auto port = port_of(words[0]);
  if (!port) return tl::make_unexpected(port.error());
  if (words[1].starts_with("mpls")) return read_mpls_labels(*port, words);
  if (words.size() != 5) {
    return refuse(ControlFault::kArguments, "{} words after labels; it is: labels {}", words.size(),
                  kLabelsArguments);
  }
  std::array<std::uint32_t, 4> ends{};
  constexpr std::array<std::string_view, 4> kNames{"VPI_MIN", "VPI_MAX", "VCI_MIN", "VCI_MAX"};
  for (std::size_t index = 0; index < ends.size(); ++index) {
    const auto end = number(kNames[index], words[index + 1], 0, index < 2 ? 4095 : 65535);
    if (!end) return tl::make_unexpected(end.error());
    ends[index] = static_cast<std::uint32_t>(*end);
  }
  for (std::size_t low : {std::size_t{0}, std::size_t{2}}) {
    if (ends[low] > ends[low + 1]) {
      return refuse(ControlFault::kBadValue, "{} {} is above {} {}", kNames[low], ends[low],
                    kNames[low + 1], ends[low + 1]);
    }
  }
  return command::Labels{*port, {atm_range(ends[0], ends[1], ends[2], ends[3])}};
}

ControlResult<Command> read_status(const Words&) { return command::Status{}; }

ControlResult<Command> read_statistics(const Words& words) {
  const auto port = port_of(words[0]);
  if (!port) return tl::make_unexpected(port.error());
  return command::Statistics{*port};
}

ControlResult<Command> read_capture(const Words& words) {
  const auto port = port_of(words[0]);
  if (!port) return tl::make_unexpected(port.error());
  return command::Capture{*port, words[1] == "off" ? "" : std::string(words[1])};
}

ControlResult<Command> read_tune(const Words& words) {
  const std::size_t equals = words[0].find('=');
  if (equals == std::string_view::npos) return command::Tune{std::string(words[0]), {}};
  return command::Tune{std::string(words[0].substr(0, equals)),
                       std::string(words[0].substr(equals + 1))};
}

struct Syntax {
  std::string_view name;
  std::string_view arguments;
  std::size_t min;
  std::size_t max;
  ControlResult<Command> (*read)(const Words&);
};
constexpr std::array kSyntax{
    Syntax{"line", "PORT up|down", 2, 2, read_line},
    Syntax{"card", "PORT out|in", 2, 2, read_card},
    Syntax{"refuse-next", "K CODE", 2, 2, read_refuse_next},
    Syntax{"drop-adjacency", "[rstack|silent|off]", 0, 1, read_drop_adjacency},
    Syntax{"tcp-reset", "", 0, 0, read_tcp_reset},
    Syntax{"slow-reader", "OCTETS_PER_S|off", 1, 1, read_slow_reader},
    Syntax{"reorder", "P|off", 1, 1, read_reorder},
    Syntax{"partial-frames", "OCTETS|off", 1, 1, read_partial_frames},
    Syntax{"restart", "hot|cold", 1, 1, read_restart},
    Syntax{"delay", "message|connection|table US", 2, 2, read_delay},
    Syntax{"labels", kLabelsArguments, 2, 1 + kLabelRangesMax, read_labels},
    Syntax{"status", "", 0, 0, read_status},
    Syntax{"statistics", "PORT", 1, 1, read_statistics},
    Syntax{"capture", "PORT FILE|off", 2, 2, read_capture},
    Syntax{"tune", "OPTION[=VALUE]", 1, 1, read_tune},
};

// ----- execution -----

class Execution {
 public:
  Execution(EmulatedSwitch& emulated, const Controls& controls, TimePoint now)
      : switch_(emulated), controls_(controls), now_(now) {}

  using Done = ControlResult<std::string>;

  Done operator()(const command::SetLine& line) {
    if (auto bad = missing(line.port)) return tl::make_unexpected(*bad);
    switch_.set_line(line.port, line.up);
    return "";
  }
  Done operator()(const command::SetCard& card) {
    if (card.port.value() > switch_.fabric().ports()) return tl::make_unexpected(beyond(card.port));
    switch_.set_card(card.port, card.in);
    return "";
  }
  Done operator()(const command::RefuseNext& refusal) {
    switch_.agent().refuse_next(refusal.count, refusal.code);
    return "";
  }
  Done operator()(command::DropAdjacency drop) {
    using How = command::DropAdjacency::How;
    if (drop.how == How::kRstAck) {
      switch_.drop_adjacencies(now_);
    } else {
      switch_.settings().silent = drop.how == How::kSilent;
    }
    return "";
  }
  Done operator()(command::TcpReset) {
    switch_.reset_connections();
    return "";
  }
  Done operator()(command::SetSlowReader slow) {
    switch_.settings().slow_reader_octets_per_s = slow.octets_per_s;
    switch_.tick(now_);
    return "";
  }
  Done operator()(command::Reorder reorder) {
    switch_.settings().reorder = reorder.probability;
    return "";
  }
  Done operator()(command::PartialFrames partial) {
    switch_.settings().partial_octets = partial.octets;
    return "";
  }
  Done operator()(command::RestartNow restart) {
    switch_.restart(restart.how, now_);
    return "";
  }
  Done operator()(command::Delay delay) {
    using Of = command::Delay::Of;
    FaultSettings& settings = switch_.settings();
    switch (delay.of) {
      case Of::kMessage: settings.message_delay = delay.time; break;
      case Of::kConnection: settings.connection_delay = delay.time; break;
      case Of::kTable: settings.table_delay = delay.time; break;
    }
    return "";
  }
  Done operator()(const command::Labels& labels) {
    if (auto bad = missing(labels.port)) return tl::make_unexpected(*bad);
    const LabelRange& first = labels.ranges.front();
    if (first.kind != switch_.fabric().port_labels().kind(labels.port)) {
      return refuse(ControlFault::kBadValue, "labels {} are of another kind than port {}'s",
                    to_string(first), labels.port);
    }
    if (const auto most = switch_.fabric().cells().vpi_max(labels.port); first.last >> 16 > most) {
      return refuse(ControlFault::kBadValue,
                    "VPI_MAX {} is above {}, the highest of port {}'s line", first.last >> 16, most,
                    labels.port);
    }
    switch_.fabric().set_labels(labels.port, labels.ranges);
    return "";
  }
  Done operator()(command::Status) { return status(); }
  Done operator()(const command::Statistics& statistics) {
    if (auto bad = missing(statistics.port)) return tl::make_unexpected(*bad);
    const dataplane::SwitchFabric& cells = switch_.fabric().cells();
    const dataplane::PortCounters port = cells.counters(statistics.port);
    const dataplane::LinkCounters line = cells.line_counters(statistics.port);
    std::string crossed;
    if (const dataplane::Crossbar* const crossbar = cells.crossbar()) {
      const dataplane::CrossbarCounters& one = crossbar->counters(statistics.port);
      crossed = fmt::format(
          " crossbar={} crossbar_cells={} crossbar_lost={} crossbar_passed={} crossbar_nacks={} "
          "crossbar_waiting={}",
          to_string(crossbar->size()), one.cells, one.lost, one.passed, one.nacks,
          crossbar->waiting(statistics.port));
    }
    std::string controller;
    if (const auto* at = cells.controller(statistics.port)) {
      controller = fmt::format(" controller_waiting={} controller_busy_us={:.0f}", at->waiting(),
                               in_us(at->counters().busy));
    }
    return fmt::format(
        "input_cells={} input_discards={} hec_errors={} invalid_label={} output_cells={} "
        "output_discards={} queued={} queued_most={} line={} malformed={} foreign={} "
        "out_of_order={} expired={} lost={}{}{}",
        port.input_cells, port.input_discards, port.hec_errors, port.invalid_label,
        port.output_cells, port.output_discards, cells.queued(statistics.port),
        cells.queued_most(statistics.port), cells.line_up(statistics.port) ? "up" : "down",
        line.malformed, line.foreign, line.out_of_order, line.expired, line.cells_lost, crossed,
        controller);
  }
  Done operator()(const command::Capture& capture) {
    if (auto bad = missing(capture.port)) return tl::make_unexpected(*bad);
    if (const auto done = controls_.capture(switch_, capture.port, capture.file); !done) {
      return refuse(
          done.error().code == ErrorCode::kSystem ? ControlFault::kSystem : ControlFault::kBadValue,
          "{}", done.error().text);
    }
    return "";
  }
  Done operator()(const command::Tune& tune) {
    if (!controls_.tune) {
      return refuse(ControlFault::kBadValue, "options are tuned by the control socket only");
    }
    const auto changes = controls_.tune(tune.option, tune.value);
    if (!changes) return refuse(ControlFault::kBadValue, "{}", changes.error().text);
    std::vector<std::string> words;
    for (const config::OptionChange& change : *changes) {
      words.push_back(fmt::format("{}={}", change.name, change.after));
    }
    return fmt::format("{}", fmt::join(words, " "));
  }

 private:
  std::optional<ControlError> missing(PortId port) const {
    if (switch_.fabric().has(port)) return std::nullopt;
    if (port.value() > switch_.fabric().ports()) return beyond(port);
    return ControlError{ControlFault::kNoSuchPort,
                        fmt::format("the card of port {} is out of {}", port, switch_.name())};
  }
  ControlError beyond(PortId port) const {
    return {ControlFault::kNoSuchPort, fmt::format("port {} is beyond the {} ports of {}", port,
                                                   switch_.fabric().ports(), switch_.name())};
  }

  std::string status() const {
    const FaultSettings& set = switch_.settings();
    const FaultCounters& met = switch_.fault_counters();
    const switchagent::AgentCounters& agent = switch_.agent().counters();
    const dataplane::LoopbackCounters oam = switch_.fabric().cells().loopback_counters();
    const auto us = [](Duration time) {
      return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
    };
    return fmt::format(
        "name={} ports={} connections={} adjacencies={} branches={} requests={} failures_sent={} "
        "silent={} slow_reader={} reorder={} partial_frames={} delay_message_us={} "
        "delay_connection_us={} delay_table_us={} open={} refused_open={} answers_void={} "
        "policed_tagged={} "
        "policed_discarded={} oam_answered={} oam_passed={} oam_returned={} oam_unrequested={} "
        "oam_damaged={} "
        "reordered={} pieces={} unheard={} unsaid={} delayed={} void={}",
        switch_.name(), switch_.fabric().ports(), switch_.connections(),
        switch_.agent().adjacencies(), switch_.fabric().branches(), agent.requests,
        agent.failures_sent, set.silent ? 1 : 0, set.slow_reader_octets_per_s, set.reorder,
        set.partial_octets, us(set.message_delay), us(set.connection_delay), us(set.table_delay),
        switch_.agent().open_requests(), agent.refused_open, agent.answers_void,
        switch_.policed().tagged, switch_.policed().discarded, oam.answered, oam.passed,
        oam.returned, oam.unrequested, oam.damaged, met.reordered, met.pieces, met.unheard,
        met.unsaid, met.delayed, met.dropped_stale);
  }

  EmulatedSwitch& switch_;
  const Controls& controls_;
  TimePoint now_;
};

constexpr std::size_t kShownMax = 60;  // of an unknown word

}  // namespace

std::string_view to_string(ControlFault fault) {
  switch (fault) {
    case ControlFault::kUnknownCommand: return "unknown-command";
    case ControlFault::kArguments: return "arguments";
    case ControlFault::kBadValue: return "bad-value";
    case ControlFault::kNotText: return "not-text";
    case ControlFault::kNoSuchPort: return "no-such-port";
    case ControlFault::kNoSuchSwitch: return "no-such-switch";
    case ControlFault::kLineTooLong: return "line-too-long";
    case ControlFault::kSystem: return "system";
  }
  return "system";
}

std::string to_string(const ControlError& error) {
  return fmt::format("error {}: {}", to_string(error.fault),
                     printable(error.text, kRefusalOctetsMax));
}

bool is_order(std::string_view line) {
  const auto is_control = [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
  };
  if (std::ranges::any_of(line, is_control)) return false;
  Words words = split(line);
  if (!words.empty() && words.front().starts_with('@')) words.erase(words.begin());
  return !words.empty() &&
         std::ranges::find(kSyntax, words.front(), &Syntax::name) != kSyntax.end();
}

ControlResult<Command> parse_command(std::string_view line) {
  Words words = split(line);
  const std::string_view name = words.empty() ? std::string_view{} : words.front();
  const auto syntax = std::ranges::find(kSyntax, name, &Syntax::name);
  if (syntax == kSyntax.end()) {
    std::vector<std::string_view> known;
    known.reserve(kSyntax.size());
    for (const Syntax& one : kSyntax) known.push_back(one.name);
    return refuse(ControlFault::kUnknownCommand, "'{}'; there are: {}", name.substr(0, kShownMax),
                  fmt::join(known, ", "));
  }
  words.erase(words.begin());
  if (words.size() < syntax->min || words.size() > syntax->max) {
    return refuse(ControlFault::kArguments, "{} words after {}; it is: {} {}", words.size(), name,
                  name, syntax->arguments);
  }
  return syntax->read(words);
}

ControlResult<std::string> execute(const Command& command, EmulatedSwitch& emulated,
                                   const Controls& controls, TimePoint now) {
  return std::visit(Execution(emulated, controls, now), command);
}

std::string answer(std::string_view line, const std::vector<EmulatedSwitch*>& switches,
                   const Controls& controls, TimePoint now) {
  const auto said = [](const ControlResult<std::string>& done) {
    if (!done) return to_string(done.error());
    return done->empty() ? "ok" : "ok " + *done;
  };
  // The answer and the log would repeat it on a terminal.
  const auto control = std::ranges::find_if(line, [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
  });
  if (control != line.end()) {
    return said(refuse(ControlFault::kNotText, "octet {:#04x} at place {}",
                       static_cast<unsigned char>(*control), control - line.begin() + 1));
  }
  EmulatedSwitch* meant = switches.size() == 1 ? switches.front() : nullptr;
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  if (line.starts_with('@')) {
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    const std::string_view name = line.substr(1, end - 1);
    line.remove_prefix(end);
    const auto found = std::ranges::find(switches, name, &EmulatedSwitch::name);
    if (found == switches.end()) {
      return said(refuse(ControlFault::kNoSuchSwitch, "'{}'", name.substr(0, kShownMax)));
    }
    meant = *found;
  }
  const auto command = parse_command(line);
  if (!command) return said(tl::make_unexpected(command.error()));
  const bool of_process = std::holds_alternative<command::Tune>(*command);
  if (meant == nullptr && of_process && !switches.empty()) meant = switches.front();
  if (meant == nullptr) {
    return said(refuse(ControlFault::kNoSuchSwitch,
                       "{} switches are here; begin the line with @NAME", switches.size()));
  }
  return said(execute(*command, *meant, controls, now));
}

}  // namespace xbind::emulator
