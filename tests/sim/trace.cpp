#include "tests/sim/trace.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace xbind::sim {
namespace {

std::string words(const HopKey& key) {
  return fmt::format("{}/{}.{}.{}", key.connection, key.generation, key.leg, key.hop);
}

void add(std::string& line, std::string_view what, const std::vector<PortLabels>& labels) {
  for (const PortLabels& port : labels) {
    line += fmt::format(" {} {}:", what, port.port);
    for (const Label label : port.labels) line += to_string(label) + ",";
  }
}

}  // namespace

std::string words(const HopClaims& claims) {
  constexpr std::array<const char*, 4> kStages{"reserved", "committing", "committed", "removing"};
  std::string line;
  for (const LedgerHop& hop : claims.hops) {
    const CrossConnect& at = hop.cross_connect;
    line += fmt::format(" {} {} {}:{} -> {}:{};", kStages.at(static_cast<std::size_t>(hop.stage)),
                        words(hop.key), at.input_port, to_string(at.input_label), at.output_port,
                        to_string(at.output_label));
  }
  add(line, "resting", claims.resting);
  return line + (claims.last ? " and no more" : "");
}

std::string words(const HopBatch& batch) {
  std::string line;
  for (const HopModify& change : batch.modifies) {
    line += fmt::format(" modify {} to {} rev {};", words(change.key), change.demand.cells_per_s,
                        change.revision);
  }
  std::size_t applied = 0;
  auto removal = batch.removals.begin();
  const auto removals = [&](bool all) {
    for (; removal != batch.removals.end() && (all || removal->after <= applied); ++removal) {
      line += fmt::format(" remove {};", words(removal->key));
    }
  };
  for (const HopSetup& setup : batch.setups) {
    removals(false);
    line += fmt::format(" {}{}{}{} {} {}:{} -> {}:{} {} cells/s want {};",
                        setup.commit ? "commit" : "reserve", setup.branch ? " branch" : "",
                        setup.takes_over ? " take over" : "", setup.joins ? " join" : "",
                        words(setup.key), setup.input_port, to_string(setup.input_label),
                        setup.output_port, to_string(setup.output_label), setup.demand.cells_per_s,
                        setup.labels_wanted);
    ++applied;
  }
  removals(true);
  add(line, "returned", batch.returned);
  return line;
}

std::string words(const TopologyState& state) {
  std::string line = fmt::format("version {}:", state.version);
  for (const UnusableElement& it : state.unusable) {
    line += fmt::format(" {} port {} {};", it.element.switch_name, it.element.output_port,
                        it.why == Unusable::kDown      ? "down"
                        : it.why == Unusable::kDrained ? "drained"
                                                       : "unknown");
  }
  return line;
}

std::string words(const HopResultBatch& batch) {
  static constexpr std::array<std::string_view, 4> kDone{"reserved", "committed", "removed",
                                                         "modified"};
  std::string line;
  for (const HopResult& result : batch.results) {
    line +=
        fmt::format(" {} {} {} {} {};", kDone[static_cast<std::size_t>(result.action)],
                    words(result.key), result.cause == Cause::kNone ? "" : to_string(result.cause),
                    to_string(result.input_label), to_string(result.output_label));
  }
  add(line, "granted", batch.granted);
  return line;
}

}  // namespace xbind::sim
