#include "cmgr/parts/aggregation.hpp"

#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include "core/check.hpp"

namespace xbind::cmgr {
namespace {

Result<void> check_threshold(std::size_t threshold) {
  if (threshold >= 1 && threshold <= Aggregation::kThresholdMax) return {};
  return fail(ErrorCode::kBadInput, "threshold {} is not in 1..{}", threshold,
              Aggregation::kThresholdMax);
}

Result<void> check_regions(const std::vector<Region>& regions) {
  if (regions.empty() || regions.size() > Aggregation::kRegionsMax) {
    return fail(ErrorCode::kBadInput, "{} regions are not 1..{}", regions.size(),
                Aggregation::kRegionsMax);
  }
  double from = 0;
  for (const Region& region : regions) {
    if (auto ok = check_threshold(region.threshold); !ok) return ok;
    if (!(region.below_per_s > from)) {
      return fail(ErrorCode::kBadInput, "a region ends at {} calls/s, not above {}",
                  region.below_per_s, from);
    }
    from = region.below_per_s;
  }
  if (!std::isinf(from)) {
    return fail(ErrorCode::kBadInput, "no region has the rates above {} calls/s", from);
  }
  return {};
}

// All of `text` as a number; 0, which is invalid here, if it is none.
template <class Number>
Number number_in(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return number;
}

double milliseconds_of(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

}  // namespace

Result<void> check(const Aggregation& settings) {
  if (settings.mode > AggregationMode::kAdaptive) {
    return fail(ErrorCode::kBadInput, "aggregation mode {} is not in 0..2",
                static_cast<unsigned>(settings.mode));
  }
  if (auto ok = check_threshold(settings.threshold); !ok) return ok;
  if (settings.flush_timeout < Aggregation::kFlushMin ||
      settings.flush_timeout > Aggregation::kFlushMax) {
    return fail(ErrorCode::kBadInput, "flush timeout {} ms is not in {}..{} ms",
                milliseconds_of(settings.flush_timeout), milliseconds_of(Aggregation::kFlushMin),
                milliseconds_of(Aggregation::kFlushMax));
  }
  if (settings.in_flight < 1 || settings.in_flight > Aggregation::kInFlightMax) {
    return fail(ErrorCode::kBadInput, "{} batches in flight are not 1..{}", settings.in_flight,
                Aggregation::kInFlightMax);
  }
  return check_regions(settings.regions);
}

Result<std::vector<Region>> parse_regions(std::string_view text) {
  std::vector<Region> regions;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    const bool last = comma == std::string_view::npos;
    const std::size_t colon = item.find(':');
    Region region;  // the last region has no upper bound
    if (!last) {
      if (colon == std::string_view::npos) {
        return fail(ErrorCode::kBadInput, "\"{}\" in \"{}\" is not RATE:T", item, text);
      }
      region.below_per_s = number_in<double>(item.substr(0, colon));
      if (!std::isfinite(region.below_per_s) || region.below_per_s <= 0) {
        return fail(ErrorCode::kBadInput, "\"{}\" in \"{}\" is not a rate above 0",
                    item.substr(0, colon), text);
      }
    }
    const std::string_view threshold = last ? item : item.substr(colon + 1);
    region.threshold = number_in<std::size_t>(threshold);
    if (region.threshold == 0) {
      return fail(ErrorCode::kBadInput, "\"{}\" in \"{}\" is not a threshold in 1..{}", threshold,
                  text, Aggregation::kThresholdMax);
    }
    regions.push_back(region);
    if (last) break;
    rest.remove_prefix(comma + 1);
  }
  if (auto ok = check_regions(regions); !ok) return tl::make_unexpected(std::move(ok.error()));
  return regions;
}

std::string to_string(const std::vector<Region>& regions) {
  std::string text;
  for (const Region& region : regions) {
    if (!text.empty()) text += ',';
    if (std::isfinite(region.below_per_s)) text += fmt::format("{}:", region.below_per_s);
    text += fmt::format("{}", region.threshold);
  }
  return text;
}

AggregationPolicy::AggregationPolicy(Aggregation settings) {
  const Result<void> taken = set(std::move(settings));
  XB_CHECK(taken.has_value(), taken.error().text);
}

Result<void> AggregationPolicy::set(Aggregation settings) {
  if (auto ok = check(settings); !ok) return ok;
  settings_ = std::move(settings);
  choose_threshold();
  return {};
}

void AggregationPolicy::on_operation(TimePoint now) {
  constexpr double kMemory = std::chrono::duration<double>(kRateMemory).count();
  if (now > last_) {
    rate_per_s_ *= std::exp(-std::chrono::duration<double>(now - last_).count() / kMemory);
    last_ = now;
  }
  found_per_s_ = rate_per_s_;
  rate_per_s_ += 1 / kMemory;
  if (settings_.mode == AggregationMode::kRegions) choose_threshold();
}

void AggregationPolicy::choose_threshold() {
  switch (settings_.mode) {
    case AggregationMode::kFixed: threshold_ = settings_.threshold; return;
    case AggregationMode::kRegions: threshold_ = threshold_for(found_per_s_ / 2); return;
    case AggregationMode::kAdaptive: threshold_ = 1; return;
  }
}

std::size_t AggregationPolicy::threshold_for(double calls_per_s) const {
  for (const Region& region : settings_.regions) {
    if (calls_per_s < region.below_per_s) return region.threshold;
  }
  return settings_.regions.back().threshold;
}

}  // namespace xbind::cmgr
