#include "bench/search/rate_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/check.hpp"

namespace xbind::callgen {

RateSearch::RateSearch(RatePlan plan) : plan_(std::move(plan)) {
  XB_CHECK(!plan_.rates.empty());
  XB_CHECK(plan_.rates.front() > 0 && plan_.growth > 1 && plan_.precision > 0);
  XB_CHECK(plan_.lowest > 0 && plan_.lowest <= plan_.highest);
}

std::optional<double> RateSearch::next() const {
  if (kept_ == 0 && broken_ == 0)
    return std::clamp(plan_.rates.front(), plan_.lowest, plan_.highest);
  if (broken_ == 0) {
    if (kept_ >= plan_.highest) return std::nullopt;
    const auto listed = std::upper_bound(plan_.rates.begin(), plan_.rates.end(), kept_);
    const double higher = listed != plan_.rates.end() ? *listed : kept_ * plan_.growth;
    return std::min(higher, plan_.highest);
  }
  if (kept_ == 0) {
    if (broken_ <= plan_.lowest) return std::nullopt;
    return std::max(broken_ / plan_.growth, plan_.lowest);
  }
  if (broken_ <= kept_ * (1 + plan_.precision)) return std::nullopt;
  return std::sqrt(kept_ * broken_);
}

void RateSearch::add(double rate, bool kept) {
  if (kept) {
    kept_ = std::max(kept_, rate);
  } else {
    broken_ = broken_ == 0 ? rate : std::min(broken_, rate);
  }
}

Result<std::vector<double>> parse_rates(std::string_view text) {
  std::vector<double> rates;
  while (true) {
    const std::string_view part = text.substr(0, text.find(','));
    double rate = 0;
    const auto [end, error] =
        std::from_chars(part.data(), part.data() + part.size(), rate, std::chars_format::fixed);
    if (error != std::errc{} || end != part.data() + part.size() || !(rate > 0) ||
        !std::isfinite(rate))
      return fail(ErrorCode::kBadInput, "'{}' is not a rate above zero", part);
    if (!rates.empty() && rate <= rates.back())
      return fail(ErrorCode::kBadInput, "{} does not follow {} in ascending order", rate,
                  rates.back());
    rates.push_back(rate);
    if (part.size() == text.size()) return rates;
    text.remove_prefix(part.size() + 1);
  }
}

std::string to_json(const RateSearch& search) {
  const auto next = search.next();
  return fmt::format("{{\"next\": {}, \"kept\": {}, \"broken\": {}}}\n",
                     next ? fmt::format("{}", *next) : "null", search.kept(), search.broken());
}

std::string rate_text(double rate) {
  return rate < 100 ? fmt::format("{:.1f}", rate) : fmt::format("{:.0f}", rate);
}

}  // namespace xbind::callgen
