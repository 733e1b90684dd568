#include "routeobject/import/graphml.hpp"

#include <gmock/gmock.h>

#include "import_test.hpp"

namespace xbind::import_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Lines 1 to 10; a graph's content begins in line 11.
const std::string kHead =
    "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
    "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
    "<key attr.name=\"label\" for=\"node\" id=\"nl\"/>\n"
    "<key attr.name=\"Longitude\" for=\"node\" id=\"lon\"/>\n"
    "<key attr.name=\"Latitude\" for=\"node\" id=\"lat\"/>\n"
    "<key attr.name=\"LinkSpeedRaw\" for=\"edge\" id=\"raw\"/>\n"
    "<key attr.name=\"LinkSpeed\" for=\"edge\" id=\"spd\"/><key attr.name=\"LinkSpeedUnits\" "
    "for=\"edge\" id=\"unit\"/>\n"
    "<key attr.name=\"LinkLabel\" for=\"edge\" id=\"ll\"/>\n"
    "<key attr.name=\"label\" for=\"edge\" id=\"el\"/>\n"
    "<graph edgedefault=\"undirected\">\n";
const std::string kTail = "</graph>\n</graphml>\n";
const std::string kNodes =
    "<node id=\"0\"/><node id=\"1\"/>\n";  // one line: edges begin in line 12

std::string data(const std::string& key, const std::string& text) {
  return "<data key=\"" + key + "\">" + text + "</data>";
}
std::string edge(const std::string& content) {
  return kHead + kNodes + "<edge id=\"e0\" source=\"0\" target=\"1\">" + content + "</edge>\n" +
         kTail;
}
std::string refused(const std::string& text) { return refusal(text, "dir/net.graphml"); }
std::string refused_in_graph(const std::string& content) {
  return refused(kHead + content + kTail);
}

struct Chosen {
  std::uint64_t cells_per_s;
  std::string note;
};
Chosen rate_of(const std::string& content, const ImportOptions& options = {}) {
  const LoadedTopology loaded = accepted(edge(content), "net.graphml", options);
  if (loaded.topology.links().size() != 1) return {0, "no link"};
  for (const std::string& note : loaded.notes) {
    if (note.starts_with("1 link: ")) {
      return {loaded.topology.links()[0].cells_per_s, note.substr(8, note.find(" cells/s") - 8)};
    }
  }
  return {0, "no note"};
}

TEST(GraphmlTest, ASwitchPerNodeALinkPerEdge) {
  const auto loaded = accepted(
      kHead + "<data key=\"x\">of the graph</data>\n" + "<edge source=\"b\" target=\"a\"/>\n" +
          "<node id=\"a\">" + data("nl", "<![CDATA[Los Angeles]]>") + data("lon", "-118.25") +
          data("lat", "34.05") + "</node>\n<node id=\"b\">" + data("nl", "K&#246;ln &amp; Bonn") +
          data("lon", "6.95") + data("lat", "50.93") + "</node>\n" +
          "<node id=\"c\"><data key=\"g\"><y:ShapeNode><y:NodeLabel>Drawn "
          "Name</y:NodeLabel></y:ShapeNode></data></node>\n<node id=\"N9\"/>\n" +
          "<edge source=\"c\" target=\"a\">" + data("el", "OC-3") + "</edge>\n" + kTail,
      "dir/Small.graphml");
  EXPECT_EQ(loaded.format, TopologyFormat::kGraphml);
  EXPECT_EQ(loaded.topology.name(), "small");
  EXPECT_EQ(names(loaded), "los-angeles k-ln-bonn drawn-name n9");
  EXPECT_EQ(links(loaded), "k-ln-bonn:2-los-angeles:2@365566 drawn-name:2-los-angeles:3@353207");
  EXPECT_TRUE(loaded.topology.demands().empty());
  for (const TopologySwitch& at : loaded.topology.switches()) EXPECT_TRUE(at.endpoint) << at.name;
  // 9153.28 km by the spherical law of cosines, computed independently.
  EXPECT_EQ(loaded.topology.links()[0].delay_us, 45'766u);
  EXPECT_EQ(loaded.topology.links()[1].delay_us, 0u);
  EXPECT_THAT(
      notes(loaded),
      AllOf(HasSubstr("GraphML: 4 nodes, 2 links, 0 demands; every node is an endpoint\n"),
            HasSubstr("every pair is equally likely\n"),
            HasSubstr("the graph has 2 unconnected parts: n9 cannot be reached from los-angeles\n"),
            HasSubstr("delay of 1 of 2 links: great-circle distance at 5 us/km\n"),
            HasSubstr("'K\xC3\xB6ln & Bonn' = k-ln-bonn")));
}

TEST(GraphmlTest, TheFirstRateThatIsStatedCounts) {
  const std::string raw = data("raw", "622000000.0"), label = data("ll", "OC-3");
  const std::string speed = data("spd", "2.5") + data("unit", "G"),
                    other = data("el", "&lt; 10 Gbps");
  EXPECT_EQ(rate_of(other + label + speed + raw).note,
            "LinkSpeedRaw 622000000.0 bit/s, against LinkSpeed 2.5 Gbit/s: 1466981");
  EXPECT_EQ(rate_of(other + label + speed).note, "LinkSpeed 2.5 Gbit/s: 5896226");
  EXPECT_EQ(rate_of(other + label).note, "label 'OC-3', as OC-3: 353207");
  EXPECT_EQ(rate_of(other).note, "label '< 10 Gbps', as 10 Gbps: 23584905");
  EXPECT_EQ(rate_of("").note, "the file states no rate, so --default-rate 155 Mbit/s: 365566");
  EXPECT_EQ(rate_of(other).cells_per_s, 23'584'905u);
}

TEST(GraphmlTest, LinkSpeedsUnits) {
  for (const auto& [unit, cells] :
       {std::pair{"K", 2'358u}, {"M", 2'358'490u}, {"G", 2'358'490'566u}}) {
    EXPECT_EQ(rate_of(data("spd", "1000") + data("unit", unit)).cells_per_s, cells) << unit;
  }
  EXPECT_EQ(rate_of(data("spd", "1") + data("unit", "T")).cells_per_s, 2'358'490'566u);
}

TEST(GraphmlTest, WhatStatesNoRateGivesTheDefaultRate) {
  const ImportOptions options{.default_rate_mbits = 4.24};
  EXPECT_EQ(rate_of("", options).note,
            "the file states no rate, so --default-rate 4.24 Mbit/s: 10000");
  EXPECT_EQ(rate_of(data("el", "Optic Fiber"), options).note,
            "label 'Optic Fiber' states no rate, so --default-rate 4.24 Mbit/s: 10000");
  EXPECT_EQ(rate_of(data("el", "1-10 Gbps"), options).cells_per_s, 10'000u);
  EXPECT_EQ(rate_of(data("spd", "1-10") + data("unit", "G"), options).note,
            "LinkSpeed '1-10' with units 'G' states no rate, so --default-rate 4.24 Mbit/s: 10000");
  EXPECT_EQ(rate_of(data("spd", "10") + data("unit", "KM"), options).cells_per_s, 10'000u);
}

TEST(GraphmlTest, ASpeedWithAUnitInWordsAndOneThatContradicts) {
  EXPECT_EQ(rate_of(data("spd", "10") + data("unit", "Gbps")).note,
            "LinkSpeed '10' with units 'Gbps', as 10 Gbps: 23584905");
  EXPECT_EQ(rate_of(data("spd", "&lt; 10") + data("unit", "G")).cells_per_s, 23'584'905u);
  EXPECT_EQ(rate_of(data("spd", "2.5") + data("unit", "g")).cells_per_s, 5'896'226u);
  EXPECT_EQ(rate_of(data("raw", "10000") + data("spd", "10") + data("unit", "G")).note,
            "LinkSpeedRaw 10000 bit/s, against LinkSpeed 10 Gbit/s: 23");
}

TEST(GraphmlTest, AKeysDefaultIsTheDataOfElementsThatHaveNone) {
  const std::string head =
      "<graphml>\n<key id=\"n\" for=\"node\" attr.name=\"label\"><default>Site</default></key>\n"
      "<key id=\"r\" for=\"edge\" attr.name=\"LinkSpeedRaw\" attr.type=\"double\">"
      "<default>10000000000</default></key>\n"
      "<key id=\"l\" attr.name=\"LinkLabel\"><default>OC-3</default></key>\n"
      "<graph>\n<node id=\"a\"/><node id=\"b\"><data key=\"n\">Bonn</data></node><node "
      "id=\"c\"/>\n";
  EXPECT_EQ(
      links(accepted(head +
                         "<edge source=\"a\" target=\"b\"/>"
                         "<edge source=\"b\" target=\"c\"><data key=\"r\">424000</data></edge>"
                         "<edge source=\"c\" target=\"a\"><data key=\"r\"/></edge>" +
                         kTail,
                     "net.graphml")),
      "site:2-bonn:2@23584905 bonn:3-site-2:2@1000 site-2:3-site:3@353207");
  EXPECT_EQ(refused("<graphml>\n<key id=\"a\" attr.name=\"LinkSpeed\"><default>1</default></key>\n"
                    "<key id=\"b\" attr.name=\"LinkSpeed\"><default>2</default></key>\n<graph/>\n"
                    "</graphml>\n"),
            "dir/net.graphml line 3: keys 'a' and 'b' both have a default of 'LinkSpeed'");
}

TEST(GraphmlTest, TwoDifferentDataOfOneNameAreRefused) {
  EXPECT_EQ(refused(edge(data("raw", "1000000") + "\n" + data("raw", "2000000"))),
            "dir/net.graphml line 13: edge 'e0' has the data 'LinkSpeedRaw' twice: '1000000' and "
            "'2000000'");
  EXPECT_EQ(rate_of(data("raw", "622000000") + data("raw", "622000000")).cells_per_s, 1'466'981u);
  EXPECT_THAT(refused_in_graph("<node id=\"a\">" + data("nl", "X") + data("nl", "Y") + "</node>"),
              HasSubstr("line 11: node 'a' has the data 'label' twice: 'X' and 'Y'"));
}

TEST(GraphmlTest, DataOfAKeyThatIsNotDeclaredIsNoted) {
  const auto loaded = accepted(edge(data("speed", "1000000")), "net.graphml");
  EXPECT_THAT(notes(loaded),
              HasSubstr("1 data of keys that are not declared, 'speed' the first: ignored"));
}

TEST(GraphmlTest, DirectedEdgesCarryBothWaysAndAreNoted) {
  const std::string directed =
      "<graphml>\n<graph edgedefault=\"directed\">\n" + kNodes +
      "<edge id=\"0\" source=\"0\" target=\"1\"/><edge id=\"0\" source=\"1\" target=\"0\"/>"
      "<edge id=\"1\" source=\"0\" target=\"1\" directed=\"false\"/>";
  const auto loaded = accepted(directed + kTail, "net.graphml");
  EXPECT_EQ(links(loaded), "0:2-1:2@365566 1:3-0:3@365566 0:4-1:4@365566");
  EXPECT_THAT(notes(loaded),
              AllOf(HasSubstr("2 edges are directed: a link carries both ways all the same\n"),
                    HasSubstr("1 directed edge runs against an earlier one of the same two nodes: "
                              "kept as a link of its own\n")));
  // The same id between the same nodes is the same edge twice.
  EXPECT_EQ(refused(directed + "\n<edge id=\"0\" source=\"0\" target=\"1\"/>\n" + kTail),
            "dir/net.graphml line 5: edge '0' from '0' to '1' is already in line 4");
}

TEST(GraphmlTest, ParallelEdgesAreLinksBesideEachOther) {
  const auto loaded = accepted(kHead + kNodes +
                                   "<edge source=\"0\" target=\"1\"/><edge source=\"1\" "
                                   "target=\"0\"/>" +
                                   kTail,
                               "net.graphml");
  EXPECT_EQ(links(loaded), "0:2-1:2@365566 1:3-0:3@365566");
  EXPECT_THAT(notes(loaded), HasSubstr("1 link joins two nodes that an earlier one joins"));
}

TEST(GraphmlTest, RatesThatAreWrong) {
  const std::string line = "dir/net.graphml line 12: edge 'e0'";
  EXPECT_EQ(refused(edge(data("raw", "0"))),
            line + " has no capacity: LinkSpeedRaw 0 bit/s is less than one cell a second");
  EXPECT_EQ(refused(edge(data("el", "0 Mbps"))),
            line + " has no capacity: label '0 Mbps', as 0 Mbps is less than one cell a second");
  EXPECT_EQ(refused(edge(data("raw", "fast"))), line + ": LinkSpeedRaw 'fast' is no number");
  EXPECT_EQ(refused(edge(data("raw", "-1"))),
            line + ": LinkSpeedRaw -1 bit/s is not from 1 to 4294967295 cells/s");
  EXPECT_THAT(refused(edge(data("raw", "1e18"))), HasSubstr("is not from 1 to"));
  EXPECT_THAT(refused(edge(data("raw", "nan"))), HasSubstr("is no number"));
}

TEST(GraphmlTest, NodesAndEdgesThatAreWrong) {
  EXPECT_EQ(refused_in_graph(""), "dir/net.graphml: there is no node");
  EXPECT_EQ(refused_in_graph("<node id=\"a\"/>\n<node id=\"a\"/>\n"),
            "dir/net.graphml line 12: node 'a' is already in line 11");
  EXPECT_EQ(refused_in_graph("\n<node/>\n"), "dir/net.graphml line 12: a <node> has no id");
  EXPECT_EQ(refused_in_graph("<node id=\"a\"/>\n<edge source=\"a\" target=\"a\"/>\n"),
            "dir/net.graphml line 12: the edge 'a' to 'a' joins the node 'a' with itself");
  EXPECT_EQ(refused_in_graph("<node id=\"a\"/>\n<edge id=\"e7\" source=\"a\" target=\"z\"/>\n"),
            "dir/net.graphml line 12: edge 'e7' names the node 'z', which is not there");
  EXPECT_THAT(refused_in_graph("<node id=\"a\"/>\n<edge id=\"e7\" source=\"a\"/>\n"),
              HasSubstr("line 12: edge 'e7' lacks a source or a target"));
  EXPECT_THAT(
      refused_in_graph("<node id=\"a\">" + data("lon", "east") + data("lat", "1") + "</node>"),
      HasSubstr("line 11: the position of node 'a' is no two numbers: 'east', '1'"));
}

TEST(GraphmlTest, WhatIsNoFlatGraphIsRefused) {
  EXPECT_THAT(refused_in_graph("<node id=\"a\">\n<graph/></node>\n"),
              HasSubstr("line 12: node 'a' holds a graph of its own"));
  EXPECT_THAT(refused_in_graph("<node id=\"a\"/>\n<hyperedge/>\n"),
              HasSubstr("line 12: a hyperedge is no link of two ends"));
  EXPECT_EQ(refused("<graphml>\n<graph/>\n<graph/>\n</graphml>"),
            "dir/net.graphml line 3: a second graph; the first begins in line 2");
  EXPECT_EQ(refused("\n<graphml/>\n"), "dir/net.graphml line 2: <graphml> has no <graph>");
  EXPECT_THAT(refused("<graphml>\n<key id=\"a\"/>\n<key id=\"a\"/>\n</graphml>"),
              HasSubstr("line 3: key 'a' is there twice"));
  EXPECT_THAT(refused("<graphml>\n<key/>\n</graphml>"), HasSubstr("line 2: a <key> has no id"));
}

TEST(GraphmlTest, OtherXmlIsRefused) {
  EXPECT_EQ(refused("<?xml version=\"1.0\"?>\n<!-- a picture -->\n<svg/>\n"),
            "dir/net.graphml line 3: XML with the root <svg> is not read, only <graphml>");
  EXPECT_THAT(refused("<network xmlns=\"http://sndlib.zib.de/network\"/>"),
              HasSubstr("of SNDlib the native format is read, not the XML one"));
}

TEST(GraphmlTest, XmlThatIsNotWellFormedIsRefused) {
  EXPECT_THAT(refused("<graphml>\n<graph>\n</graphml>\n"),
              HasSubstr("line 3: not well-formed XML: "));
  EXPECT_THAT(refused("<"), HasSubstr("line 1: not well-formed XML: "));
  EXPECT_THAT(refused("<?xml version=\"1.0\"?>\n"), HasSubstr("not well-formed XML: "));
}

TEST(GraphmlTest, AFileThatIsCutOffAnywhereIsRefused) {
  const std::string whole = edge(data("el", "OC-3"));
  ASSERT_EQ(links(accepted(whole, "net.graphml")), "0:2-1:2@353207");
  for (std::size_t length = 0; length < whole.find("</graphml>") + 10; ++length) {
    EXPECT_NE(refused(whole.substr(0, length)), "it is a topology") << whole.substr(0, length);
  }
}

TEST(GraphmlTest, ADocumentTypeIsRefusedAndNothingIsExpanded) {
  EXPECT_EQ(refused("<?xml version=\"1.0\"?>\n<!DOCTYPE graphml [\n<!ENTITY a \"aaaaaaaaaa\">\n"
                    "<!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">\n]>\n<graphml>&b;</graphml>\n"),
            "dir/net.graphml line 2: the file declares a document type: entities are not expanded");
  // An undeclared entity stays as it is written.
  const auto loaded = accepted(
      kHead + "<node id=\"a\">" + data("nl", "x&b;y") + "</node>\n" + kTail, "net.graphml");
  EXPECT_EQ(names(loaded), "x-b-y");
}

TEST(GraphmlTest, DeepNestingIsRefused) {
  auto nested = [](std::size_t depth) {
    std::string open, close;
    for (std::size_t i = 0; i < depth; ++i) open += "<d>", close += "</d>";
    return kHead + "<node id=\"a\">\n" + open + close + "</node>\n" + kTail;
  };
  // <graphml>, <graph> and <node> enclose it.
  EXPECT_EQ(names(accepted(nested(kXmlDepthMax - 2), "net.graphml")), "a");
  EXPECT_EQ(refused(nested(kXmlDepthMax - 1)),
            "dir/net.graphml line 12: elements are nested more than 32 deep");
  EXPECT_THAT(refused(nested(400'000)), HasSubstr("nested more than 32 deep"));
  EXPECT_THAT(refused(nested(600'000)), HasSubstr("more than 1000000 marks of XML"));
}

TEST(GraphmlTest, AMarkOfUtf8AndSpaceBeforeTheXmlAreHarmless) {
  EXPECT_EQ(names(accepted("\xEF\xBB\xBF" + kHead + kNodes + kTail, "net.graphml")), "0 1");
}

}  // namespace
}  // namespace xbind::import_test
