// The files that describe several switches for one xbind-switchserver, as an operator writes them.
#include "switchserver/node_options.hpp"

#include <gmock/gmock.h>

#include <regex>

#include "core/config/reload.hpp"

namespace xbind {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kTwo = R"([[switch]]
name = "sw1"
switch = "127.0.1.1:6068"
overbooking = 1.5
label-sharing = "cooperative"
gsmp-versions = "3"

[[switch]]
switch = "[::1]:6068"
name = "sw2"
overbooking = 2
gsmp-window = "16"
)";

TEST(NodeOptions, TheNamesAreThoseOfTheOptions) {
  NodeOptions one;
  config::OptionSet set("[[switch]]", "A switch.");
  declare(set, one);
  const std::string text = set.markdown();
  std::vector<std::string> names;
  const std::regex row("\\| `--([a-z0-9-]+)` \\|");
  for (std::sregex_iterator match(text.begin(), text.end(), row), end; match != end; ++match)
    names.push_back((*match)[1]);
  EXPECT_THAT(node_option_names(), ::testing::UnorderedElementsAreArray(names));
}

TEST(Nodes, AsTheFileSaysThem) {
  const auto nodes = parse_nodes(kTwo, "x.toml");
  ASSERT_TRUE(nodes) << nodes.error().text;
  ASSERT_EQ(nodes->size(), 2U);
  EXPECT_EQ((*nodes)[0].name, "sw1");
  EXPECT_EQ((*nodes)[0].switch_address, "127.0.1.1:6068");
  EXPECT_EQ((*nodes)[0].overbooking, 1.5);
  EXPECT_EQ((*nodes)[0].sharing, LabelSharing::kCooperative);
  EXPECT_EQ((*nodes)[0].gsmp_versions, "3");
  EXPECT_EQ((*nodes)[1].overbooking, 2.0);
  EXPECT_EQ((*nodes)[1].sharing, LabelSharing::kFree);  // no setting is inherited from the first
  EXPECT_EQ((*nodes)[1].window, 16U);
}

std::string changed(const std::string& from, const std::string& to) {
  std::string text = kTwo;
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  std::string changes;
  for (const auto& change :
       changes_of(parse_nodes(kTwo, "x.toml").value(), parse_nodes(text, "x.toml").value())) {
    changes += config::to_string(change) + (change.live ? "" : ", restart") + '\n';
  }
  return changes;
}

TEST(Nodes, WhatAnotherFileChangesIsNamedWithTheNode) {
  EXPECT_EQ(changed("1.5", "1.5"), "");
  EXPECT_EQ(changed("1.5", "2.5"), "sw1 overbooking 1.5 -> 2.5 (file)\n");
  EXPECT_EQ(changed("\"16\"", "\"32\""), "sw2 gsmp-window 16 -> 32 (file), restart\n");
  EXPECT_EQ(changed("\"sw2\"", "\"sw3\""), "switches sw1,sw2 -> sw1,sw3 (file), restart\n");
  EXPECT_EQ(changed("127.0.1.1", "127.0.1.9"),
            "sw1 switch 127.0.1.1:6068 -> 127.0.1.9:6068 (file), restart\n");
}

TEST(Nodes, PortsMayHaveAFactorOfTheirOwn) {
  const auto nodes = parse_nodes(
      "[[switch]]\nname = \"a\"\nswitch = \"127.0.0.1:6068\"\nadmission = \"peak\"\n"
      "port-overbooking = {3 = 2.5, 4 = \"1\"}\nrt-wait-us = 250\n",
      "x.toml");
  ASSERT_TRUE(nodes) << nodes.error().text;
  EXPECT_EQ(port_overbooking(nodes->front()),
            (std::map<PortId, double>{{PortId{3}, 2.5}, {PortId{4}, 1.0}}));
  EXPECT_EQ(nodes->front().admission, AdmissionMode::kPeak);
  EXPECT_EQ(nodes->front().rt_wait_us, 250U);
}

std::string refused(const std::string& text) {
  const auto nodes = parse_nodes(text, "x.toml");
  return nodes ? "nothing is wrong" : nodes.error().text;
}

TEST(Nodes, AFactorThatCannotBeIsRefusedWithItsPort) {
  const auto with = [](const std::string& ports) {
    return refused("[[switch]]\nname = \"a\"\nswitch = \"127.0.0.1:6068\"\nport-overbooking = " +
                   ports + "\n");
  };
  EXPECT_THAT(with("[\"3\"]"), HasSubstr("--port-overbooking 3 is not PORT=FACTOR"));
  EXPECT_THAT(with("[\"0=1\"]"), HasSubstr("0=1: port 0 is not in 1 to 4294967295"));
  EXPECT_THAT(with("[\"3=1001\"]"), HasSubstr("3=1001: 1001 is not in 0.01 to 1000"));
  EXPECT_THAT(with("[\"3=0.001\"]"), HasSubstr("3=0.001: 0.001 is not in 0.01 to 1000"));
  EXPECT_THAT(with("[\"3=1\", \"3=2\"]"), HasSubstr("3=2: the port has a factor already"));
}

TEST(Nodes, RefusalsNameTheLineAndTheReason) {
  const std::string one = "[[switch]]\nname = \"a\"\nswitch = \"127.0.0.1:6068\"\n";
  EXPECT_EQ(refused(one), "nothing is wrong");
  EXPECT_THAT(refused(""), HasSubstr("there is no [[switch]]"));
  EXPECT_THAT(refused("[[switch]]\nname = \"a\"\n"),
              StartsWith("x.toml line 1: a switch needs 'switch'"));
  EXPECT_THAT(
      refused(one + "overbokking = 2\n"),
      StartsWith("x.toml line 4: a switch has no 'overbokking'; did you mean overbooking?"));
  EXPECT_THAT(refused(one + "overbooking = -1.5\n"),
              StartsWith("x.toml line 4: option --overbooking"));
  EXPECT_THAT(refused("[[switch]]\nname = \"a\"\nswitch = \"here\"\n"),
              StartsWith("x.toml line 3: --switch: "));
  EXPECT_THAT(refused("[[switch]]\nname = \"\"\nswitch = \"127.0.0.1:6068\"\n"),
              StartsWith("x.toml line 2: the argument for option '--name'"));
  EXPECT_THAT(refused(one + "[[switch]]\nname = \"a\"\nswitch = \"127.0.0.2:6068\"\n"),
              StartsWith("x.toml line 5: another switch is called 'a'"));
  EXPECT_THAT(refused(one + "[[switch]]\nname = \"b\"\nswitch = \"127.0.0.1:6068\"\n"),
              StartsWith("x.toml line 6: a is in front of 127.0.0.1:6068 already"));
}

TEST(Nodes, AFileThatIsNotThere) {
  const auto nodes = load_nodes("/nowhere/x.toml");
  ASSERT_FALSE(nodes);
  EXPECT_EQ(nodes.error().code, ErrorCode::kSystem);
  EXPECT_THAT(nodes.error().text, HasSubstr("/nowhere/x.toml"));
}

}  // namespace
}  // namespace xbind
