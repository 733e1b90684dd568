#include "core/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>

#include "core/line_limits.hpp"
#include "core/name.hpp"
#include "core/steady_now.hpp"

namespace xbind::log {
namespace {

spdlog::level::level_enum to_spdlog(Level level) {
  switch (level) {
    case Level::kDebug: return spdlog::level::debug;
    case Level::kInfo: return spdlog::level::info;
    case Level::kWarn: return spdlog::level::warn;
    case Level::kError: return spdlog::level::err;
    case Level::kOff: return spdlog::level::off;
  }
  return spdlog::level::off;
}

// Before start(): warnings and errors only, so that tests show what matters.
std::shared_ptr<spdlog::logger>& logger() {
  static std::shared_ptr<spdlog::logger> instance = [] {
    auto made = std::make_shared<spdlog::logger>("xbind",
                                                 std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_level(spdlog::level::warn);
    made->set_pattern("%Y-%m-%d %H:%M:%S.%e %l %n: %v");
    made->flush_on(spdlog::level::debug);
    return made;
  }();
  return instance;
}

thread_local const std::string* about = nullptr;

// Longest text of a line; the longest in practice is the line of the given options.
constexpr std::size_t kLineOctetsMax = 8'192;

}  // namespace

About::About(const std::string& name) : outer_(about) { about = name.empty() ? nullptr : &name; }
About::~About() { about = outer_; }

void start(std::string_view program_and_name, Level level) {
  auto made = std::make_shared<spdlog::logger>(std::string{program_and_name},
                                               std::make_shared<spdlog::sinks::stderr_sink_mt>());
  made->set_level(to_spdlog(level));
  made->set_pattern("%Y-%m-%d %H:%M:%S.%e %l %n: %v");
  made->flush_on(spdlog::level::debug);
  logger() = std::move(made);
}

void write_bounded(Level level, const char* text, std::string_view line) {
  static LineLimit limit;
  const auto omitted = limit.admit(text, steady_now());
  if (!omitted) return;
  if (*omitted == 0) return write(level, line);
  write(level, fmt::format("{} ({} lines like this one were left out)", line, *omitted));
}

bool enabled(Level level) { return logger()->should_log(to_spdlog(level)); }

// Every line passes here, so that one event is one line, whatever text a peer supplies.
void write(Level level, std::string_view line) {
  if (about == nullptr && line.size() <= kLineOctetsMax && plainly_printable(line)) {
    logger()->log(to_spdlog(level), fmt::string_view(line.data(), line.size()));
    return;
  }
  const std::string whole =
      about == nullptr ? std::string{line} : fmt::format("{}: {}", *about, line);
  const std::string clean = printable(whole, kLineOctetsMax);
  logger()->log(to_spdlog(level), fmt::string_view(clean.data(), clean.size()));
}

}  // namespace xbind::log
