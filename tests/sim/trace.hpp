// Batches and topology states in words, for the replay of a single seed (seeds.hpp).
#pragma once

#include <string>

#include "core/audit.hpp"
#include "core/hop.hpp"
#include "core/path.hpp"

namespace xbind::sim {

std::string words(const HopBatch& batch);
std::string words(const HopResultBatch& batch);
std::string words(const HopClaims& claims);
std::string words(const TopologyState& state);

}  // namespace xbind::sim
