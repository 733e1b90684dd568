// The epochs of a manager's name: which one it begins, and which ones the ids of connections use.
//
// An id has 24 bits for the epoch in which it was given out, so epochs are used up one day, or when
// somebody attaches with forged ones. They are then renewed: every SwitchServer is told a lower
// newest epoch. Each SwitchServer and the manager's file count these renewals. What was renewed
// more often is newer, whichever epoch it names.
//
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/ids.hpp"

namespace xbind {

inline constexpr unsigned kIdCounterBits = 40;  // of an id: 47 days at 270 000 calls a second
inline constexpr std::uint64_t kManagerEpochMax = (std::uint64_t{1} << (64 - kIdCounterBits)) - 1;
// The epoch in which the id was given out.
constexpr std::uint64_t epoch_of(ConnectionId id) { return id.value() >> kIdCounterBits; }

// Renewed epochs leave this many for starts with a SwitchServer that does not answer.
inline constexpr std::uint64_t kEpochsFreeAfterRenewal = 1024;
// Epochs that one source lists as used.
inline constexpr std::size_t kEpochsListedMax = 65'536;

struct ManagerEpochs {
  Epoch newest;                       // 0: none
  std::uint64_t renewals = 0;         // of the newest
  Epoch fenced;                       // a SwitchServer refuses lower ones
  std::vector<std::uint64_t> used{};  // in ids of hops; ascending
  // Epochs from here on may be used, too: a source has listed only the lowest ones.
  std::uint64_t unlisted_from = kManagerEpochMax + 1;

  friend bool operator==(const ManagerEpochs&, const ManagerEpochs&) = default;
};

// What the manager's file knows, and what a SwitchServer knows.
ManagerEpochs epochs_in_file(Epoch newest, std::uint64_t renewals);
ManagerEpochs epochs_at_switch(Epoch newest, std::uint64_t renewals,
                               std::vector<std::uint64_t> used);

// Adds what another source knows.
void merge(ManagerEpochs& all, const ManagerEpochs& more);

// The lowest epoch above the newest one that no hop uses. nullopt: there is none, or a SwitchServer
// would fence it off: the epochs must be renewed.
std::optional<Epoch> next_epoch(const ManagerEpochs& all);

// What the newest epoch becomes when the epochs are renewed: the highest one that a hop uses, if
// kEpochsFreeAfterRenewal are left above it, so that an earlier process with calls stays fenced
// off; else the lowest one that so many unused ones follow. Above 0. nullopt: there is none.
std::optional<Epoch> renewed_epoch(const ManagerEpochs& all);

}  // namespace xbind
