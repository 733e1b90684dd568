// A topology from a file of any format known here; what the file is decides, not how it is named:
//
//   SNDlib native   begins with "?SNDlib native format"; sndlib.hpp
//   GraphML         XML whose root is <graphml>, as the Internet Topology Zoo has it; graphml.hpp
//   our own TOML    everything else; topology_file.hpp
//
// The name's end (.toml or none) only decides how a file is refused that is none of them.
//
// What an imported file leaves open is chosen by the rules in the headers of the importers, and every
// choice is in `notes`. A file of our own leaves nothing open and has none.
//
// Refusals: kBadInput beginning with "FILE line N: " or "FILE: " (also for a file above
// kTopologyOctetsMax, of which no more is read, and one with an octet 0), kSystem when it cannot be
// read. Pure but for reading the file; from any thread.
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

// The same of a text; of `path` come the topology's name (not TOML's) and the refusals.
Result<LoadedTopology> parse_any_topology(std::string_view text, const std::string& path,
                                          const ImportOptions& options);

}  // namespace xbind
