// From what a manager's client asks for (core/call.hpp), in the user's terms or in the network's, to
// what every hop must give and every switch be told, and back. The ConnectionManager with a collocated
// QOSMapper and the QOSMapper's servant both use this, so that it cannot matter where the mapping is done.
// Everything that is said in frames goes through atm_mapping.hpp. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/call.hpp"
#include "core/cause.hpp"
#include "core/result.hpp"
#include "core/traffic_contract.hpp"
#include "qosmapper/catalogue.hpp"

namespace xbind {

struct ServiceRefusal {
  Cause cause = Cause::kInvalidRequest;  // or kUnknownService
  std::string element;      // which number of the service: "cells/s"; of a class its sentence
  std::uint64_t asked = 0;  // the number that cannot be
  std::uint64_t free = 0;   // the most it can be, where that can be told
  std::string text;         // one sentence

  friend bool operator==(const ServiceRefusal&, const ServiceRefusal&) = default;
};

struct MappedService {
  NetworkService network;
  std::optional<UserService> frames;  // the service in frames; not of cells and of contracts
  NetworkQos quality;                 // asked of the network from end to end; a class alone asks

  friend bool operator==(const MappedService&, const MappedService&) = default;
};

// Numbers that belong to another kind are not looked at.
//
// Cells: resources as they are, 1 to TrafficContract::kFieldMax a second; CBR. Video: frames of one size
// that come at once, nrt-VBR; of resources to_network() of mapping.hpp, at most TrafficContract::kFieldMax
// of both: whole frames of buffer, as a line that is faster than the reference line needs. A contract that
// the user names: as it is if check() accepts it. A class: the catalogue's service with what the terms say
// otherwise, or the terms alone; kUnknownService names a service that the catalogue does not have. Of
// contracts and classes the resources are resources_of() of contract.hpp.
tl::expected<MappedService, ServiceRefusal> map_service(
    const ServiceSpec& service, const Catalogue& catalogue = shipped_catalogue());

// What a manager needs of it.
tl::expected<NetworkService, ServiceRefusal> service_to_network(
    const ServiceSpec& service, const Catalogue& catalogue = shipped_catalogue());

// The way back: what it means for the service's frames when they travel under `contract` over hops that
// promise `hops`. Refused: a service that names no frames, what to_user() refuses.
tl::expected<UserQos, ServiceRefusal> network_to_service(
    const ServiceSpec& service, const TrafficContract& contract, std::span<const NetworkQos> hops,
    const Catalogue& catalogue = shipped_catalogue());

}  // namespace xbind
