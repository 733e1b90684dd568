#include "core/config/reload.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/config/variable_names.hpp"
#include "core/log.hpp"
#include "core/name.hpp"

namespace xbind::config {
namespace {

using Changes = Result<std::vector<OptionChange>>;

Changes logged(Changes changes, std::string_view who) {
  if (!changes) {
    log::error("{}: the options are not reloaded: {}", who, changes.error().text);
    return changes;
  }
  std::vector<std::string> lines;
  lines.reserve(changes->size());
  for (const OptionChange& change : *changes) lines.push_back(to_string(change));
  log::info("{}: the options are reloaded: {}", who,
            lines.empty() ? "all as they were" : fmt::format("{}", fmt::join(lines, ", ")));
  return changes;
}

}  // namespace

std::string shown_value(const std::string& value) { return value.empty() ? "(empty)" : value; }

std::optional<std::string> value_of(const OptionSet& set, const std::string& name) {
  for (OptionValue& value : set.values()) {
    if (value.name == name) return std::move(value.text);
  }
  return std::nullopt;
}

bool is_tuned(const OptionSet& set, const std::string& name) {
  const std::vector<OptionValue> values = set.values();
  return std::ranges::any_of(values, [&](const OptionValue& value) {
    return value.name == name && value.source == kOperator;
  });
}

void log_kept(const std::map<std::string, std::string>& tuned) {
  for (const auto& [name, value] : tuned) {
    log::info("option {}: {}, as an operator has set it before this process", name,
              shown_value(value));
  }
}

void log_left_out(const KeptSetting& setting, const std::string& why) {
  log::warn("option {}: the {} that an operator has set is {}", setting.name,
            shown_value(setting.value), why);
}

void log_not_stored(const Error& why) {
  log::warn("{}; what operators have set is as it was there", why.text);
}

Changes reload_and_log(Reloadable& options, std::string_view who) {
  return logged(options.reload(), who);
}

Changes tune_and_log(Reloadable& options, const Reloadable::Wishes& wishes) {
  return logged(options.tune_all(wishes), "an operator");
}

std::string to_string(const OptionChange& change) {
  return fmt::format("{} {} -> {} ({})", change.name, shown_value(change.before),
                     shown_value(change.after), change.source.empty() ? "default" : change.source);
}

Result<void> check_live(const std::vector<OptionChange>& changes) {
  std::vector<std::string> fixed;
  for (const OptionChange& change : changes) {
    if (!change.live) fixed.push_back(to_string(change));
  }
  if (fixed.empty()) return {};
  return fail(ErrorCode::kBadInput, "{} restart: {}; nothing has changed",
              fixed.size() == 1 ? "an option needs a" : "options need a", fmt::join(fixed, ", "));
}

Result<void> check_tunable(const std::vector<OptionValue>& values, const std::string& name,
                           const std::string& value) {
  const auto option = std::ranges::find(values, name, &OptionValue::name);
  // As numbers, so that another form of the same one is no change; other texts are none.
  if (option == values.end() || option->live || same_value(ValueKind::kReal, option->text, value)) {
    return {};
  }
  return check_live({{name, option->text, printable(value), kOperator, false}});
}

std::optional<std::string> load_again(OptionSet& set, const std::vector<std::string>& arguments) {
  std::vector<const char*> argv;
  argv.reserve(arguments.size());
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  const auto exit = set.load(static_cast<int>(argv.size()), argv.data(), process_environment(),
                             process_variables());
  if (!exit) return std::nullopt;
  return exit->sentence.empty() ? "the command line asks for a text and an end" : exit->sentence;
}

}  // namespace xbind::config
