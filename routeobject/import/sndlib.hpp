// Reads SNDlib's native network format (sndlib.zib.de, "native format", version 1.0):
//
//   ?SNDlib native format; type: network; version: 1.0
//   # a comment, to the end of its line
//   META ( ... )                          optional; one "name = value" a line
//   NODES ( id [( longitude latitude )] [( )] [( )] ... )
//   LINKS ( id ( from to ) capacity cost routing-cost setup-cost
//           ( {module-capacity module-cost} ) ... )
//   DEMANDS ( id ( from to ) routing-unit value max-path-length ... )
//   ADMISSIBLE_PATHS ( ... )              skipped; paths are searched, not taken from the file
//
// A link's rate is its pre-installed capacity if that is above zero, else its largest module
// (link_rate.hpp converts it to cells/s). A link with neither is refused. META's "unit" is the unit
// of the capacities: BITPERSEC or BITSPERSEC, with K, M, G or T in front, in any case; without it
// Mbit/s. A demand's weight is its value times its routing unit, the capacity that one unit of it
// takes. Costs are ignored, and so are limits of a path's length, which are noted. NODES must
// precede the sections that name nodes, and a META with a unit must precede LINKS.
//
// Refused, with the line: another type or version; a unit that is not known or stated twice;
// sections that are unknown, repeated or cut off; repeated ids, ends that are not nodes, self
// loops, a node's designs or options, which version 1.0 leaves empty, and numbers that are invalid
// or negative.
#pragma once

#include <string>
#include <string_view>

#include "routeobject/import/builder.hpp"

namespace xbind {

inline constexpr std::string_view kSndlibMark = "?SNDlib native format";

bool is_sndlib(std::string_view text);

// `text`: the whole file, from its first line on; `path`: for the name and refusals.
Result<TopologyBuilder::Built> parse_sndlib(std::string_view text, const std::string& path);

}  // namespace xbind
