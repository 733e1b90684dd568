// The network as RouteObject described it last: links, endpoints, and what is unusable. It finds
// paths for calls that RouteObject leaves without an answer, and says whether an expired path still
// follows the links of the network.
//
// Such a path has the fewest links; between equal ones, the one found first. It uses nothing that
// was unusable at the last news. Free bandwidth is not known here: the SwitchServers decide.
//
// Not thread-safe; owned by RouteDesk.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cmgr/parts/route_cache.hpp"
#include "core/ids.hpp"
#include "core/name_hash.hpp"
#include "core/path.hpp"

namespace xbind::cmgr {

// One link of the network, by the names of the switches at its ends.
struct NetworkLink {
  std::string switch_name;
  PortId port;
  std::string other_switch_name;
  PortId other_port;
  // the line's rate; the largest number: not known
  std::uint64_t cells_per_s = std::numeric_limits<std::uint64_t>::max();
};

// An endpoint, and the port of a switch to which it is connected.
struct NetworkEnd {
  std::string name;
  std::string switch_name;
  PortId port;
};

class KnownNetwork {
 public:
  static constexpr std::size_t kEndsMax = 65'536;  // further endpoints are not known

  // Replaces the network. Without `ends` no path is found.
  void set(const std::vector<NetworkLink>& links, const std::vector<NetworkEnd>& ends);
  void set_unusable(const TopologyState& state);
  // The path of a found route shows where its endpoints are. Ignored while no network is known.
  void learn(const RouteReply& route);

  // nullopt: no path between the endpoints has the rate and avoids what is to be avoided, or an
  // endpoint is not known. `free_cells_per_s` is the lowest rate of the path's lines.
  std::optional<Path> path(const RouteNeed& need) const;
  // Whether each step of the found route is a link of the network, and its ends are where the
  // network has them. True while no network is known.
  bool has(const RouteReply& route) const;
  // nullopt: the endpoint is not known.
  std::optional<NetworkEnd> end(const std::string& name) const;
  std::size_t ends() const { return ends_.size(); }

 private:
  using Place = std::uint32_t;  // index into switches_
  struct Edge {
    PortId output;
    Place to;
    PortId input;  // at the far end
    std::uint64_t cells_per_s;
  };
  struct End {
    Place at;
    PortId port;
  };
  struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const { return name_hash(name); }
  };
  template <class Value>
  using ByName = std::unordered_map<std::string, Value, NameHash, std::equal_to<>>;
  // Of one search: a set of elements; a port of 0 stands for the whole switch.
  using Elements = std::unordered_set<std::uint64_t>;
  struct Step {
    Place from;
    const Edge* edge;
  };

  static std::uint64_t key(Place at, PortId port) { return std::uint64_t{at} << 32 | port.value(); }
  Place place_of(const std::string& name);
  void resolve_unusable();
  Elements elements_to_avoid(const RouteNeed& need) const;
  Path path_of(const End& from, const End& to,
               const std::unordered_map<Place, Step>& reached) const;

  std::vector<std::string> switches_;
  std::vector<std::vector<Edge>> edges_;  // of switches_
  ByName<Place> places_;
  ByName<End> ends_;
  TopologyState state_;
  Elements unusable_;
};

}  // namespace xbind::cmgr
