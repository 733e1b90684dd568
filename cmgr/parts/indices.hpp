// Indices into the tables of one manager, as separate types: an index of a switch cannot be used
// for a client or a call.
#pragma once

#include <cstdint>
#include <limits>

#include "core/ids.hpp"

namespace xbind::cmgr {

// A switch in the table of SwitchDesk. A name keeps its index for the life of the manager.
using SwitchIndex = Id<struct SwitchIndexTag, std::uint16_t>;

// A client in the table of ClientDesk. A slot is reused when its client is forgotten.
using ClientIndex = Id<struct ClientIndexTag, std::uint32_t>;
inline constexpr ClientIndex kNoClient{std::numeric_limits<ClientIndex::rep>::max()};

// A setup or release in the table of CallTimes. Every function of CallTimes accepts kNotTimed and
// ignores it.
using TimesIndex = Id<struct TimesIndexTag, std::uint32_t>;
inline constexpr TimesIndex kNotTimed{std::numeric_limits<TimesIndex::rep>::max()};

}  // namespace xbind::cmgr
