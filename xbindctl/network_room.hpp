// Asks the network whether a call would fit: paths from RouteObject, room from the ledgers of the
// SwitchServers along them. Every function waits for its peers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/call.hpp"
#include "core/resources.hpp"
#include "orb/name_client.hpp"
#include "xbindctl/failure.hpp"
#include "xbindctl/path_verdict.hpp"

namespace xbind::ctl {

struct FitQuestion {
  std::string from;
  std::string to;
  ServiceSpec service;
  std::string route_object;  // names in the name service
  std::string qos_mapper;
  std::string manager;  // that would set it up: its cached labels and its quota are room for it
};

struct Candidate {
  PathHops path;
  std::uint64_t line_cells_per_s = 0;  // least rate that one of its lines may promise
  std::uint64_t delay_us = 0;
  PathVerdict verdict;
};

// A switch of a candidate whose SwitchServer did not answer, or not what was asked.
struct UnreadSwitch {
  std::string name;
  std::string reason;  // one sentence for people
};

struct FitAnswer {
  Resources takes;
  std::vector<Candidate> candidates;  // at most kCandidatesMax, in the order of RouteObject
  // RouteObject refuses the request itself; `candidates` are then paths for any rate, if there are.
  std::optional<Outcome> refused;
  std::string refused_reason;
  std::uint64_t copies = 0;  // such calls that fit on all candidates together
  std::vector<UnreadSwitch> unread;

  // The candidate that the call would take; nullptr: none is known to fit.
  const Candidate* fitting() const;
  // None is known to fit, but one of them may, because a SwitchServer of it did not answer.
  bool unknown() const;
  // The one with the largest rate that fits; nullptr: none has any room.
  const Candidate* widest() const;
};

inline constexpr std::uint32_t kCandidatesMax = 8;
inline constexpr std::uint64_t kCopiesMax = 1'000'000;

OrFailure<FitAnswer> fit_of(orb::NameClient& names, const FitQuestion& question);

// "host-a, switch-1, host-b".
std::string words_of(const PathHops& path);

}  // namespace xbind::ctl
