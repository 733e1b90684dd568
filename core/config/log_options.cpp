#include "core/config/log_options.hpp"

namespace xbind::log {

void declare(config::OptionSet& set, Output& output, Level default_level) {
  set.add_enum("log-level", &output.level, default_level,
               {{"debug", Level::kDebug},
                {"info", Level::kInfo},
                {"warn", Level::kWarn},
                {"error", Level::kError},
                {"off", Level::kOff}},
               "Lowest level of the lines that are logged.");
  set.add_enum("log-format", &output.format, Format::kText,
               {{"text", Format::kText}, {"json", Format::kJson}},
               "Form of the lines: for people, or one JSON object a line.");
  set.add_string("log-file", &output.file, "",
                 "File to which log lines are appended; SIGHUP has it opened again. Empty: "
                 "standard error.");
}

}  // namespace xbind::log
