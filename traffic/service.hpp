// Maps the service that a manager's client requests (core/call.hpp), in the user's terms or the
// network's, to the resources and contract for every hop and switch, and back. The
// ConnectionManager with a collocated QOSMapper and the QOSMapper's servant both use it, so the
// result does not depend on where the mapping is done. Everything in terms of frames goes through
// atm_mapping.hpp. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/call.hpp"
#include "core/cause.hpp"
#include "core/result.hpp"
#include "core/traffic_contract.hpp"
#include "traffic/catalogue.hpp"

namespace xbind {

struct ServiceRefusal {
  Cause cause = Cause::kInvalidRequest;  // or kUnknownService
  std::string element;      // the number of the service at fault: "cells/s"; of a class a sentence
  std::uint64_t asked = 0;  // the invalid number
  std::uint64_t free = 0;   // the highest valid number, where it is known
  std::string text;         // one sentence

  friend bool operator==(const ServiceRefusal&, const ServiceRefusal&) = default;
};

struct MappedService {
  NetworkService network;
  std::optional<UserService> frames;  // the service in frames; nullopt for cells and contracts
  NetworkQos quality;                 // requested from the network end to end; only by a class

  friend bool operator==(const MappedService&, const MappedService&) = default;
};

// Ignores numbers that belong to another kind.
//
// Cells: the resources unchanged, 1 to TrafficContract::kFieldMax per second; CBR. Video: nrt-VBR
// for frames of one size that arrive at once; resources as to_network() of mapping.hpp, each at
// most TrafficContract::kFieldMax. Their buffer is a whole frame, as a line faster than the
// reference line needs. A contract that the user specifies: unchanged if check() accepts it. A
// class: the catalogue's service with the given terms in place of its own, or the terms alone;
// kUnknownService names a service that the catalogue does not have. Resources of contracts and
// classes are resources_of() of contract.hpp.
tl::expected<MappedService, ServiceRefusal> map_service(
    const ServiceSpec& service, const Catalogue& catalogue = shipped_catalogue());

// The part of the mapping that a manager needs.
tl::expected<NetworkService, ServiceRefusal> service_to_network(
    const ServiceSpec& service, const Catalogue& catalogue = shipped_catalogue());

// Maps back: the quality for the service's frames when they travel under `contract` over hops that
// promise `hops`. Refuses a service without frames, and what to_user() refuses.
tl::expected<UserQos, ServiceRefusal> network_to_service(
    const ServiceSpec& service, const TrafficContract& contract, std::span<const NetworkQos> hops,
    const Catalogue& catalogue = shipped_catalogue());

}  // namespace xbind
