// Whether a system stays as it was under hours of steady load: the slopes of its memory and
// latency, with their intervals of 95 %.
//
//   flat            the whole interval is below the bound
//   grows           the whole interval is above it
//   too short       neither: the run must be longer
//
// The slope is that of a least-squares line. Neighbouring windows are correlated and carry less
// information than their number: the interval is Student's for the effective number n (1 - r) / (1
// + r), where r is the correlation of neighbouring residuals. The first windows, in which caches
// fill, are not judged.
//
// Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace xbind::callgen {

struct TrendPoint {
  double at_s = 0;
  double value = 0;
};

struct Trend {
  std::size_t points = 0;
  double mean = 0;
  double slope_per_s = 0;
  double low_per_s = 0;  // bounds of the 95 % interval; infinite when there are too few points
  double high_per_s = 0;
};
// Needs three points of different times; with fewer the interval is unbounded.
Trend trend_of(const std::vector<TrendPoint>& points);

struct SoakRule {
  double mb_per_hour = 1;   // of each process
  double p50_drift = 0.2;   // of the median setup latency, as a fraction, from begin to end
  double not_judged = 0.2;  // fraction of the run, from its beginning
  std::size_t fewest = 10;  // points needed for a verdict
};

struct SoakSeries {
  bool interrupted = false;        // by the operator, before its time
  std::vector<TrendPoint> p50_us;  // one for each window
  std::vector<TrendPoint> p99_us;  // shown, not judged: too noisy for a bound
  std::map<std::string, std::vector<TrendPoint>> rss_mb;  // by process
};

enum class SoakVerdict : std::uint8_t { kFlat, kGrows, kTooShort };
std::string_view to_string(SoakVerdict verdict);  // "flat", "grows", "too short to tell"

struct SoakLine {
  std::string what;  // "memory of xbind-cmgr", "p50 of setups"
  std::string unit;  // of mean: "MB", "us"
  double mean = 0;
  double growth = 0;  // MB/h; or the fraction of the mean over the judged time
  double low = 0;
  double high = 0;
  std::optional<double> bound;  // nothing: shown only
  SoakVerdict verdict = SoakVerdict::kTooShort;
};

struct SoakFindings {
  std::vector<SoakLine> lines;
  double judged_s = 0;
  // kGrows when any line grows, else kTooShort when any is too short, else kFlat. Only lines with a
  // bound.
  SoakVerdict verdict() const;
};
SoakFindings judge_soak(const SoakSeries& series, const SoakRule& rule);

// For a terminal: a line each, and the verdict with its rule.
std::string to_text(const SoakFindings& findings, const SoakRule& rule);

}  // namespace xbind::callgen
