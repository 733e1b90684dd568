// The log of a process: one line per event, to standard error, never to standard output (which
// belongs to the ready line and to results). spdlog does the work and stays out of this header.
// Each level is on or off for each subsystem (core/log_levels.hpp). Of the lines of one text, 1 000
// are written and then one a second on average (core/line_limits.hpp); debug lines have no bound.
//
//     log::info("options: {}", text);                             of no subsystem
//     log::calls.warn("connection {} is released", id);           of "calls"
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "core/log_levels.hpp"

namespace xbind::log {

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

bool enabled(Subsystem subsystem, Level level);
void write(Subsystem subsystem, Level level, std::string_view line);
// Writes the line within the bound of the lines of its call site's `text`, a constant; a line after
// omitted ones says how many.
void write_bounded(Subsystem subsystem, Level level, const char* text, std::string_view line);

// Writes the lines of one subsystem.
class Logger {
 public:
  constexpr explicit Logger(Subsystem subsystem) : subsystem_(subsystem) {}

  bool enabled(Level level) const { return log::enabled(subsystem_, level); }
  template <class... Args>
  void debug(fmt::format_string<Args...> text, Args&&... args) const {
    if (!enabled(Level::kDebug)) return;
    write(subsystem_, Level::kDebug, fmt::format(text, std::forward<Args>(args)...));
  }
  template <class... Args>
  void info(fmt::format_string<Args...> text, Args&&... args) const {
    bounded(Level::kInfo, text, std::forward<Args>(args)...);
  }
  template <class... Args>
  void warn(fmt::format_string<Args...> text, Args&&... args) const {
    bounded(Level::kWarn, text, std::forward<Args>(args)...);
  }
  template <class... Args>
  void error(fmt::format_string<Args...> text, Args&&... args) const {
    bounded(Level::kError, text, std::forward<Args>(args)...);
  }

 private:
  template <class... Args>
  void bounded(Level level, fmt::format_string<Args...> text, Args&&... args) const {
    if (!enabled(level)) return;
    write_bounded(subsystem_, level, fmt::string_view(text).data(),
                  fmt::format(text, std::forward<Args>(args)...));
  }

  Subsystem subsystem_;
};

inline constexpr Logger calls{Subsystem::kCalls};
inline constexpr Logger routes{Subsystem::kRoutes};
inline constexpr Logger labels{Subsystem::kLabels};
inline constexpr Logger sessions{Subsystem::kSessions};
inline constexpr Logger gsmp{Subsystem::kGsmp};
inline constexpr Logger orb{Subsystem::kOrb};
inline constexpr Logger audit{Subsystem::kAudit};

// Of no subsystem.
inline constexpr Logger process{Subsystem::kNone};
inline bool enabled(Level level) { return process.enabled(level); }
inline void write(Level level, std::string_view line) { write(Subsystem::kNone, level, line); }
template <class... Args>
void debug(fmt::format_string<Args...> text, Args&&... args) {
  process.debug(text, std::forward<Args>(args)...);
}
template <class... Args>
void info(fmt::format_string<Args...> text, Args&&... args) {
  process.info(text, std::forward<Args>(args)...);
}
template <class... Args>
void warn(fmt::format_string<Args...> text, Args&&... args) {
  process.warn(text, std::forward<Args>(args)...);
}
template <class... Args>
void error(fmt::format_string<Args...> text, Args&&... args) {
  process.error(text, std::forward<Args>(args)...);
}

}  // namespace xbind::log
