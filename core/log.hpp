// The log of a process: one line per event, to standard error, never to standard output (which
// belongs to the ready line and to results). spdlog does the work and stays out of this header.
// Each level is on or off for the whole process. Of the lines of one text, 1 000 are written and
// then one a second on average (core/line_limits.hpp); debug lines have no bound.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace xbind::log {

enum class Level : unsigned char { kDebug, kInfo, kWarn, kError, kOff };

// Call it before the first line: program and name stand in every line.
void start(std::string_view program_and_name, Level level);

// While this object exists, its thread's log lines begin with "NAME: ", the object of the work, in
// a process that does the same work for several objects. If nested, the innermost name counts.
// `name` outlives this object; empty adds nothing.
class About {
 public:
  explicit About(const std::string& name);
  ~About();
  About(const About&) = delete;
  About& operator=(const About&) = delete;

 private:
  const std::string* outer_;
};

bool enabled(Level level);
void write(Level level, std::string_view line);
// Writes the line within the bound of the lines of its call site's `text`, a constant; a line after
// omitted ones says how many.
void write_bounded(Level level, const char* text, std::string_view line);

template <class... Args>
void debug(fmt::format_string<Args...> text, Args&&... args) {
  if (enabled(Level::kDebug)) write(Level::kDebug, fmt::format(text, std::forward<Args>(args)...));
}
template <class... Args>
void info(fmt::format_string<Args...> text, Args&&... args) {
  if (!enabled(Level::kInfo)) return;
  write_bounded(Level::kInfo, fmt::string_view(text).data(),
                fmt::format(text, std::forward<Args>(args)...));
}
template <class... Args>
void warn(fmt::format_string<Args...> text, Args&&... args) {
  if (!enabled(Level::kWarn)) return;
  write_bounded(Level::kWarn, fmt::string_view(text).data(),
                fmt::format(text, std::forward<Args>(args)...));
}
template <class... Args>
void error(fmt::format_string<Args...> text, Args&&... args) {
  if (!enabled(Level::kError)) return;
  write_bounded(Level::kError, fmt::string_view(text).data(),
                fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace xbind::log
