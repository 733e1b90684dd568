// The control language: every command as an operator types it, its effect, and every refusal.
#include "emulator/control.hpp"

#include <gmock/gmock.h>

#include <array>

#include "tests/unit/emulator/emulated_fixture.hpp"

namespace xbind::emulator {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class Control : public test::EmulatedTest {
 protected:
  using EmulatedTest::EmulatedTest;
  std::string tell(std::string_view line) { return answer(line, {&emulated}, controls, now); }

  std::vector<std::string> captured;
  std::vector<std::string> tuned;
  CaptureControl capture = [this](EmulatedSwitch& of, PortId port,
                                  const std::string& file) -> Result<void> {
    if (file == "/nowhere/x.pcap") return fail(ErrorCode::kSystem, "{}: no such folder", file);
    if (file == "x.txt") return fail(ErrorCode::kBadInput, "{}: neither .erf nor .pcap", file);
    captured.push_back(fmt::format("{} {} '{}'", of.name(), port, file));
    return {};
  };
  Controls controls{
      .capture = capture,
      .tune = [this](const std::string& option, const std::optional<std::string>& value)
          -> Result<std::vector<config::OptionChange>> {
        if (option == "ports") return fail(ErrorCode::kBadInput, "an option needs a restart");
        tuned.push_back(option + (value ? "=" + *value : " as configured"));
        if (value == "info") return {};
        return std::vector{config::OptionChange{option, "info", value.value_or("info"), "", true}};
      }};
};

// Port 2 is an MPLS port.
class MplsControl : public Control {
 protected:
  MplsControl()
      : Control([] {
          EmulatedSwitchOptions with = options();
          with.fabric.port_labels = {{PortId(2), {mpls_range(16, 1023)}}};
          return with;
        }()) {}
};

class CrossbarControl : public Control {
 protected:
  CrossbarControl()
      : Control([] {
          EmulatedSwitchOptions with = options();
          with.crossbar = dataplane::CrossbarSize::k4x4;
          return with;
        }()) {}
};

// ----- the effect of each command -----

TEST_F(Control, SettingsAndBack) {
  const FaultSettings& set = emulated.settings();
  EXPECT_EQ(tell("slow-reader 5000"), "ok");
  EXPECT_EQ(set.slow_reader_octets_per_s, 5000U);
  EXPECT_EQ(tell("reorder 0.25"), "ok");
  EXPECT_EQ(set.reorder, 0.25);
  EXPECT_EQ(tell("partial-frames 7"), "ok");
  EXPECT_EQ(set.partial_octets, 7U);
  EXPECT_EQ(tell("delay message 500"), "ok");
  EXPECT_EQ(tell("  delay\tconnection   2000 "), "ok");
  EXPECT_EQ(set.message_delay, 500us);
  EXPECT_EQ(set.connection_delay, 2ms);
  EXPECT_EQ(tell("delay table 3000"), "ok");
  EXPECT_EQ(set.table_delay, 3ms);
  EXPECT_EQ(tell("drop-adjacency silent"), "ok");
  EXPECT_TRUE(set.silent);
  EXPECT_THAT(tell("status"), HasSubstr("silent=1 slow_reader=5000 reorder=0.25 partial_frames=7 "
                                        "delay_message_us=500 delay_connection_us=2000 "
                                        "delay_table_us=3000 open=0"));

  EXPECT_EQ(tell("drop-adjacency off"), "ok");
  EXPECT_EQ(tell("slow-reader off"), "ok");
  EXPECT_EQ(tell("reorder off"), "ok");
  EXPECT_EQ(tell("partial-frames off"), "ok");
  EXPECT_EQ(tell("delay message 0"), "ok");
  EXPECT_EQ(tell("delay connection 0"), "ok");
  EXPECT_EQ(tell("delay table 0"), "ok");
  EXPECT_EQ(set.table_delay, Duration{});
  EXPECT_FALSE(set.silent || set.delays());
  EXPECT_EQ(set.slow_reader_octets_per_s, 0U);
  EXPECT_EQ(set.reorder, 0);
  EXPECT_EQ(set.partial_octets, 0U);
}

TEST_F(Control, RefuseNext) {
  Controller& controller = add_controller();
  connect(controller);
  ASSERT_TRUE(controller.session->switch_configuration(0, 0, now));
  settle();
  controller.session->take_events();
  EXPECT_EQ(tell("refuse-next 2 18"), "ok");
  for (std::uint32_t index = 0; index < 3; ++index) {
    ASSERT_TRUE(controller.session->add_branch(add(100 + index, 200), index, now));
  }
  settle();
  std::vector<int> codes;
  for (const gsmp::Response& response : only<gsmp::Response>(controller))
    codes.push_back(static_cast<int>(response.code));
  EXPECT_THAT(codes, ElementsAre(18, 18, 0));
}

TEST_F(Control, Lines) {
  EXPECT_EQ(tell("line 2 down"), "ok");
  EXPECT_FALSE(emulated.fabric().cells().line_up(PortId(2)));
  EXPECT_THAT(tell("statistics 2"), HasSubstr("line=down"));
  EXPECT_EQ(tell("line 2 up"), "ok");
  EXPECT_TRUE(emulated.fabric().cells().line_up(PortId(2)));
}

TEST_F(Control, Cards) {
  EXPECT_EQ(tell("card 2 out"), "ok");
  EXPECT_EQ(tell("line 2 down"), "error no-such-port: the card of port 2 is out of sw1");
  EXPECT_EQ(tell("card 2 in"), "ok");
  EXPECT_EQ(tell("line 2 down"), "ok");
  EXPECT_THAT(tell("card 4 out"), StartsWith("error no-such-port: port 4 is beyond"));
}

TEST_F(Control, Connections) {
  Controller& controller = add_controller();
  connect(controller);
  controller.session->take_events();
  EXPECT_EQ(tell("drop-adjacency"), "ok");
  settle();
  EXPECT_FALSE(only<gsmp::SessionDown>(controller).empty());
  EXPECT_THAT(tell("status"), HasSubstr("name=sw1 ports=3 connections=1 adjacencies=1"));
  EXPECT_EQ(tell("tcp-reset"), "ok");
  settle();
  EXPECT_THAT(tell("status"), HasSubstr("connections=0 adjacencies=0"));
}

TEST_F(Control, Restarts) {
  Controller& controller = add_controller();
  connect(controller);
  ASSERT_TRUE(controller.session->add_branch(add(100, 200), 1, now));
  settle();
  EXPECT_EQ(tell("restart hot"), "ok");
  EXPECT_EQ(emulated.fabric().branches(), 1U);
  EXPECT_EQ(tell("restart cold"), "ok");
  EXPECT_EQ(emulated.fabric().branches(), 0U);
}

TEST_F(Control, Labels) {
  Controller& controller = add_controller();
  connect(controller);
  ASSERT_TRUE(controller.session->switch_configuration(0, 0, now));
  settle();
  controller.session->take_events();
  EXPECT_EQ(tell("labels 1 0 0 500 600"), "ok");
  ASSERT_TRUE(controller.session->add_branch(add(100, 200), 1, now));
  ASSERT_TRUE(controller.session->add_branch(add(500, 200), 2, now));
  settle();
  const auto responses = only<gsmp::Response>(controller);
  ASSERT_EQ(responses.size(), 2U);
  EXPECT_EQ(responses[0].code, gsmp::FailureCode::kInvalidInputLabel);
  EXPECT_TRUE(responses[1].success);
}

TEST_F(MplsControl, LabelsOfAnMplsPort) {
  EXPECT_EQ(tell("labels 2 mpls:16-99 mpls:200-299"), "ok");
  EXPECT_EQ(emulated.fabric().labels(PortId(2)),
            (LabelRanges{mpls_range(16, 99), mpls_range(200, 299)}));
  EXPECT_EQ(tell("labels 2 0 0 32 100"),
            "error bad-value: labels 0-0/32-100 are of another kind than port 2's");
  EXPECT_EQ(tell("labels 1 mpls:16-99"),
            "error bad-value: labels mpls 16-99 are of another kind than port 1's");
  EXPECT_EQ(tell("labels 2 mpls:16-99 mpls:99-100"),
            "error bad-value: 'mpls:99-100' is ATM's, or overlaps another range");
  EXPECT_EQ(
      tell("labels 2 mpls:15-99"),
      "error bad-value: 'mpls:15-99' is no range of labels: VPI-VPI/VCI-VCI to 4095/65535, or "
      "mpls:FIRST-LAST of 16 to 1048575");
  EXPECT_EQ(emulated.fabric().labels(PortId(2)).size(), 2U);
}

// A line whose headers have the UNI form: 8 bits of VPI.
class UniLine final : public dataplane::Link {
 public:
  std::size_t receive(std::span<dataplane::Cell>) override { return 0; }
  std::size_t send(std::span<const dataplane::Cell> cells) override { return cells.size(); }
  const dataplane::LinkCounters& counters() const override { return counters_; }
  std::uint32_t vpi_max() const override { return dataplane::kUniVpiMax; }

 private:
  dataplane::LinkCounters counters_;
};

TEST_F(Control, AUniLineTakesNoVpiThatItsHeadersHaveNoRoomFor) {
  emulated.attach(PortId(2), std::make_unique<UniLine>());
  EXPECT_EQ(tell("labels 2 0 256 32 100"),
            "error bad-value: VPI_MAX 256 is above 255, the highest of port 2's line");
  EXPECT_EQ(tell("labels 2 0 255 32 100"), "ok");
  EXPECT_EQ(tell("labels 1 0 256 32 100"), "ok");

  Controller& controller = add_controller();
  connect(controller);
  ASSERT_TRUE(controller.session->switch_configuration(0, 0, now));
  settle();
  controller.session->take_events();
  // controller --> switch: Add Branch, from port 1, out of port 2 with VPI 256, then with VPI 255
  gsmp::AddBranch wide = add(100, 200);
  wide.output_label = gsmp::label_field(atm_label(256, 200));
  gsmp::AddBranch narrow = add(100, 200);
  narrow.output_label = gsmp::label_field(atm_label(255, 200));
  ASSERT_TRUE(controller.session->add_branch(wide, 1, now));
  ASSERT_TRUE(controller.session->add_branch(narrow, 2, now));
  settle();
  const auto responses = only<gsmp::Response>(controller);
  ASSERT_EQ(responses.size(), 2U);
  EXPECT_EQ(responses[0].code, gsmp::FailureCode::kInvalidOutputLabel);
  EXPECT_TRUE(responses[1].success);
}

TEST_F(Control, StatisticsOfCells) {
  const dataplane::Cell cell{.header = dataplane::cell_header(0, 77), .payload = {}};
  emulated.fabric().cells().receive(PortId(1), std::span(&cell, 1), now);
  EXPECT_EQ(tell("statistics 1"),
            "ok input_cells=1 input_discards=0 hec_errors=0 invalid_label=1 output_cells=0 "
            "output_discards=0 queued=0 queued_most=0 line=up malformed=0 foreign=0 out_of_order=0 "
            "expired=0 "
            "lost=0");
}

TEST_F(CrossbarControl, StatisticsOfItsInputs) {
  dataplane::SwitchFabric& cells = emulated.fabric().cells();
  for (const std::uint32_t port : {1U, 3U}) {
    ASSERT_TRUE(
        cells.table().add_branch(dataplane::channel(PortId(port), 0, 77),
                                 {.port = PortId(2), .vci = static_cast<std::uint16_t>(port)}));
    const std::array<dataplane::Cell, 2> two{
        {{.header = dataplane::cell_header(0, 77), .payload = {}},
         {.header = dataplane::cell_header(0, 77), .payload = {}}}};
    cells.receive(PortId(port), two, now);
  }
  cells.pump(now);
  const std::string one = tell("statistics 1"), three = tell("statistics 3");
  constexpr const char* kWinner =
      " crossbar=4x4 crossbar_cells=2 crossbar_lost=0 crossbar_passed=1 crossbar_nacks=0 "
      "crossbar_waiting=1";
  constexpr const char* kLoser =
      " crossbar=4x4 crossbar_cells=2 crossbar_lost=0 crossbar_passed=0 crossbar_nacks=1 "
      "crossbar_waiting=2";
  EXPECT_TRUE((one.ends_with(kWinner) && three.ends_with(kLoser)) ||
              (one.ends_with(kLoser) && three.ends_with(kWinner)))
      << one << "; " << three;
}

TEST_F(Control, Captures) {
  EXPECT_EQ(tell("capture 1 /tmp/x.pcap"), "ok");
  EXPECT_EQ(tell("capture 1 off"), "ok");
  EXPECT_THAT(captured, ElementsAre("sw1 1 '/tmp/x.pcap'", "sw1 1 ''"));
  EXPECT_EQ(tell("capture 1 /nowhere/x.pcap"), "error system: /nowhere/x.pcap: no such folder");
  EXPECT_EQ(tell("capture 1 x.txt"), "error bad-value: x.txt: neither .erf nor .pcap");
}

// ----- refusals ---------------------------------------------------------------------------------

TEST_F(Control, EveryRefusalHasItsNameAndTheValue) {
  const std::vector<std::pair<std::string, std::string>> refused = {
      {"", "error unknown-command: ''"},
      {"lines 1 up", "error unknown-command: 'lines'; there are: line, card, refuse-next"},
      {"line 1", "error arguments: 1 words after line; it is: line PORT up|down"},
      {"refus\xb2 1", "error unknown-command: 'refus\\xb2'"},
      {"line 1 \xe2\x80\xae", "error bad-value: state '\\u202e'"},
      {"line 1 up now", "error arguments: 3 words after line"},
      {"line 4 up", "error no-such-port: port 4 is beyond the 3 ports of sw1"},
      {"line 0 up", "error bad-value: port '0' is not 1 to 65535"},
      {"line -1 up", "error bad-value: port '-1'"},
      {"line 1x up", "error bad-value: port '1x'"},
      {"line 1 sideways", "error bad-value: state 'sideways' is not one of down, up"},
      {"card 1 away", "error bad-value: state 'away' is not one of out, in"},
      {"refuse-next some 18", "error bad-value: count 'some'"},
      {"refuse-next 1 0", "error bad-value: failure code '0' is not 1 to 255"},
      {"refuse-next 1 256", "error bad-value: failure code '256'"},
      {"drop-adjacency loudly", "error bad-value: way 'loudly'"},
      {"tcp-reset 1", "error arguments: 1 words after tcp-reset"},
      {"slow-reader 0", "error bad-value: octets a second '0' is not 1 to 1000000000, or off"},
      {"reorder 0", "error bad-value: probability '0'"},
      {"reorder 1.5", "error bad-value: probability '1.5'"},
      {"reorder nan", "error bad-value: probability 'nan'"},
      {"partial-frames 65536", "error bad-value: octets '65536'"},
      {"restart warm", "error bad-value: restart 'warm' is not one of hot, cold"},
      {"delay cell 1", "error bad-value: delay of 'cell'"},
      {"delay message 10000001", "error bad-value: microseconds '10000001' is not 0 to 10000000"},
      {"labels 1 0 0 32", "error arguments: 4 words after labels"},
      {"labels 1 0 4096 32 100", "error bad-value: VPI_MAX '4096'"},
      {"labels 1 0 0 100 32", "error bad-value: VCI_MIN 100 is above VCI_MAX 32"},
      {"labels 9 0 0 32 100", "error no-such-port: port 9"},
      {"statistics 9", "error no-such-port: port 9"},
      {"capture 9 x.pcap", "error no-such-port: port 9"},
      {"line 1 \x1b[31mup", "error not-text: octet 0x1b at place 8"},
      {"\x1b]0;title\x07", "error not-text: octet 0x1b at place 1"},
      {"@sw1\x7f status", "error not-text: octet 0x7f at place 5"},
  };
  for (const auto& [line, expected] : refused)
    EXPECT_THAT(tell(line), StartsWith(expected)) << line;
  EXPECT_THAT(captured, IsEmpty());
}

TEST_F(Control, AMomentOfNonsenseBreaksNothing) {
  std::mt19937 random(7);
  const std::string letters = "lineupdownrestart @0123456789.-\t\x01\xff";
  for (int round = 0; round < 20000; ++round) {
    std::string line;
    for (auto left = random() % 30; left > 0; --left) line += letters[random() % letters.size()];
    const std::string said = tell(line);
    ASSERT_TRUE(said.starts_with("ok") || said.starts_with("error ")) << line << ": " << said;
    ASSERT_LT(said.size(), 400U);
  }
}

// ----- several switches -------------------------------------------------------------------------

TEST_F(Control, OptionsOfTheProcessAreTunedByTheirName) {
  EXPECT_EQ(tell("tune log-level=gsmp=debug,info"), "ok log-level=gsmp=debug,info");
  EXPECT_EQ(tell("tune log-level"), "ok log-level=info");
  EXPECT_EQ(tell("tune log-level=info"), "ok") << "nothing differs";
  EXPECT_THAT(
      tuned, ElementsAre("log-level=gsmp=debug,info", "log-level as configured", "log-level=info"));
  EXPECT_EQ(tell("tune ports=3"), "error bad-value: an option needs a restart");
  EXPECT_THAT(tell("tune log-level info"), StartsWith("error arguments: 2 words after tune"));
  controls.tune = {};  // as with --fault at the start
  EXPECT_EQ(tell("tune log-level=off"),
            "error bad-value: options are tuned by the control socket only");
}

TEST_F(Control, ALineSaysWhichSwitchIsMeant) {
  EmulatedSwitchOptions second = options();
  second.name = "sw2";
  EmulatedSwitch other(second);
  const auto tell_both = [&](std::string_view line) {
    return answer(line, {&emulated, &other}, controls, now);
  };
  EXPECT_EQ(tell_both("@sw2 partial-frames 5"), "ok");
  EXPECT_EQ(other.settings().partial_octets, 5U);
  EXPECT_EQ(emulated.settings().partial_octets, 0U);
  EXPECT_THAT(tell_both("status"), StartsWith("error no-such-switch: 2 switches are here"));
  EXPECT_EQ(tell_both("@sw3 status"), "error no-such-switch: 'sw3'");
  EXPECT_EQ(tell_both("tune log-level=warn"), "ok log-level=warn") << "it is the process's";
  EXPECT_EQ(tell("@sw1 partial-frames 6"), "ok");  // allowed where there is only one switch
  EXPECT_EQ(emulated.settings().partial_octets, 6U);
}

}  // namespace
}  // namespace xbind::emulator
