// Declaration and description of options; options_load.cpp loads them.
#include "core/config/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/check.hpp"
#include "core/name.hpp"

namespace xbind::config {
namespace {

// Options of every program (options_load.cpp handles them).
constexpr std::string_view kReserved[] = {"help",          "version",      "check-config", "config",
                                          "print-options", "print-timers", "print-metrics"};

bool well_formed(std::string_view name) {
  if (name.empty() || name.front() < 'a' || name.front() > 'z') return false;
  return std::ranges::all_of(
      name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

// Parses the whole of `text` as a number; invalid_argument when it is none.
template <class T>
std::errc read_number(const std::string& text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end != text.data() + text.size()) return std::errc::invalid_argument;
  return error;
}

std::string range_text(UintBounds bounds) {
  if (bounds.max == std::numeric_limits<std::uint64_t>::max()) {
    return bounds.min == 0 ? "" : fmt::format("{} or more", bounds.min);
  }
  return fmt::format("{} to {}", bounds.min, bounds.max);
}

std::string range_text(DoubleBounds bounds) {
  const bool below = bounds.min == std::numeric_limits<double>::lowest();
  const bool above = bounds.max == std::numeric_limits<double>::max();
  if (below && above) return "";
  if (above) return fmt::format("{} or more", bounds.min);
  if (below) return fmt::format("{} or less", bounds.max);
  return fmt::format("{} to {}", bounds.min, bounds.max);
}

}  // namespace

OptionSet::OptionSet(std::string program, std::string purpose)
    : program_(std::move(program)), purpose_(std::move(purpose)) {}

OptionSet::Option& OptionSet::declare(Option option) {
  XB_CHECK(well_formed(option.name), option.name);
  XB_CHECK(find(option.name) == nullptr, option.name);
  XB_CHECK(std::ranges::find(kReserved, option.name) == std::end(kReserved), option.name);
  XB_CHECK(!option.help.empty(), option.name);
  if (option.assign_default) option.assign_default();
  options_.push_back(std::move(option));
  return options_.back();
}

void OptionSet::add_string(std::string name, std::string* target, std::string default_value,
                           std::string help) {
  Option option;
  option.name = std::move(name);
  option.help = std::move(help);
  option.value_name = "TEXT";
  option.default_text = default_value;
  option.read = [target](const std::string& text) -> Result<Assign> {
    return Assign{[target, text] { *target = text; }};
  };
  option.assign_default = [target, value = std::move(default_value)] { *target = value; };
  declare(std::move(option));
}

void OptionSet::add_flag(std::string name, bool* target, std::string help) {
  Option option;
  option.name = std::move(name);
  option.help = std::move(help);
  option.kind = ValueKind::kFlag;
  option.default_text = "false";
  option.range = "true or false";
  option.read = [target](const std::string& text) -> Result<Assign> {
    if (text != "true" && text != "false") {
      return fail(ErrorCode::kBadInput, "'{}' is neither true nor false", text);
    }
    return Assign{[target, value = text == "true"] { *target = value; }};
  };
  option.assign_default = [target] { *target = false; };
  declare(std::move(option));
}

void OptionSet::add_uint_with(std::string name, std::function<void(std::uint64_t)> assign,
                              std::uint64_t default_value, UintBounds bounds,
                              std::uint64_t type_max, std::string help) {
  if (bounds.max == UintBounds{}.max) bounds.max = type_max;
  XB_CHECK(bounds.max <= type_max, name, bounds.max, type_max);
  XB_CHECK(bounds.min <= default_value && default_value <= bounds.max, name, default_value);
  Option option;
  option.name = std::move(name);
  option.help = std::move(help);
  option.kind = ValueKind::kWhole;
  option.value_name = "N";
  option.default_text = fmt::format("{}", default_value);
  option.range = range_text(bounds);
  option.read = [assign, bounds](const std::string& text) -> Result<Assign> {
    std::uint64_t value = 0;
    const std::errc error = read_number(text, value);
    if (error == std::errc::result_out_of_range) value = bounds.max;  // refused below
    if (error == std::errc::invalid_argument) {
      return fail(ErrorCode::kBadInput, "'{}' is not a whole number (range: {} to {})", text,
                  bounds.min, bounds.max);
    }
    if (error != std::errc{} || value < bounds.min || value > bounds.max) {
      const bool above = error != std::errc{} || value > bounds.max;
      const bool reasoned = above && !bounds.why_max.empty();
      return fail(ErrorCode::kBadInput, "{} is out of the range {} to {}{}{}", text, bounds.min,
                  bounds.max, reasoned ? ": " : "", reasoned ? bounds.why_max : "");
    }
    return Assign{[assign, value] { assign(value); }};
  };
  option.assign_default = [assign, default_value] { assign(default_value); };
  declare(std::move(option));
}

void OptionSet::add_double(std::string name, double* target, double default_value,
                           DoubleBounds bounds, std::string help) {
  XB_CHECK(bounds.min <= default_value && default_value <= bounds.max, name, default_value);
  Option option;
  option.name = std::move(name);
  option.help = std::move(help);
  option.kind = ValueKind::kReal;
  option.value_name = "X";
  option.default_text = fmt::format("{}", default_value);
  option.range = range_text(bounds);
  option.read = [target, bounds, range = option.range](const std::string& text) -> Result<Assign> {
    double value = 0;
    const std::errc error = read_number(text, value);
    if (error == std::errc::invalid_argument || std::isnan(value)) {
      return fail(ErrorCode::kBadInput, "'{}' is not a number (range: {})", text,
                  range.empty() ? "any" : range);
    }
    if (error != std::errc{} || std::isinf(value) || value < bounds.min || value > bounds.max) {
      return fail(ErrorCode::kBadInput, "{} is out of the range {}", text,
                  range.empty() ? "of finite numbers" : range);
    }
    return Assign{[target, value] { *target = value; }};
  };
  option.assign_default = [target, default_value] { *target = default_value; };
  declare(std::move(option));
}

void OptionSet::add_choice(std::string name, std::string* target, std::string default_value,
                           std::vector<std::string> choices, std::string help) {
  const auto found = std::ranges::find(choices, default_value);
  const auto index = static_cast<std::size_t>(found - choices.begin());
  add_choice_with(
      std::move(name), [target, choices](std::size_t chosen) { *target = choices[chosen]; }, index,
      choices, std::move(help));
}

void OptionSet::add_choice_with(std::string name, std::function<void(std::size_t)> assign,
                                std::size_t default_index, std::vector<std::string> choices,
                                std::string help) {
  XB_CHECK(default_index < choices.size(), name, default_index, choices.size());
  Option option;
  option.name = std::move(name);
  option.help = std::move(help);
  option.value_name = "WORD";
  option.default_text = choices[default_index];
  option.range = fmt::format("one of {}", fmt::join(choices, ", "));
  option.read = [assign, choices = std::move(choices)](const std::string& text) -> Result<Assign> {
    const auto found = std::ranges::find(choices, text);
    if (found == choices.end()) {
      return fail(ErrorCode::kBadInput, "'{}' is not one of {}", text, fmt::join(choices, ", "));
    }
    const auto index = static_cast<std::size_t>(found - choices.begin());
    return Assign{[assign, index] { assign(index); }};
  };
  option.assign_default = [assign, default_index] { assign(default_index); };
  declare(std::move(option));
}

void OptionSet::add_strings(std::string name, std::vector<std::string>* target, std::string help) {
  Option option;
  option.name = std::move(name);
  option.help = std::move(help);
  option.value_name = "TEXT,...";
  option.kind = ValueKind::kList;
  option.read = [target](const std::string& text) -> Result<Assign> {
    std::vector<std::string> values;
    for (std::size_t start = 0; start <= text.size();) {
      const std::size_t end = std::min(text.find(',', start), text.size());
      values.push_back(text.substr(start, end - start));
      if (values.back().empty()) {
        return fail(ErrorCode::kBadInput, "'{}' has an empty value between its commas", text);
      }
      start = end + 1;
    }
    return Assign{[target, values] { *target = values; }};
  };
  option.assign_default = [target] { target->clear(); };
  declare(std::move(option));
}

void OptionSet::require(std::string_view name) {
  const auto option = std::ranges::find(options_, name, &Option::name);
  XB_CHECK(option != options_.end(), name);
  option->required = true;
}

void OptionSet::set_live(std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const auto option = std::ranges::find(options_, name, &Option::name);
    XB_CHECK(option != options_.end(), name);
    option->live = true;
  }
}

void OptionSet::take_arguments(std::string usage, std::vector<std::string>* target, std::size_t min,
                               std::size_t max) {
  XB_CHECK(arguments_ == nullptr && min <= max && max > 0, min, max);
  arguments_usage_ = std::move(usage);
  arguments_ = target;
  arguments_min_ = min;
  arguments_max_ = max;
}

void OptionSet::take_commands(std::vector<Command> commands, std::vector<std::string>* target,
                              std::vector<CommandGroup> groups) {
  std::size_t most = 0;
  for (const Command& each : commands) {
    for (const std::string& option : each.options) XB_CHECK(find(option) != nullptr, option);
    most = std::max(most, each.arguments.size());
  }
  take_arguments("COMMAND [argument...]", target, 1, most + 1);
  commands_ = std::move(commands);
  groups_ = std::move(groups);
  std::size_t grouped = 0;
  for (const CommandGroup& group : groups_) {
    for (const std::string& verb : group.verbs) XB_CHECK(command(verb) != nullptr, verb);
    grouped += group.verbs.size();
  }
  XB_CHECK(groups_.empty() || grouped == commands_.size(), grouped, commands_.size());
}

void OptionSet::add_check(std::function<std::optional<std::string>()> check) {
  checks_.push_back(std::move(check));
}

const OptionSet::Option* OptionSet::find(std::string_view name) const {
  const auto found = std::ranges::find(options_, name, &Option::name);
  return found == options_.end() ? nullptr : &*found;
}

const Command* OptionSet::command(std::string_view verb) const {
  const auto found = std::ranges::find(commands_, verb, &Command::verb);
  return found == commands_.end() ? nullptr : &*found;
}

std::vector<std::string> OptionSet::takers_of(const std::string& option) const {
  std::vector<std::string> verbs;
  for (const Command& each : commands_) {
    if (std::ranges::find(each.options, option) != each.options.end()) verbs.push_back(each.verb);
  }
  return verbs;
}

bool OptionSet::given(std::string_view name) const {
  const Option* option = find(name);
  XB_CHECK(option != nullptr, name);
  return !option->source.empty();
}

std::string OptionSet::given_text() const {
  std::vector<std::string> parts;
  for (const Option& option : options_) {
    if (option.source.empty()) continue;
    parts.push_back(fmt::format("{}={} ({})", option.name, option.given_text, option.source));
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

Result<void> OptionSet::put_first(std::string_view name, std::string text, std::string source) {
  const auto option = std::ranges::find(options_, name, &Option::name);
  if (option == options_.end()) {
    return fail(ErrorCode::kBadInput, "unknown option {}{}", printable(name), meant(name));
  }
  option->first = {std::move(text), std::move(source)};
  return {};
}

std::vector<OptionValue> OptionSet::values() const {
  std::vector<OptionValue> values;
  values.reserve(options_.size());
  for (const Option& option : options_) {
    values.push_back({option.name, option.text(), option.source, option.live});
  }
  return values;
}

std::vector<OptionChange> OptionSet::changes_to(const OptionSet& other) const {
  XB_CHECK(options_.size() == other.options_.size(), options_.size(), other.options_.size());
  std::vector<OptionChange> changes;
  for (std::size_t i = 0; i < options_.size(); ++i) {
    const Option& mine = options_[i];
    const Option& its = other.options_[i];
    XB_CHECK(mine.name == its.name, mine.name, its.name);
    if (same_value(mine.kind, mine.text(), its.text())) continue;
    changes.push_back({mine.name, mine.text(), its.text(), its.source, mine.live});
  }
  return changes;
}

}  // namespace xbind::config
