// The results of a point from a run of callgen: from its records (callgen --records), every request
// with its times, and from its report (--json) what only the manager knows. Pure.
//
// All rates count between two moments: the planned arrival of the first call after the warm-up (the
// first tenth of the calls) and that of the last call.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "bench/figures/point_source.hpp"
#include "core/result.hpp"

namespace xbind::figures {

// A setup or a release, in seconds from the start of the run.
struct Request {
  std::uint64_t call = 0;
  bool release = false;
  bool done = false;     // connected, released
  bool refused = false;  // including busy answers
  double planned = 0;
  std::optional<double> answered{};

  friend bool operator==(const Request&, const Request&) = default;
};

// Reads the records of callgen: a line of column names, then a line for each request. Columns are
// found by name: call, kind, ended, and planned_U and answered_U in a unit U of s, ms, us, ns; an
// empty time means that the event did not happen. Other columns and kinds of request are skipped.
// kBadInput, with the line.
Result<std::vector<Request>> read_records(std::string_view csv);

// The manager's part of the report.
struct ReportFigures {
  std::uint64_t invocations = 0;  // GIOP requests at the manager, from before the run to after it
  double hit_ratio = 0;
  std::uint64_t releases_failed = 0;
  bool clean = false;      // the audit
  std::string why_void{};  // empty: the load was the one requested
};
Result<ReportFigures> read_report(std::string_view json);  // kBadInput

// `callers` is added to every latency. Without requests all members are zero.
Shown shown_by(const std::vector<Request>& requests, const ReportFigures& figures,
               Duration callers);

}  // namespace xbind::figures
