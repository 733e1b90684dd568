#include "callgen/load/demand_file.hpp"

#include <optional>

#include "callgen/load/words.hpp"
#include "core/read_file.hpp"
#include "routeobject/import/load_topology.hpp"
#include "routeobject/import/sndlib.hpp"

namespace xbind::callgen {
namespace {

Result<Demand> demand_of(const std::vector<std::string_view>& words) {
  if (words.size() != 3)
    return fail(ErrorCode::kBadInput, "{} words, not from, to and weight", words.size());
  if (words[0] == words[1])
    return fail(ErrorCode::kBadInput, "endpoint {} would call itself", words[0]);
  const auto weight = number_of(words[2]);
  if (!weight || *weight <= 0)
    return fail(ErrorCode::kBadInput, "weight '{}' is no number above 0", words[2]);
  return Demand{std::string(words[0]), std::string(words[1]), *weight};
}

Result<std::vector<Demand>> demands_of_sndlib(std::string_view text, const std::string& file) {
  const auto loaded = parse_any_topology(text, file, ImportOptions{});
  if (!loaded) return tl::make_unexpected(loaded.error());
  const Topology& topology = loaded->topology;
  std::vector<Demand> demands;
  for (const TopologyDemand& demand : topology.demands())
    demands.push_back({topology.switches()[demand.from].name, topology.switches()[demand.to].name,
                       demand.weight});
  return demands;
}

}  // namespace

Result<std::vector<Demand>> parse_demands(std::string_view text, const std::string& file) {
  std::vector<Demand> demands;
  std::optional<Error> wrong;
  if (is_sndlib(text)) {
    auto imported = demands_of_sndlib(text, file);
    if (!imported) return imported;
    demands = std::move(*imported);
  } else {
    each_line(text, [&](std::size_t line, const std::vector<std::string_view>& words) {
      auto demand = demand_of(words);
      if (demand && demands.size() == Workload::kMostDemands)
        demand = fail(ErrorCode::kBadInput, "more than {} demands", Workload::kMostDemands);
      if (!demand) {
        wrong = refusal_at(file, line, demand.error());
        return false;
      }
      demands.push_back(std::move(*demand));
      return true;
    });
  }
  if (wrong) return tl::make_unexpected(*wrong);
  if (demands.empty()) return fail(ErrorCode::kBadInput, "{}: no demand is in it", file);
  return demands;
}

Result<std::vector<Demand>> read_demands(const std::string& file) {
  const Result<std::string> text = read_file(file, kDemandOctetsMax);
  if (!text) return tl::make_unexpected(text.error());
  return parse_demands(*text, file);
}

}  // namespace xbind::callgen
