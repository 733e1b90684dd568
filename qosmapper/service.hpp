// From what a manager's client asks for (core/call.hpp), in the user's terms or in the network's, to
// what every hop must give and every switch be told. The ConnectionManager with a collocated QOSMapper and the QOSMapper's
// servant both use this, so that it cannot matter where the mapping is done. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>

#include "core/call.hpp"
#include "core/cause.hpp"
#include "core/result.hpp"
#include "core/traffic_contract.hpp"

namespace xbind {

struct ServiceRefusal {
  Cause cause = Cause::kInvalidRequest;  // or kUnknownService
  std::string element;                   // which number of the service: "cells/s"
  std::uint64_t asked = 0;               // the number that cannot be
  std::uint64_t free = 0;                // the most it can be, where that can be told
  std::string text;                      // one sentence

  friend bool operator==(const ServiceRefusal&, const ServiceRefusal&) = default;
};

// Cells: resources as they are, 1 to TrafficContract::kFieldMax a second; CBR. Video: to_network() of
// mapping.hpp, at most TrafficContract::kFieldMax of both; nrt-VBR. A contract that the user names: as
// it is if check() accepts it, and what contract.hpp says it takes. Numbers that belong to another kind
// are not looked at.
tl::expected<NetworkService, ServiceRefusal> service_to_network(const ServiceSpec& service);

}  // namespace xbind
