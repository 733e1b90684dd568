#include "dataplane/oam/ping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/check.hpp"

namespace xbind::dataplane {
namespace {

double ms(Duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

// "switch-1 port 2".
std::string port_of(const PingPoint& point) {
  return fmt::format("{} port {}", point.node, point.port);
}

// What is between the last point that answers and the silent one.
std::string where(const std::vector<PingPoint>& points, std::size_t silent) {
  const PingPoint& point = points[silent];
  if (silent == 0) {
    return fmt::format("no cell comes back from {}, the first point", to_string(point));
  }
  const PingPoint& before = points[silent - 1];
  if (point.side == Direction::kIn) {
    return fmt::format("cells stop between {} and {}: they leave with label {}, and none comes in",
                       port_of(before), port_of(point), to_string(before.label));
  }
  return fmt::format(
      "cells stop in {}: they come in at port {} with label {}, and none leaves at port {} with "
      "label {}",
      point.node, before.port, to_string(before.label), point.port, to_string(point.label));
}

}  // namespace

std::string to_string(const PingPoint& point) {
  return fmt::format("{} {}, label {}", port_of(point), point.side == Direction::kIn ? "in" : "out",
                     to_string(point.label));
}

Ping::Ping(PingPlan plan, TimePoint now) : plan_(std::move(plan)), due_(now) {
  XB_CHECK(!plan_.points.empty() && plan_.count > 0, plan_.points.size(), plan_.count);
  sent_.reserve(cells());
}

std::optional<Cell> Ping::next_cell(TimePoint now) {
  if (sent_.size() == cells() || now < due_) return std::nullopt;
  const std::size_t index = sent_.size() % plan_.points.size();
  const PingPoint& point = plan_.points[index];
  sent_.push_back({.at = now});
  due_ = now + plan_.interval;
  const bool last = index + 1 == plan_.points.size();
  return Cell{.header = cell_header(vpi_of(plan_.line_label), vci_of(plan_.line_label),
                                    last ? kPtEndToEnd : kPtSegment),
              .payload = encode_loopback({.request = true,
                                          .tag = static_cast<std::uint32_t>(sent_.size()),
                                          .location = location_id({.node = node_number(point.node),
                                                                   .side = point.side,
                                                                   .port = point.port,
                                                                   .label = point.label.value}),
                                          .source = source_id(plan_.session)})};
}

void Ping::arrived(const Cell& cell, TimePoint now) {
  LoopbackCell loopback;
  if (!is_f5(cell.header) ||
      decode_loopback(cell.payload, loopback) != LoopbackVerdict::kLoopback || loopback.request ||
      session_of(loopback.source) != plan_.session || loopback.tag == 0 ||
      loopback.tag > sent_.size()) {
    return;
  }
  Sent& sent = sent_[loopback.tag - 1];
  if (sent.round_trip || now - sent.at > plan_.timeout) return;
  sent.round_trip = now - sent.at;
  ++answered_;
}

TimePoint Ping::next_deadline() const {
  if (sent_.size() < cells()) return due_;
  return answered_ == cells() ? sent_.back().at : sent_.back().at + plan_.timeout;
}

bool Ping::over(TimePoint now) const {
  if (sent_.size() < cells()) return false;
  return answered_ == cells() || now - sent_.back().at > plan_.timeout;
}

std::vector<PingResult> Ping::results() const {
  std::vector<PingResult> results(plan_.points.size());
  for (std::size_t index = 0; index < results.size(); ++index) {
    PingResult& result = results[index];
    std::vector<Duration> times;
    for (std::size_t at = index; at < sent_.size(); at += results.size()) {
      ++result.sent;
      if (sent_[at].round_trip) times.push_back(*sent_[at].round_trip);
    }
    result.answered = static_cast<std::uint32_t>(times.size());
    if (times.empty()) continue;
    std::ranges::sort(times);
    result.min = times.front();
    result.median = times[times.size() / 2];
    result.max = times.back();
  }
  return results;
}

std::optional<PingStep> step_between(const PingResult& before, const PingResult& after) {
  if (before.answered < 2 || after.answered < 2) return std::nullopt;
  const Duration step = after.median - before.median;
  const Duration variation =
      std::max({before.median - before.min, after.median - after.min, -step});
  if (step > variation) return PingStep{.measured = true, .time = step};
  return PingStep{.measured = false, .time = variation};
}

PingVerdict verdict_of(const PingPlan& plan, const std::vector<PingResult>& results) {
  XB_CHECK(results.size() == plan.points.size(), results.size(), plan.points.size());
  const auto silent = std::ranges::find(results, 0U, &PingResult::answered);
  if (silent != results.end()) {
    return {.whole = false,
            .sentence = where(plan.points, static_cast<std::size_t>(silent - results.begin()))};
  }
  std::uint32_t sent = 0;
  std::uint32_t lost = 0;
  for (const PingResult& result : results) {
    sent += result.sent;
    lost += result.lost();
  }
  if (lost == 0) {
    return {.whole = true,
            .sentence =
                fmt::format("cells pass to {}: {} of {} came back, from the end in {:.3f} ms",
                            to_string(plan.points.back()), sent, sent, ms(results.back().median))};
  }
  const auto first =
      std::ranges::find_if(results, [](const PingResult& result) { return result.lost() > 0; });
  const auto& point = plan.points[static_cast<std::size_t>(first - results.begin())];
  return {
      .whole = false,
      .sentence = fmt::format("{} of {} cells were lost; every point answers, and the first that "
                              "missed some is {}",
                              lost, sent, to_string(point))};
}

}  // namespace xbind::dataplane
