#include "xbindctl/command_line.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace xbind::ctl {
namespace {

struct Command {
  const char* verb;
  std::vector<std::string> arguments;  // ID, REQUEST and PORT are numbers
};

const std::vector<Command>& commands() {
  static const std::vector<Command> kCommands{{"connect", {"FROM", "TO"}},
                                              {"commit", {"ID"}},
                                              {"modify", {"ID"}},
                                              {"add-leaf", {"ID", "END"}},
                                              {"drop-leaf", {"ID", "END"}},
                                              {"release", {"ID"}},
                                              {"outcome", {"CLIENT", "REQUEST"}},
                                              {"describe", {"ID"}},
                                              {"list", {}},
                                              {"status", {}},
                                              {"audit", {}},
                                              {"caches", {}},
                                              {"aggregation", {}},
                                              {"prepare", {"FROM", "TO"}},
                                              {"ports", {"SWITCH"}},
                                              {"count", {"SWITCH", "PORT", "VPI/VCI"}},
                                              {"forget-manager", {"SWITCH|all", "NAME"}}};
  return kCommands;
}

std::string usage_of(const Command& command) {
  std::string usage = command.verb;
  for (const std::string& argument : command.arguments) usage += " " + argument;
  return usage;
}

std::string usage() {
  std::string all;
  for (const Command& command : commands()) {
    if (!all.empty()) all += " | ";
    all += usage_of(command);
  }
  return all;
}

std::optional<std::uint64_t> number(const std::string& word) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

// "0/32"
std::optional<Label> label_of(const std::string& word) {
  const std::size_t slash = word.find('/');
  if (slash == std::string::npos) return std::nullopt;
  const auto vpi = number(word.substr(0, slash));
  const auto vci = number(word.substr(slash + 1));
  if (!vpi || !vci || *vpi > 0xfff || *vci > 0xffff) return std::nullopt;
  return atm_label(static_cast<std::uint32_t>(*vpi), static_cast<std::uint32_t>(*vci));
}

using Refusal = std::optional<std::string>;

Refusal check_words(CommandLine& line) {
  const auto command = std::ranges::find_if(
      commands(), [&](const Command& known) { return known.verb == line.verb(); });
  if (command == commands().end()) {
    return fmt::format("'{}' is no command; there are: {}", line.verb(), usage());
  }
  const std::size_t given = line.words.size() - 1;
  if (given != command->arguments.size()) {
    const std::string surplus =
        given < command->arguments.size()
            ? ""
            : fmt::format(", '{}' is too much", line.words[command->arguments.size() + 1]);
    return fmt::format("{} with {} arguments{}; it is: {}", line.verb(), given, surplus,
                       usage_of(*command));
  }
  for (std::size_t i = 0; i < command->arguments.size(); ++i) {
    const std::string& argument = command->arguments[i];
    const std::string& word = line.words[i + 1];
    if (word.empty()) return fmt::format("{}: {} is empty", line.verb(), argument);
    if (argument == "VPI/VCI") {
      const auto label = label_of(word);
      if (!label) return fmt::format("{}: '{}' is no label VPI/VCI", line.verb(), word);
      line.label = *label;
      continue;
    }
    if (argument != "ID" && argument != "REQUEST" && argument != "PORT") continue;
    const auto id = number(word);
    if (!id) return fmt::format("{}: {} '{}' is not a number", line.verb(), argument, word);
    line.id = *id;
  }
  return std::nullopt;
}

// The parameters of a contract that a category does not have must not be given.
Refusal check_contract(CommandLine& line, const config::OptionSet& set) {
  if (line.category == categories().front()) {
    for (const char* option : {"cdvt-us", "guaranteed-cells-per-s", "mbs-cells", "mfs-cells"}) {
      if (set.given(option)) return fmt::format("{} goes with category", option);
    }
    return std::nullopt;
  }
  for (const char* option : {"frames-per-1000-s", "frame-octets", "buffer-cells"}) {
    if (set.given(option)) return fmt::format("{} does not go with category", option);
  }
  line.service.kind = ServiceKind::kContract;
  TrafficContract& contract = line.service.contract;
  contract.category = static_cast<ServiceCategory>(std::ranges::find(categories(), line.category) -
                                                   categories().begin());
  contract.pcr_cells_per_s = static_cast<std::uint32_t>(line.service.cells_per_s);
  if (const auto refused = check(contract)) return to_string(*refused);
  return std::nullopt;
}

Refusal check_service(CommandLine& line, const config::OptionSet& set) {
  ServiceSpec& service = line.service;
  if (line.category != categories().front()) return check_contract(line, set);
  if (const auto refused = check_contract(line, set)) return refused;
  if (service.frames_per_1000_s == 0 && service.frame_octets == 0) return std::nullopt;
  if (service.frames_per_1000_s == 0 || service.frame_octets == 0) {
    return "frames-per-1000-s and frame-octets go together";
  }
  if (set.given("cells-per-s")) return "cells-per-s and frames-per-1000-s exclude each other";
  service.kind = ServiceKind::kVideo;
  return std::nullopt;
}

// Options without which a command would do something else than was meant.
Refusal check_options(const CommandLine& line, const config::OptionSet& set) {
  if (line.reverse_cells_per_s != 0 && !line.both) return "reverse-cells-per-s goes with both";
  if (line.hold_s > 0 && line.hold_ms() == 0) {
    return fmt::format("hold: {} s is less than a millisecond", line.hold_s);
  }
  if (line.verb() == "modify" && line.service.kind != ServiceKind::kVideo &&
      !set.given("cells-per-s")) {
    return "modify needs cells-per-s, or frames-per-1000-s and frame-octets";
  }
  if (line.verb() == "prepare" && !set.given("count")) return "prepare needs count";
  if (line.verb() == "aggregation") {
    if (!set.given("mode") && (set.given("threshold") || set.given("flush-timeout-ms"))) {
      return "threshold and flush-timeout-ms change nothing without mode";
    }
    if (set.given("threshold") && line.mode != "fixed") {
      return fmt::format("threshold goes with mode fixed: mode {} finds its own", line.mode);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<ServiceSpec> CommandLine::reverse() const {
  if (!both) return std::nullopt;
  if (reverse_cells_per_s == 0) return service;
  return ServiceSpec{ServiceKind::kCells, reverse_cells_per_s, service.buffer_cells, 0, 0};
}

std::uint32_t CommandLine::hold_ms() const {
  return static_cast<std::uint32_t>(std::floor(hold_s * 1e3 + 1e-6));
}

const std::vector<std::string>& aggregation_modes() {
  static const std::vector<std::string> kModes{"fixed", "regions", "adaptive"};
  return kModes;
}

const std::vector<std::string>& categories() {
  static const std::vector<std::string> kCategories{"none",    "cbr", "rt-vbr",
                                                    "nrt-vbr", "ubr", "gfr"};
  return kCategories;
}

void declare(config::OptionSet& set, CommandLine& line) {
  set.add_string("manager", &line.manager, "default",
                 "Name of the ConnectionManager under xbind/cmgr/.");
  set.add_uint(
      "cells-per-s", &line.service.cells_per_s, 100, {1, TrafficContract::kFieldMax},
      "connect, modify, prepare: what the connection takes of every link, in cells a second; with "
      "--category the peak cell rate.");
  set.add_uint("buffer-cells", &line.service.buffer_cells, 0, {0, 1'000'000'000},
               "connect, modify, prepare: what it takes of every output port's buffer, in cells.");
  set.add_uint(
      "frames-per-1000-s", &line.service.frames_per_1000_s, 0, {0, 1'000'000'000},
      "connect, modify, prepare: frame rate in thousandths of a frame a second, instead of "
      "--cells-per-s.");
  set.add_uint("frame-octets", &line.service.frame_octets, 0, {0, 1'000'000'000},
               "connect, modify, prepare: size of a frame in octets, with --frames-per-1000-s.");
  set.add_choice(
      "category", &line.category, categories().front(), categories(),
      "connect, modify, prepare: names the traffic contract; none: CBR at --cells-per-s, or what a "
      "video needs.");
  set.add_uint("cdvt-us", &line.service.contract.cdvt_us, 0, {0, TrafficContract::kFieldMax},
               "With --category: cell delay variation tolerance in microseconds.");
  set.add_uint("guaranteed-cells-per-s", &line.service.contract.guaranteed_cells_per_s, 0,
               {0, TrafficContract::kFieldMax},
               "With --category rt-vbr, nrt-vbr: sustainable cell rate; gfr: minimum cell rate.");
  set.add_uint("mbs-cells", &line.service.contract.mbs_cells, 0, {0, TrafficContract::kFieldMax},
               "With --category rt-vbr, nrt-vbr, gfr: maximum burst size in cells.");
  set.add_uint("mfs-cells", &line.service.contract.mfs_cells, 0, {0, TrafficContract::kFieldMax},
               "With --category gfr: maximum frame size in cells.");
  set.add_flag("both", &line.both,
               "connect, modify: both directions; the reverse one takes as much as the first.");
  set.add_uint(
      "reverse-cells-per-s", &line.reverse_cells_per_s, 0, {0, TrafficContract::kFieldMax},
      "connect, modify: with --both, what the reverse direction takes, in cells a second; 0: "
      "as much as the first.");
  set.add_uint("priority", &line.priority, 0, {0, kPriorityMax},
               "connect: under pressure the higher is served first.");
  set.add_double(
      "hold", &line.hold_s, 0, {0, kHoldMsMax / 1000},
      "connect: seconds for which everything is reserved, until a commit; 0: connected at "
      "once.");
  set.add_uint("count", &line.count, 0, {0, 1'000},
               "prepare: how many connections are kept ready; 0 ends it.");
  set.add_choice(
      "mode", &line.mode, aggregation_modes().front(), aggregation_modes(),
      "aggregation: changes how commands to a switch are gathered; not given, it is shown.");
  set.add_uint("threshold", &line.threshold, 1, {1, 4'096},
               "aggregation: with --mode fixed, commands of a batch; not given, it stays.");
  set.add_double(
      "flush-timeout-ms", &line.flush_timeout_ms, 5, {0.05, 10'000},
      "aggregation: with --mode, milliseconds that a command waits at most; not given, it "
      "stays.");
  set.take_arguments(usage(), &line.words, 1, 4);
  set.add_check([&line] { return check_words(line); });
  set.add_check([&line, &set] { return check_service(line, set); });
  set.add_check([&line, &set] { return check_options(line, set); });
}

}  // namespace xbind::ctl
