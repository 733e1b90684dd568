// Reads GraphML (graphml.graphdrawing.org) as the Internet Topology Zoo writes it: one flat graph.
//
// A node is identified by its id. Its switch is named after its data "label", else the label that
// yEd draws (y:NodeLabel), else the id. Its data "Longitude" and "Latitude" are its position. An
// edge is a link in both directions, whatever edgedefault or the edge's "directed" says; several
// edges between the same two nodes are parallel links. A link's rate is the first of these that the
// edge states:
//
//   data "LinkSpeedRaw"                     bit/s
//   data "LinkSpeed" and "LinkSpeedUnits"   a number, and K, M, G or T for kbit/s to Tbit/s; or
//                                           a text that contains a rate (see link_rate.hpp)
//   data "LinkLabel", "label"               a text that contains a rate
//   ImportOptions::default_rate_mbits       Mbit/s
//
// A key's <default> is the data of each node or edge that has none of this key. Data of a key that
// the file does not declare is ignored, and noted; so is a LinkSpeed that contradicts LinkSpeedRaw.
//
// The notes record each link's choice. There are no demands: every pair is equally likely.
//
// Refused, with the line: XML that is not well-formed, cut off, nested deeper than kXmlDepthMax or
// with more than kXmlMarksMax marks; a document type (no entity but XML's own five is expanded, and
// no other file is opened); a root other than <graphml>; not exactly one graph; nested graphs and
// hyperedges; missing or repeated ids (of an edge: with the same two ends), ends that are not
// nodes, self loops, two different data of one name, a stated rate that is zero or not a number.
// The text is read as UTF-8.
#pragma once

#include <string>
#include <string_view>

#include "routeobject/import/builder.hpp"
#include "routeobject/import/load_topology.hpp"

namespace xbind {

inline constexpr std::size_t kXmlDepthMax = 32;
inline constexpr std::size_t kXmlMarksMax = 1'000'000;  // '<' and '=', which cost memory

// `text`: the whole file, from its first line on; `path`: for the name and refusals.
Result<TopologyBuilder::Built> parse_graphml(std::string_view text, const std::string& path,
                                             const ImportOptions& options);

}  // namespace xbind
