// Loads a topology from a file of any known format. The content decides the format, not the name:
//
//   SNDlib native   begins with "?SNDlib native format"; sndlib.hpp
//   GraphML         XML whose root is <graphml>, as the Internet Topology Zoo has it; graphml.hpp
//   our own TOML    everything else; topology_file.hpp
//
// The name's ending (.toml or not) only decides how a file of no known format is refused.
//
// Rules in the importers' headers choose what an imported file leaves open; `notes` records every
// choice. A file of our own leaves nothing open and has no notes.
//
//
// Refusals: kBadInput beginning with "FILE line N: " or "FILE: "; kSystem when the file cannot be
// read. kBadInput also covers a file above kTopologyOctetsMax, of which no more is read, and one
// that contains an octet 0. Pure except for reading the file; from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "routeobject/topology/topology.hpp"

namespace xbind {

inline constexpr double kDefaultRateMbits = 155.0;
inline constexpr double kDefaultRateMbitsMin = 0.001;
inline constexpr double kDefaultRateMbitsMax = 1'000'000.0;

struct ImportOptions {
  // Mbit/s of a GraphML link that states no rate; within the bounds above.
  double default_rate_mbits = kDefaultRateMbits;
};

enum class TopologyFormat { kToml, kSndlib, kGraphml };
std::string_view to_string(TopologyFormat format);  // "TOML", "SNDlib native", "GraphML"

struct LoadedTopology {
  Topology topology;
  TopologyFormat format = TopologyFormat::kToml;
  std::vector<std::string> notes;  // one sentence each, at most kImportNotesMax
};

Result<LoadedTopology> load_topology(const std::string& path, const ImportOptions& options);

// The same for a text; `path` gives the topology's name (except in TOML) and the refusals' prefix.
Result<LoadedTopology> parse_any_topology(std::string_view text, const std::string& path,
                                          const ImportOptions& options);

}  // namespace xbind
