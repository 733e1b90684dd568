// Asks the network whether a call would fit: routes from RouteObject, accounts from the
// SwitchServers' ledgers, labels in the manager's cache. Every function waits for its peers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/corba/two_way.hpp"
#include "core/call.hpp"
#include "core/resources.hpp"
#include "orb/name_client.hpp"
#include "xbindctl/failure.hpp"
#include "xbindctl/room.hpp"

namespace xbind::ctl {

struct FitQuestion {
  std::string from;
  std::string to;
  ServiceSpec service;
  std::string route_object;  // names in the name service
  std::string qos_mapper;
  std::string manager;
};

struct Candidate {
  PathHops path;
  std::uint64_t line_cells_per_s = 0;  // least rate that one of its lines may promise
  std::uint64_t delay_us = 0;
  std::optional<Shortage> shortage;    // what binds; nullopt: the call fits
  std::uint64_t most_cells_per_s = 0;  // that fits now, with the call's buffer
  std::uint64_t copies = 0;            // such calls that fit on this path alone
};

struct FitAnswer {
  Resources takes;
  std::vector<Candidate> candidates;  // at most kCandidatesMax, in the order of RouteObject
  // RouteObject refuses the request itself; `candidates` are then paths for any rate, if there are.
  std::optional<Outcome> refused;
  std::string refused_reason;
  std::uint64_t copies = 0;  // such calls that fit on all candidates together
  std::vector<std::string>
      unread;  // switches whose accounts could not be read; they count as empty
  // The manager's cached labels are not known, because it did not answer.
  bool labels_cached_unknown = false;

  // The candidate that the call would take; nullptr: none fits.
  const Candidate* fitting() const;
  // The one with the largest rate that fits; nullptr: none has any room.
  const Candidate* widest() const;
};

inline constexpr std::uint32_t kCandidatesMax = 8;
inline constexpr std::uint64_t kCopiesMax = 1'000'000;

OrFailure<FitAnswer> fit_of(orb::NameClient& names, const FitQuestion& question);

// "host-a, switch-1, host-b".
std::string words_of(const PathHops& path);

}  // namespace xbind::ctl
