#include "bench/figures/process_shown.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

namespace xbind::figures {
namespace {

using Fields = std::vector<std::string_view>;

// The end of the field at the beginning of the line; a quoted field may have commas and doubled
// quotes in it.
std::size_t end_of_field(std::string_view line) {
  std::size_t at = 0;
  if (line.starts_with('"')) {
    for (at = 1; at < line.size(); ++at) {
      if (line[at] != '"') continue;
      if (at + 1 >= line.size() || line[at + 1] != '"') break;
      ++at;
    }
  }
  return line.find(',', at);
}

Fields split(std::string_view line) {
  Fields fields;
  if (line.ends_with('\r')) line.remove_suffix(1);
  for (;;) {
    const std::size_t comma = end_of_field(line);
    fields.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), number);
  return trouble == std::errc{} && end == text.data() + text.size();
}

struct Column {
  std::size_t at = 0;
  double seconds = 1;  // of its unit
};

struct Unit {
  std::string_view word;
  double seconds;
};
constexpr std::array kUnits{Unit{"s", 1}, Unit{"ms", 1e-3}, Unit{"us", 1e-6}, Unit{"ns", 1e-9}};

std::optional<std::size_t> find(const Fields& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

std::optional<Column> find_time(const Fields& names, std::string_view name) {
  for (const Unit& unit : kUnits) {
    const auto at = find(names, std::string{name} + "_" + std::string{unit.word});
    if (at) return Column{*at, unit.seconds};
  }
  return std::nullopt;
}

class Columns {
 public:
  static Result<Columns> of(std::string_view line) {
    const Fields names = split(line);
    Columns columns;
    columns.count_ = names.size();
    for (const auto& [name, at] : {std::pair{"call", &columns.call_},
                                   {"kind", &columns.kind_},
                                   {"ended", &columns.ended_}}) {
      const auto found = find(names, name);
      if (!found) return fail(ErrorCode::kBadInput, "records have no column {}: {}", name, line);
      *at = *found;
    }
    for (const auto& [name, at] :
         {std::pair{"planned", &columns.planned_}, {"answered", &columns.answered_}}) {
      const auto found = find_time(names, name);
      if (!found) return fail(ErrorCode::kBadInput, "records have no column {}_s: {}", name, line);
      *at = *found;
    }
    return columns;
  }

  // Nothing: a kind that no figure counts. An Error: the line cannot be read.
  Result<std::optional<Request>> read(std::string_view line) const {
    const Fields fields = split(line);
    Request request;
    if (fields.size() != count_ || !read_number(fields[call_], request.call)) return bad(line);
    request.release = fields[kind_] == "release";
    if (!request.release && fields[kind_] != "setup") return std::optional<Request>{};
    const std::string_view ended = fields[ended_];
    request.done = ended == "done";
    request.refused = ended == "refused" || ended == "busy";
    if (!read_number(fields[planned_.at], request.planned)) return bad(line);
    request.planned *= planned_.seconds;
    if (const std::string_view answered = fields[answered_.at]; !answered.empty()) {
      double time = 0;
      if (!read_number(answered, time)) return bad(line);
      request.answered = time * answered_.seconds;
    }
    if (request.done && !request.answered) return bad(line);
    return std::optional{request};
  }

 private:
  static tl::unexpected<Error> bad(std::string_view line) {
    return fail(ErrorCode::kBadInput, "not a record: {}", line);
  }

  std::size_t count_ = 0;
  std::size_t call_ = 0;
  std::size_t kind_ = 0;
  std::size_t ended_ = 0;
  Column planned_;
  Column answered_;
};

// By the nearest rank; `sorted` must not be empty.
double percentile(const std::vector<double>& sorted, double percent) {
  const double rank = std::ceil(percent / 100 * static_cast<double>(sorted.size()));
  const auto at = static_cast<std::size_t>(std::max(1.0, rank)) - 1;
  return sorted[std::min(at, sorted.size() - 1)];
}

Latency summary_of(std::vector<double> latencies_ms) {
  if (latencies_ms.empty()) return {};
  std::sort(latencies_ms.begin(), latencies_ms.end());
  const double sum = std::accumulate(latencies_ms.begin(), latencies_ms.end(), 0.0);
  return {.count = latencies_ms.size(),
          .min = latencies_ms.front(),
          .mean = sum / static_cast<double>(latencies_ms.size()),
          .p5 = percentile(latencies_ms, 5),
          .p50 = percentile(latencies_ms, 50),
          .p95 = percentile(latencies_ms, 95),
          .p99 = percentile(latencies_ms, 99),
          .max = latencies_ms.back()};
}

// How many were under way at a moment, from the times at which they began and ended.
class UnderWay {
 public:
  UnderWay(std::vector<double> begins, std::vector<double> ends)
      : begins_(std::move(begins)), ends_(std::move(ends)) {
    std::sort(begins_.begin(), begins_.end());
    std::sort(ends_.begin(), ends_.end());
  }
  // Begun before the moment and not ended by then: an arrival does not count itself.
  std::size_t before(double moment) const {
    return count(begins_, moment, false) - count(ends_, moment, true);
  }
  std::size_t after(double moment) const {
    return count(begins_, moment, true) - count(ends_, moment, true);
  }
  // The mean of after() over time.
  double mean(double from, double to) const {
    const auto area = [&](const std::vector<double>& moments) {
      return std::accumulate(moments.begin(), moments.end(), 0.0, [&](double sum, double moment) {
        return sum + to - std::clamp(moment, from, to);
      });
    };
    return (area(begins_) - area(ends_)) / (to - from);
  }

 private:
  static std::size_t count(const std::vector<double>& sorted, double moment, bool that_too) {
    const auto end = that_too ? std::upper_bound(sorted.begin(), sorted.end(), moment)
                              : std::lower_bound(sorted.begin(), sorted.end(), moment);
    return static_cast<std::size_t>(end - sorted.begin());
  }

  std::vector<double> begins_;
  std::vector<double> ends_;
};

}  // namespace

Result<std::vector<Request>> read_records(std::string_view csv) {
  std::optional<Columns> columns;
  std::vector<Request> requests;
  while (!csv.empty()) {
    const std::size_t end = csv.find('\n');
    const std::string_view line = csv.substr(0, end);
    csv.remove_prefix(end == std::string_view::npos ? csv.size() : end + 1);
    if (line.empty() || line.starts_with('#')) continue;
    if (!columns) {
      auto named = Columns::of(line);
      if (!named) return tl::make_unexpected(named.error());
      columns = *named;
      continue;
    }
    auto request = columns->read(line);
    if (!request) return tl::make_unexpected(request.error());
    if (*request) requests.push_back(**request);
  }
  if (!columns) return fail(ErrorCode::kBadInput, "records without column names");
  return requests;
}

Result<ReportFigures> read_report(std::string_view json) {
  const auto root = nlohmann::json::parse(json, nullptr, false);
  if (root.is_discarded()) return fail(ErrorCode::kBadInput, "the report of a run is not JSON");
  try {
    ReportFigures figures;
    figures.invocations = root.at("remote_invocations").get<std::uint64_t>();
    figures.hit_ratio = root.at("label_cache_hit_ratio").get<double>();
    figures.clean = root.at("audit").at("clean").get<bool>();
    const auto& releases = root.at("releases");
    figures.releases_failed =
        releases.at("failed").get<std::uint64_t>() + releases.at("unanswered").get<std::uint64_t>();
    const auto& verdict = root.at("verdict");
    if (verdict.at("void").get<bool>()) {
      for (const auto& reason : verdict.at("reasons")) {
        if (!figures.why_void.empty()) figures.why_void += "; ";
        figures.why_void += reason.get<std::string>();
      }
      if (figures.why_void.empty()) figures.why_void = "void";
    }
    return figures;
  } catch (const nlohmann::json::exception& trouble) {
    return fail(ErrorCode::kBadInput, "the report of a run: {}", trouble.what());
  }
}

Shown shown_by(const std::vector<Request>& requests, const ReportFigures& run, Duration callers) {
  Shown shown;
  std::vector<const Request*> setups;
  for (const Request& request : requests) {
    if (!request.release) setups.push_back(&request);
  }
  if (setups.empty()) return shown;
  std::sort(setups.begin(), setups.end(),
            [](const Request* a, const Request* b) { return a->call < b->call; });
  const std::size_t warm = setups.size() / 10;
  const double from = setups[warm]->planned;
  const double to = setups.back()->planned;

  const double callers_ms = std::chrono::duration<double, std::milli>(callers).count();
  std::vector<double> begins;
  std::vector<double> ends;
  std::vector<double> latencies_ms;
  std::uint64_t connected_meanwhile = 0;
  std::uint64_t setups_answered = 0;
  const auto meanwhile = [&](const Request& request) {
    return request.answered && *request.answered > from && *request.answered <= to;
  };
  for (std::size_t at = 0; at < setups.size(); ++at) {
    const Request& setup = *setups[at];
    ++shown.offered;
    shown.connected += setup.done ? 1 : 0;
    shown.refused += setup.refused ? 1 : 0;
    shown.unanswered += setup.done || setup.refused ? 0 : 1;
    begins.push_back(setup.planned);
    if (setup.answered) ends.push_back(*setup.answered);
    if (setup.done && at >= warm) {
      latencies_ms.push_back((*setup.answered - setup.planned) * 1e3 + callers_ms);
    }
    if (meanwhile(setup)) {
      ++setups_answered;
      connected_meanwhile += setup.done ? 1 : 0;
    }
  }
  shown.setup = summary_of(std::move(latencies_ms));
  shown.hit_ratio = run.hit_ratio;

  const UnderWay open(std::move(begins), std::move(ends));
  for (std::size_t at = warm; at < setups.size(); ++at) {
    const std::size_t found = open.before(setups[at]->planned);
    if (found >= shown.in_use_at_arrivals.size()) shown.in_use_at_arrivals.resize(found + 1);
    ++shown.in_use_at_arrivals[found];
  }

  const double span = to - from;
  if (span <= 0) return shown;  // a single call
  std::uint64_t answered = 0;
  std::uint64_t answered_meanwhile = 0;
  for (const Request& request : requests) {
    answered += request.answered ? 1 : 0;
    answered_meanwhile += meanwhile(request) ? 1 : 0;
  }
  shown.mean_in_use = open.mean(from, to);
  shown.offered_per_s = static_cast<double>(setups.size() - warm - 1) / span;
  shown.achieved_per_s = static_cast<double>(connected_meanwhile) / span;
  shown.operations_per_s = static_cast<double>(answered_meanwhile) / span;
  if (answered > 0) {
    // The manager counts the whole run, with its end: assume as many for each operation.
    shown.invocations_per_s = static_cast<double>(run.invocations) / static_cast<double>(answered) *
                              shown.operations_per_s;
  }
  // The rule of bench/model/point.hpp, and no request without an answer.
  const std::size_t half = (warm + setups.size()) / 2;
  const double growth = (static_cast<double>(open.after(to)) -
                         static_cast<double>(open.after(setups[half]->planned))) /
                        static_cast<double>(setups.size() - half);
  shown.sustained = shown.refused == 0 && shown.unanswered == 0 &&
                    static_cast<double>(setups_answered) / span >= 0.99 * shown.offered_per_s &&
                    growth <= 0.01;
  return shown;
}

}  // namespace xbind::figures
