#include "routeobject/router.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "random_network.hpp"

namespace xbind {
namespace {

constexpr Epoch kEarlierLife{99};
constexpr Epoch kFirstLife{100};
constexpr Epoch kStarts{0};  // a process without an incarnation

//   a:2 --1000-- 1:x:2 --500-- 2:b:3 --200-- 2:a's port 3
class RouterTest : public ::testing::Test {
 protected:
  RouterTest() {
    const auto a = net_.node("a"), b = net_.node("b"), x = net_.node("x", false);
    net_.link(a, x, 1000);
    net_.link(x, b, 500);
    net_.link(b, a, 200);
    router.emplace(std::make_shared<const Topology>(net_.topology), 7);
  }

  RouterChange report(std::string_view at, Epoch life, std::uint64_t number,
                      const std::vector<PortReport>& ports) {
    return router->report(at, life, number, ports, now).value();
  }
  RouterChange drain(const char* at, std::uint32_t port, bool drained = true) {
    return router->drain({at, PortId{port}}, drained).value();
  }
  std::uint64_t version() const { return router->condition()->state.version; }
  // "a port 2 down, x port 1 down"
  std::string unusable() const {
    std::vector<std::string> words;
    for (const UnusableElement& one : router->condition()->state.unusable) {
      words.push_back(fmt::format("{} port {} {}", one.element.switch_name, one.element.output_port,
                                  one.why == Unusable::kDown ? "down" : "drained"));
    }
    return fmt::format("{}", fmt::join(words, ", "));
  }

  DrawnNetwork net_;
  std::optional<Router> router;
  TimePoint now = TimePoint{} + std::chrono::hours{7};
};

PortReport up(std::uint32_t port, std::uint64_t promised, std::uint64_t free) {
  return {PortId{port}, true, promised, free};
}
PortReport down(std::uint32_t port) { return {PortId{port}, false, 0, 0}; }

TEST_F(RouterTest, BeforeAnyWordEverythingIsUpUnderTheFirstVersion) {
  EXPECT_EQ(version(), 7u);
  EXPECT_EQ(unusable(), "");
  EXPECT_EQ(router->condition()->links, std::vector<LineCondition>(3));
}

TEST_F(RouterTest, EitherEndTakesALinkDownAndBothBringItUp) {
  // x --> Router: port 2 (to b) is down
  const RouterChange change = report("x", kFirstLife, 1, {up(1, 1000, 1000), down(2)});
  EXPECT_TRUE(change.condition);
  ASSERT_EQ(change.room.size(), 1u);
  EXPECT_EQ(change.room[0].link, 1u);
  EXPECT_EQ(change.room[0].state, (LinkState{false, 0, 500}));
  EXPECT_EQ(version(), 8u);
  EXPECT_EQ(unusable(), "x port 2 down, b port 2 down");

  // b --> Router: its end is down too. No condition changes.
  EXPECT_FALSE(report("b", kFirstLife, 1, {down(2)}).condition);
  // x --> Router: its end is up again; the link is not, because b's end is down
  EXPECT_FALSE(report("x", kFirstLife, 2, {up(1, 1000, 1000), up(2, 500, 500)}).condition);
  EXPECT_EQ(unusable(), "x port 2 down, b port 2 down");
  EXPECT_EQ(version(), 8u);

  EXPECT_TRUE(report("b", kFirstLife, 2, {up(2, 500, 500)}).condition);
  EXPECT_EQ(unusable(), "");
  EXPECT_EQ(version(), 9u);
}

TEST_F(RouterTest, AReportOfSeveralLinksIsOneVersion) {
  report("a", kFirstLife, 1, {down(1), down(2), down(3)});
  EXPECT_EQ(version(), 8u);
  EXPECT_EQ(unusable(),
            "a port 2 down, x port 1 down, b port 3 down, a port 3 down, a port 1 down");
}

TEST_F(RouterTest, AnAccessLineIsPortOneOfAnEndpoint) {
  const RouterChange change = report("a", kFirstLife, 1, {down(1)});
  EXPECT_TRUE(change.condition);
  EXPECT_TRUE(change.room.empty());
  EXPECT_EQ(unusable(), "a port 1 down");
  // Port 1 of x, which is no endpoint, belongs to a link.
  report("x", kFirstLife, 1, {down(1)});
  EXPECT_EQ(unusable(), "a port 2 down, x port 1 down, a port 1 down");
}

TEST_F(RouterTest, WhatIsFreeChangesNoVersion) {
  const RouterChange change = report("x", kFirstLife, 1, {up(1, 1000, 40), up(2, 500, 500)});
  EXPECT_FALSE(change.condition);
  ASSERT_EQ(change.room.size(), 1u);
  EXPECT_EQ(change.room[0].state, (LinkState{true, 1000, 40}));  // a's end: as in the topology
  EXPECT_EQ(change.promised[0].state, (LinkState{true, 1000, 1000}));
  EXPECT_EQ(version(), 7u);
  EXPECT_TRUE(report("x", kFirstLife, 2, {up(1, 1000, 40), up(2, 500, 500)}).empty());
}

TEST_F(RouterTest, OverbookedPortsPromiseMoreAndAllRatesAreBounded) {
  constexpr std::uint64_t kFar = ~std::uint64_t{0};
  const RouterChange change = report("x", kFirstLife, 1, {up(1, 3000, 2500), up(2, kFar, kFar)});
  ASSERT_EQ(change.room.size(), 2u);
  EXPECT_EQ(change.promised[0].state, (LinkState{true, 1000, 3000}));
  EXPECT_EQ(change.room[0].state, (LinkState{true, 1000, 2500}));
  EXPECT_EQ(change.room[1].state, (LinkState{true, kLinkCellsPerSMax, 500}));
  // The free rate is limited to the capacity.
  EXPECT_EQ(report("x", kFirstLife, 2, {up(1, 100, 900)}).room[0].state,
            (LinkState{true, 1000, 100}));
}

TEST_F(RouterTest, LateReportsAreIgnoredAndCounted) {
  report("x", kFirstLife, 5, {down(2)});
  EXPECT_TRUE(report("x", kFirstLife, 4, {up(2, 500, 500)}).empty());  // overtaken
  EXPECT_TRUE(report("x", kFirstLife, 5, {up(2, 500, 500)}).empty());  // repeated
  EXPECT_EQ(unusable(), "x port 2 down, b port 2 down");
  EXPECT_EQ(router->stale_reports(), 2u);
  // Each switch has its own numbers.
  EXPECT_TRUE(report("b", kFirstLife, 1, {down(3)}).condition);
  EXPECT_EQ(router->stale_reports(), 2u);
  EXPECT_EQ(router->reports(), 4u);
}

// Its number says nothing: the clock of the new process may have been set back.
TEST_F(RouterTest, ANewLifeIsTakenAtOnceAndEndsTheOldOne) {
  report("x", kFirstLife, 50, {down(2)});
  ReportAnswer answer;
  const std::vector<PortReport> ports{up(2, 500, 500)};
  EXPECT_TRUE(router->report("x", kStarts, 1, ports, now, &answer)->condition);
  EXPECT_TRUE(answer.taken);
  const Epoch second = answer.incarnation;
  EXPECT_NE(second, kStarts);
  EXPECT_NE(second, kFirstLife);
  EXPECT_EQ(unusable(), "");
  // A late report of the earlier life, and a forged one.
  for (const Epoch other : {kFirstLife, Epoch{~std::uint64_t{0}}}) {
    EXPECT_TRUE(router->report("x", other, 51, std::vector{down(2)}, now, &answer)->empty());
    EXPECT_FALSE(answer.taken);
    EXPECT_EQ(answer.incarnation, second);
  }
  EXPECT_EQ(unusable(), "");
  EXPECT_EQ(router->stale_reports(), 2u);
  EXPECT_TRUE(router->report("x", second, 2, std::vector{down(2)}, now, &answer)->condition);
}

TEST_F(RouterTest, AnIncarnationThatNoneExceedsIsFollowedByAnotherOne) {
  report("x", Epoch{~std::uint64_t{0}}, 1, {down(2)});  // the first one that it hears of
  ReportAnswer answer;
  ASSERT_TRUE(router->report("x", kStarts, 1, std::vector{up(2, 500, 500)}, now, &answer));
  EXPECT_TRUE(answer.taken);
  EXPECT_EQ(answer.incarnation, Epoch{1});
}

TEST_F(RouterTest, AReportIsWholeSoThatWhatItLeavesOutIsAsInTheTopology) {
  report("x", kFirstLife, 1, {up(1, 1000, 3), down(2)});
  const RouterChange change = report("x", kFirstLife, 2, {up(9, 1, 1)});
  EXPECT_EQ(unusable(), "");
  ASSERT_EQ(change.room.size(), 2u);
  EXPECT_EQ(change.room[0].state, (LinkState{true, 1000, 1000}));
  EXPECT_EQ(change.room[1].state, (LinkState{true, 500, 500}));
}

TEST_F(RouterTest, PortsThatNothingIsPluggedIntoArePassedOver) {
  EXPECT_TRUE(report("x", kFirstLife, 1, {down(3), down(kPortsMax), down(70'000)}).empty());
}

TEST_F(RouterTest, AReportThatCannotBeIsRefusedWhole) {
  const auto error = [&](std::string_view at, const std::vector<PortReport>& ports) {
    return router->report(at, kFirstLife, 1, ports, now).error();
  };
  EXPECT_EQ(error("q", {}), (Error{ErrorCode::kNotFound, "there is no switch 'q' here"}));
  EXPECT_EQ(error("x", {down(1), down(0)}),
            (Error{ErrorCode::kBadInput, "port 0 reported of 'x' is no port"}));
  EXPECT_EQ(error("x", {down(2), down(1), down(2)}),
            (Error{ErrorCode::kBadInput, "port 2 of 'x' is in one report twice"}));
  std::vector<PortReport> many;
  for (std::uint32_t port = 1; port <= kPortsMax + 1; ++port) many.push_back(down(port));
  EXPECT_EQ(error("x", many),
            (Error{ErrorCode::kBadInput, "4097 ports reported of 'x', the most is 4096"}));
  EXPECT_EQ(unusable(), "");
  EXPECT_EQ(router->reports(), 0u);
  many.pop_back();
  EXPECT_TRUE(report("x", kFirstLife, 1, many).condition);
}

TEST_F(RouterTest, ALinkIsDrainedByThePortAtEitherEnd) {
  EXPECT_TRUE(drain("b", 2).condition);
  EXPECT_EQ(unusable(), "x port 2 drained, b port 2 drained");
  EXPECT_EQ(version(), 8u);
  EXPECT_FALSE(drain("x", 2).condition);  // it is drained already
  EXPECT_EQ(version(), 8u);
  const RouterChange change = drain("x", 2, false);
  EXPECT_TRUE(change.condition);
  EXPECT_EQ(change.room[0].state, (LinkState{true, 500, 500}));
  EXPECT_EQ(unusable(), "");
  EXPECT_EQ(version(), 9u);
}

TEST_F(RouterTest, DownWinsOverDrained) {
  drain("x", 2);
  report("b", kFirstLife, 1, {down(2)});
  EXPECT_EQ(unusable(), "x port 2 down, b port 2 down");
  EXPECT_EQ(router->condition()->links[1], (LineCondition{false, true}));
  report("b", kFirstLife, 2, {up(2, 500, 500)});
  EXPECT_EQ(unusable(), "x port 2 drained, b port 2 drained");
  EXPECT_EQ(version(), 10u);
}

TEST_F(RouterTest, ASwitchIsDrainedWithAllItsLinksButNotItsAccessLine) {
  EXPECT_TRUE(drain("a", 0).condition);
  EXPECT_EQ(unusable(), "a port 2 drained, x port 1 drained, b port 3 drained, a port 3 drained");
  EXPECT_EQ(router->condition()->drained_switches, (std::vector<std::uint8_t>{1, 0, 0}));
  EXPECT_EQ(version(), 8u);
}

TEST_F(RouterTest, ALinkStaysDrainedWhileItselfOrASwitchAtItsEndIs) {
  drain("a", 0);
  drain("b", 0);
  drain("a", 2);
  drain("a", 0, false);
  EXPECT_EQ(unusable(),
            "a port 2 drained, x port 1 drained, x port 2 drained, b port 2 drained, "
            "b port 3 drained, a port 3 drained");
  drain("b", 0, false);
  EXPECT_EQ(unusable(), "a port 2 drained, x port 1 drained");
  drain("a", 2, false);
  EXPECT_EQ(unusable(), "");
}

TEST_F(RouterTest, AnAccessLineIsDrainedByItsPort) {
  EXPECT_TRUE(drain("a", 1).condition);
  EXPECT_EQ(unusable(), "a port 1 drained");
  report("a", kFirstLife, 1, {down(1)});
  EXPECT_EQ(unusable(), "a port 1 down");
}

TEST_F(RouterTest, WhatIsNotThereCannotBeDrained) {
  EXPECT_EQ(router->drain({"q", PortId{1}}, true).error(),
            (Error{ErrorCode::kNotFound, "there is no switch 'q' here"}));
  EXPECT_EQ(router->drain({"x", PortId{3}}, true).error(),
            (Error{ErrorCode::kNotFound, "port 3 of 'x' has no link and no host"}));
  EXPECT_EQ(version(), 7u);
}

TEST_F(RouterTest, WhoHoldsAConditionKeepsIt) {
  const auto before = router->condition();
  drain("x", 0);
  EXPECT_TRUE(before->state.unusable.empty());
  EXPECT_EQ(before->state.version, 7u);
  EXPECT_EQ(router->condition()->state.unusable.size(), 4u);
}

// Reports of all switches, some overtaken by earlier ones and some repeated, and late reports of
// earlier lives among them. The result is the same as if only each switch's last report had
// arrived.
TEST_F(RouterTest, TheOrderOfArrivalDoesNotMatter) {
  constexpr std::uint64_t kSeed = 20240517;
  std::mt19937_64 random(kSeed);
  std::size_t unusable_links = 0;
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(fmt::format("seed {} round {}", kSeed, round));
    struct Word {
      std::string at;
      Epoch life;
      std::uint64_t number;
      std::vector<PortReport> ports;
    };
    std::vector<Word> words;
    const auto topology = std::make_shared<const Topology>(net_.topology);
    Router last_words(topology, 1), all_words(topology, 1);
    for (const char* at : {"a", "b", "x"}) {
      for (std::uint64_t number = 1; number <= 6; ++number) {
        Word word{at, number <= 3 ? kEarlierLife : kFirstLife, 1 + (number - 1) % 3, {}};
        for (std::uint32_t port = 1; port <= 3; ++port) {
          const std::uint64_t promised = random() % 900;
          word.ports.push_back({PortId{port}, random() % 3 != 0, promised, random() % 900});
        }
        if (number == 6) {
          ASSERT_TRUE(
              last_words.report(word.at, word.life, word.number, word.ports, now).has_value());
        }
        words.push_back(std::move(word));
      }
    }
    std::ranges::shuffle(words, random);
    for (const char* at : {"a", "b", "x"}) {  // the present life has been heard
      ASSERT_TRUE(all_words.report(at, kFirstLife, 0, {}, now).has_value());
    }
    for (std::size_t i = 0; i < 6; ++i) words.push_back(words[random() % words.size()]);
    RouteGraph room(topology), lines(topology);
    for (const Word& word : words) {
      const auto change = all_words.report(word.at, word.life, word.number, word.ports, now);
      ASSERT_TRUE(change.has_value());
      room = room.with(change->room).value();
      lines = lines.with(change->promised).value();
    }
    EXPECT_EQ(all_words.condition()->links, last_words.condition()->links);
    EXPECT_EQ(all_words.condition()->state.unusable, last_words.condition()->state.unusable);
    EXPECT_GE(all_words.stale_reports(), 6u);
    for (std::size_t link = 0; link < 3; ++link) {
      const bool usable = all_words.condition()->links[link].usable();
      EXPECT_EQ(room.link_state(link).up, usable);
      EXPECT_EQ(lines.link_state(link).up, usable);
      EXPECT_LE(room.link_state(link).free_a_to_b, lines.link_state(link).free_a_to_b);
      EXPECT_LE(room.link_state(link).free_b_to_a, lines.link_state(link).free_b_to_a);
      unusable_links += usable ? 0 : 1;
    }
  }
  EXPECT_GT(unusable_links, 100u);
  EXPECT_LT(unusable_links, 500u);
}

}  // namespace
}  // namespace xbind
