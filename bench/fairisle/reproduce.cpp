#include "bench/fairisle/reproduce.hpp"

#include <fmt/format.h>

#include "bench/fairisle/figures.hpp"
#include "bench/fairisle/rules.hpp"

namespace xbind::fairisle {
namespace {

constexpr const char* kFairislePaper =
    "The paper: Performance of the Fairisle port controller (University of Cambridge Computer "
    "Laboratory). Its pictures are lost; beside ours stand the numbers of its text. What it "
    "measured runs here on virtual time, with the processor times of its port controllers; what "
    "the emulated switch itself costs on this machine stands beside and is not judged.";

constexpr Duration kOwnQuick = std::chrono::milliseconds{100};
constexpr Duration kOwnFull = std::chrono::seconds{1};

Result<OwnCosts> measure_own(bool quick, const figures::Bench::Progress& progress) {
  OwnCosts own;
  for (const std::size_t burst : kOwnBursts) {
    if (progress) progress(fmt::format("fig6: the switch's own port, bursts of {}", burst));
    for (double mbit = 10; mbit <= 90; mbit += quick ? 40 : 10) {
      const auto point = callgen::measure_port(burst, mbit, quick ? kOwnQuick : kOwnFull);
      if (!point) return tl::make_unexpected(point.error());
      own.port.push_back(*point);
    }
  }
  if (progress) progress("fig6: queueing options");
  auto queueing = dataplane::bench::queueing_costs(quick ? 200'000 : 5'000'000, quick ? 3 : 5);
  if (!queueing) return tl::make_unexpected(queueing.error());
  own.queueing = std::move(*queueing);
  return own;
}

std::vector<std::pair<std::string, std::string>> constants() {
  std::vector<std::pair<std::string, std::string>> all;
  const auto us = [](Duration time) {
    return std::chrono::duration<double, std::micro>(time).count();
  };
  for (const auto& [name, profile] : dataplane::port_controllers()) {
    all.emplace_back(std::string{name},
                     fmt::format("{} us a burst, {} us a cell, {} us between cells, {} Mbit/s, {} "
                                 "octets of overhead, {} cells of buffer",
                                 us(profile.burst), us(profile.cell), us(profile.gap),
                                 static_cast<double>(profile.line_bits_per_s) / 1e6,
                                 profile.overhead_octets, profile.buffer_cells));
  }
  all.emplace_back(
      "where they are from",
      "times a cell: the paper's plateaus; times a burst: fitted to its words on Fig. 6 "
      "(docs/decisions/0135)");
  return all;
}

}  // namespace

Result<std::vector<figures::Made>> reproduce(bool quick, figures::Manifest manifest,
                                             const std::string& folder,
                                             const figures::Bench::Progress& progress) {
  manifest.profile = "fairisle";
  manifest.paper = kFairislePaper;
  manifest.source = "port controllers on virtual time";
  manifest.scale.quick = quick;
  manifest.constants = constants();
  const auto own = measure_own(quick, progress);
  if (!own) return tl::make_unexpected(own.error());
  std::vector<figures::Made> all;
  for (auto figure : {rates(quick), fig5(quick), fig6(quick, *own)}) {
    if (auto written = figures::write_figure(folder, figure); !written) {
      return tl::make_unexpected(written.error());
    }
    if (progress) progress(fmt::format("{}: {}", figure.id, to_string(figure.verdict.shape)));
    const std::string id = figure.id;
    all.push_back({id, std::move(figure), {}});
  }
  if (auto written = figures::write_summary(folder, manifest, all, {}); !written) {
    return tl::make_unexpected(written.error());
  }
  return all;
}

}  // namespace xbind::fairisle
