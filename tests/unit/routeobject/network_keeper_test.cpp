// The network changes under RouteObject: what its Router still knows, what a change needs, and
// what survives a restart.
#include "routeobject/network_keeper.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "routeobject/network/topology_text.hpp"
#include "routeobject/topology/topology_file.hpp"

namespace xbind {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Epoch kKeptLife{1};
constexpr std::uint32_t kValidityMs = 1000;

//   a:2 --1000-- 1:x:2 --1000-- 2:b:3 --1000-- 3:a
Topology abx() {
  Topology topology("triangle");
  const SwitchIndex a = topology.add_switch("a", true).value();
  const SwitchIndex x = topology.add_switch("x", false).value();
  const SwitchIndex b = topology.add_switch("b", true).value();
  EXPECT_TRUE(topology.add_link({a, PortId{2}}, {x, PortId{1}}, 1000).has_value());
  EXPECT_TRUE(topology.add_link({x, PortId{2}}, {b, PortId{2}}, 1000).has_value());
  EXPECT_TRUE(topology.add_link({b, PortId{3}}, {a, PortId{3}}, 1000).has_value());
  return topology;
}

class NetworkKeeperTest : public ::testing::Test {
 protected:
  NetworkKeeperTest()
      : folder_(std::filesystem::path(::testing::TempDir()) /
                ::testing::UnitTest::GetInstance()->current_test_info()->name()),
        file_(network_file_path(folder_.string(), "default")) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~NetworkKeeperTest() override { std::filesystem::remove_all(folder_); }

  Result<NetworkPlan> change(const NetworkEdit& edit, bool force = false,
                             std::uint64_t version = 0) {
    return keeper_.change(edit, version, force, now_);
  }
  std::string refusal(const NetworkEdit& edit) {
    const auto done = change(edit);
    return done ? "" : done.error().text;
  }
  void report(const char* at, std::uint64_t number, const std::vector<PortReport>& ports) {
    EXPECT_TRUE(routes_.report(at, kKeptLife, number, ports, now_).has_value());
  }
  void drain(const char* at, std::uint32_t port) {
    EXPECT_TRUE(routes_.drain({at, PortId{port}}, true).has_value());
  }
  // "a x b", or the refusal.
  std::string route(const std::string& from, const std::string& to, std::uint64_t rate = 0) {
    const PathQuery query{.from = from, .to = to, .cells_per_s = rate};
    const auto answers = routes_.answer(std::array{query}).value();
    if (!answers.answers[0]) return std::string{to_string(answers.answers[0].error().cause)};
    std::string words;
    for (const PathHop& hop : answers.answers[0]->path.hops) {
      words += (words.empty() ? "" : " ") + hop.switch_name;
    }
    return words;
  }
  // "a:2 drained"
  std::vector<std::string> unusable() const {
    std::vector<std::string> words;
    for (const UnusableElement& it : routes_.condition()->state.unusable) {
      words.push_back(fmt::format("{}:{} {}", it.element.switch_name, it.element.output_port,
                                  it.why == Unusable::kDown ? "down" : "drained"));
    }
    return words;
  }

  const std::filesystem::path folder_;
  const std::string file_;
  // Begins as RouteObject does at its start; the network is stored.
  Result<void> begin(NetworkKeeper& keeper, TopologyFile file, bool accept_smaller = false) {
    NetworkChoice choice = choose_network(read_network(file_).value(), file, accept_smaller);
    return keeper.begin(std::move(choice), std::move(file), now_);
  }

  RouteService routes_{abx(), kValidityMs, 7};
  NetworkKeeper keeper_{routes_, {{}, file_}};
  TimePoint now_ = TimePoint{} + std::chrono::hours{7};
};

TEST_F(NetworkKeeperTest, RoutesUseANewLinkAndANewSwitchAtOnce) {
  EXPECT_EQ(route("a", "y"), "unknown endpoint");
  ASSERT_TRUE(change(edit::AddSwitch{"y", true}).has_value());
  EXPECT_EQ(route("a", "y"), "no route");
  ASSERT_TRUE(change(edit::AddLink{{"y", PortId{2}}, {"x", PortId{3}}, 50, 0}).has_value());
  EXPECT_EQ(route("a", "y"), "a x y");
  EXPECT_EQ(route("a", "y", 51), "no bandwidth");
  EXPECT_EQ(routes_.condition()->state.network_version, 9u);
  EXPECT_EQ(routes_.version(), 9u);
}

TEST_F(NetworkKeeperTest, ReportsDrainsAndDoubtsOfWhatStaysRemain) {
  report("x", 5,
         {{PortId{1}, true, 1000, 400}, {PortId{2}, false, 0, 0}, {PortId{3}, true, 80, 9}});
  drain("a", 3);
  ASSERT_TRUE(change(edit::AddSwitch{"y", true}).has_value());
  EXPECT_THAT(unusable(), ElementsAre("x:2 down", "b:2 down", "b:3 drained", "a:3 drained"));
  // x had reported its port 3 before a link was there.
  ASSERT_TRUE(change(edit::AddLink{{"y", PortId{2}}, {"x", PortId{3}}, 50, 0}).has_value());
  EXPECT_EQ(routes_.links(3, 1)->front().second_free, 9u);
  EXPECT_EQ(routes_.links(0, 1)->front().second_free, 400u);
  // The next report of that incarnation still needs a higher number.
  EXPECT_FALSE(routes_.report("x", kKeptLife, 5, {}, now_).value());
  EXPECT_EQ(routes_.counters().stale_reports, 1u);
}

TEST_F(NetworkKeeperTest, ARemovedLinkMustBeDrainedAndIsReportedForAWhile) {
  EXPECT_EQ(refusal(edit::RemoveLink{{"a", PortId{3}}}),
            "the link b:3 to a:3 is not drained, it cannot be removed");
  EXPECT_EQ(route("a", "b"), "a b");
  drain("a", 3);
  ASSERT_TRUE(change(edit::RemoveLink{{"a", PortId{3}}}).has_value());
  EXPECT_EQ(route("a", "b"), "a x b");
  EXPECT_THAT(routes_.drains(), IsEmpty());
  EXPECT_THAT(unusable(), ElementsAre("b:3 drained", "a:3 drained"));
  routes_.tick(now_);
  EXPECT_THAT(unusable(), ElementsAre("b:3 drained", "a:3 drained"));
  const std::uint64_t version = routes_.version();
  now_ += 2 * std::chrono::milliseconds{kValidityMs};
  EXPECT_TRUE(routes_.tick(now_));
  EXPECT_THAT(unusable(), IsEmpty());
  EXPECT_EQ(routes_.version(), version + 1);
}

TEST_F(NetworkKeeperTest, ALinkThatReturnsIsUsableAtOnce) {
  drain("a", 3);
  ASSERT_TRUE(change(edit::RemoveLink{{"a", PortId{3}}}).has_value());
  ASSERT_TRUE(change(edit::AddLink{{"b", PortId{3}}, {"a", PortId{3}}, 10, 0}).has_value());
  EXPECT_THAT(unusable(), IsEmpty());
  EXPECT_EQ(route("a", "b"), "a b");
}

TEST_F(NetworkKeeperTest, ARemovedSwitchMustBeDrained) {
  EXPECT_EQ(refusal(edit::RemoveSwitch{"x"}), "x is not drained, it cannot be removed");
  drain("x", 0);
  ASSERT_TRUE(change(edit::RemoveSwitch{"x"}).has_value());
  EXPECT_EQ(route("a", "b"), "a b");
  EXPECT_THAT(unusable(), ElementsAre("a:2 drained", "x:1 drained", "x:2 drained", "b:2 drained"));
  EXPECT_EQ(routes_.report("x", kKeptLife, 9, {}, now_).error().code, ErrorCode::kNotFound);
}

TEST_F(NetworkKeeperTest, ASwitchWithAllLinksDrainedOneByOneIsDrained) {
  drain("x", 1);
  EXPECT_EQ(refusal(edit::RemoveSwitch{"x"}), "x is not drained, it cannot be removed");
  drain("b", 2);  // the link of x's port 2
  ASSERT_TRUE(change(edit::RemoveSwitch{"x"}).has_value());
  EXPECT_EQ(route("a", "b"), "a b");
}

TEST_F(NetworkKeeperTest, AnEndpointGoesWhenItsAccessLineIsDrained) {
  std::string file = topology_as_toml(abx());
  const std::string kOf = "name = \"a\"\nendpoint = true\n";
  ASSERT_NE(file.find(kOf), std::string::npos) << file;
  file.replace(file.find(kOf), kOf.size(), "name = \"a\"\n");
  const edit::Load without{file, ""};
  EXPECT_EQ(refusal(without), "a is not drained, it cannot lose its endpoint");
  drain("b", 1);
  EXPECT_EQ(refusal(without), "a is not drained, it cannot lose its endpoint") << "b's line is";
  drain("a", 1);
  EXPECT_EQ(refusal(edit::RemoveSwitch{"a"}), "a is not drained, it cannot be removed")
      << "calls pass it still";
  ASSERT_TRUE(change(without).has_value());
  EXPECT_FALSE(routes_.topology()->switches()[0].endpoint);
}

TEST_F(NetworkKeeperTest, AnEditedDelayIsServed) {
  const Topology given = abx();
  Topology slower("triangle");
  for (const TopologySwitch& it : given.switches()) {
    ASSERT_TRUE(slower.add_switch(it.name, it.endpoint).has_value());
  }
  for (const TopologyLink& link : given.links()) {
    const auto added = slower.add_link(link.a, link.b, link.cells_per_s);
    ASSERT_TRUE(slower.set_link_delay(*added, *added == 2 ? 900 : 0).has_value());
  }
  const auto plan = change(edit::Load{topology_as_toml(slower), ""});
  ASSERT_TRUE(plan.has_value()) << plan.error().text;
  ASSERT_EQ(plan->difference.links.size(), 1u);
  EXPECT_EQ(plan->difference.links[0].delay_us_after, 900u);
  EXPECT_EQ(routes_.topology()->links()[2].delay_us, 900u);
}

TEST_F(NetworkKeeperTest, ANewLinkNeedsAPortThatTheSwitchHasReported) {
  // A switch that has not reported may have any port.
  EXPECT_TRUE(keeper_.plan(edit::AddLink{{"x", PortId{7}}, {"b", PortId{9}}, 50, 0}).has_value());
  report("x", 1, {{PortId{1}, true, 9, 9}, {PortId{2}, true, 9, 9}, {PortId{4}, false, 9, 9}});
  const edit::AddLink wrong{{"x", PortId{7}}, {"b", PortId{9}}, 50, 0};
  const char* const kWhy = "'x' has no port 7: its switch reports 3 ports: 1, 2, 4";
  EXPECT_EQ(refusal(wrong), kWhy);
  EXPECT_EQ(change(wrong, true).error(), (Error{ErrorCode::kNotFound, kWhy}));
  EXPECT_EQ(keeper_.plan(wrong).error().text, kWhy);
  EXPECT_EQ(routes_.topology()->links().size(), 3u);
  // Also in a file; a port that is left out is one of them; and a host's line needs port 1.
  std::string file = topology_as_toml(*routes_.topology());
  file += "[[link]]\nbetween = [\"x:3\", \"a:4\"]\ncells-per-s = 5\n";
  EXPECT_EQ(refusal(edit::Load{file, ""}),
            "'x' has no port 3: its switch reports 3 ports: 1, 2, 4");
  ASSERT_TRUE(change(edit::AddLink{{"x", PortId{}}, {"b", PortId{9}}, 50, 0}).has_value());
  EXPECT_TRUE(routes_.topology()->link_at({*routes_.topology()->find("x"), PortId{4}}));
  EXPECT_EQ(refusal(edit::AddLink{{"x", PortId{}}, {"b", PortId{8}}, 50, 0}),
            "no port of 'x' is free: its switch reports 3 ports: 1, 2, 4");
}

TEST_F(NetworkKeeperTest, ANewEndpointNeedsPort1) {
  ASSERT_TRUE(change(edit::AddSwitch{"y", false}).has_value());
  report("y", 1, {{PortId{2}, true, 9, 9}});
  std::string file = topology_as_toml(*routes_.topology());
  const std::string kName = "name = \"y\"\n";
  file.insert(file.find(kName) + kName.size(), "endpoint = true\n");
  EXPECT_EQ(refusal(edit::Load{file, ""}), "'y' has no port 1: its switch reports 1 port: 2");
}

TEST_F(NetworkKeeperTest, WithForceNothingNeedsToBeDrained) {
  ASSERT_TRUE(change(edit::RemoveSwitch{"b"}, true).has_value());
  EXPECT_EQ(route("a", "b"), "unknown endpoint");
  EXPECT_THAT(unusable(), ElementsAre("x:2 drained", "b:2 drained", "b:3 drained", "a:3 drained",
                                      "b:1 drained"));
}

TEST_F(NetworkKeeperTest, ARateBelowWhatCallsUseIsRefused) {
  report("a", 1, {{PortId{2}, true, 2000, 1200}, {PortId{3}, true, 2000, 2000}});
  report("x", 1, {{PortId{1}, true, 2000, 2000}, {PortId{2}, true, 2000, 2000}});
  // Twice overbooked: 800 of 2 x 400 cells/s.
  EXPECT_EQ(keeper_.plan(edit::SetRate{{"a", PortId{2}}, 399})->used, std::vector{800UL});
  EXPECT_EQ(refusal(edit::SetRate{{"a", PortId{2}}, 399}),
            "the link a:2 to x:1 cannot have 399 cells/s, its calls use 800");
  EXPECT_TRUE(change(edit::SetRate{{"a", PortId{2}}, 400}).has_value());
  EXPECT_TRUE(change(edit::SetRate{{"a", PortId{2}}, 10}, true).has_value());
  EXPECT_THAT(routes_.topology()->rates_set("x"), ElementsAre(PortRate{PortId{1}, 10}));
}

// The direction with more calls counts, whichever end it leaves.
TEST_F(NetworkKeeperTest, ARateBelowWhatCallsUseInTheOtherDirectionIsRefused) {
  report("a", 1, {{PortId{2}, true, 1000, 1000}, {PortId{3}, true, 1000, 1000}});
  report("x", 1, {{PortId{1}, true, 1000, 200}, {PortId{2}, true, 1000, 1000}});
  for (const PathElement& end : {PathElement{"a", PortId{2}}, PathElement{"x", PortId{1}}}) {
    EXPECT_EQ(keeper_.plan(edit::SetRate{end, 799})->used, std::vector{800UL});
    EXPECT_EQ(refusal(edit::SetRate{end, 799}),
              "the link a:2 to x:1 cannot have 799 cells/s, its calls use 800");
  }
  EXPECT_TRUE(change(edit::SetRate{{"x", PortId{1}}, 800}).has_value());
}

// Each end promises its line's rate times a factor of its own: the lesser promise must hold.
TEST_F(NetworkKeeperTest, ARateMustSufficeAtTheEndThatPromisesLess) {
  for (const bool first : {true, false}) {
    SCOPED_TRACE(first);
    const std::uint64_t of_a = first ? 2000 : 1000;
    const std::uint64_t of_x = first ? 1000 : 2000;
    const std::uint64_t number = first ? 1 : 2;
    report("a", number, {{PortId{2}, true, of_a, of_a - 800}, {PortId{3}, true, 1000, 1000}});
    report("x", number, {{PortId{1}, true, of_x, of_x - 800}, {PortId{2}, true, 1000, 1000}});
    EXPECT_EQ(refusal(edit::SetRate{{"a", PortId{2}}, 799}),
              "the link a:2 to x:1 cannot have 799 cells/s, its calls use 800");
  }
  EXPECT_TRUE(change(edit::SetRate{{"a", PortId{2}}, 800}).has_value());
}

TEST_F(NetworkKeeperTest, AChangeOfAnotherVersionIsRefused) {
  const NetworkEdit add = edit::AddSwitch{"y", false};
  EXPECT_EQ(keeper_.plan(add)->network_version, 7u);
  EXPECT_EQ(change(add, false, 6).error().text,
            "the network has changed: it has version 7, the change is of version 6");
  EXPECT_FALSE(std::filesystem::exists(file_));
  EXPECT_TRUE(change(add, false, 7).has_value());
}

TEST_F(NetworkKeeperTest, APlanChangesNothing) {
  EXPECT_TRUE(keeper_.plan(edit::RemoveSwitch{"x"}).has_value());
  EXPECT_EQ(*routes_.topology(), abx());
  EXPECT_EQ(routes_.version(), 7u);
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(NetworkKeeperTest, TheChangedNetworkIsStoredWithTheMarkOfTheFileThatItChanges) {
  ASSERT_TRUE(begin(keeper_, {abx(), mark_of("the file")}).has_value());
  EXPECT_EQ(read_network(file_).value()->topology, abx()) << "stored at the start";
  ASSERT_TRUE(change(edit::SetRate{{"a", PortId{2}}, 10}).has_value());
  const auto stored = read_network(file_).value();
  ASSERT_TRUE(stored.has_value());
  EXPECT_EQ(stored->topology, *routes_.topology());
  EXPECT_EQ(stored->file, mark_of("the file"));
  EXPECT_NE(stored->file, mark_of("the File"));
  EXPECT_TRUE(set_aside_network(file_).has_value());
  EXPECT_FALSE(read_network(file_).value().has_value());
  EXPECT_TRUE(std::filesystem::exists(file_ + ".superseded"));
}

TEST_F(NetworkKeeperTest, AChangeThatCannotBeStoredIsNotApplied) {
  NetworkKeeper keeper(routes_, {{}, (folder_ / "nowhere" / "f").string()});
  const auto refused = keeper.change(edit::AddSwitch{"y", false}, 0, false, now_);
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().text, HasSubstr("nowhere/f cannot be written"));
  EXPECT_THAT(refused.error().text, HasSubstr(": nothing is changed"));
  EXPECT_EQ(*routes_.topology(), abx());
}

TEST_F(NetworkKeeperTest, AFileThatLacksALinkIsNotTakenUntilTheOperatorLoadsIt) {
  ASSERT_TRUE(begin(keeper_, {abx(), mark_of("whole")}).has_value());
  Topology smaller("smaller");
  const SwitchIndex a = smaller.add_switch("a", true).value();
  const SwitchIndex x = smaller.add_switch("x", false).value();
  const SwitchIndex b = smaller.add_switch("b", true).value();
  ASSERT_TRUE(smaller.add_link({a, PortId{2}}, {x, PortId{1}}, 1000).has_value());
  ASSERT_TRUE(smaller.add_link({x, PortId{2}}, {b, PortId{2}}, 1000).has_value());
  const TopologyFile file{smaller, mark_of("smaller")};

  NetworkKeeper next(routes_, {{}, file_});
  ASSERT_TRUE(begin(next, file).has_value());
  EXPECT_THAT(next.topology_lacks(), ElementsAre("the link b:3 to a:3"));
  EXPECT_EQ(*routes_.topology(), abx());
  // Another change is none of the file's matter.
  ASSERT_TRUE(next.change(edit::AddSwitch{"y", false}, 0, false, now_).has_value());
  EXPECT_THAT(next.topology_lacks(), ElementsAre("y", "the link b:3 to a:3"));
  EXPECT_EQ(read_network(file_).value()->file, mark_of("whole"));

  const edit::Load load{topology_as_toml(smaller), "smaller.toml"};
  ASSERT_TRUE(next.change(load, 0, true, now_).has_value());
  EXPECT_THAT(next.topology_lacks(), IsEmpty());
  EXPECT_EQ(read_network(file_).value()->file, mark_of("smaller")) << "it counts as taken";
  NetworkKeeper last(routes_, {{}, file_});
  ASSERT_TRUE(begin(last, file).has_value());
  EXPECT_THAT(last.topology_lacks(), IsEmpty());
  EXPECT_EQ(routes_.topology()->links().size(), 2U);
}

TEST_F(NetworkKeeperTest, AFileThatIsTakenLeavesTheOtherNetworkBeside) {
  ASSERT_TRUE(begin(keeper_, {abx(), mark_of("whole")}).has_value());
  Topology other("other");
  ASSERT_TRUE(other.add_switch("a", true).has_value());
  NetworkKeeper next(routes_, {{}, file_});
  ASSERT_TRUE(begin(next, {other, mark_of("other")}, true).has_value());
  EXPECT_EQ(*routes_.topology(), other);
  EXPECT_EQ(read_network(file_).value()->topology, other);
  EXPECT_EQ(read_network(file_ + ".superseded").value()->topology, abx());
}

TEST_F(NetworkKeeperTest, ANetworkThatCannotBeStoredAtTheStartIsServed) {
  std::filesystem::create_directories(file_ + ".new");  // in the draft's place
  Topology other("other");
  ASSERT_TRUE(other.add_switch("a", true).has_value());
  ASSERT_TRUE(begin(keeper_, {other, mark_of("other")}).has_value());
  EXPECT_EQ(*routes_.topology(), other);
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(NetworkKeeperTest, AFileOfAnotherFormatIsRefusedWithItsLine) {
  const auto fault = [](std::string_view text) {
    return network_from_text(text, "f").error().text;
  };
  EXPECT_THAT(fault("name = \"x\"\n"), HasSubstr("f line 1: it is not '# xbind-routeobject"));
  // Files of the version before have no sum, so one that was cut looks like a whole one.
  EXPECT_THAT(fault("# xbind-routeobject network 1: changes a file of 8 octets, CRC-32 89abcdef\n"),
              HasSubstr("f line 1"));
  EXPECT_THAT(fault(with_end_mark("# xbind-routeobject network 2\n# of a file of 8 octets, CRC-32 "
                                  "zz\n")),
              HasSubstr("f line 2"));
  const std::string text = network_as_text(abx(), mark_of("f"));
  EXPECT_EQ(network_from_text(text, "f")->topology, abx());
  EXPECT_THAT(fault(text + "[[link]]\n"), HasSubstr("f is not whole"));
  EXPECT_THAT(fault(with_end_mark(text.substr(0, text.find("# end: ")) + "[[link]]\n")),
              HasSubstr("f line "));
}

}  // namespace
}  // namespace xbind
