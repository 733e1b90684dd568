#include "callgen/report/report_from_json.hpp"

#include <cmath>

#include "callgen/report/report_fields.hpp"

namespace xbind::callgen {
namespace {

using fields::Json;
using fields::Malformed;
using fields::Reader;

const Json& part(const Json& root, const char* name) {
  static const Json kNothing = Json::object();
  const auto found = root.find(name);
  return found == root.end() ? kNothing : *found;
}

std::optional<RequestKind> kind_called(std::string_view name) {
  for (std::size_t i = 0; i < kRequestKinds; ++i) {
    const auto kind = static_cast<RequestKind>(i);
    if (to_string(kind) == name) return kind;
  }
  return std::nullopt;
}

CauseCounts causes(const Json& root, const char* by_cause, const char* by_place) {
  std::map<std::string, std::uint64_t> causes;
  std::map<std::string, std::uint64_t> places;
  Reader::read(part(root, by_cause), causes);
  Reader::read(part(root, by_place), places);
  return CauseCounts::from(std::move(causes), std::move(places));
}

void read_kinds(const Json& root, RunReport& report) {
  for (const auto& [name, one] : part(root, "kinds").items()) {
    const auto kind = kind_called(name);
    if (!kind) throw Malformed{"an unknown kind of request: " + name};
    KindStatistics& statistics = report.kinds[*kind];
    Reader::read(one, statistics);
    Reader reader(part(part(root, "histograms_ns"), name.c_str()));
    fields::histograms(reader, statistics);
  }
  Reader reader(part(root, "histograms_ns"));
  reader("slip", report.slip);
}

void read_series(const Json& from, RunReport& report) {
  if (from.empty()) return;
  std::vector<Series::Row> rows;
  for (const Json& one : from.at("rows")) {
    Series::Row& row = rows.emplace_back();
    Reader::read(one, row);
    for (const Json& bucket : one.at("latency_ns")) {
      const Duration highest{bucket.at(0).get<std::int64_t>()};
      if (Histogram::bucket_end(highest) != highest) throw Malformed{"a bucket of the series"};
      row.latency.add(highest, bucket.at(1).get<std::uint32_t>());
    }
  }
  double interval_s = 0;
  Reader::read(from.at("interval_s"), interval_s);
  if (!(interval_s >= 0 && interval_s < 1e9)) throw Malformed{"the series' interval"};
  auto series = Series::from(Duration{std::llround(interval_s * 1e9)}, std::move(rows));
  if (!series) throw Malformed{"a series of another kind"};
  report.series = std::move(*series);
}

void read_model(const Json& from, const Json& arrivals, RunReport& report) {
  double gap_us = 0;
  Reader{part(from, "mean_inter_arrival_us")}("planned", gap_us);
  report.gap_mean_s = gap_us / 1e6;
  Reader{part(from, "inter_arrival_variation")}("planned", report.gap_variation);
  Reader{part(from, "setups_sent_per_s")}("achieved", report.sent_setups_per_s);
  // For reports from before the key "arrivals".
  double variation = 1;
  Reader{part(from, "inter_arrival_variation")}("asked", variation);
  report.arrivals = variation > 0.5 ? Arrivals::kPoisson : Arrivals::kConstant;
  std::string kind;
  Reader{arrivals}("kind", kind);
  for (const auto one : {Arrivals::kPoisson, Arrivals::kConstant, Arrivals::kBurst, Arrivals::kRamp,
                         Arrivals::kTrace, Arrivals::kOneAtATime, Arrivals::kPhases}) {
    if (to_string(one) == kind) report.arrivals = one;
  }
}

void read_notices(const Json& from, RunReport& report) {
  Reader reader(from);
  reader("broken", report.notices.broken);
  reader("rerouted", report.notices.rerouted);
  reader("mended", report.notices.mended);
  reader("unknown", report.notices.unknown);
  reader("incomplete", report.notices.incomplete);
  double span_ms = 0;
  reader("span_ms", span_ms);
  if (!(std::abs(span_ms) < 1e12)) throw Malformed{"the notices' span"};
  report.notices.span = Duration{std::llround(span_ms * 1e6)};
}

RunReport read(const Json& root) {
  RunReport report;
  std::string schema;
  Reader all(root);
  all("schema", schema);
  if (schema != "xbind.callgen/1") throw Malformed{"the schema is '" + schema + "'"};
  fields::flat(all, report);
  fields::added(all, report);
  report.refusals = causes(root, "refusals", "refusals_by_place");
  report.release_failures = causes(root, "release_failures", "release_failures_by_place");
  const auto group = [&root](const char* name) { return Reader(part(root, name)); };
  auto reader = group("latency_from_send_us");
  fields::latency_from_send(reader, report);
  auto calls = group("calls");
  fields::calls(calls, report);
  auto warm_up = group("warm_up");
  fields::warm_up(warm_up, report);
  auto intervals = group("mean_interval_95");
  fields::mean_intervals(intervals, report);
  auto arrivals = group("arrivals");
  fields::arrivals(arrivals, report);
  auto occupancy = group("occupancy");
  fields::occupancy(occupancy, report);
  auto counters = group("counters");
  fields::counters(counters, report);
  group("cost")("calls_up_at_full", report.calls_up_at_full);
  read_model(part(root, "model_checks"), part(root, "arrivals"), report);
  read_notices(part(root, "notices"), report);
  read_kinds(root, report);
  read_series(part(root, "series"), report);
  if (const Json& media = part(root, "media"); !media.empty()) {
    Reader::read(media, report.media.emplace());
    Reader{media}("cells_not_sent", report.media_cells_not_sent);
  }
  return report;
}

}  // namespace

Result<RunReport> report_from_json(std::string_view text) {
  if (text.size() > kLongestReport)
    return fail(ErrorCode::kBadInput, "a report of {} octets, at most {} are taken", text.size(),
                kLongestReport);
  try {
    return read(Json::parse(text));
  } catch (const Json::exception& wrong) {
    return fail(ErrorCode::kBadInput, "this is no report: {}", wrong.what());
  } catch (const Malformed& wrong) {
    return fail(ErrorCode::kBadInput, "this is no report of xbind-callgen: {}", wrong.what);
  }
}

}  // namespace xbind::callgen
