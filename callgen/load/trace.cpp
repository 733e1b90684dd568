#include "callgen/load/trace.hpp"

#include <map>
#include <optional>

#include "callgen/load/words.hpp"
#include "core/read_file.hpp"

namespace xbind::callgen {
namespace {

constexpr double kYear_s = 366.0 * 24 * 3600;

// Maps names to numbers in the order of first appearance.
class NameTable {
 public:
  std::uint32_t number_of(std::string_view name, std::vector<std::string>& names) {
    const auto found = numbers_.find(name);
    if (found != numbers_.end()) return found->second;
    const auto number = static_cast<std::uint32_t>(names.size());
    names.emplace_back(name);
    numbers_.emplace(name, number);
    return number;
  }

 private:
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
};

Result<Duration> time_of(std::string_view word, std::string_view what) {
  const auto value = number_of(word);
  if (!value) return fail(ErrorCode::kBadInput, "{} '{}' is no number of seconds", what, word);
  if (*value < 0) return fail(ErrorCode::kBadInput, "{} {} s is below zero", what, word);
  if (*value > kYear_s)
    return fail(ErrorCode::kBadInput, "{} {} s is beyond a year, {:.0f} s", what, word, kYear_s);
  return Duration{std::llround(*value * 1e9)};
}

Result<TraceCall> call_of(const std::vector<std::string_view>& words, Duration former,
                          NameTable& table, std::vector<std::string>& names) {
  TraceCall call;
  const auto start = time_of(words[0], "start");
  if (!start) return tl::make_unexpected(start.error());
  if (*start < former)
    return fail(ErrorCode::kBadInput, "start {} s is before the one above it", words[0]);
  call.start = *start;
  std::size_t next = 1;
  // An even number of words: the line has a holding time.
  if (words.size() % 2 == 0) {
    const auto hold = time_of(words[next++], "holding time");
    if (!hold) return tl::make_unexpected(hold.error());
    call.hold = *hold;
  }
  if (words.size() - next > 2)
    return fail(ErrorCode::kBadInput,
                "{} words, a call has at most a start, a holding time and two ends", words.size());
  if (words.size() == next) return call;
  if (words[next] == words[next + 1])
    return fail(ErrorCode::kBadInput, "endpoint {} would call itself", words[next]);
  call.from = table.number_of(words[next], names);
  call.to = table.number_of(words[next + 1], names);
  return call;
}

}  // namespace

Result<Trace> parse_trace(std::string_view text, const std::string& file) {
  Trace trace;
  trace.file = file;
  NameTable table;
  std::optional<Error> wrong;
  each_line(text, [&](std::size_t line, const std::vector<std::string_view>& words) {
    const Duration former = trace.calls.empty() ? Duration{} : trace.calls.back().start;
    auto call = call_of(words, former, table, trace.names);
    if (call && trace.calls.size() == kTraceCallsMax)
      call = fail(ErrorCode::kBadInput, "more than {} calls", kTraceCallsMax);
    if (!call) {
      wrong = refusal_at(file, line, call.error());
      return false;
    }
    trace.calls.push_back(*call);
    return true;
  });
  if (wrong) return tl::make_unexpected(*wrong);
  if (trace.calls.empty()) return fail(ErrorCode::kBadInput, "{}: no call is in it", file);
  return trace;
}

Result<Trace> read_trace(const std::string& file) {
  const Result<std::string> text = read_file(file, kTraceOctetsMax);
  if (!text) return tl::make_unexpected(text.error());
  return parse_trace(*text, file);
}

}  // namespace xbind::callgen
