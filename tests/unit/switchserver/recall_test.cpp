// A port runs short: which managers must return how much, and how the recall travels.
#include "controller_fixture.hpp"
#include "core/port_buffer.hpp"
#include "switchserver/controller/recall_desk.hpp"
#include "switchserver/switch_server.hpp"

namespace xbind {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

// Managers "a", "b" and "c"; 32 labels and 1000 cells/s at every port.
class RecallTest : public SwitchControllerTest {
 protected:
  void SetUp() override {
    SwitchControllerTest::SetUp();
    ASSERT_TRUE(controller.attach("b", Epoch{1}).has_value());
    ASSERT_TRUE(controller.attach("c", Epoch{1}).has_value());
  }
  void cache(std::string_view manager, std::size_t labels, Resources quota = {}) {
    const auto granted = controller.grant(manager, kOut, labels, quota, now);
    ASSERT_EQ(granted->labels.size(), labels);
    ASSERT_EQ(granted->quota, quota);
  }
  using Recalls = std::vector<std::pair<std::string, PortRecall>>;
  Recalls recalls() {
    Recalls all;
    for (const auto& recalled : controller.take_outputs().recalls) {
      all.emplace_back(recalled.manager, recalled.recall);
    }
    return all;
  }
  static std::pair<std::string, PortRecall> asks(std::string manager, std::uint32_t labels,
                                                 Resources quota = {}) {
    return {std::move(manager), {kOut, labels, quota}};
  }
};

TEST_F(RecallTest, AGrantThatRunsDryAsksTheOthersForWhatIsMissingAndTheyHaveCached) {
  cache("a", 20);
  cache("b", 3);
  EXPECT_THAT(recalls(), IsEmpty());
  EXPECT_THAT(controller.grant("c", kOut, 14, {}, now)->labels, SizeIs(9));
  EXPECT_THAT(recalls(), UnorderedElementsAre(asks("a", 5), asks("b", 3)));
  EXPECT_EQ(controller.counters().recalls, 2U);
}

TEST_F(RecallTest, SoDoesAReserveAndAnAllotment) {
  cache("a", 31);
  now += RecallDesk::kInterval;
  recalls();
  HopSetup end = whole_path(1);
  end.output_port = kOut;
  apply({{end, reserve(middle(2, 0, {}))}, {}, {}}, 1, "b");
  EXPECT_THAT(recalls(), ElementsAre(asks("a", 2)))
      << "one was missing, and the port is low by two";
  now += RecallDesk::kInterval;
  HopSetup another = end;
  another.key.connection = ConnectionId{3};
  apply({{another}, {}, {}}, 2, "b");
  EXPECT_THAT(recalls(), ElementsAre(asks("a", 1))) << "for the allotment of an egress label";
}

// A manager keeps released labels in its cache. In the ledger they stay in quarantine until reused.
TEST_F(RecallTest, LabelsThatRestInQuarantineAreAskedForAsWell) {
  apply({{reserve(middle(1, 0, {})), reserve(middle(2, 0, {}))}, {}, {}}, 1, "a");
  apply({{}, {{middle(1, 0, {}).key, 0}, {middle(2, 0, {}).key, 0}}, {}}, 2, "a");
  recalls();
  EXPECT_THAT(controller.grant("b", kOut, 32, {}, now)->labels, SizeIs(30));
  EXPECT_THAT(recalls(), ElementsAre(asks("a", 2)));
}

TEST_F(RecallTest, APortWithLessThanASixteenthFreeAsksBeforeItRunsDry) {
  cache("a", 20);
  cache("b", 10);
  EXPECT_THAT(recalls(), IsEmpty()) << "2 of 32 are free";
  cache("b", 1);
  EXPECT_THAT(recalls(), ElementsAre(asks("a", 1)));
}

TEST_F(RecallTest, AManagerIsAskedOncePerPortInAWhile) {
  cache("a", 30);
  const auto want_more = [&] { (void)controller.grant("b", kOut, 8, {}, now); };
  want_more();
  EXPECT_THAT(recalls(), ElementsAre(asks("a", 6)));
  now += RecallDesk::kInterval - Duration{1};
  want_more();
  EXPECT_THAT(recalls(), IsEmpty());
  now += Duration{1};
  want_more();
  EXPECT_THAT(recalls(), ElementsAre(asks("a", 8)));
}

TEST_F(RecallTest, WantsOfOneStepAreOneRecall) {
  cache("a", 30, {400, 0});
  (void)controller.grant("b", kOut, 4, {}, now);
  (void)controller.grant("c", kOut, 5, {700, 0}, now);
  EXPECT_THAT(recalls(), UnorderedElementsAre(asks("a", 5, {100, 0}), asks("b", 2)));
}

TEST_F(RecallTest, ANewSessionIsAskedAgainAnEndedOneNotAtAll) {
  cache("a", 32);
  EXPECT_THAT(recalls(), IsEmpty()) << "no other manager has a label";
  (void)controller.grant("b", kOut, 1, {}, now);
  controller.detach("a");
  EXPECT_THAT(recalls(), IsEmpty());
  const auto again = controller.attach("a", Epoch{1});
  ASSERT_THAT(again->quarantined, SizeIs(1)) << "the labels that have lapsed";
  ASSERT_TRUE(controller.give_back("a", again->quarantined[0], {}).has_value());
  cache("a", 31);
  (void)controller.grant("b", kOut, 2, {}, now);
  EXPECT_THAT(recalls(), ElementsAre(asks("a", 2)));
}

TEST_F(RecallTest, AHopThatTheUnusedQuotaOfOthersWouldHaveCarriedAsksForIt) {
  cache("a", 0, {500, 0});
  cache("b", 0, {300, 0});
  const HopSetup setup = [&] {
    HopSetup wide = middle(1, 40, controller.grant("c", kOut, 1, {}, now)->labels.at(0));
    wide.demand = {550, 0};
    return wide;
  }();
  apply({{setup}, {}, {}}, 1, "c");  // 200 are free, 350 are missing
  EXPECT_THAT(recalls(), UnorderedElementsAre(asks("a", 0, {350, 0}), asks("b", 0, {300, 0})));
}

TEST_F(RecallTest, AHopThatWouldNotFitEvenThenAsksNobody) {
  cache("a", 0, {500, 0});
  HopSetup setup = middle(1, 40, controller.grant("c", kOut, 1, {}, now)->labels.at(0));
  setup.demand = {1001, 0};
  apply({{setup}, {}, {}}, 1, "c");
  EXPECT_THAT(recalls(), IsEmpty());
}

TEST_F(RecallTest, OnlyTheUnusedPartOfAQuotaIsAskedFor) {
  cache("a", 0, {900, 0});
  committed(7, 39);  // 100 of a's quota are in use
  recalls();
  HopSetup setup = middle(1, 40, controller.grant("c", kOut, 1, {}, now)->labels.at(0));
  setup.demand = {900, 0};
  apply({{setup}, {}, {}}, 1, "c");
  EXPECT_THAT(recalls(), ElementsAre(asks("a", 0, {800, 0})));
}

TEST_F(RecallTest, AModifyAsksLikeASetup) {
  cache("a", 0, {900, 0});
  HopSetup setup = middle(1, 40, controller.grant("c", kOut, 1, {}, now)->labels.at(0));
  apply({{setup}, {}, {}}, 1, "c");
  answer_all();
  recalls();
  HopBatch change;
  change.modifies = {{setup.key, 1, {400, 10}}};
  apply(change, 2, "c");
  EXPECT_THAT(recalls(), ElementsAre(asks("a", 0, {300, 0})));
}

TEST_F(RecallTest, WhoHoldsMoreThanItsShareIsAskedForTheRest) {
  SwitchController shared({.name = "sw", .ledger = {.sharing = LabelSharing::kCooperative}}, fake);
  shared.on_driver(driver::Up{ports(), false}, now);
  ASSERT_TRUE(shared.attach("a", Epoch{1}).has_value());
  ASSERT_TRUE(shared.attach("b", Epoch{1}).has_value());
  HopBatch declares;
  declares.declared = {{kOut, 10}};
  ASSERT_TRUE(shared.apply("a", declares, 1, now).has_value());
  ASSERT_EQ(shared.grant("a", kOut, 20, {}, now)->labels.size(), 20U);
  declares.declared = {{kOut, 30}};
  ASSERT_TRUE(shared.apply("b", declares, 2, now).has_value());
  const auto out = shared.take_outputs();  // a's share is 32 x 10 / 40 now
  ASSERT_THAT(out.recalls, SizeIs(1));
  EXPECT_EQ(out.recalls[0].manager, "a");
  EXPECT_EQ(out.recalls[0].recall, (PortRecall{kOut, 12, {}}));
}

TEST_F(RecallTest, WhatIsInConnectionsCannotBeAskedBack) {
  SwitchController shared({.name = "sw", .ledger = {.sharing = LabelSharing::kCooperative}}, fake);
  shared.on_driver(driver::Up{ports(), false}, now);
  ASSERT_TRUE(shared.attach("a", Epoch{1}).has_value());
  ASSERT_TRUE(shared.attach("b", Epoch{1}).has_value());
  HopBatch of_a;
  of_a.declared = {{kOut, 20}};
  for (std::uint64_t connection = 1; connection <= 16; ++connection) {
    of_a.setups.push_back(reserve(middle(connection, 0, {})));
    of_a.setups.back().demand = {1, 1};
  }
  ASSERT_TRUE(shared.apply("a", of_a, 1, now).has_value());
  ASSERT_EQ(shared.grant("a", kOut, 4, {}, now)->labels.size(), 4U);
  HopBatch of_b;
  of_b.declared = {{kOut, 60}};
  ASSERT_TRUE(shared.apply("b", of_b, 2, now).has_value());
  const auto out =
      shared.take_outputs();  // a has 20 labels, its share is 8 now; 4 are in its cache
  ASSERT_THAT(out.recalls, SizeIs(1));
  EXPECT_EQ(out.recalls[0].recall, (PortRecall{kOut, 4, {}}));
}

// ===== frame by frame =====

class RecallOutlet : public ManagerOutlet {
 public:
  void to_manager(SessionId session, session::Frame<HopResultBatch> frame) override {
    sent.emplace_back(session, frame.batch ? *frame.batch : HopResultBatch{});
  }
  void audited(std::uint64_t, LedgerReport) override {}
  std::vector<std::pair<SessionId, HopResultBatch>> sent;
};

class RecallFrameTest : public ::testing::Test {
 protected:
  void SetUp() override {
    server.on_driver(driver::Up{{{PortId{1}, {atm_range(0, 0, 32, 63)}, 1000, true},
                                 {PortId{2}, {atm_range(0, 0, 32, 63)}, 1000, true}},
                                false},
                     now);
    a = server.attach("a", Epoch{1}, now)->session;
    b = server.attach("b", Epoch{1}, now)->session;
    ASSERT_EQ(server.grant(a, kOut, 30, {}, now)->labels.size(), 30U);
    server.finish_step(now);
  }
  void submit(SessionId session, std::uint64_t seq, HopBatch batch) {
    server.on_commands(
        session, {BatchSeq{seq}, BatchSeq{0}, std::make_shared<const HopBatch>(std::move(batch))},
        now);
  }
  void run_dry() { (void)server.grant(b, kOut, 5, {}, now); }

  static constexpr PortId kOut{2};
  TimePoint now{std::chrono::seconds{10}};
  FakeSwitch fake;
  RecallOutlet outlet;
  static SwitchServerOptions options() {
    SwitchServerOptions options;
    options.controller.name = "sw";
    options.session.batches_in_flight = 2;
    return options;
  }
  SwitchServer server{options(), fake, outlet};
  SessionId a;
  SessionId b;
};

TEST_F(RecallFrameTest, ARecallGoesAloneWhenNoResultsAreDue) {
  run_dry();
  server.finish_step(now);
  ASSERT_THAT(outlet.sent, SizeIs(1));
  EXPECT_EQ(outlet.sent[0].first, a);
  EXPECT_THAT(outlet.sent[0].second.results, IsEmpty());
  EXPECT_THAT(outlet.sent[0].second.recalls, ElementsAre(PortRecall{kOut, 3, {}}));
}

TEST_F(RecallFrameTest, OrWithTheResultsOfTheSameStep) {
  run_dry();
  HopBatch removal;
  removal.removals = {{{ConnectionId{9}, Generation{1}, 0, 0}, 0}};
  submit(a, 1, removal);
  server.finish_step(now);
  ASSERT_THAT(outlet.sent, SizeIs(1));
  EXPECT_THAT(outlet.sent[0].second.results, SizeIs(1));
  EXPECT_THAT(outlet.sent[0].second.recalls, ElementsAre(PortRecall{kOut, 3, {}}));
}

TEST_F(RecallFrameTest, WithoutCreditItWaitsAndTheNewestWordGoes) {
  HopBatch removal;
  removal.removals = {{{ConnectionId{9}, Generation{1}, 0, 0}, 0}};
  submit(a, 1, removal);
  submit(a, 2, removal);
  server.finish_step(now);
  ASSERT_THAT(outlet.sent, SizeIs(2));
  run_dry();
  server.finish_step(now);
  now += RecallDesk::kInterval;
  (void)server.grant(b, kOut, 1, {}, now);
  server.finish_step(now);
  ASSERT_THAT(outlet.sent, SizeIs(2)) << "a has confirmed nothing";
  server.on_commands(a, {BatchSeq{0}, BatchSeq{2}, nullptr}, now);
  server.finish_step(now);
  ASSERT_THAT(outlet.sent, SizeIs(3));
  EXPECT_THAT(outlet.sent[2].second.recalls, ElementsAre(PortRecall{kOut, 2, {}}));
}

TEST_F(RecallTest, TwoShortagesOfOneStepAreOneRecallOfTheMostOfEach) {
  cache("a", 0, {900, kPortBufferCells - 100});
  EXPECT_EQ(controller.grant("b", kOut, 0, {150, 0}, now)->quota, (Resources{100, 0}));
  EXPECT_EQ(controller.grant("b", kOut, 0, {0, 300}, now)->quota, (Resources{0, 100}));
  EXPECT_THAT(recalls(), ElementsAre(asks("a", 0, {50, 200})));
}

}  // namespace
}  // namespace xbind
