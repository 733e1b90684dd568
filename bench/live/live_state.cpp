#include "bench/live/live_state.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/duration_numbers.hpp"

namespace xbind::callgen {
namespace {

using Json = nlohmann::ordered_json;

std::optional<double> ms_of(Duration latency) {
  return latency > Duration::zero() ? std::optional{in_ms(latency)} : std::nullopt;
}

Json number(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

template <class Samples, class Member>
Json column(const Samples& samples, Member member) {
  Json values = Json::array();
  for (const auto& sample : samples) {
    if constexpr (std::is_same_v<std::decay_t<decltype(sample.*member)>, std::optional<double>>)
      values.push_back(number(sample.*member));
    else
      values.push_back(sample.*member);
  }
  return values;
}

}  // namespace

LiveState::Sample LiveState::joined(const Sample& a, const Sample& b) {
  const double seconds = a.seconds + b.seconds;
  const auto mean = [&](double of_a, double of_b) {
    return seconds > 0 ? (of_a * a.seconds + of_b * b.seconds) / seconds : of_b;
  };
  Sample sum = b;
  sum.seconds = seconds;
  if (a.asked_per_s && b.asked_per_s) sum.asked_per_s = mean(*a.asked_per_s, *b.asked_per_s);
  sum.offered_per_s = mean(a.offered_per_s, b.offered_per_s);
  sum.connected_per_s = mean(a.connected_per_s, b.connected_per_s);
  sum.refused_per_s = mean(a.refused_per_s, b.refused_per_s);
  sum.p50_ms = std::max(a.p50_ms, b.p50_ms);
  sum.p90_ms = std::max(a.p90_ms, b.p90_ms);
  sum.p99_ms = std::max(a.p99_ms, b.p99_ms);
  return sum;
}

std::optional<double> LiveState::refused_share() const {
  const std::uint64_t refused = last_.refused + last_.busy;
  const std::uint64_t answered = last_.connected + refused + last_.unanswered;
  if (answered == 0) return std::nullopt;
  return static_cast<double>(refused) / static_cast<double>(answered);
}

void LiveState::take(const Progress& progress) {
  Sample sample;
  sample.at_s = in_seconds(progress.elapsed);
  sample.seconds = in_seconds(progress.since);
  const auto per_s = [&](std::uint64_t now, std::uint64_t then) {
    return sample.seconds > 0 ? static_cast<double>(now - std::min(now, then)) / sample.seconds : 0;
  };
  if (progress.paused || progress.all_offered)
    sample.asked_per_s = 0;
  else
    sample.asked_per_s = progress.asked_per_s;
  sample.offered_per_s = per_s(progress.sent, last_.sent);
  sample.connected_per_s = per_s(progress.connected, last_.connected);
  sample.refused_per_s = per_s(progress.refused + progress.busy, last_.refused + last_.busy);
  sample.up = progress.up;
  sample.p50_ms = ms_of(progress.recent_p50);
  sample.p90_ms = ms_of(progress.recent_p90);
  sample.p99_ms = ms_of(progress.recent_p99);
  last_ = progress;
  began_ = true;
  if (!samples_.empty() && in_last_ < join_) {
    samples_.back() = joined(samples_.back(), sample);
    ++in_last_;
    return;
  }
  if (samples_.size() == kSamplesMax) {
    for (std::size_t i = 0; i < kSamplesMax / 2; ++i)
      samples_[i] = joined(samples_[2 * i], samples_[2 * i + 1]);
    samples_.resize(kSamplesMax / 2);
    join_ *= 2;
  }
  samples_.push_back(sample);
  in_last_ = 1;
}

std::string LiveState::json() const {
  const char* const state = !began_             ? "starting"
                            : last_.paused      ? "paused"
                            : last_.all_offered ? "ending"
                                                : "offering";
  Json refusals = Json::object();
  for (const auto& [cause, count] : last_.refusals) refusals[cause] = count;
  const Json root{
      {"schema", "xbind.live/1"},
      {"command", words_},
      {"state", state},
      {"elapsed_s", in_seconds(last_.elapsed)},
      {"rate_per_s", number(last_.asked_per_s)},
      {"planned", last_.planned},
      {"calls",
       {{"sent", last_.sent},
        {"connected", last_.connected},
        {"refused", last_.refused},
        {"busy", last_.busy},
        {"unanswered", last_.unanswered},
        {"under_way", last_.in_flight},
        {"up", last_.up},
        {"refused_share", number(refused_share())}}},
      {"setup_ms",
       {{"p50", number(ms_of(last_.setup_p50))}, {"p99", number(ms_of(last_.setup_p99))}}},
      {"refusals", std::move(refusals)},
      {"samples",
       {{"at_s", column(samples_, &Sample::at_s)},
        {"asked_per_s", column(samples_, &Sample::asked_per_s)},
        {"offered_per_s", column(samples_, &Sample::offered_per_s)},
        {"connected_per_s", column(samples_, &Sample::connected_per_s)},
        {"refused_per_s", column(samples_, &Sample::refused_per_s)},
        {"up", column(samples_, &Sample::up)},
        {"p50_ms", column(samples_, &Sample::p50_ms)},
        {"p90_ms", column(samples_, &Sample::p90_ms)},
        {"p99_ms", column(samples_, &Sample::p99_ms)}}}};
  // Causes come from peers.
  return root.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace xbind::callgen
