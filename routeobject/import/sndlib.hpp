// Reads SNDlib's native network format (sndlib.zib.de, "native format", version 1.0):
//
//   ?SNDlib native format; type: network; version: 1.0
//   # a comment, to the end of its line
//   META ( ... )                          optional; one "name = value" a line, ends with a line ")"
//   NODES ( id [( longitude latitude )] ... )
//   LINKS ( id ( from to ) capacity cost routing-cost setup-cost ( {module-capacity module-cost} ) ... )
//   DEMANDS ( id ( from to ) routing-unit value max-path-length ... )
//   ADMISSIBLE_PATHS ( ... )              skipped; paths are searched, not taken from the file
//
// A link's rate is its pre-installed capacity if that is above zero, else its largest module, in Mbit/s
// (link_rate.hpp: how that becomes cells a second); a link with neither is refused. META's unit is only
// noted when it is not MBITPERSEC. A demand's value is its weight, as it stands; routing units other
// than 1 are noted and not used, nor are costs and path lengths. NODES stands before what names nodes.
//
// Refused, with the line: another type or version, sections that are unknown, twice there or cut off,
// ids that are twice there, ends that are no node, self loops, numbers that are none or below zero.
#pragma once

#include <string>
#include <string_view>

#include "routeobject/import/builder.hpp"

namespace xbind {

inline constexpr std::string_view kSndlibMark = "?SNDlib native format";

bool is_sndlib(std::string_view text);

// `text`: of the whole file, from its first line on; `path`: for name and refusals.
Result<TopologyBuilder::Built> parse_sndlib(std::string_view text, const std::string& path);

}  // namespace xbind
