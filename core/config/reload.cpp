#include "core/config/reload.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/config/variable_names.hpp"

namespace xbind::config {
namespace {

// An empty value would not be seen.
std::string shown(const std::string& value) { return value.empty() ? "(empty)" : value; }

}  // namespace

std::string to_string(const OptionChange& change) {
  return fmt::format("{} {} -> {} ({})", change.name, shown(change.before), shown(change.after),
                     change.source.empty() ? "default" : change.source);
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
