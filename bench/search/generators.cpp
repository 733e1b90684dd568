#include "bench/search/generators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "callgen/load/random.hpp"
#include "core/check.hpp"
#include "core/overloaded.hpp"

namespace xbind::callgen {
namespace {

constexpr std::size_t kLongestReport = std::size_t{256} << 20;

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const std::size_t blank = std::min(line.find(' '), line.size());
    if (blank > 0) words.push_back(line.substr(0, blank));
    line.remove_prefix(std::min(blank + 1, line.size()));
  }
  return words;
}

template <class Number>
bool read(std::string_view word, Number& number) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc{} && end == word.data() + word.size();
}

tl::unexpected<Error> strange(std::string_view line) {
  return fail(ErrorCode::kProtocol, "a generator wrote '{}'", line.substr(0, 200));
}

Result<ChildLine> parse_progress(const std::vector<std::string_view>& words,
                                 std::string_view line) {
  Progress progress;
  const auto read_duration = [](std::string_view word, Duration& duration) {
    std::int64_t ns = 0;
    if (!read(word, ns)) return false;
    duration = Duration{ns};
    return true;
  };
  if (words.size() != 14 || !read(words[1], progress.connected) ||
      !read(words[2], progress.refused) || !read(words[3], progress.busy) ||
      !read(words[4], progress.unanswered) || !read(words[5], progress.up) ||
      !read(words[6], progress.in_flight) || !read(words[7], progress.offered_per_s) ||
      !std::isfinite(progress.offered_per_s) || !read_duration(words[8], progress.setup_p50) ||
      !read_duration(words[9], progress.setup_p99) || !read_duration(words[10], progress.since) ||
      !read(words[11], progress.answered) || !read_duration(words[12], progress.recent_p50) ||
      !read_duration(words[13], progress.recent_p99))
    return strange(line);
  return progress;
}

}  // namespace

std::optional<std::string> cannot_share(const RunOptions& options, std::uint32_t generators) {
  if (generators <= 1) return std::nullopt;
  const auto refused = [generators](std::string_view what, std::string_view why) {
    return fmt::format("option --generators {} does not go with --{}: {}", generators, what, why);
  };
  if (options.calls < generators)
    return refused(fmt::format("calls {}", options.calls), "each generator needs one at least");
  if (options.arrivals != Arrivals::kPoisson && options.arrivals != Arrivals::kConstant)
    return refused(fmt::format("arrivals {}", to_string(options.arrivals)),
                   "only poisson and constant arrivals are shared");
  if (!options.scenario.empty()) return refused("scenario", "only a single generator plays phases");
  if (options.media.verify)
    return refused("verify-media", "one generator alone can judge where cells come out");
  return std::nullopt;
}

Share share_of(const RunOptions& options, std::uint32_t k, std::uint32_t generators) {
  XB_CHECK(k < generators, k, generators);
  Share share;
  share.calls = options.calls / generators + (k < options.calls % generators ? 1 : 0);
  share.rate = options.rate / generators;
  share.seed = splitmix64(splitmix64(options.seed) + k);
  if (options.arrivals == Arrivals::kConstant)
    share.phase = Duration{std::llround(1e9 * k / options.rate)};
  return share;
}

std::vector<std::string> child_words(const std::vector<std::string>& words,
                                     const std::vector<std::string>& without,
                                     const std::vector<std::string>& more) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool dropped = std::any_of(without.begin(), without.end(), [&](const std::string& name) {
      return words[i] == "--" + name || words[i].starts_with("--" + name + "=");
    });
    if (!dropped) {
      kept.push_back(words[i]);
      continue;
    }
    // Either `--name value`, or a flag without a value, followed by the next option.
    const bool value_follows = words[i].find('=') == std::string::npos && i + 1 < words.size() &&
                               !words[i + 1].starts_with("--");
    if (value_follows) ++i;
  }
  kept.insert(kept.end(), more.begin(), more.end());
  return kept;
}

std::string line_of(const ChildLine& line) {
  return std::visit(
      Overloaded{
          [](const Ready&) { return std::string{"ready"}; },
          [](const Started& started) { return fmt::format("start {}", started.at.count()); },
          [](const Progress& progress) {
            return fmt::format(
                "progress {} {} {} {} {} {} {:.3f} {} {} {} {} {} {}", progress.connected,
                progress.refused, progress.busy, progress.unanswered, progress.up,
                progress.in_flight, progress.offered_per_s, progress.setup_p50.count(),
                progress.setup_p99.count(), progress.since.count(), progress.answered,
                progress.recent_p50.count(), progress.recent_p99.count());
          },
          [](const ReportFollows& report) { return fmt::format("report {}", report.octets); },
          [](const ChildFailed& failed) {
            std::string sentence = failed.sentence;
            std::replace(sentence.begin(), sentence.end(), '\n', ' ');
            return "error " + sentence;
          }},
      line);
}

Result<ChildLine> parse_line(std::string_view line) {
  const std::vector<std::string_view> words = words_of(line);
  if (words.empty()) return strange(line);
  if (words[0] == "ready" && words.size() == 1) return Ready{};
  if (words[0] == "error")
    return ChildFailed{std::string{line.substr(std::min<std::size_t>(6, line.size()))}};
  if (words[0] == "progress") return parse_progress(words, line);
  std::int64_t number = 0;
  if (words.size() != 2 || !read(words[1], number) || number < 0) return strange(line);
  if (words[0] == "start") return Started{Duration{number}};
  if (words[0] == "report" && static_cast<std::uint64_t>(number) <= kLongestReport)
    return ReportFollows{static_cast<std::size_t>(number)};
  return strange(line);
}

Progress sum_of(const std::vector<Progress>& all) {
  Progress sum;
  for (const Progress& one : all) {
    sum.elapsed = std::max(sum.elapsed, one.elapsed);
    sum.offered_per_s += one.offered_per_s;
    sum.connected += one.connected;
    sum.refused += one.refused;
    sum.busy += one.busy;
    sum.unanswered += one.unanswered;
    sum.up += one.up;
    sum.in_flight += one.in_flight;
    sum.since = std::max(sum.since, one.since);
    sum.answered += one.answered;
    sum.recent_p50 = std::max(sum.recent_p50, one.recent_p50);
    sum.recent_p99 = std::max(sum.recent_p99, one.recent_p99);
    sum.setup_p50 = std::max(sum.setup_p50, one.setup_p50);
    sum.setup_p99 = std::max(sum.setup_p99, one.setup_p99);
  }
  return sum;
}

}  // namespace xbind::callgen
