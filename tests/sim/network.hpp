// The network of the simulated world: a ring of switches with one chord, and RouteObject's answers
// about it.
//
//   h0-1 h0-2           h1-1 h1-2         ports of every switch: 1 and 2 for endpoints, 3 to the
//      [switch-0]═════════[switch-1]      switch before, 4 to the one after; 5 of switch-0 and of
//          ║ ╲________________ ║          the one opposite: the chord, which is narrower
//      [switch-3]═════════[switch-2]
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cmgr/route_cache.hpp"
#include "switchserver/switch_driver.hpp"

namespace xbind::sim {

class Network {
 public:
  static constexpr std::uint64_t kLineRate = 2'000;  // cells/s
  static constexpr std::uint64_t kChordRate = 700;
  static constexpr std::uint32_t kEndpointPorts = 2;
  static constexpr const char* kIsland = "island";  // an endpoint that no link leads to
  using Port = std::pair<std::size_t, PortId>;      // switch, port

  // `labels` of every port; at least 3 switches.
  Network(std::size_t switches, std::uint32_t labels) : switches_(switches), labels_(labels) {}

  std::size_t size() const { return switches_; }
  std::vector<SwitchPort> ports(std::size_t at) const;
  // The other end of the link; nothing: an endpoint is there.
  std::optional<Port> far_end(std::size_t at, PortId port) const;
  // Where an endpoint is; nothing: there is none of that name.
  std::optional<Port> place(const std::string& endpoint) const;
  static std::string switch_name(std::size_t at);
  static std::string endpoint(std::size_t at, std::uint32_t port);

  // The shortest path that has the rate and uses nothing that the query avoids.
  cmgr::RouteReply route(const cmgr::RouteQuery& query) const;

 private:
  std::vector<PathHop> search(const Port& from, const Port& to, std::uint64_t cells_per_s,
                              const std::vector<PathElement>& avoid) const;

  std::size_t switches_;
  std::uint32_t labels_;
};

}  // namespace xbind::sim
