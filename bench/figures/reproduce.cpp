#include "bench/figures/reproduce.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace xbind::figures {

bool Reproduction::complete() const {
  return std::all_of(made.begin(), made.end(),
                     [](const Made& each) { return each.figure.has_value(); });
}

Result<Reproduction> reproduce(PointSource& source, PointSource* checks, const Scale& scale,
                               Manifest manifest, const std::string& folder,
                               const Bench::Progress& progress) {
  manifest.source = source.name();
  manifest.scale = scale;
  Bench bench(source, scale, progress);
  Reproduction all;
  for (const Recipe& recipe : recipes()) {
    auto figure = recipe.make(bench);
    Made made{recipe.id, {}, {}};
    if (figure) {
      if (auto written = write_figure(folder, *figure); !written) {
        return tl::make_unexpected(written.error());
      }
      if (progress) {
        progress(fmt::format("{}: {}", recipe.id, to_string(figure->verdict.shape)));
      }
      made.figure = std::move(*figure);
    } else {
      made.error = figure.error().text;
      if (progress) progress(fmt::format("{}: could not be made: {}", recipe.id, made.error));
    }
    all.made.push_back(std::move(made));
  }
  if (checks != nullptr) {
    auto checked = run_checks(bench, *checks, progress);
    if (!checked) return tl::make_unexpected(checked.error());
    all.checks = std::move(*checked);
  }
  if (auto written = write_summary(folder, manifest, all.made, all.checks); !written) {
    return tl::make_unexpected(written.error());
  }
  return all;
}

std::vector<std::pair<std::string, std::string>> constants_of(const model::PaperHosts& hosts) {
  const auto us = [](Duration duration) {
    return fmt::format("{:.1f} us", std::chrono::duration<double, std::micro>(duration).count());
  };
  return {{"a GIOP message, sent or taken", us(hosts.message)},
          {"share of it before a message leaves", fmt::format("{:.3f}", hosts.before_leaving)},
          {"a command, result, request or outcome in it", us(hosts.command)},
          {"a GSMP request at the switch", us(hosts.switch_command)},
          {"messages taken with a pause", fmt::format("{:.4f}", hosts.pause_chance)},
          {"a pause, exponential, mean", us(hosts.pause_mean)},
          {"where they are from",
           "a search (model_bench fit) over B1 and T = 1 alone; a command is set to a twentieth of "
           "a message"}};
}

}  // namespace xbind::figures
