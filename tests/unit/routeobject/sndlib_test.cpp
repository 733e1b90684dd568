#include "routeobject/import/sndlib.hpp"

#include <gmock/gmock.h>

#include "import_test.hpp"

namespace xbind::import_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kHead = "?SNDlib native format; type: network; version: 1.0\n";
const std::string kNodes = "NODES (\n A ( 10.0 50.0 )\n B ( 11.0 50.0 )\n C\n)\n";  // lines 2 to 6

std::string network(const std::string& links, const std::string& demands = "") {
  return kHead + kNodes + "LINKS (\n" + links + ")\n" +
         (demands.empty() ? "" : "DEMANDS (\n" + demands + ")\n");
}
std::string refused(const std::string& text) { return refusal(text, "dir/net.txt"); }
// The refusal of a file with this line 8, the first of LINKS.
std::string refused_link(const std::string& link) { return refused(network(link + "\n")); }

TEST(SndlibTest, ASwitchPerNodeALinkPerLinkAWeightPerDemand) {
  const auto loaded = accepted(
      "?SNDlib native format; type: network; version: 1.0\n"
      "# network small\n\n"
      "META (\n  granularity  = 5min\n  unit = MBITPERSEC\n  origin = someone (at home), 1999\n)\n"
      "# a comment ( with parentheses\n"
      "NODES (\n  Gdansk ( 18.60 54.20 )\n  Warsaw ( 21.00 52.20 ) # here, too\n  es1.es\n)\n"
      "LINKS (\n"
      "  L1 ( Gdansk Warsaw ) 0.00 0.00 0.00 156.00 ( 155.00 156.00 622.00 468.00 )\n"
      "  L2 ( Warsaw es1.es ) 2480.00 0.00 0.00 1.00 ( 40000.00 1.00 )\n"
      "  L3 ( es1.es Warsaw ) 0.000424 0.00 0.00 1.00 ( )\n"
      ")\n"
      "DEMANDS (\n"
      "  D1 ( Gdansk es1.es ) 1 195.00 UNLIMITED\n"
      "  D2 ( es1.es Gdansk ) 1 0.5 3\n"
      ")\n"
      "ADMISSIBLE_PATHS (\n  D1 (\n   P_0 ( L1 L2 )\n  )\n)\n",
      "dir/Small Net.txt");
  EXPECT_EQ(loaded.format, TopologyFormat::kSndlib);

  Topology expected("small-net");
  const SwitchIndex gdansk = expected.add_switch("gdansk", true).value();
  const SwitchIndex warsaw = expected.add_switch("warsaw", true).value();
  const SwitchIndex es = expected.add_switch("es1.es", true).value();
  ASSERT_TRUE(expected.add_link({gdansk, PortId{2}}, {warsaw, PortId{2}}, 1'466'981).has_value());
  ASSERT_TRUE(expected.add_link({warsaw, PortId{3}}, {es, PortId{2}}, 5'849'056).has_value());
  ASSERT_TRUE(expected.add_link({es, PortId{3}}, {warsaw, PortId{4}}, 1).has_value());
  // 273.9 km by the spherical law of cosines, computed independently.
  ASSERT_TRUE(expected.set_link_delay(0, 1369).has_value());
  ASSERT_TRUE(expected.add_demand(gdansk, es, 195).has_value());
  ASSERT_TRUE(expected.add_demand(es, gdansk, 0.5).has_value());
  EXPECT_EQ(loaded.topology, expected);

  EXPECT_EQ(notes(loaded),
            "SNDlib native format: 3 nodes, 3 links, 2 demands; every node is an endpoint\n"
            "1 demand limits the length of its path, which is not observed\n"
            "1 link: largest module 622 Mbit/s: 1466981 cells/s (gdansk:2 to warsaw:2)\n"
            "1 link: pre-installed capacity 2480 Mbit/s: 5849056 cells/s (warsaw:3 to es1.es:2)\n"
            "1 link: pre-installed capacity 0.000424 Mbit/s: 1 cells/s (es1.es:3 to warsaw:4)\n"
            "1 link joins two nodes that an earlier one joins: kept, beside each other\n"
            "delay of 1 of 3 links: great-circle distance at 5 us/km\n"
            "switch names: 'Gdansk' = gdansk, 'Warsaw' = warsaw\n");
}

TEST(SndlibTest, NamesBecomeLegalAndStayApart) {
  const auto loaded =
      accepted(kHead + "NODES (\n Ab\n ab\n AB\n ab-2\n a__b\n .x.\n ---\n \xC3\x84rger\n " +
                   std::string(80, 'Q') + "\n " + std::string(80, 'q') + "\n)\nLINKS ( )\n",
               "net.txt");
  EXPECT_EQ(names(loaded), "ab ab-2 ab-3 ab-2-2 a-b x node-7 rger " + std::string(63, 'q') + " " +
                               std::string(61, 'q') + "-2");
  EXPECT_THAT(notes(loaded), HasSubstr("'Ab' = ab, 'ab' = ab-2, 'AB' = ab-3, 'ab-2' = ab-2-2"));
}

TEST(SndlibTest, ADisconnectedGraphIsLegalAndNoted) {
  const auto loaded = accepted(network(" L ( A B ) 1 0 0 0 ( )\n"), "net.txt");
  EXPECT_THAT(notes(loaded),
              HasSubstr("the graph has 2 unconnected parts: c cannot be reached from a"));
}

TEST(SndlibTest, CoordinatesThatAreNoDegreesGiveNoDelay) {
  const auto loaded = accepted(kHead +
                                   "NODES (\n A ( 283.0 1127.0 )\n B ( 10 50 )\n)\n"
                                   "LINKS (\n L ( A B ) 1 0 0 0 ( )\n)\n",
                               "net.txt");
  EXPECT_EQ(loaded.topology.links()[0].delay_us, 0u);
  EXPECT_THAT(notes(loaded), HasSubstr("coordinates are no degrees (a is at 283, 1127)"));
}

TEST(SndlibTest, WhatIsLeftOutOrNotUsedIsNoted) {
  const auto loaded = accepted(kHead + kNodes +
                                   "LINKS (\n L ( A B ) 1 0 0 0 ( )\n)\n"
                                   "DEMANDS (\n D1 ( A B ) 7 2 UNLIMITED\n"
                                   " D2 ( B A ) 1 0.00 UNLIMITED\n D3 ( A C ) 1 7 4\n)\n",
                               "net.txt");
  ASSERT_EQ(loaded.topology.demands().size(), 2u);
  // Seven units of capacity for each of two units of the demand.
  EXPECT_EQ(loaded.topology.demands()[0].weight, 14.0);
  EXPECT_EQ(loaded.topology.demands()[1].weight, 7.0);
  EXPECT_THAT(notes(loaded),
              AllOf(HasSubstr("META states no unit: capacities are in Mbit/s"),
                    HasSubstr("1 demand has a routing unit other than 1: a weight is the value "
                              "times this unit"),
                    HasSubstr("1 demand limits the length of its path, which is not observed"),
                    HasSubstr("1 demand of 0 left out")));
}

std::string in_unit(const std::string& meta, const std::string& capacity) {
  return kHead + "META (\n" + meta + kNodes + "LINKS (\n L ( A B ) " + capacity + "\n)\n";
}

TEST(SndlibTest, CapacitiesAreInTheUnitOfMeta) {
  const std::pair<const char*, const char*> kTenGigabits[] = {{"BITSPERSEC", "10000000000.00"},
                                                              {"BITPERSEC", "10000000000.00"},
                                                              {"KBITPERSEC", "10000000"},
                                                              {"MBITPERSEC", "10000"},
                                                              {"GBITSPERSEC", "10"},
                                                              {"TBITPERSEC", "0.01"},
                                                              {"bitspersec", "1e10"}};
  for (const auto& [unit, capacity] : kTenGigabits) {
    const std::string meta = fmt::format(" unit  = {}\n)\n", unit);
    const std::string module = fmt::format("0 0 0 0 ( 0 7 {} 9 )", capacity);
    EXPECT_EQ(links(accepted(in_unit(meta, module), "net.txt")), "a:2-b:2@23584905") << unit;
    const std::string installed = fmt::format("{} 0 0 0 ( )", capacity);
    EXPECT_EQ(links(accepted(in_unit(meta, installed), "net.txt")), "a:2-b:2@23584905") << unit;
  }
  EXPECT_THAT(notes(accepted(in_unit(" unit = BITSPERSEC\n)\n", "0 0 0 0 ( 1000000.00 1 )"), "n")),
              HasSubstr("1 link: largest module 1000000 bit/s: 2358 cells/s"));
  EXPECT_EQ(refused(in_unit(" unit = BITSPERSEC\n)\n", "100 0 0 0 ( )")),
            "dir/net.txt line 11: link 'L' has no capacity: pre-installed capacity 100 bit/s is "
            "less than one cell a second");
}

TEST(SndlibTest, AUnitThatIsNotKnownIsRefused) {
  EXPECT_EQ(refused(in_unit(" time = 2004\n unit = STM1\n)\n", "1 0 0 0 ( )")),
            "dir/net.txt line 4: META's unit 'STM1' is not known; known are BITPERSEC, KBITPERSEC, "
            "MBITPERSEC, GBITPERSEC and TBITPERSEC, also with BITS");
  EXPECT_THAT(refused(in_unit(" unit =\n)\n", "1 0 0 0 ( )")), HasSubstr("line 3: META's unit ''"));
  EXPECT_THAT(refused(in_unit(" unit = MBITPERSEC\n unit = BITPERSEC\n)\n", "1 0 0 0 ( )")),
              HasSubstr("line 4: META's unit is already in line 3"));
  // Its capacities are read already.
  EXPECT_EQ(refused(network(" L ( A B ) 1 0 0 0 ( )\n") + "META (\n unit = BITPERSEC\n)\n"),
            "dir/net.txt line 11: META's unit is after LINKS, whose capacities it is of");
}

TEST(SndlibTest, MetasOtherAttributesAreNoUnits) {
  for (const char* const meta :
       {" units = 7\n unit-of-time = s\n unit = GBITPERSEC # not MBITPERSEC\n)\n",
        " origin = someone (at home), unit = BITPERSEC\n# unit = KBITPERSEC\n unit=GBITPERSEC "
        ")\n"}) {
    EXPECT_EQ(links(accepted(in_unit(meta, "10 0 0 0 ( )"), "n")), "a:2-b:2@23584905") << meta;
  }
}

TEST(SndlibTest, ANodesDesignsAndOptionsAreEmpty) {
  EXPECT_EQ(names(accepted(kHead + "NODES (\n A ( 1 2 ) () ()\n B ( 1 2 ) ( )\n C\n)\nLINKS ( )\n",
                           "net.txt")),
            "a b c");
  EXPECT_EQ(refused(kHead + "NODES (\n A ( 1 2 ) ( router )\n)\nLINKS ( )\n"),
            "dir/net.txt line 3: node 'A' has designs 'router': they are not read");
  EXPECT_THAT(refused(kHead + "NODES (\n A ( 1 2 ) () ( 7 )\n)\nLINKS ( )\n"),
              HasSubstr("line 3: node 'A' has options '7'"));
}

TEST(SndlibTest, WithoutDemandsEveryPairIsAsLikely) {
  const auto loaded = accepted(network(""), "net.txt");
  EXPECT_THAT(notes(loaded), HasSubstr("no section DEMANDS: every pair is equally likely"));
}

TEST(SndlibTest, LinesMayEndAsOnWindows) {
  std::string text = network(" L ( A B ) 1 0 0 0 ( )\n", " D ( A B ) 1 1 UNLIMITED\n");
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) {
    text.insert(at, "\r");
  }
  EXPECT_EQ(links(accepted(text, "net.txt")), "a:2-b:2@2358");
}

TEST(SndlibTest, AnotherTypeOrVersionIsRefused) {
  EXPECT_EQ(refused("?SNDlib native format; type: solution; version: 1.0\n"),
            "dir/net.txt line 1: type 'solution' of SNDlib is not read, only 'network'");
  EXPECT_THAT(refused("?SNDlib native format\n"), HasSubstr("line 1: type ''"));
  EXPECT_THAT(refused("?SNDlib native format; type: network; version: 2.0\n"),
              HasSubstr("line 1: version '2.0'"));
}

TEST(SndlibTest, SectionsThatAreWrong) {
  EXPECT_THAT(refused(kHead), HasSubstr("line 2: the file ends without the section NODES"));
  EXPECT_THAT(refused(kHead + kNodes), HasSubstr("the file ends without the section LINKS"));
  EXPECT_EQ(refused(kHead + "NODES ( )\nLINKS ( )\n"), "dir/net.txt: there is no node");
  EXPECT_THAT(refused(kHead + "KNOTS ( )\n"), HasSubstr("line 2: 'KNOTS' is no section"));
  EXPECT_THAT(refused(kHead + kNodes + kNodes),
              HasSubstr("line 7: the section NODES is already in line 2"));
  EXPECT_THAT(refused(kHead + "\nLINKS ( )\n"), HasSubstr("line 3: LINKS is before NODES"));
  EXPECT_THAT(refused(kHead + "DEMANDS ( )\n"), HasSubstr("line 2: DEMANDS is before NODES"));
  EXPECT_THAT(refused(kHead + "NODES A B"), HasSubstr("line 2: 'A' in NODES where '(' is to be"));
}

TEST(SndlibTest, AFileThatIsCutOffAnywhereIsRefused) {
  const std::string whole = kHead + "META (\n a = b\n)\n" + kNodes +
                            "LINKS (\n L ( A B ) 1 0 0 0 ( 1 2 )\n)\n"
                            "DEMANDS (\n D ( A B ) 1 1 UNLIMITED\n)\n"
                            "ADMISSIBLE_PATHS (\n D ( P ( L ) )\n)\n";
  ASSERT_EQ(links(accepted(whole, "net.txt")), "a:2-b:2@2358");
  // A file is complete if it ends after LINKS or after an optional section.
  const std::size_t links_end = whole.find("DEMANDS") - 1;
  const std::size_t demands_end = whole.find("ADMISSIBLE") - 1;
  for (std::size_t length = 0; length < whole.size() - 1; ++length) {
    const bool at_end = length == links_end || length == links_end + 1 || length == demands_end ||
                        length == demands_end + 1;
    EXPECT_EQ(refused(whole.substr(0, length)) == "it is a topology", at_end)
        << whole.substr(0, length);
  }
  EXPECT_EQ(refused(kHead + "NODES (\n A\n B ( 1"),
            "dir/net.txt line 4: the file ends within NODES, which begins in line 2");
  EXPECT_THAT(refused(kHead + "META (\n a = b\n"), HasSubstr("the file ends within META"));
  EXPECT_THAT(refused(network("") + "ADMISSIBLE_PATHS ( ( )\n"),
              HasSubstr("the file ends within ADMISSIBLE_PATHS, which begins in line 9"));
}

TEST(SndlibTest, NodesThatAreWrong) {
  EXPECT_EQ(refused(kHead + "NODES (\n A\n B\n A\n)\n"),
            "dir/net.txt line 5: node 'A' is already in line 3");
  EXPECT_THAT(refused(kHead + "NODES (\n A ( 1 )\n)\n"),
              HasSubstr("line 3: ')' in NODES where a latitude is to be"));
  EXPECT_THAT(refused(kHead + "NODES (\n A ( east 1 )\n)\n"),
              HasSubstr("line 3: 'east' in NODES where a longitude is to be"));
  EXPECT_THAT(refused(kHead + "NODES (\n A ( nan 1 )\n)\n"), HasSubstr("'nan'"));
  EXPECT_THAT(refused(kHead + "NODES (\n ( 1 1 )\n)\n"),
              HasSubstr("line 3: '(' in NODES where a node's id is to be"));
}

TEST(SndlibTest, LinksThatAreWrong) {
  EXPECT_EQ(refused_link("L ( A A ) 1 0 0 0 ( )"),
            "dir/net.txt line 8: link 'L' joins the node 'A' with itself");
  EXPECT_EQ(refused_link("L ( A Z ) 1 0 0 0 ( )"),
            "dir/net.txt line 8: link 'L' names the node 'Z', which is not there");
  EXPECT_EQ(
      refused_link("L ( A B ) 0.00 0 0 0 ( )"),
      "dir/net.txt line 8: link 'L' has no capacity: neither a pre-installed one nor a module");
  EXPECT_THAT(refused_link("L ( A B ) 0 0 0 0 ( 0 7 0 8 )"), HasSubstr("has no capacity"));
  EXPECT_EQ(refused_link("L ( A B ) 0.0001 0 0 0 ( )"),
            "dir/net.txt line 8: link 'L' has no capacity: pre-installed capacity 0.0001 Mbit/s is "
            "less than one cell a second");
  EXPECT_EQ(refused_link("L ( A B ) -5 0 0 0 ( 1 1 )"),
            "dir/net.txt line 8: a pre-installed capacity -5 in LINKS is below zero");
  EXPECT_THAT(refused_link("L ( A B ) 1e300 0 0 0 ( )"), HasSubstr("is above 4294967295 cells/s"));
  EXPECT_THAT(refused_link("L ( A B ) 1e999 0 0 0 ( )"), HasSubstr("line 8: '1e999'"));
  EXPECT_THAT(refused_link("L ( A B ) 1 0 0 ( )"),
              HasSubstr("line 8: '(' in LINKS where a setup cost is to be"));
  EXPECT_THAT(refused_link("L ( A B ) 1 0 0 0 ( 1 )"),
              HasSubstr("line 8: ')' in LINKS where a module's cost is to be"));
  EXPECT_THAT(refused_link("L ( A B C ) 1 0 0 0 ( )"),
              HasSubstr("line 8: 'C' in LINKS where ')' is to be"));
  EXPECT_EQ(refused_link("L ( A B ) 1 0 0 0 ( )\nL ( B C ) 1 0 0 0 ( )"),
            "dir/net.txt line 9: 'L' is already in line 8 of LINKS");
}

TEST(SndlibTest, DemandsThatAreWrong) {
  auto demand = [](const std::string& text) { return refused(network("", text + "\n")); };
  EXPECT_EQ(demand("D ( A A ) 1 1 UNLIMITED"),
            "dir/net.txt line 10: demand 'D' joins the node 'A' with itself");
  EXPECT_THAT(demand("D ( A Z ) 1 1 UNLIMITED"), HasSubstr("line 10: demand 'D' names"));
  EXPECT_EQ(demand("D ( A B ) 1 -3 UNLIMITED"),
            "dir/net.txt line 10: a demand's value -3 in DEMANDS is below zero");
  EXPECT_THAT(demand("D ( A B ) 1 much UNLIMITED"), HasSubstr("'much'"));
  EXPECT_THAT(demand("D ( A B ) -1 1 UNLIMITED"), HasSubstr("a routing unit -1 in DEMANDS"));
  EXPECT_THAT(demand("D ( A B ) 1 1 E"), HasSubstr("'E' in DEMANDS where a path length or UNL"));
  EXPECT_THAT(demand("D ( A B ) 1 1"), HasSubstr("line 11: ')' in DEMANDS where a path length"));
}

TEST(SndlibTest, ARefusalShowsNoMoreThanItsReaderCanUse) {
  const std::string text = refused(kHead + "NODES (\n " + std::string(100'000, 'x') + "\n " +
                                   std::string(100'000, 'x') + "\n)\n");
  EXPECT_LT(text.size(), 200u);
  EXPECT_THAT(refused(kHead + "A\x1B[2J ( )"), AllOf(HasSubstr("'A?[2J'"), Not(HasSubstr("\x1B"))));
}

TEST(SndlibTest, WhatIsShownOfAWordIsAlwaysUtf8) {
  EXPECT_EQ(shown("K\xC3\xB6ln \xE2\x82\xAC \xF0\x9F\x8C\x8D"),
            "K\xC3\xB6ln \xE2\x82\xAC \xF0\x9F\x8C\x8D");
  EXPECT_EQ(shown("K\xF6ln\n\x7F"), "K?ln??");  // ISO 8859-1, controls
  EXPECT_EQ(shown("\xC3"), "?");                // truncated
  EXPECT_EQ(shown("\xC0\x80"), "??");           // overlong
  EXPECT_EQ(shown("\xE0\x80\x80"), "???");
  EXPECT_EQ(shown("\xED\xA0\x80"), "???");       // a surrogate
  EXPECT_EQ(shown("\xF4\x90\x80\x80"), "????");  // above U+10FFFF
  EXPECT_EQ(shown("\xC2\x9B"
                  "2J"),
            "??2J");  // a control of one character
  EXPECT_EQ(shown(std::string(40, 'a')), std::string(40, 'a'));
  EXPECT_EQ(shown(std::string(39, 'a') + "\xC3\xB6"), std::string(39, 'a') + "...");
  EXPECT_EQ(names(accepted(kHead + "NODES (\n K\xF6ln\n)\nLINKS ( )\n", "net.txt")), "k-ln");
}

TEST(SndlibTest, NotesAreBounded) {
  std::string nodes = "NODES (\n";
  for (int i = 0; i < 4000; ++i) nodes += fmt::format(" N{}\n", i);
  const auto loaded = accepted(kHead + nodes + ")\nLINKS ( )\n", "net.txt");
  ASSERT_EQ(loaded.notes.size(), kImportNotesMax);
  // 4 notes and 500 about names, of which 255 are kept.
  EXPECT_EQ(loaded.notes.back(), "249 more notes are left out");
  EXPECT_EQ(loaded.topology.switches().size(), 4000u);
}

TEST(SndlibTest, MoreThanATopologyHoldsIsRefused) {
  std::string nodes = "NODES (\n";
  for (std::size_t i = 0; i <= kSwitchesMax; ++i) nodes += fmt::format(" n{}\n", i);
  EXPECT_THAT(refused(kHead + nodes + ")\n"),
              StartsWith(fmt::format("dir/net.txt line {}: ", kSwitchesMax + 3)));
  std::string parallel;
  for (std::uint32_t i = 0; i < kPortsMax; ++i) {
    parallel += fmt::format(" L{} ( A B ) 1 0 0 0 ( )\n", i);
  }
  EXPECT_THAT(refused(network(parallel)), HasSubstr("port 4097 of a is not in 1 to 4096"));
}

}  // namespace
}  // namespace xbind::import_test
