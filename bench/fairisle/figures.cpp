#include "bench/fairisle/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "bench/fairisle/offered.hpp"
#include "bench/fairisle/rules.hpp"
#include "bench/figures/poisson.hpp"
#include "core/check.hpp"

namespace xbind::fairisle {
namespace {

using dataplane::PortControllerProfile;
using figures::digits;
using figures::Figure;
using figures::shape_of;

constexpr Duration kQuick = std::chrono::milliseconds{200};
constexpr Duration kFull = std::chrono::seconds{1};
constexpr Duration kRowF1 = std::chrono::seconds{5};

Duration point_time(bool quick) { return quick ? kQuick : kFull; }

PortControllerProfile profile_of(std::string_view text) {
  const auto read = dataplane::parse_port_controller(text);
  XB_CHECK(read.has_value(), text);
  return *read;
}

bool within(double value, double wanted, double part) {
  return std::abs(value - wanted) <= wanted * part;
}

// Every burst a position of its own, equally far apart, with its number as a word.
void burst_axis(plot::Plot& plot, std::span<const std::size_t> bursts) {
  plot.x_label = "cells in a burst";
  plot.log_x = true;
  for (const std::size_t burst : bursts) {
    plot.x_words.emplace_back(static_cast<double>(burst), std::to_string(burst));
  }
}

std::string words(bool holds) { return holds ? "yes" : "no"; }

// Least squares of the time of a burst, relative: t_burst + b * t_cell, in microseconds.
std::optional<figures::Plane> fit_times(const std::vector<BurstRates>& rates) {
  std::vector<figures::Row> rows;
  for (const BurstRates& at : rates) {
    const double us = static_cast<double>(at.burst) * kPayloadBits / at.first_busy;
    rows.push_back({1 / us, static_cast<double>(at.burst) / us, 1});
  }
  return figures::fit_plane(rows);
}

std::vector<BurstRates> burst_rates(const PortControllerProfile& profile, Duration time) {
  std::vector<BurstRates> rates;
  for (const std::size_t burst : kFig5Bursts) {
    rates.push_back({burst, first_busy(profile, burst, time).value_or(0),
                     absolute_maximum(profile, burst, time)});
  }
  return rates;
}

// ----- the rates of the text -----

struct PaperRate {
  std::string_view profile;
  double mbit;
};
constexpr PaperRate kPaperRates[] = {
    {"fpc2-arm3", kPaperArm3}, {"fpc2-arm600", kPaperArm600}, {"fpc3", kPaperLine}};

}  // namespace

Figure rates(bool quick) {
  Figure figure;
  figure.id = "rates";
  figure.title = "Rates: the line and three port controllers";
  figure.about =
      "A port controller is offered twice what its line carries, in bursts of 64 cells, on virtual "
      "time; then 99 % of what the paper says it sustains. Each profile's time a cell is set from "
      "the paper's figure, so this checks that nothing else limits it.";
  figure.csv = "profile,paper_mbit,forwarded_mbit,busy_share,lost_at_99_percent\n";
  const double with_two = offer(profile_of("overhead:2"), {200, 64, kRowF1}).mbit;
  const double with_none = offer(profile_of("overhead:0"), {200, 64, kRowF1}).mbit;
  figures::Table table{
      "Mbit/s of payload",
      {"", "paper", "ours", "processor busy (%)", "lost at 99 %"},
      {{"line, 2 octets of overhead", digits(kPaperLine), digits(with_two), "", ""},
       {"line, none", "", digits(with_none), "", ""}}};
  figure.csv += fmt::format("overhead:2,{},{:.6g},,\noverhead:0,,{:.6g},,\n", kPaperLine, with_two,
                            with_none);
  figure.numbers = {{"line_mbit", with_two}, {"line_without_overhead_mbit", with_none}};
  bool plateaus[std::size(kPaperRates)];
  std::uint64_t lost = 0;
  double arm600_busy = 1;
  plot::Series paper{"paper", {}, plot::Look::kPoints, 1};
  plot::Series ours{"ours", {}, plot::Look::kLinePoints, 0};
  plot::Plot plot;
  for (std::size_t at = 0; at < std::size(kPaperRates); ++at) {
    const auto& [name, mbit] = kPaperRates[at];
    const PortControllerProfile profile = profile_of(name);
    const Seen most = offer(profile, {2 * line_mbit(profile), 64, point_time(quick)});
    const Seen below = offer(profile, {0.99 * mbit, 64, point_time(quick)});
    plateaus[at] = within(most.mbit, mbit, kPlateauWithin);
    lost += below.lost;
    if (name == "fpc2-arm600") arm600_busy = most.busy;
    table.rows.push_back({std::string{name}, digits(mbit), digits(most.mbit),
                          digits(100 * most.busy), std::to_string(below.lost)});
    figure.csv +=
        fmt::format("{},{},{:.6g},{:.6g},{}\n", name, mbit, most.mbit, most.busy, below.lost);
    figure.numbers.emplace_back(fmt::format("{}_mbit", name), most.mbit);
    const auto x = static_cast<double>(at);
    plot.x_words.emplace_back(x, std::string{name});
    paper.points.emplace_back(x, mbit);
    ours.points.emplace_back(x, most.mbit);
  }
  const bool line = within(with_two, 100.0 * 48 / 55, kLineWithin) &&
                    within(with_none, 100.0 * 48 / 53, kLineWithin);
  figure.verdict = {
      shape_of({line, plateaus[0], plateaus[1], plateaus[2], lost == 0,
                arm600_busy <= 1 - kTimeToSpare}),
      std::string{kRatesRule},
      fmt::format("line {} and {}: {}. Plateaus within 1 %: {}, {}, {}. Lost at 99 %: {} cells. "
                  "fpc2-arm600 busy {} % at its plateau.",
                  digits(with_two), digits(with_none), words(line), words(plateaus[0]),
                  words(plateaus[1]), words(plateaus[2]), lost, digits(100 * arm600_busy))};
  figure.tables.push_back(std::move(table));
  plot.title = "What a port controller sustains";
  plot.y_label = "Mbit/s of payload";
  plot.x_range = {-0.5, 2.5};
  plot.y_range = {0, 100};
  plot.series = {std::move(ours), std::move(paper)};
  figure.pictures.push_back({figure.id, "Plateaus, the paper's and ours.", std::move(plot)});
  return figure;
}

// ----- Fig. 5 -----

figures::Verdict judge_fig5(const std::vector<BurstRates>& arm3) {
  bool rises = true;
  bool above = true;
  for (std::size_t at = 0; at < arm3.size(); ++at) {
    if (at > 0) {
      rises &= arm3[at].first_busy >= arm3[at - 1].first_busy * (1 - kMonotoneWithin);
    }
    above &= arm3[at].maximum >= arm3[at].first_busy * (1 - kMaximumBelow);
  }
  const BurstRates& last = arm3.back();
  const double before = arm3[arm3.size() - 2].first_busy;
  const bool flat = within(before, last.first_busy, kFlatWithin);
  const auto fitted = fit_times(arm3);
  const bool fits = fitted && fitted->greatest_error <= kFitWithin;
  const double apart = arm3.front().maximum / arm3.front().first_busy;
  const bool full = within(last.first_busy, kPaperArm3, kFullRateWithin) &&
                    within(last.maximum, kPaperArm3, kFullRateWithin);
  return {
      shape_of({rises, flat, fits, above, apart >= kCurvesApart, full}), std::string{kFig5Rule},
      fmt::format(
          "rises: {}. Last two points {} and {}. Fitted t_burst {} us, t_cell {} us, greatest "
          "residual {} %. Maximum never below: {}; {} times as high at single cells. At bursts of "
          "{}: {} and {} Mbit/s.",
          words(rises), digits(before), digits(last.first_busy), digits(fitted ? fitted->a : NAN),
          digits(fitted ? fitted->b : NAN), digits(fitted ? 100 * fitted->greatest_error : NAN),
          words(above), digits(apart), last.burst, digits(last.first_busy), digits(last.maximum))};
}

Figure fig5(bool quick) {
  Figure figure;
  figure.id = "fig5";
  figure.title = "Fig. 5: throughput of the FPC2 by burst size";
  figure.about =
      "Bursts of cells, equally far apart, come to a port controller on virtual time. One curve "
      "is the rate from which on the processor is in its interrupt routine all the time; the "
      "other the highest rate forwarded under any load. The paper's picture is lost; its text has "
      "the plateau of 73.4 Mbit/s.";
  figure.csv = "profile,burst,first_busy_mbit,maximum_mbit\n";
  plot::Plot plot;
  plot.title = "Fig. 5: rates of port controllers by burst size";
  plot.y_label = "Mbit/s of payload";
  burst_axis(plot, kFig5Bursts);
  plot.y_range = {0, 100};
  figures::Table table{
      "Mbit/s of payload", {"profile", "burst", "first always busy", "maximum"}, {}};
  std::vector<BurstRates> arm3;
  int colour = 0;
  for (const PaperRate& of : kPaperRates) {
    const auto rates = burst_rates(profile_of(of.profile), point_time(quick));
    plot::Series busy{
        fmt::format("{}: first always busy", of.profile), {}, plot::Look::kLinePoints, colour};
    plot::Series maximum{fmt::format("{}: maximum", of.profile), {}, plot::Look::kLine, colour++};
    for (const BurstRates& at : rates) {
      const auto x = static_cast<double>(at.burst);
      const bool ever = at.first_busy > 0;
      if (ever) busy.points.emplace_back(x, at.first_busy);
      maximum.points.emplace_back(x, at.maximum);
      table.rows.push_back({std::string{of.profile}, std::to_string(at.burst),
                            ever ? digits(at.first_busy) : "never", digits(at.maximum)});
      figure.csv += fmt::format("{},{},{},{:.6g}\n", of.profile, at.burst,
                                ever ? fmt::format("{:.6g}", at.first_busy) : "", at.maximum);
      figure.numbers.emplace_back(fmt::format("{}_{}_first_busy", of.profile, at.burst),
                                  at.first_busy);
      figure.numbers.emplace_back(fmt::format("{}_{}_maximum", of.profile, at.burst), at.maximum);
    }
    if (!busy.points.empty()) plot.series.push_back(std::move(busy));
    plot.series.push_back(std::move(maximum));
    if (of.profile == "fpc2-arm3") arm3 = rates;
  }
  plot.series.push_back(
      {"paper: 73.4", {{1, kPaperArm3}, {64, kPaperArm3}}, plot::Look::kDashed, colour});
  figure.verdict = judge_fig5(arm3);
  if (const auto fitted = fit_times(arm3)) {
    figure.numbers.emplace_back("t_burst_us", fitted->a);
    figure.numbers.emplace_back("t_cell_us", fitted->b);
    figure.numbers.emplace_back("greatest_residual", fitted->greatest_error);
  }
  figure.remarks = {
      "The time of an interrupt is in no text of the paper: the height of the first curve at small "
      "bursts is fitted, its form is not.",
      "The processor of fpc2-arm600 is never always busy: its firmware forwards no faster.",
      "The paper's maximum has artefacts of beating at small bursts, between the cells, the fabric "
      "and the arbitration of the memory. The model has neither, and shows none."};
  figure.tables.push_back(std::move(table));
  figure.pictures.push_back({figure.id, "Both curves of each profile.", std::move(plot)});
  return figure;
}

// ----- Fig. 6 -----

figures::Verdict judge_fig6(const std::vector<IdleCurve>& curves) {
  bool falls = true;
  bool others = true;
  bool whole = true;
  std::string knees;
  const auto in_range = [](double mbit) { return mbit >= kPaperKneeLow && mbit <= kPaperKneeHigh; };
  for (const IdleCurve& curve : curves) {
    for (std::size_t at = 1; at < curve.idle.size(); ++at) {
      falls &= curve.idle[at].second <= curve.idle[at - 1].second + kIdleRise;
    }
    if (curve.burst != 1) others &= in_range(curve.knee);
    whole &= curve.lost_at_line_rate == 0;
    knees += fmt::format("{}{} at {}", knees.empty() ? "" : ", ", digits(curve.knee), curve.burst);
  }
  const bool single = in_range(curves.front().knee);
  return {shape_of({falls, single, others, whole}), std::string{kFig6Rule},
          fmt::format("falls: {}. Whole processor taken from (Mbit/s at cells a burst): {}. Full "
                      "line rate without loss: {}.",
                      words(falls), knees, words(whole))};
}

namespace {

IdleCurve idle_curve(const PortControllerProfile& profile, std::size_t burst, bool quick) {
  IdleCurve curve{burst, {}, first_busy(profile, burst, point_time(quick)).value_or(NAN), 0};
  for (double mbit = 5; mbit <= 85; mbit += quick ? 20 : 5) {
    // The time to leave counts ahead (port_controller.hpp): a busy share may exceed 1 by that.
    const double busy = std::min(1.0, offer(profile, {mbit, burst, point_time(quick)}).busy);
    curve.idle.emplace_back(mbit, 1 - busy);
  }
  curve.lost_at_line_rate = offer(profile, {line_mbit(profile), burst, point_time(quick)}).lost;
  return curve;
}

// The idle share of the emulated switch's own port, by its offered load.
void show_own(Figure& figure, const std::vector<callgen::PortCost>& points) {
  if (points.empty()) return;
  plot::Plot plot;
  plot.title = "The emulated switch itself, on this machine";
  plot.x_label = "Mbit/s of payload, as offered";
  plot.y_label = "idle share of the port's thread (%)";
  plot.y_range = {0, 100};
  figures::Table table{"The emulated switch's own port thread on this machine: shown, not judged",
                       {"burst", "offered (Mbit/s)", "forwarded (Mbit/s)", "idle (%)"},
                       {}};
  for (const callgen::PortCost& point : points) {
    const std::string name = fmt::format("bursts of {}", point.burst);
    if (plot.series.empty() || plot.series.back().name != name) {
      plot.series.push_back({name, {}, plot::Look::kLinePoints, -1});
    }
    plot.series.back().points.emplace_back(point.offered_mbit, point.idle_percent);
    table.rows.push_back({std::to_string(point.burst), digits(point.offered_mbit),
                          digits(point.forwarded_mbit), digits(point.idle_percent)});
    figure.csv += fmt::format("own,{},{:.6g},{:.6g},{:.6g}\n", point.burst, point.offered_mbit,
                              point.idle_percent, point.forwarded_mbit);
  }
  figure.tables.push_back(std::move(table));
  figure.pictures.push_back(
      {figure.id + "_own",
       "A thread with two UDP lines that sleeps until cells come; processor time by getrusage.",
       std::move(plot)});
}

void show_queueing(Figure& figure, const std::vector<dataplane::bench::QueueingCost>& costs) {
  if (costs.empty()) return;
  figures::Table table{
      "F6: what is left for richer queueing, ns of processor time a cell on this "
      "machine: shown, not judged",
      {"--queueing", "ns a cell", "of fifo"},
      {}};
  for (const auto& one : costs) {
    table.rows.push_back(
        {one.option, digits(one.ns_a_cell), digits(one.ns_a_cell / costs.front().ns_a_cell)});
    figure.csv += fmt::format("queueing {},,,{:.6g},\n", one.option, one.ns_a_cell);
    figure.numbers.emplace_back("queueing_ns " + one.option, one.ns_a_cell);
  }
  figure.tables.push_back(std::move(table));
}

}  // namespace

Figure fig6(bool quick, const OwnCosts& own) {
  Figure figure;
  figure.id = "fig6";
  figure.title = "Fig. 6: idle share of the processor of the FPC3";
  figure.about =
      "The share of the time in which the processor of the FPC3 is outside its interrupt routine, "
      "by the offered load, for several burst sizes, on virtual time. The paper's picture is lost; "
      "its text says that the routine takes everything from 40 to 50 Mbit/s on, depending on the "
      "burst size, and that the full line rate is forwarded all the same.";
  figure.csv = "curve,burst,offered_mbit,idle_percent,forwarded_mbit\n";
  const PortControllerProfile profile = profile_of("fpc3");
  plot::Plot plot;
  plot.title = "Fig. 6: idle share of the processor, fpc3";
  plot.x_label = "Mbit/s of payload, offered";
  plot.y_label = "idle (%)";
  plot.x_range = {0, 90};
  plot.y_range = {0, 100};
  figures::Table table{"The whole processor is taken from", {"burst", "Mbit/s", "paper"}, {}};
  std::vector<IdleCurve> curves;
  for (const std::size_t burst : kFig6Bursts) {
    const IdleCurve& curve = curves.emplace_back(idle_curve(profile, burst, quick));
    plot::Series series{fmt::format("bursts of {}", burst), {}, plot::Look::kLinePoints, -1};
    for (const auto& [mbit, idle] : curve.idle) {
      series.points.emplace_back(mbit, 100 * idle);
      figure.csv += fmt::format("fpc3,{},{:.6g},{:.6g},\n", burst, mbit, 100 * idle);
    }
    plot.series.push_back(std::move(series));
    table.rows.push_back({std::to_string(burst), digits(curve.knee), "40 to 50"});
    figure.numbers.emplace_back(fmt::format("knee_{}", burst), curve.knee);
  }
  plot.series.push_back(
      {"paper: 40 to 50", {{kPaperKneeLow, 0}, {kPaperKneeHigh, 0}}, plot::Look::kLine, -1});
  figure.verdict = judge_fig6(curves);
  figure.remarks = {
      "The time of an interrupt is fitted to the first of the conditions on the 40 to 50 Mbit/s: "
      "single cells. The others are what follows from it.",
      "A processor that carries the whole line and works only while cells wait has time in the "
      "gaps between long bursts: at 50 Mbit/s at least 1 - 50 / 87.3 of it. So the paper's bursts "
      "were short or spread, or its kernel had more to do for each cell than these two times say."};
  figure.tables.push_back(std::move(table));
  figure.pictures.push_back({figure.id, "Idle share by load and burst size.", std::move(plot)});
  show_own(figure, own.port);
  show_queueing(figure, own.queueing);
  return figure;
}

}  // namespace xbind::fairisle
