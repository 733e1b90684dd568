// The ports of a server: a line to each of its subscribers (SNI), then one to each neighbour
// (ISSI).
//
// Values only; any thread.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "smds/network.hpp"

namespace xbind::smds {

using PortIndex = std::uint32_t;
inline constexpr PortIndex kNoPort = std::numeric_limits<PortIndex>::max();

enum class PortKind : std::uint8_t { kSubscriber, kTrunk };

struct Port {
  PortKind kind = PortKind::kSubscriber;
  std::string name;      // of the subscriber or the neighbour
  std::uint32_t at = 0;  // index: kSubscriber of a subscriber, kTrunk of the neighbour
  std::string endpoint;  // of the other end; empty: kUdp
  Adaptation adaptation = Adaptation::kAal5;
  std::uint32_t mbit_per_s = 0;  // the contract, each way
  std::uint32_t mcdus = 1;       // data units at a time
};

// Index of a server; kNotFound: the network has none of that name.
Result<std::uint32_t> server_index(const Network& network, const std::string& name);

// In the order of the file: subscribers of the server, then its trunks.
std::vector<Port> ports_of(const Network& network, std::uint32_t server);

}  // namespace xbind::smds
