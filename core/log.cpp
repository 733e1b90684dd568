#include "core/log.hpp"

#include <fcntl.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/line_limits.hpp"
#include "core/log_about.hpp"
#include "core/log_output.hpp"
#include "core/name.hpp"
#include "core/steady_now.hpp"

namespace xbind::log {
namespace {

constexpr auto kTextPattern = "%Y-%m-%d %H:%M:%S.%e UTC %l %n: %v";
constexpr auto kJsonPattern = R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ",%v})";

spdlog::level::level_enum to_spdlog(Level level) {
  switch (level) {
    case Level::kDebug: return spdlog::level::debug;
    case Level::kInfo: return spdlog::level::info;
    case Level::kWarn: return spdlog::level::warn;
    case Level::kError: return spdlog::level::err;
    case Level::kOff: break;
  }
  return spdlog::level::off;
}

int open_to_append(const std::string& path) {
  return open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
}

// Writes each line with one system call, so that processes can share a file. It owns no descriptor
// but that of its file.
class DescriptorSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  DescriptorSink() = default;
  DescriptorSink(std::string path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor) {}
  ~DescriptorSink() override {
    if (!path_.empty()) close(descriptor_);
  }
  DescriptorSink(const DescriptorSink&) = delete;
  DescriptorSink& operator=(const DescriptorSink&) = delete;

  const std::string& path() const { return path_; }

  // Returns 0, or the errno that left the old file in use.
  int open_again() {
    const std::lock_guard lock(mutex_);
    const int opened = open_to_append(path_);
    if (opened < 0) return errno;
    close(std::exchange(descriptor_, opened));
    return 0;
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    const char* from = line.data();
    std::size_t left = line.size();
    while (left > 0) {
      const ssize_t written = ::write(descriptor_, from, left);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return;  // nobody is left to be told
      from += written;
      left -= static_cast<std::size_t>(written);
    }
  }
  void flush_() override {}

 private:
  std::string path_;  // empty: standard error
  int descriptor_ = STDERR_FILENO;
};

// The log of the process. Replaced by start() alone, before there are threads.
struct Log {
  std::shared_ptr<DescriptorSink> sink = std::make_shared<DescriptorSink>();
  Format format = Format::kText;
  std::string program = "xbind";
  std::string name;
  std::shared_ptr<spdlog::logger> logger;

  Levels started = Level::kWarn;

  void begin(const std::string& program_and_name, const Levels& levels) {
    started = levels;
    logger = std::make_shared<spdlog::logger>(program_and_name, sink);
    logger->set_level(spdlog::level::debug);  // enabled() decides
    if (format == Format::kJson) {
      logger->set_pattern(kJsonPattern, spdlog::pattern_time_type::utc);
    } else {
      logger->set_pattern(kTextPattern, spdlog::pattern_time_type::utc);
    }
  }
};

// The levels of now. Before start(): warnings and errors only, so that tests show what matters.
struct Present {
  std::mutex mutex;
  Levels levels = Level::kWarn;
  std::array<std::atomic<Level>, kSubsystems> of;  // the same, to be read without the mutex

  Present() { set(levels); }
  void set(const Levels& wanted) {
    const std::lock_guard lock(mutex);
    levels = wanted;
    for (std::size_t i = 0; i < kSubsystems; ++i) {
      of[i].store(wanted.of(static_cast<Subsystem>(i)), std::memory_order_relaxed);
    }
  }
};
Present present;

Log& current() {
  static Log instance = [] {
    Log made;
    made.begin(made.program, Level::kWarn);
    return made;
  }();
  return instance;
}

thread_local const std::string* about = nullptr;
thread_local std::optional<std::uint64_t> call;

// Longest text of a line; the longest in practice is the line of the given options.
constexpr std::size_t kLineOctetsMax = 8'192;

// `text` has no control characters, and is UTF-8 (printable()).
void append_quoted(std::string& json, std::string_view text) {
  json += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') json += '\\';
    json += c;
  }
  json += '"';
}

void append_member(std::string& json, std::string_view key, std::string_view text) {
  json += ",\"";
  json += key;
  json += "\":";
  append_quoted(json, printable(text, kLineOctetsMax));
}

// The members of the object after the time, which the pattern adds.
std::string members_of(Subsystem subsystem, Level level, std::string_view line) {
  const Log& log = current();
  std::string json = fmt::format(R"("level":"{}")", to_string(level));
  append_member(json, "program", log.program);
  const std::string_view name = about == nullptr ? log.name : *about;
  if (!name.empty()) append_member(json, "name", name);
  if (subsystem != Subsystem::kNone) {
    append_member(json, "subsystem", subsystem_names()[static_cast<std::size_t>(subsystem)]);
  }
  if (call) json += fmt::format(R"(,"call":{})", *call);
  append_member(json, "text", line);
  return json;
}

}  // namespace

About::About(const std::string& name) : outer_(about) { about = name.empty() ? nullptr : &name; }
About::~About() { about = outer_; }

AboutCall::AboutCall(std::uint64_t connection) : outer_(std::exchange(call, connection)) {}
AboutCall::~AboutCall() { call = outer_; }

void start(std::string_view program_and_name, Level level) {
  start(program_and_name, Output{.level = level, .format = Format::kText, .file = {}});
}

void start(std::string_view program_and_name, const Output& output) {
  Log made;
  if (!output.file.empty()) {
    const int descriptor = open_to_append(output.file);
    if (descriptor < 0) {
      std::fprintf(stderr, "%s: option --log-file: %s: %s\n", std::string{program_and_name}.c_str(),
                   printable(output.file, kRefusalOctetsMax).c_str(), std::strerror(errno));
      std::exit(2);
    }
    made.sink = std::make_shared<DescriptorSink>(output.file, descriptor);
  }
  made.format = output.format;
  const std::size_t blank = std::min(program_and_name.find(' '), program_and_name.size());
  made.program = program_and_name.substr(0, blank);
  if (blank < program_and_name.size()) made.name = program_and_name.substr(blank + 1);
  made.begin(std::string{program_and_name}, output.level);
  current() = std::move(made);
  present.set(output.level);
}

void set_levels(const Levels& levels) { present.set(levels); }
Levels levels() {
  const std::lock_guard lock(present.mutex);
  return present.levels;
}
Levels started_levels() { return current().started; }

bool hang_up() {
  DescriptorSink& sink = *current().sink;
  if (sink.path().empty()) return false;
  if (const int failed = sink.open_again(); failed != 0) {
    error("SIGHUP: {} cannot be opened again, the old file stays in use: {}", sink.path(),
          std::strerror(failed));
  } else {
    info("SIGHUP: {} was opened again", sink.path());
  }
  return true;
}

void hang_up_only() {
  if (hang_up()) return;
  warn("SIGHUP (a terminal was closed?) changes nothing; SIGTERM ends this process");
}

void write_bounded(Subsystem subsystem, Level level, const char* text, std::string_view line) {
  static LineLimit limit;
  const auto omitted = limit.admit(text, steady_now());
  if (!omitted) return;
  if (*omitted == 0) return write(subsystem, level, line);
  write(subsystem, level, fmt::format("{} ({} lines like this one were left out)", line, *omitted));
}

bool enabled(Subsystem subsystem, Level level) {
  const auto& least = present.of[static_cast<std::size_t>(subsystem)];
  return level >= least.load(std::memory_order_relaxed) && level != Level::kOff;
}

// Every line passes here, so that one event is one line, whatever text a peer supplies.
void write(Subsystem subsystem, Level level, std::string_view line) {
  if (!enabled(subsystem, level)) return;
  spdlog::logger& logger = *current().logger;
  const auto log = [&](std::string_view clean) {
    logger.log(to_spdlog(level), fmt::string_view(clean.data(), clean.size()));
  };
  if (current().format == Format::kJson) return log(members_of(subsystem, level, line));
  std::string whole;
  if (about != nullptr) whole = fmt::format("{}: ", *about);
  if (call && line.find(fmt::format("{}", *call)) == std::string_view::npos) {
    whole += fmt::format("call {}: ", *call);
  }
  if (whole.empty() && line.size() <= kLineOctetsMax && plainly_printable(line)) return log(line);
  whole += line;
  log(printable(whole, kLineOctetsMax));
}

}  // namespace xbind::log
