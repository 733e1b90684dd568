// The JSON keys of a report's members, listed once for both directions: report_json.cpp writes with
// them, report_from_json.cpp reads. For these two files only.
//
// Reading leaves a member unchanged if its key is missing (keys are added over time) or null.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

#include "callgen/report/report.hpp"

namespace xbind::callgen::fields {

using Json = nlohmann::ordered_json;

template <class X, class T>
concept Is = std::same_as<std::remove_const_t<X>, T>;

// An error that the JSON library does not detect.
struct Malformed {
  std::string what;
};

template <class T>
constexpr bool kPlain = std::is_arithmetic_v<T> || std::is_same_v<T, std::string>;

inline Duration duration_of(std::int64_t ns) { return Duration{ns}; }

class Writer {
 public:
  template <class T>
  void operator()(const char* name, const T& value) {
    made_[name] = written(value);
  }
  Json take() && { return std::move(made_); }

  template <class T>
  static Json written(const T& value);

 private:
  Json made_ = Json::object();
};

class Reader {
 public:
  explicit Reader(const Json& from) : from_(from) {
    if (!from.is_object()) throw Malformed{"an object is expected where there is none"};
  }
  template <class T>
  void operator()(const char* name, T& value) {
    const auto found = from_.find(name);
    if (found != from_.end() && !found->is_null()) read(*found, value);
  }

  template <class T>
  static void read(const Json& from, T& value);

 private:
  const Json& from_;
};

// --- the parts ----------------------------------------------------------------------------------

void all(auto& io, Is<SetupCounts> auto& x) {
  io("attempted", x.attempted);
  io("connected", x.connected);
  io("refused", x.refused);
  io("busy", x.busy);
  io("unanswered", x.unanswered);
}

void all(auto& io, Is<ReleaseCounts> auto& x) {
  io("attempted", x.attempted);
  io("released", x.released);
  io("failed", x.failed);
  io("unanswered", x.unanswered);
}

void all(auto& io, Is<LatencySummary> auto& x) {
  io("count", x.count);
  io("min", x.min);
  io("mean", x.mean);
  io("p5", x.p5);
  io("p50", x.p50);
  io("p95", x.p95);
  io("p99", x.p99);
  io("p999", x.p999);
  io("max", x.max);
  io("sd", x.sd);
  io("p90", x.p90);
  io("p9999", x.p9999);
  io("interval_95", x.interval_95);
}

void all(auto& io, Is<AuditReport> auto& x) {
  io("clean", x.clean);
  io("stray_cross_connects", x.stray_cross_connects);
  io("leaked_labels", x.leaked_labels);
  io("leaked_bandwidth_cells_per_s", x.leaked_bandwidth_cells_per_s);
  io("owed", x.owed);
  io("unreadable", x.unreadable);
  io("made", x.made);
  io("findings", x.findings);
  io("connections", x.connections);
}

void all(auto& io, Is<Faults> auto& x) {
  io("dropped", x.dropped);
  io("repeated", x.repeated);
  io("reordered", x.reordered);
  io("delayed", x.delayed);
}

void all(auto& io, Is<faults::FaultCounters> auto& x) {
  io("invocations", x.invocations);
  io("dropped", x.dropped);
  io("repeated", x.repeated);
  io("reordered", x.reordered);
  io("delayed", x.delayed);
}

void all(auto& io, Is<OddOutcomes> auto& x) {
  io("repeated", x.repeated);
  io("contradicted", x.contradicted);
  io("late", x.late);
  io("unknown", x.unknown);
}

void all(auto& io, Is<Reattached> auto& x) {
  io("sessions_lost", x.sessions_lost);
  io("sessions_opened", x.sessions_opened);
  io("requests_repeated", x.requests_repeated);
}

void all(auto& io, Is<MediaFigures> auto& x) {
  io("calls_wanted", x.calls_wanted);
  io("calls_checked", x.calls_checked);
  io("calls_failed", x.calls_failed);
  io("failed_calls", x.failed_calls);
  io("calls_uncheckable", x.calls_uncheckable);
  io("calls_on_reused_labels", x.calls_on_reused_labels);
  io("reused_checked", x.reused_checked);
  io("cells_sent", x.cells_sent);
  io("cells_received", x.cells_received);
  io("probes_sent", x.probes_sent);
  io("probes_excused", x.probes_excused);
  io("lost", x.lost);
  io("out_of_order", x.out_of_order);
  io("duplicated", x.duplicated);
  io("wrong_endpoint", x.wrong_endpoint);
  io("wrong_label", x.wrong_label);
  io("corrupted", x.corrupted);
  io("after_release", x.after_release);
  io("late", x.late);
  io("foreign", x.foreign);
  io("findings", x.findings);
}

void all(auto& io, Is<RateChange> auto& x) {
  io("at_s", x.at_s);
  io("what", x.what);
  io("from_per_s", x.from_per_s);
  io("to_per_s", x.to_per_s);
}

void all(auto& io, Is<PartReport> auto& x) {
  io("name", x.name);
  io("what", x.what);
  io("attempted", x.attempted);
  io("connected", x.connected);
  io("refused", x.refused);
  io("busy", x.busy);
  io("unanswered", x.unanswered);
  io("setup_latency_us", x.setup_latency);
}

void all(auto& io, Is<EventReport> auto& x) {
  io("name", x.name);
  io("command", x.command);
  io("planned_s", x.planned_s);
  io("at_s", x.at_s);
  io("duration_s", x.duration_s);
  io("exit_code", x.exit_code);
  io("said", x.said);
}

void all(auto& io, Is<Assertion> auto& x) {
  io("objective", x.objective);
  io("kept", x.kept);
  io("measured", x.measured);
  io("default", x.by_default);
}

void all(auto& io, Is<BatchMeans::Interval> auto& x) {
  io("mean_us", x.mean_us);
  io("half_width_us", x.half_width_us);
  io("batches", x.batches);
  io("batch_s", x.span_s);
}

void all(auto& io, Is<ArrivalFigures> auto& x) {
  io("gaps", x.gaps);
  io("mean_gap_s", x.mean_s);
  io("variation", x.variation);
  io("ks_distance", x.distance);
  io("asked_per_s", x.rate);
}

void all(auto& io, Is<OccupancyFigures> auto& x) {
  io("arrivals", x.seen.arrivals);
  io("departures", x.seen.departures);
  io("late_events", x.seen.late_events);
  io("shifted_s", x.seen.shifted_s);
  io("peak", x.seen.peak);
  io("area_s", x.seen.area_s);
  io("end_s", x.seen.end_s);
  io("mean_at_arrivals", x.seen.mean_at_arrivals);
  io("mean_over_time", x.seen.mean_over_time);
  io("batches", x.seen.batches);
  io("difference_error", x.seen.difference_error);
  io("stays_s", x.stays_s);
}

void all(auto& io, Is<ProcessCost> auto& x) {
  io("cpu_s", x.cpu_s);
  io("voluntary_switches", x.voluntary_switches);
  io("involuntary_switches", x.involuntary_switches);
  io("rss_before_mb", x.rss_before_mb);
  io("rss_full_mb", x.rss_full_mb);
  io("rss_after_mb", x.rss_after_mb);
}

void all(auto& io, Is<Series::Row> auto& x) {
  io("planned", x.planned);
  io("sent", x.sent);
  io("connected", x.connected);
  io("refused", x.refused);
  io("busy", x.busy);
  io("unanswered", x.unanswered);
  io("released", x.released);
  io("others", x.others);
}

void all(auto& io, Is<KindStatistics> auto& x) {
  io("outcomes", x.outcomes);
  io("warm_up", x.warm_up);
}

// The buckets only: counts and sums are elsewhere in the object.
void histograms(auto& io, Is<KindStatistics> auto& x) {
  io("latency", x.latency);
  io("from_send", x.from_send);
  io("slip", x.slip);
  io("refusal", x.refusal);
  io("refusal_from_send", x.refusal_from_send);
}

// Members of the object itself that need only a key.
void flat(auto& io, Is<RunReport> auto& x) {
  io("engine", x.engine);
  io("threshold", x.threshold);
  io("switches", x.switches);
  io("offered_setups_per_s", x.offered_setups_per_s);
  io("duration_s", x.duration_s);
  io("setups_per_s", x.setups_per_s);
  io("call_operations_per_s", x.call_operations_per_s);
  io("setups", x.setups);
  io("releases", x.releases);
  io("setup_latency_us", x.setup_latency);
  io("release_latency_us", x.release_latency);
  io("remote_invocations", x.remote_invocations);
  io("label_cache_hit_ratio", x.label_cache_hit_ratio);
  io("rss_mb", x.rss_mb);
  io("faults", x.faults);
  io("audit", x.audit);
}

void added(auto& io, Is<RunReport> auto& x) {
  io("managers", x.managers);
  io("aggregation", x.aggregation);
  io("unknown", x.unknown);
  io("audits", x.audits);
  io("refusal_latency_us", x.refusal_latency);
  io("generator_slip_us", x.generator_slip);
  io("odd_outcomes", x.odd);
  io("faults_by_leg", x.faults_by_leg);
  io("target_lost", x.target_lost);
  io("interrupted", x.interrupted);
  io("reattached", x.sessions.reattached);
  io("unheard", x.sessions.unheard);
  io("floor", x.floor);
  io("manifest", x.manifest);
  io("generators", x.generators);
  io("parts_failed", x.parts_failed);
  io("parts_void", x.parts_void);
  io("processes", x.processes);
  io("assertions", x.assertions);
  io("expect_refusals", x.expect_refusals);
  io("peak_setups_per_s", x.peak_setups_per_s);
  io("rate_changes", x.rate_changes);
  io("phases", x.phases);
  io("classes", x.classes);
  io("events", x.events);
}

void latency_from_send(auto& io, Is<RunReport> auto& x) {
  io("setup", x.setup_latency_from_send);
  io("release", x.release_latency_from_send);
}

void calls(auto& io, Is<RunReport> auto& x) {
  io("planned", x.planned_calls);
  io("shed", x.shed);
  io("up_peak", x.calls_up_peak);
  io("client_batches", x.batches);
  io("hold_mean_s", x.hold_mean_s);
}

void mean_intervals(auto& io, Is<RunReport> auto& x) {
  io("setup", x.setup_mean_interval);
  io("release", x.release_mean_interval);
}

void warm_up(auto& io, Is<RunReport> auto& x) {
  io("cut_s", x.warm_up_s);
  io("steady_from_s", x.steady_from_s);
}

void arrivals(auto& io, Is<RunReport> auto& x) {
  io("dispersion", x.arrival_dispersion);
  io("planned", x.arrivals_planned);
  io("sent", x.arrivals_sent);
}

void occupancy(auto& io, Is<RunReport> auto& x) {
  io("in_setup", x.in_setup);
  io("up", x.up);
}

void counters(auto& io, Is<RunReport> auto& x) {
  io("managers", x.managers_grown);
  io("managers_last", x.managers_last);
  io("switchservers", x.switchservers_grown);
}

// --- values -------------------------------------------------------------------------------------

template <class T>
Json Writer::written(const T& value) {
  if constexpr (kPlain<T>) {
    return value;
  } else if constexpr (std::is_same_v<T, OutcomeCounts>) {
    Json made = Json::object();
    for (std::size_t i = 0; i < value.size(); ++i)
      made[std::string(to_string(static_cast<OutcomeClass>(i)))] = value[i];
    return made;
  } else if constexpr (std::is_same_v<T, std::array<double, 2>>) {
    return {value[0], value[1]};
  } else if constexpr (std::is_same_v<T, Histogram>) {
    const Histogram::Parts parts = value.parts();
    Json buckets = Json::array();
    for (const Histogram::Bucket& bucket : parts.buckets)
      buckets.push_back({bucket.highest.count(), bucket.count});
    return {{"clamped", parts.clamped},    {"sum", parts.sum_ns},
            {"squares", parts.squares_ns}, {"min", parts.min.count()},
            {"max", parts.max.count()},    {"buckets", std::move(buckets)}};
  } else if constexpr (requires { value.has_value(); }) {
    return value.has_value() ? written(*value) : Json(nullptr);
  } else if constexpr (requires { typename T::mapped_type; }) {
    Json made = Json::object();
    for (const auto& [name, one] : value) made[name] = written(one);
    return made;
  } else if constexpr (requires { value.capacity(); }) {
    Json made = Json::array();
    for (const auto& one : value) made.push_back(written(one));
    return made;
  } else {
    Writer writer;
    all(writer, value);
    return std::move(writer).take();
  }
}

template <class T>
void Reader::read(const Json& from, T& value) {
  if constexpr (kPlain<T>) {
    // The library would convert -1 to a huge number, and true to 1.
    if constexpr (std::is_same_v<T, bool>) {
      if (!from.is_boolean()) throw Malformed{"true or false is expected: " + from.dump()};
    } else if constexpr (std::is_unsigned_v<T>) {
      if (!from.is_number_unsigned()) throw Malformed{"not a count: " + from.dump()};
    } else if constexpr (std::is_arithmetic_v<T>) {
      if (!from.is_number()) throw Malformed{"not a number: " + from.dump()};
    }
    value = from.get<T>();
  } else if constexpr (std::is_same_v<T, OutcomeCounts>) {
    Reader reader(from);
    for (std::size_t i = 0; i < value.size(); ++i)
      reader(std::string(to_string(static_cast<OutcomeClass>(i))).c_str(), value[i]);
  } else if constexpr (std::is_same_v<T, std::array<double, 2>>) {
    read(from.at(0), value[0]);
    read(from.at(1), value[1]);
  } else if constexpr (std::is_same_v<T, Histogram>) {
    Histogram::Parts parts;
    read(from.at("clamped"), parts.clamped);
    read(from.at("sum"), parts.sum_ns);
    read(from.at("squares"), parts.squares_ns);
    parts.min = duration_of(from.at("min").get<std::int64_t>());
    parts.max = duration_of(from.at("max").get<std::int64_t>());
    for (const Json& bucket : from.at("buckets")) {
      std::uint64_t count = 0;
      read(bucket.at(1), count);
      parts.buckets.push_back({duration_of(bucket.at(0).get<std::int64_t>()), count});
    }
    auto made = Histogram::from(parts);
    if (!made) throw Malformed{"a histogram whose parts contradict each other"};
    value = std::move(*made);
  } else if constexpr (requires { value.has_value(); }) {
    value.emplace();
    read(from, *value);
  } else if constexpr (requires { typename T::mapped_type; }) {
    if (!from.is_object()) throw Malformed{"an object is expected: " + from.dump().substr(0, 40)};
    for (const auto& [name, one] : from.items()) read(one, value[name]);
  } else if constexpr (requires { value.capacity(); }) {
    if (!from.is_array()) throw Malformed{"a list is expected: " + from.dump().substr(0, 40)};
    value.clear();
    for (const Json& one : from) read(one, value.emplace_back());
  } else {
    Reader reader(from);
    all(reader, value);
  }
}

}  // namespace xbind::callgen::fields
