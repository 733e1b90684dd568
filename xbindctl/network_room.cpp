#include "xbindctl/network_room.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "naming/names.hpp"
#include "orb/convert.hpp"
#include "qos_mapper.hh"
#include "route_object.hh"
#include "xbindctl/network.hpp"
#include "xbindctl/ports.hpp"

namespace xbind::ctl {
namespace {

std::uint64_t left_of(std::uint64_t capacity, std::uint64_t taken) {
  return capacity > taken ? capacity - taken : 0;
}

// What a call of this service takes of each port. A rate is what it says; every other service is
// mapped by the QOSMapper.
OrFailure<Resources> resources_of(orb::NameClient& names, const FitQuestion& question) {
  if (question.service.kind == ServiceKind::kCells) {
    return Resources{question.service.cells_per_s, question.service.buffer_cells};
  }
  const auto object = resolved(names, PeerKind::kQosMapper,
                               naming::path_of(naming::kQosMappers, question.qos_mapper));
  if (!object) return tl::make_unexpected(object.error());
  const v2::QOSMapper_var mapper = v2::QOSMapper::_unchecked_narrow(*object);
  return call_peer(peer_of(PeerKind::kQosMapper, "the QOSMapper", mapper), mapper,
                   [&]() -> OrFailure<Resources> {
                     const v2::NetworkService mapped =
                         mapper->service_to_network(orb::to_idl(question.service));
                     return orb::to_core(mapped.resources);
                   });
}

Candidate candidate_of(const v2::RouteFound& found) {
  Candidate candidate;
  candidate.line_cells_per_s = found.free_cells_per_s;
  candidate.delay_us = found.delay_us;
  for (CORBA::ULong i = 0; i < found.hops.length(); ++i) {
    const v2::RouteHop& hop = found.hops[i];
    candidate.path.push_back(
        {printable(hop.switch_name.in()), PortId{hop.input_port}, PortId{hop.output_port}});
  }
  return candidate;
}

// Fills candidates and, if RouteObject refuses the request, its reason.
OrFailure<FitAnswer> ask_routes(v2::RouteObject_ptr route_object, const FitQuestion& question,
                                Resources takes) {
  const Peer peer = peer_of(PeerKind::kRouteObject, "the RouteObject", route_object);
  return call_peer(peer, route_object, [&]() -> OrFailure<FitAnswer> {
    FitAnswer answer;
    answer.takes = takes;
    RouteWish wish{question.from, question.to, takes.cells_per_s};
    wish.alternates = kCandidatesMax;
    RoutesFound found = find_routes(route_object, wish);
    if (found.refused) {
      auto refused = orb::to_core(*found.refused);
      if (!refused) return failed(refused.error(), peer);
      answer.refused = std::move(*refused);
      answer.refused_reason = printable(found.refused->reason.in(), 1'024);
      wish.cells_per_s = 0;  // paths for less, if there are
      found = find_routes(route_object, wish);
    }
    for (const v2::RouteFound& path : found.paths) {
      if (path.hops.length() != 0) answer.candidates.push_back(candidate_of(path));
    }
    return answer;
  });
}

// Adds the ports of the switch to `rooms`.
void add_rooms(const std::string& switch_name, const v2::PortReportSeq& reports, Rooms& rooms) {
  for (CORBA::ULong i = 0; i < reports.length(); ++i) {
    const v2::PortReport& port = reports[i];
    PortRoom room;
    room.up = port.state.up;
    room.free = {left_of(port.capacity.cells_per_s, port.taken.cells_per_s),
                 left_of(port.capacity.buffer_cells, port.taken.buffer_cells)};
    room.labels = port.free_output_labels;
    room.ingress_cells_per_s = left_of(port.capacity.cells_per_s, port.ingress_cells_per_s);
    room.ingress_labels = port.free_input_labels;
    rooms.insert_or_assign({switch_name, PortId{port.state.port_number}}, room);
  }
}

Rooms read_rooms(orb::NameClient& names, FitAnswer& answer) {
  Rooms rooms;
  std::map<std::string, bool> read;  // by switch: whether it answered
  for (const Candidate& candidate : answer.candidates) {
    for (const PathHop& hop : candidate.path) {
      if (read.contains(hop.switch_name)) continue;
      const auto ports = port_reports(names, hop.switch_name);
      read.emplace(hop.switch_name, ports.has_value());
      if (ports) {
        add_rooms(hop.switch_name, ports->reports.in(), rooms);
      } else {
        answer.unread.push_back(hop.switch_name);
      }
    }
  }
  return rooms;
}

// The manager takes labels of its own cache first.
bool add_cached_labels(orb::NameClient& names, const std::string& manager_name, Rooms& rooms) {
  const auto manager = client::TwoWay::find(names, manager_name);
  if (!manager) return false;
  const auto caches = manager->caches();
  if (!caches) return false;
  std::map<std::string, std::uint64_t> cached;
  for (CORBA::ULong i = 0; i < caches->in().length(); ++i) {
    const v2::CacheState& one = caches->in()[i];
    if (one.cache == v2::cache_labels) cached[one.element.in()] += one.size;
  }
  for (auto& [at, room] : rooms) {
    const auto found = cached.find(fmt::format("{} port {}", at.switch_name, at.output_port));
    if (found != cached.end()) room.labels += found->second;
  }
  return true;
}

}  // namespace

const Candidate* FitAnswer::fitting() const {
  if (refused) return nullptr;
  const auto found = std::ranges::find_if(
      candidates, [](const Candidate& candidate) { return !candidate.shortage; });
  return found == candidates.end() ? nullptr : &*found;
}

const Candidate* FitAnswer::widest() const {
  const auto found = std::ranges::max_element(candidates, {}, &Candidate::most_cells_per_s);
  return found == candidates.end() || found->most_cells_per_s == 0 ? nullptr : &*found;
}

OrFailure<FitAnswer> fit_of(orb::NameClient& names, const FitQuestion& question) {
  const auto takes = resources_of(names, question);
  if (!takes) return tl::make_unexpected(takes.error());
  const auto object = resolved(names, PeerKind::kRouteObject,
                               naming::path_of(naming::kRouteObjects, question.route_object));
  if (!object) return tl::make_unexpected(object.error());
  const v2::RouteObject_var route_object = v2::RouteObject::_unchecked_narrow(*object);
  auto answer = ask_routes(route_object, question, *takes);
  if (!answer) return answer;
  Rooms rooms = read_rooms(names, *answer);
  answer->labels_cached_unknown = !add_cached_labels(names, question.manager, rooms);
  for (Candidate& candidate : answer->candidates) {
    candidate.shortage = shortage_of(candidate.path, *takes, rooms);
    candidate.most_cells_per_s =
        most_cells_per_s(candidate.path, takes->buffer_cells, rooms, candidate.line_cells_per_s);
    candidate.copies = copies_of(candidate.path, *takes, rooms, kCopiesMax);
  }
  if (answer->refused) return answer;
  // One path after another, as calls would fill them.
  for (const Candidate& candidate : answer->candidates) {
    const std::uint64_t copies =
        copies_of(candidate.path, *takes, rooms, kCopiesMax - answer->copies);
    take(candidate.path, *takes, copies, rooms);
    answer->copies += copies;
  }
  return answer;
}

std::string words_of(const PathHops& path) {
  std::string words;
  for (const PathHop& hop : path) words += (words.empty() ? "" : ", ") + hop.switch_name;
  return words;
}

}  // namespace xbind::ctl
