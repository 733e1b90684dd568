// The highest rate that is kept: which rate to try next, and when the search is over.
//
//   the listed rates, then x growth ─▶ one is broken ─▶ halve the gap on a logarithmic scale
//   the first rate is broken        ─▶ / growth, down to `lowest`, until one is kept
//
// The caller makes the runs and decides whether a rate was kept. Every search for a highest rate
// uses this class: the command `saturate`, the model, the figures and the lab's sweeps.
//
// Pure.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace xbind::callgen {

struct RatePlan {
  std::vector<double> rates{100};  // tried first; ascending, above zero, at least one
  double growth = 2;               // factor of the steps beyond the listed rates; above 1
  double precision = 0.05;         // widest gap left between kept and broken, relative to kept
  double lowest = 1e-3;            // no lower rate is tried
  double highest = std::numeric_limits<double>::infinity();  // no higher rate is tried
};

class RateSearch {
 public:
  explicit RateSearch(RatePlan plan);

  // The rate to try next; nothing when the search is over.
  std::optional<double> next() const;
  // Records the outcome of a rate. The order of the calls does not matter.
  void add(double rate, bool kept);

  double kept() const { return kept_; }      // the highest rate that was kept; 0: none
  double broken() const { return broken_; }  // the lowest rate that was broken; 0: none

 private:
  RatePlan plan_;
  double kept_ = 0;
  double broken_ = 0;
};

// "20,50,100.5": rates above zero, ascending. kBadInput names the part that is wrong.
Result<std::vector<double>> parse_rates(std::string_view text);

// A rate as text shows it: with one decimal place below 100, without above.
std::string rate_text(double rate);

// One step of a search by another program, as a line of JSON:
// {"next": 707.1, "kept": 500.0, "broken": 1000.0}; "next" is null when the search is over.
std::string to_json(const RateSearch& search);

}  // namespace xbind::callgen
