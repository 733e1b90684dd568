// Scenario files: what they say, and refusals by line and name.
#include "callgen/options/scenario_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace xbind::callgen {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr const char* kPhase = "[[phase]]\nname = \"a\"\nlength = 10\nrate = 5\n";

ScenarioFile read(const std::string& text) {
  auto file = parse_scenario(text, "f.toml");
  EXPECT_TRUE(file) << (file ? "" : file.error().text);
  return file ? *file : ScenarioFile{};
}
std::string refused(const std::string& text) {
  const auto file = parse_scenario(text, "f.toml");
  EXPECT_FALSE(file) << text;
  return file ? "" : file.error().text;
}

TEST(ScenarioFile, HasPhasesClassesAndEvents) {
  const ScenarioFile file = read(R"(
[[class]]
name = "voice"
cells-per-s = 200
priority = 2
to = ["server=9", "backup"]
from = ["host-a=0.5"]
[[class]]
name = "video"
frames-per-s = 25
frame-octets = 1000
[[phase]]
name = "morning"
length = 60
rate = 100
ramp-to = 400
classes = ["voice=9", "video"]
[[phase]]
name = "rush"
length = 30.5
rate = 7
arrivals = "constant"
hold = 2
hold-distribution = "exponential"
mix = ["setup=3", "leaf"]
matrix = "hotspot"
hotspot = "host-a"
[[event]]
name = "late"
at = 50
run = "a b  c"
[[event]]
name = "early"
at = 30
run = "true"
timeout = 5
)");
  ASSERT_EQ(file.classes.size(), 2U);
  EXPECT_EQ(file.classes[0].service.cells_per_s, 200U);
  EXPECT_EQ(file.classes[0].priority, 2);
  EXPECT_EQ(file.classes[0].callees, (std::vector<WeightedEnd>{{"server", 9}, {"backup", 1}}));
  EXPECT_EQ(file.classes[0].callers, (std::vector<WeightedEnd>{{"host-a", 0.5}}));
  EXPECT_TRUE(file.classes[1].callees.empty());
  EXPECT_EQ(file.classes[1].service.kind, ServiceKind::kVideo);
  ASSERT_EQ(file.phases.size(), 2U);
  EXPECT_EQ(file.phases[0].rate.to, 400);
  EXPECT_EQ(file.phases[0].classes, (std::vector<double>{9, 1}));
  EXPECT_FALSE(file.phases[0].hold);
  EXPECT_TRUE(file.phases[1].rate.even);
  EXPECT_EQ(file.phases[1].classes, (std::vector<double>{1, 1}));
  EXPECT_EQ(file.phases[1].hold, 2);
  EXPECT_TRUE(file.phases[1].mix->has(Scenario::kLeaf));
  EXPECT_EQ(file.phases[1].matrix, Matrix::kHotspot);
  EXPECT_EQ(file.length(), 90'500ms);
  ASSERT_EQ(file.events.size(), 2U);
  EXPECT_EQ(file.events[0].name, "early");
  EXPECT_EQ(file.events[0].timeout, 5s);
  EXPECT_EQ(file.events[1].command, (std::vector<std::string>{"a", "b", "c"}));
}

TEST(ScenarioFile, IsRefusedByLineAndName) {
  const std::string phase = kPhase;
  EXPECT_THAT(refused(""), HasSubstr("f.toml: there is no [[phase]]"));
  EXPECT_THAT(refused("[[fase]]\n"), HasSubstr("line 1: there is no 'fase' here"));
  EXPECT_THAT(refused("[[phase]]\nname = \"a\"\nrate = 1\n"), HasSubstr("needs 'length'"));
  EXPECT_THAT(refused(phase + "rait = 3\n"), HasSubstr("line 5: a phase has no 'rait'"));
  EXPECT_THAT(refused(phase + "hold = -1\n"), HasSubstr("line 5: "));
  EXPECT_THAT(refused(phase + "arrivals = \"burst\"\n"), HasSubstr("line 5: "));
  EXPECT_THAT(refused(phase + "mix = [\"nonsense\"]\n"), HasSubstr("no scenario nonsense"));
  EXPECT_THAT(refused(phase + "classes = [\"x\"]\n"), HasSubstr("line 5: there is no [[class]] x"));
  EXPECT_THAT(refused(phase + "hotspot = \"h\"\n"), HasSubstr("hotspot needs matrix"));
  EXPECT_THAT(refused(phase + "matrix = \"hotspot\"\n"), HasSubstr("needs hotspot, the endpoint"));
  EXPECT_THAT(refused(phase + phase), HasSubstr("line 6: the name a is given twice"));
  EXPECT_THAT(refused("[[phase]]\nname = \"a b\"\nlength = 1\nrate = 1\n"), HasSubstr("'a b'"));
  EXPECT_THAT(refused("[[phase]]\nname = \"a\"\nlength = 1\nrate = 0\n"),
              HasSubstr("line 4: no phase has a rate above 0"));
  EXPECT_THAT(refused("[[phase]]\nname = \"a\"\nlength = 31000000\nrate = 1000\n"),
              HasSubstr("at most 100000000 are taken"));
  EXPECT_THAT(refused(phase + "[[event]]\nname = \"e\"\nat = 10\nrun = \"true\"\n"),
              HasSubstr("line 7: the phases are over at 10 s"));
  EXPECT_THAT(refused(phase + "[[event]]\nname = \"e\"\nat = 1\nrun = \" \"\n"),
              HasSubstr("line 8: run has 0 words"));
  const std::string two = "[[class]]\nname = \"v\"\n[[class]]\nname = \"w\"\n" + phase;
  EXPECT_THAT(refused(two + "classes = [\"v\"]\n"), HasSubstr("line 4: no phase offers calls"));
  EXPECT_THAT(refused(two + "classes = [\"v\", \"v\"]\n"), HasSubstr("v is named twice"));
  EXPECT_THAT(refused(two + "classes = [\"v=0\"]\n"), HasSubstr("no number above 0"));
  const auto with_ends = [&](const std::string& ends) {
    return refused("[[class]]\nname = \"v\"\n" + ends + "\n" + phase);
  };
  EXPECT_THAT(with_ends("to = [\"a\", \"a=2\"]"), HasSubstr("line 3: endpoint a is named twice"));
  EXPECT_THAT(with_ends("from = [\"a=x\"]"), HasSubstr("line 3: 'a=x': the weight is no number"));
  EXPECT_THAT(with_ends("from = [\"=1\"]"), HasSubstr("line 3: '' is no name of an endpoint"));
}

}  // namespace
}  // namespace xbind::callgen
