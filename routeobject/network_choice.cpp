#include "routeobject/network_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "routeobject/network/difference.hpp"

namespace xbind {

NetworkChoice choose_network(const std::optional<StoredNetwork>& stored, const TopologyFile& file,
                             bool accept_smaller) {
  if (stored && stored->file == file.mark) return {stored->topology, stored->file, {}, false};
  if (stored && !accept_smaller) {
    auto lacks = lacking(file.topology, stored->topology);
    if (!lacks.empty()) return {stored->topology, stored->file, std::move(lacks), false};
  }
  const bool replaces = stored && stored->topology != file.topology;
  return {file.topology, file.mark, {}, replaces};
}

std::vector<std::string> lacking(const Topology& other, const Topology& network) {
  std::vector<std::string> words;
  for (const TopologySwitch& it : network.switches()) {
    const auto at = other.find(it.name);
    if (!at) {
      words.push_back(it.name);
    } else if (it.endpoint && !other.switches()[*at].endpoint) {
      words.push_back("the endpoint at " + it.name);
    }
  }
  for (const TopologyLink& it : network.links()) {
    if (same_link(other, network, it)) continue;
    words.push_back(
        fmt::format("the link {} to {}", network.end_text(it.a), network.end_text(it.b)));
  }
  return words;
}

std::string some_of(std::span<const std::string> words, std::size_t most) {
  const auto shown = words.first(std::min(most, words.size()));
  std::string text = fmt::format("{}", fmt::join(shown, ", "));
  if (words.size() > most) text += fmt::format(" and {} more", words.size() - most);
  return text;
}

}  // namespace xbind
