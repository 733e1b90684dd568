// The options of one switch, on a command line and as a [[switch]] of a file.
#include "emulator/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "emulator/switch_set.hpp"

namespace xbind::emulator {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class Command : public ::testing::Test {
 protected:
  // The error, or "" when the options are accepted.
  std::string refusal(std::vector<const char*> words) {
    words.insert(words.begin(), "xbind-switch");
    config::OptionSet set("xbind-switch", "A switch.");
    declare(set, options);
    const auto exit = set.load(static_cast<int>(words.size()), words.data(),
                               [](const std::string&) { return std::nullopt; });
    return exit ? exit->text : "";
  }
  Options options;
};

TEST_F(Command, Defaults) {
  EXPECT_EQ(refusal({}), "");
  const EmulatedSwitchOptions made = emulated_options(options.one, 99);
  EXPECT_EQ(made.seed, 99U);
  EXPECT_EQ(made.fabric.ports, 4U);
  EXPECT_EQ(made.fabric.services, switchagent::FabricOptions{}.services);
  EXPECT_EQ(made.agent.window, 256);
  EXPECT_THAT(links_of(options.one), IsEmpty());
}

TEST_F(Command, EverythingAboutCells) {
  ASSERT_EQ(refusal({"--links=1=mpls:127.0.1.1:6635/127.0.1.2:6635/1001,2=ring:a", "--captures",
                     "1=/tmp/a.pcap", "--port-cells-per-s", "2=1000", "--fault", "delay message 5",
                     "--fault", "refuse-next 2 18", "--seed", "7"}),
            "");
  const auto links = links_of(options.one);
  ASSERT_EQ(links.size(), 2U);
  EXPECT_EQ(links[1].port, PortId(2));
  EXPECT_EQ(links[1].link.ring, "a");
  EXPECT_THAT(options.one.faults, ElementsAre("delay message 5", "refuse-next 2 18"));
  EXPECT_EQ(emulated_options(options.one, 99).seed, 7U);
}

TEST_F(Command, ACrossbarForTheseManyPorts) {
  using dataplane::CrossbarSize;
  EXPECT_EQ(refusal({}), "");
  EXPECT_EQ(emulated_options(options.one, 1).crossbar, CrossbarSize::kNone);
  EXPECT_EQ(refusal({"--crossbar", "4x4"}), "");
  EXPECT_EQ(emulated_options(options.one, 1).crossbar, CrossbarSize::k4x4);
  EXPECT_EQ(refusal({"--crossbar", "16x16", "--ports", "16"}), "");
  EXPECT_EQ(emulated_options(options.one, 1).crossbar, CrossbarSize::k16x16);
}

TEST_F(Command, PortControllers) {
  ASSERT_EQ(refusal({"--port-controller", "1=fpc3,2=cell-us:5.2/overhead:0"}), "");
  const auto made = emulated_options(options.one, 1).controllers;
  ASSERT_EQ(made.size(), 2U);
  EXPECT_EQ(made.at(PortId(1)), *dataplane::parse_port_controller("fpc3"));
  EXPECT_EQ(made.at(PortId(2)).overhead_octets, 0U);
}

TEST_F(Command, ServicesAndVersions) {
  ASSERT_EQ(
      refusal({"--services", "cbr,nrt-vbr.2,gfr", "--gsmp-versions", "1,3", "--region-model"}), "");
  const auto made = emulated_options(options.one, 1);
  EXPECT_THAT(made.agent.versions, ElementsAre(3, 1));
  EXPECT_TRUE(made.agent.region_model);
  std::vector<int> services;
  for (const gsmp::ServiceRecord& record : made.fabric.services) {
    services.push_back(static_cast<int>(record.service));
    EXPECT_EQ(record.sets.at(0).id, 1);
  }
  EXPECT_THAT(services, ElementsAre(1, 6, 12));
  ASSERT_EQ(refusal({"--services", "none"}), "");
  EXPECT_THAT(emulated_options(options.one, 1).fabric.services, IsEmpty());
}

TEST_F(Command, PortsWithLabelsOfTheirOwn) {
  ASSERT_EQ(refusal({"--port-labels", "2=mpls:16-99,2=mpls:200-299", "--port-labels",
                     "3=mpls:16-20", "--port-labels", "4=1/32-99", "--links",
                     "2=lsp:127.0.0.1:1/127.0.0.1:2,3=ring:a,1=ring:b", "--one-kind"}),
            "");
  const switchagent::FabricOptions made = emulated_options(options.one, 1).fabric;
  EXPECT_EQ(made.port_labels,
            (std::map<PortId, LabelRanges>{{PortId(2), {mpls_range(16, 99), mpls_range(200, 299)}},
                                           {PortId(3), {mpls_range(16, 20)}},
                                           {PortId(4), {atm_range(1, 1, 32, 99)}}}));
  EXPECT_TRUE(made.one_kind);
}

TEST_F(Command, TheLabelsOfAPortWithFramesSayWhichFrames) {
  ASSERT_EQ(refusal({"--port-labels", "2=mpls:16-99", "--links", "1=frames:eth0,2=ring:a",
                     "--classes", "7=10.1.0.0/16,8=10.2.0.0/16"}),
            "");
  const switchagent::FabricOptions made = emulated_options(options.one, 1).fabric;
  EXPECT_EQ(made.port_labels,
            (std::map<PortId, LabelRanges>{
                {PortId(1), {mpls_range(16, 16), mpls_range(4097, 8190), mpls_range(8199, 8200)}},
                {PortId(2), {mpls_range(16, 99)}}}));
  const auto places = link_places({options.one});
  EXPECT_EQ(places.at(0).classes, (FrameClasses{{7, {0x0a010000, 16}}, {8, {0x0a020000, 16}}}));
}

TEST_F(Command, APortWhoseFramesHaveLabelsIsAnMplsPort) {
  ASSERT_EQ(refusal({"--port-labels", "2=mpls:16-99", "--links", "2=frames:eth1/labels"}), "");
  EXPECT_EQ(emulated_options(options.one, 1).fabric.port_labels,
            (std::map<PortId, LabelRanges>{{PortId(2), {mpls_range(16, 99)}}}));
}

TEST_F(Command, RefusalsNameTheValue) {
  const std::string long_path = "/" + std::string(107, 'x');
  const std::vector<std::pair<std::vector<const char*>, std::string>> refused = {
      {{"--listen", "nowhere"}, "--listen: \"nowhere\""},
      {{"--name", "a b"}, "--name 'a b' has a blank"},
      {{"--services", "cbr,abr"}, "--services: 'abr' is no service"},
      {{"--services", "cbr,cbr"}, "--services: 'cbr' comes twice"},
      {{"--gsmp-versions", "2"}, "--gsmp-versions: '2'"},
      {{"--links", "5=ring:a"}, "--links: "},
      {{"--links", "1=tin-can"}, "tin-can"},
      {{"--vpi-max", "256", "--links", "1=plain:127.0.0.1:5001/127.0.0.1:5002/uni"},
       "--vpi-max 256 is above 255, the highest VPI of the cells of --links 1=plain:"},
      {{"--vpi-max", "1", "--links", "1=cfr:127.0.0.1:5001/127.0.0.1:5002"},
       "--vpi-max 1 is above 0, the highest VPI of the cells of --links 1=cfr:"},
      {{"--crossbar", "4x4", "--ports", "5"}, "--crossbar 4x4 has 4 ports, and --ports is 5"},
      {{"--crossbar", "16x16", "--ports", "17"},
       "--crossbar 16x16 has 16 ports, and --ports is 17"},
      {{"--crossbar", "8x8"}, "8x8"},
      {{"--captures", "1"}, "--captures: '1' is not PORT=FILE"},
      {{"--captures", "5=x.pcap"}, "beyond --ports 4"},
      {{"--port-cells-per-s", "5=1000"}, "beyond --ports 4"},
      {{"--port-controller", "fpc3"}, "--port-controller: 'fpc3' is not PORT=PROFILE"},
      {{"--port-controller", "5=fpc3"}, "'5=fpc3' names a port beyond --ports 4"},
      {{"--port-controller", "1=fpc4"},
       "--port-controller: '1=fpc4': there is no 'fpc4'; there are fpc2-arm3"},
      {{"--port-controller", "1=fpc3,1=fpc3"}, "'1=fpc3' is a second profile of port 1"},
      {{"--vci-min", "100", "--vci-max", "99"}, "--vci-min 100 is above --vci-max 99"},
      {{"--port-labels", "2"}, "--port-labels: '2' is not PORT=RANGE"},
      {{"--port-labels", "5=mpls:16-20"}, "'5=mpls:16-20' names a port beyond --ports 4"},
      {{"--port-labels", "2=mpls:15-20"}, "'mpls:15-20' is no range of labels"},
      {{"--port-labels", "2=0/31-99"}, "'2=0/31-99' has a VCI below 32"},
      {{"--port-labels", "2=mpls:16-20,2=mpls:20-21"}, "'2=mpls:20-21' overlaps another range"},
      {{"--port-labels", "2=mpls:16-20,2=0/32-99"}, "port 2 has labels of another kind"},
      {{"--port-labels", "2=0/32-99,2=1/32-99"}, "ATM port 2 has a range already"},
      {{"--links", "2=lsp:127.0.0.1:1/127.0.0.1:2"},
       "the port has ATM labels, whose cells go over mpls, plain, cfr or ring"},
      {{"--port-labels", "2=mpls:16-20", "--links", "2=plain:127.0.0.1:1/127.0.0.1:2"},
       "the port has MPLS labels, whose cells go over lsp, ring or frames:IFACE/labels"},
      {{"--port-labels", "2=mpls:16-20", "--links", "2=frames:eth0"},
       "--port-labels: port 2 has --links frames:eth0, whose labels say which frames belong to a "
       "call"},
      {{"--links", "2=frames:eth0/labels"},
       "--links 2=frames:eth0/labels: the port has ATM labels, whose cells go over mpls, plain, "
       "cfr or ring"},
      {{"--classes", "7"}, "--classes: '7' is not NUMBER=PREFIX"},
      {{"--classes", "7=10.0.0.0/8,7=11.0.0.0/8"}, "--classes: 7 comes twice"},
      {{"--fault", "explode"}, "--fault 'explode': 'explode'"},
      {{"--control", "here"}, "--control: 'here' is no path"},
      {{"--control", "127.0.0.1:7000"}, "--control: '127.0.0.1:7000' is no path"},
      {{"--control", long_path.c_str()}, "the path of a socket has at most 107 octets"},
      {{"--control", "tcp:here"}, "--control: \"here\""},
      {{"--switches", "x.toml", "--ports", "5"}, "--ports and --switches x.toml"},
  };
  for (const auto& [words, text] : refused)
    EXPECT_THAT(refusal(words), HasSubstr(text)) << words[1];
}

TEST_F(Command, TheNamesForFilesAreTheNamesThereAre) {
  SwitchOptions one;
  config::OptionSet set("[[switch]]", "A switch.");
  declare(set, one);
  const std::string text = set.markdown();
  std::vector<std::string> names;
  const std::regex row("\\| `--([a-z0-9-]+)` \\|");
  for (std::sregex_iterator match(text.begin(), text.end(), row), end; match != end; ++match)
    names.push_back((*match)[1]);
  EXPECT_THAT(switch_option_names(), ::testing::UnorderedElementsAreArray(names));
}

// ----- files ------------------------------------------------------------------------------------

constexpr const char* kTwo = R"(# two switches and a ring
[[switch]]
name = "sw1"
listen = "127.0.0.1:0"
ports = 3
port-cells-per-s = {3 = 96000}
links = {1 = "mpls:127.0.1.1:6635/127.0.1.9:6635/1001", 2 = "ring:sw1-sw2"}
fault = ["delay message 500", "delay connection 2000"]

[[switch]]
name = "sw2"
listen = "127.0.0.1:0"
links = ["1=ring:sw1-sw2"]
services = "cbr"
)";

TEST(Switches, ADifferenceNamesSwitchOptionAndLine) {
  const auto before = parse_switches(kTwo, "x.toml");
  ASSERT_TRUE(before);
  EXPECT_THAT(changes_of(*before, *before).value(), IsEmpty());
  std::string text = kTwo;
  text += "branches-max = 7\nports = 5\n";
  const auto wanted = parse_switches(text, "x.toml");
  ASSERT_TRUE(wanted) << wanted.error().text;
  const auto changes = changes_of(*before, *wanted);
  ASSERT_TRUE(changes);
  ASSERT_EQ(changes->size(), 2U);
  EXPECT_EQ((*changes)[0].name, "sw2 ports");
  EXPECT_FALSE((*changes)[0].live);
  EXPECT_EQ((*changes)[1].name, "sw2 branches-max");
  EXPECT_EQ((*changes)[1].before, "1048576");
  EXPECT_EQ((*changes)[1].after, "7");
  EXPECT_THAT((*changes)[1].source, HasSubstr("x.toml line 15"));
  EXPECT_TRUE((*changes)[1].live);
}

TEST(Switches, TheirNamesAndOrderNeedARestart) {
  const auto before = parse_switches(kTwo, "x.toml");
  ASSERT_TRUE(before);
  std::vector<SwitchOptions> wanted = *before;
  std::swap(wanted[0], wanted[1]);
  EXPECT_FALSE(changes_of(*before, wanted));
  wanted = *before;
  wanted.pop_back();
  const auto refused = changes_of(*before, wanted);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("there were 2 switches, and the file has 1"));
}

TEST(Switches, AsTheFileSaysThem) {
  const auto switches = parse_switches(kTwo, "x.toml");
  ASSERT_TRUE(switches) << switches.error().text;
  ASSERT_EQ(switches->size(), 2U);
  EXPECT_EQ((*switches)[0].name, "sw1");
  EXPECT_EQ((*switches)[0].ports, 3U);
  EXPECT_THAT((*switches)[0].port_rates, ElementsAre("3=96000"));
  EXPECT_THAT((*switches)[0].faults, ElementsAre("delay message 500", "delay connection 2000"));
  EXPECT_EQ((*switches)[1].ports, 4U);  // no setting is inherited from the first
  EXPECT_THAT((*switches)[1].faults, IsEmpty());
  const auto places = link_places(*switches);
  ASSERT_EQ(places.size(), 3U);
  EXPECT_EQ(places[2].node, "sw2");
  EXPECT_EQ(places[2].link.ring, "sw1-sw2");
}

std::string refused(const std::string& text) {
  const auto switches = parse_switches(text, "x.toml");
  return switches ? "nothing is wrong" : switches.error().text;
}

TEST(Switches, RefusalsNameTheLineAndTheReason) {
  const std::string one = "[[switch]]\nname = \"a\"\nlisten = \"127.0.0.1:6068\"\n";
  EXPECT_THAT(refused(""), HasSubstr("there is no [[switch]]"));
  EXPECT_THAT(refused("[[switch\n"), StartsWith("x.toml line 1: "));
  EXPECT_THAT(refused("switch = 5\n"), StartsWith("x.toml line 1: switch is no list of tables"));
  EXPECT_THAT(refused("\n[lab]\n"), StartsWith("x.toml line 2: there is no 'lab' here"));
  EXPECT_THAT(refused("[[switch]]\nname = \"a\"\n"),
              StartsWith("x.toml line 1: a switch needs 'listen'"));
  EXPECT_THAT(refused(one + "port = 5\n"),
              StartsWith("x.toml line 4: a switch has no 'port'; did you mean ports?"));
  EXPECT_THAT(refused(one + "log-level = \"off\"\n"),
              StartsWith("x.toml line 4: a switch has no 'log-level'"));
  EXPECT_THAT(refused(one + "ports = 5000\n"), StartsWith("x.toml line 4: option --ports"));
  EXPECT_THAT(refused(one + "ports = 1.5\n"), StartsWith("x.toml line 4: option --ports"));
  EXPECT_THAT(refused(one + "ports = 1979-05-27\n"),
              StartsWith("x.toml line 4: 'ports' is no text"));
  EXPECT_THAT(refused(one + "fault = []\n"), StartsWith("x.toml line 4: 'fault' is an empty list"));
  EXPECT_THAT(refused(one + "ports = 2\nlinks = {3 = \"ring:x\"}\n"),
              StartsWith("x.toml line 5: --links: "));
  EXPECT_THAT(refused(one + "\n[[switch]]\nlisten = \"127.0.0.1:0\"\nname = \"a\"\n"),
              StartsWith("x.toml line 7: another switch is called 'a'"));
  EXPECT_THAT(refused(one + "\n[[switch]]\nname = \"b\"\nlisten = \"127.0.0.1:6068\"\n"),
              StartsWith("x.toml line 7: a listens on 127.0.0.1:6068 already"));
}

TEST(Switches, AFileThatIsNotThere) {
  const auto switches = load_switches("/nowhere/x.toml");
  ASSERT_FALSE(switches);
  EXPECT_EQ(switches.error().code, ErrorCode::kSystem);
  EXPECT_THAT(switches.error().text, HasSubstr("/nowhere/x.toml"));
}

}  // namespace
}  // namespace xbind::emulator
