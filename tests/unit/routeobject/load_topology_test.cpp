// Recognising the format of a file, refusing other files, and networks that others have published.
#include "routeobject/import/load_topology.hpp"

#include <gmock/gmock.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "import_test.hpp"
#include "routeobject/topology/topology_file.hpp"
#include "tests/unit/source_dir.hpp"

namespace xbind::import_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using namespace std::string_literals;

const std::string kToml = "name = \"mine\"\n[[switch]]\nname = \"a\"\nendpoint = true\n";
const std::string kSndlib =
    "?SNDlib native format; type: network; version: 1.0\nNODES ( A )\nLINKS ( )\n";
const std::string kGraphml = "<graphml><graph><node id=\"a\"/></graph></graphml>\n";

TEST(LoadTopologyTest, WhatAFileIsDecidesNotItsName) {
  for (const char* path : {"net", "net.toml", "net.txt", "net.graphml", "net.xml"}) {
    EXPECT_EQ(accepted(kToml, path).format, TopologyFormat::kToml) << path;
    EXPECT_EQ(accepted(kSndlib, path).format, TopologyFormat::kSndlib) << path;
    EXPECT_EQ(accepted(kGraphml, path).format, TopologyFormat::kGraphml) << path;
  }
}

TEST(LoadTopologyTest, AFileOfOurOwnIsReadAsEverAndLeavesNothingToChoose) {
  const auto loaded = accepted(kToml, "other.toml");
  EXPECT_EQ(loaded.topology, parse_topology(kToml, "other.toml").value());
  EXPECT_EQ(loaded.topology.name(), "mine");
  EXPECT_TRUE(loaded.notes.empty());
}

TEST(LoadTopologyTest, AnImportedTopologyIsNamedAfterItsFile) {
  EXPECT_EQ(accepted(kSndlib, "dir.d/Nobel-Germany.v2.txt").topology.name(), "nobel-germany.v2");
  EXPECT_EQ(accepted(kSndlib, "plain").topology.name(), "plain");
  EXPECT_EQ(accepted(kSndlib, "dir/___.txt").topology.name(), "imported");
}

TEST(LoadTopologyTest, AFileOfAnotherFormatIsRefusedWithWhatItBeginsWith) {
  EXPECT_THAT(refusal("graph [\n  node [\n    id 0\n", "zoo.gml"),
              AllOf(HasSubstr("zoo.gml line 1: not TOML"), HasSubstr("it begins with 'graph ['"),
                    HasSubstr("SNDlib"), HasSubstr("GraphML")));
  EXPECT_THAT(refusal("{\"nodes\": []}", "net.json"),
              HasSubstr("it begins with '{\"nodes\": []}'"));
  EXPECT_THAT(refusal("", "empty.txt"), HasSubstr("empty.txt: the file is empty"));
  EXPECT_THAT(refusal("\x7F"
                      "ELF\x02\x01\x01\n\0"s,
                      "program"),
              HasSubstr("program line 2: an octet 0: this is no text"));
  // For a .toml file the error mentions TOML only.
  EXPECT_EQ(refusal("name = \n", "net.toml").find("SNDlib"), std::string::npos);
}

TEST(LoadTopologyTest, AFileThatIsTooLongIsRefusedWithoutBeingKept) {
  const std::string path = ::testing::TempDir() + "long_topology_test.graphml";
  std::ofstream(path) << "<graphml>";
  std::filesystem::resize_file(path, 100u << 20);  // sparse: it needs no disk space
  const auto loaded = load_topology(path, {});
  std::remove(path.c_str());
  ASSERT_FALSE(loaded.has_value());
  EXPECT_EQ(loaded.error().code, ErrorCode::kBadInput);
  EXPECT_EQ(loaded.error().text,
            fmt::format("{} is longer than {} octets", path, kTopologyOctetsMax));
}

TEST(LoadTopologyTest, AFileThatIsNotThereIsTheSystemsFault) {
  const auto loaded = load_topology("/nowhere/net.txt", {});
  ASSERT_FALSE(loaded.has_value());
  EXPECT_EQ(loaded.error().code, ErrorCode::kSystem);
}

// However a file is damaged, the result is a topology, or a refusal that names the file, with a
// bounded number of notes. Sanitizer builds check the rest.
TEST(LoadTopologyTest, DamagedFilesAreRefusedOrRead) {
  const std::string sndlib =
      "?SNDlib native format; type: network; version: 1.0\nMETA (\n unit = MBITPERSEC\n)\n"
      "NODES (\n A ( 10.0 50.0 )\n B ( 11.0 50.0 )\n)\n"
      "LINKS (\n L ( A B ) 0.00 0 0 0 ( 155.00 1 622.00 2 )\n)\n"
      "DEMANDS (\n D ( A B ) 1 5.00 UNLIMITED\n)\nADMISSIBLE_PATHS (\n D ( P ( L ) )\n)\n";
  const std::string graphml =
      "<?xml version=\"1.0\"?>\n<graphml><key attr.name=\"label\" for=\"edge\" id=\"l\"/>"
      "<graph><node id=\"a\"><data key=\"g\"><y:NodeLabel>A &amp; B</y:NodeLabel></data></node>\n"
      "<node id=\"b\"/><edge source=\"a\" target=\"b\"><data key=\"l\"><![CDATA[2 x 10 Gbps]]>"
      "</data></edge></graph></graphml>\n";
  constexpr std::uint32_t kSeed = 5;
  SCOPED_TRACE(fmt::format("seed {}", kSeed));
  std::mt19937 chance(kSeed);
  auto below = [&chance](std::size_t bound) { return chance() % bound; };
  std::size_t read = 0, refused = 0;
  for (int round = 0; round < 6000; ++round) {
    std::string text = round % 2 == 0 ? sndlib : graphml;
    const std::string whole = text;
    for (std::size_t damage = 1 + below(4); damage > 0; --damage) {
      const std::size_t at = below(text.size());
      switch (below(4)) {
        case 0: text[at] = static_cast<char>(1 + below(255)); break;
        case 1: text.erase(at, 1 + below(8)); break;
        case 2: text.insert(at, whole.substr(below(whole.size()), 1 + below(30))); break;
        default: text[at] = "()<>&;/\"0 \n"[below(11)]; break;
      }
      if (text.empty()) text = " ";
    }
    const auto loaded = parse_any_topology(text, "net.txt", {});
    if (loaded) {
      ++read;
      EXPECT_FALSE(loaded->topology.switches().empty()) << text;
      EXPECT_LE(loaded->notes.size(), kImportNotesMax);
    } else {
      ++refused;
      EXPECT_EQ(loaded.error().code, ErrorCode::kBadInput) << text;
      EXPECT_TRUE(loaded.error().text.starts_with("net.txt")) << loaded.error().text;
      EXPECT_LT(loaded.error().text.size(), 600u) << loaded.error().text;
    }
  }
  EXPECT_GT(read, 100u);
  EXPECT_GT(refused, 1000u);
}

// Published networks, which this project may not distribute: the tests are
// skipped where they are missing.
class PublishedTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    path_ = test::source_path("../shared/data/" + std::string(GetParam()));
    if (!std::filesystem::exists(path_)) {
      GTEST_SKIP() << "NOT TESTED: " << path_ << " is missing";
    }
    const auto read = load_topology(path_, {});
    ASSERT_TRUE(read.has_value()) << read.error().text;
    loaded_ = *read;
  }

  // Lines of the file that contain `part`, between a line that begins with `from` and one that is
  // ")"; all lines when `from` is empty.
  std::size_t lines_with(const std::string& part, const std::string& from) const {
    std::ifstream file(path_);
    std::size_t count = 0;
    bool inside = from.empty();
    for (std::string line; std::getline(file, line);) {
      if (inside && line.find(part) != std::string::npos) ++count;
      if (!from.empty() && line.starts_with(from)) inside = true;
      if (line == ")") inside = false;
    }
    return count;
  }

  std::string path_;
  LoadedTopology loaded_;
};

class PublishedSndlibTest : public PublishedTest {};

TEST_P(PublishedSndlibTest, HasAllNodesLinksAndDemandsOfItsLines) {
  const Topology& topology = loaded_.topology;
  EXPECT_EQ(topology.switches().size(), lines_with(" ( ", "NODES ("));
  EXPECT_EQ(topology.links().size(), lines_with(" ( ", "LINKS ("));
  EXPECT_EQ(topology.demands().size(), lines_with(" ( ", "DEMANDS ("));
  EXPECT_GT(topology.demands().size(), 60u);
  std::size_t ports = 0;
  for (const TopologySwitch& at : topology.switches()) ports += at.ports - 1;
  EXPECT_EQ(ports, 2 * topology.links().size());
  // Any number: distances are of the file; no link is without one.
  for (const TopologyLink& link : topology.links()) EXPECT_GT(link.delay_us, 0u);
}

INSTANTIATE_TEST_SUITE_P(Files, PublishedSndlibTest,
                         ::testing::Values("sndlib/abilene.txt", "sndlib/geant.txt",
                                           "sndlib/nobel-germany.txt", "sndlib/polska.txt"));

class PublishedGraphmlTest : public PublishedTest {};

TEST_P(PublishedGraphmlTest, HasAllNodesAndEdgesOfItsLines) {
  EXPECT_EQ(loaded_.topology.switches().size(), lines_with("<node ", ""));
  EXPECT_EQ(loaded_.topology.links().size(), lines_with("<edge ", ""));
  EXPECT_GT(loaded_.topology.links().size(), 10u);
}

INSTANTIATE_TEST_SUITE_P(Files, PublishedGraphmlTest,
                         ::testing::Values("topologyzoo/Aarnet.graphml",
                                           "topologyzoo/Abilene.graphml",
                                           "topologyzoo/Bics.graphml",
                                           "topologyzoo/Geant2012.graphml"));

class PublishedRatesTest : public PublishedTest {};

// The rate of every link in cells/s, from the only rate in the file.
TEST_P(PublishedRatesTest, AreTheLargestModule) {
  const std::uint64_t cells = std::string(GetParam()).ends_with("polska.txt")
                                  ? 1'466'981    // 622 Mbit/s
                                  : 94'339'622;  // 40 Gbit/s
  for (const TopologyLink& link : loaded_.topology.links()) EXPECT_EQ(link.cells_per_s, cells);
}

INSTANTIATE_TEST_SUITE_P(Files, PublishedRatesTest,
                         ::testing::Values("sndlib/polska.txt", "sndlib/geant.txt"));

}  // namespace
}  // namespace xbind::import_test
