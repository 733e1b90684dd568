// Declaring and describing; loading is in options_load.cpp.
#include "core/config/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/program_options/options_description.hpp>
#include <boost/program_options/value_semantic.hpp>
#include <charconv>
#include <cmath>
#include <sstream>

#include "core/check.hpp"

namespace xbind::config {
namespace {

// Names that every program has (options_load.cpp acts on them).
constexpr std::string_view kReserved[] = {"help", "version", "check-config", "config",
                                          "print-options"};
constexpr unsigned kHelpColumns = 100;

bool well_formed(std::string_view name) {
  if (name.empty() || name.front() < 'a' || name.front() > 'z') return false;
  return std::ranges::all_of(
      name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

// The whole of `text` as a number; false when it is something else.
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

// "(default 2000, 10 to 60000)", "(must be given)", "".
std::string remark(bool required, const std::string& default_text, const std::string& range) {
  std::vector<std::string> parts;
  if (required) {
    parts.push_back("must be given");
  } else if (!default_text.empty()) {
    parts.push_back("default " + default_text);
  }
  if (!range.empty()) parts.push_back(range);
  return parts.empty() ? std::string{} : fmt::format(" ({})", fmt::join(parts, "; "));
}

// A table cell must not end early.
std::string cell(std::string_view text) {
  std::string escaped;
  for (char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// Lines of at most kHelpColumns, broken between words.
std::string wrapped(const std::string& note) {
  std::string text;
  std::size_t column = 0;
  std::istringstream words(note);
  for (std::string word; words >> word; column += word.size()) {
    if (column != 0) {
      const bool fits = column + 1 + word.size() < kHelpColumns;
      text += fits ? ' ' : '\n';
      column = fits ? column + 1 : 0;
    }
    text += word;
  }
  return text + '\n';
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
  option.value_name = "N";
  option.default_text = fmt::format("{}", default_value);
  option.range = range_text(bounds);
  option.read = [assign, bounds](const std::string& text) -> Result<Assign> {
    std::uint64_t value = 0;
    const std::errc error = read_number(text, value);
    if (error == std::errc::result_out_of_range) value = bounds.max;  // refused just below
    if (error == std::errc::invalid_argument) {
      return fail(ErrorCode::kBadInput, "'{}' is not a whole number (range: {} to {})", text,
                  bounds.min, bounds.max);
    }
    if (error != std::errc{} || value < bounds.min || value > bounds.max) {
      return fail(ErrorCode::kBadInput, "{} is out of the range {} to {}", text, bounds.min,
                  bounds.max);
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
  option.list = true;
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

void OptionSet::take_arguments(std::string usage, std::vector<std::string>* target, std::size_t min,
                               std::size_t max) {
  XB_CHECK(arguments_ == nullptr && min <= max && max > 0, min, max);
  arguments_usage_ = std::move(usage);
  arguments_ = target;
  arguments_min_ = min;
  arguments_max_ = max;
}

void OptionSet::add_check(std::function<std::optional<std::string>()> check) {
  checks_.push_back(std::move(check));
}

const OptionSet::Option* OptionSet::find(std::string_view name) const {
  const auto found = std::ranges::find(options_, name, &Option::name);
  return found == options_.end() ? nullptr : &*found;
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

std::string OptionSet::help() const {
  namespace po = boost::program_options;
  po::options_description description("Options", kHelpColumns);
  auto add = [&description](const std::string& name, const std::string& value_name,
                            const std::string& text) {
    if (value_name.empty()) {
      description.add_options()(name.c_str(), text.c_str());
    } else {
      description.add_options()(name.c_str(), po::value<std::string>()->value_name(value_name),
                                text.c_str());
    }
  };
  for (const Option& option : options_) {
    const bool flag = option.value_name.empty();
    add(option.name, option.value_name,
        option.help + (flag ? "" : remark(option.required, option.default_text, option.range)));
  }
  add("config", "FILE", "Read options from FILE, one 'name = value' a line.");
  add("check-config", "", "Say whether all options are right, and exit.");
  add("version", "", "Print the version, and exit.");
  add("help", "", "Print this, and exit.");
  std::ostringstream text;
  text << program_ << ": " << purpose_ << "\n\nUsage: " << program_ << " [options]"
       << (arguments_usage_.empty() ? "" : " " + arguments_usage_) << "\n\n"
       << description << "\nAn option may also come from the environment (--rate: XBIND_RATE) or "
       << "from the file of --config;\nthe command line goes first, then the environment, then the "
       << "file.\n";
  for (const std::string& note : notes_) text << '\n' << wrapped(note);
  return text.str();
}

std::string OptionSet::markdown() const {
  std::string text = fmt::format("## {}\n\n{}\n\n", program_, purpose_);
  if (!arguments_usage_.empty()) text += fmt::format("Arguments: `{}`\n\n", arguments_usage_);
  if (options_.empty()) return text;
  text += "| option | default | range | meaning |\n| --- | --- | --- | --- |\n";
  for (const Option& option : options_) {
    const std::string default_text =
        option.required ? "must be given"
                        : (option.default_text.empty() ? "empty" : "`" + option.default_text + "`");
    text += fmt::format("| `--{}` | {} | {} | {} |\n", option.name, cell(default_text),
                        cell(option.range.empty() ? "any" : option.range), cell(option.help));
  }
  for (const std::string& note : notes_) text += fmt::format("\n{}\n", note);
  return text;
}

}  // namespace xbind::config
