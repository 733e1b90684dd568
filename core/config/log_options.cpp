#include "core/config/log_options.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

namespace xbind::log {

void declare(config::OptionSet& set, Output& output, Level default_level) {
  const auto text = std::make_shared<std::string>();
  set.add_string("log-level", text.get(), to_string(default_level),
                 "Lowest level of the lines that are logged: debug, info, warn, error or off; also "
                 "of single subsystems, as in calls=debug,info (docs/operating.md).");
  set.add_check([&output, text, default_level]() -> std::optional<std::string> {
    const auto levels = Levels{default_level}.changed(*text, default_level);
    if (!levels) return fmt::format("option log-level: {}", levels.error().text);
    output.level = *levels;
    return std::nullopt;
  });
  set.add_enum("log-format", &output.format, Format::kText,
               {{"text", Format::kText}, {"json", Format::kJson}},
               "Form of the lines: for people, or one JSON object a line.");
  set.add_string("log-file", &output.file, "",
                 "File to which log lines are appended; SIGHUP has it opened again. Empty: "
                 "standard error.");
}

}  // namespace xbind::log
