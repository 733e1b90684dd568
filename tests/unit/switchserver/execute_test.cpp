// Batches whose results are the reply of a two-way call.
#include <gmock/gmock.h>

#include <optional>

#include "fake_switch.hpp"
#include "switchserver/switch_server.hpp"

namespace xbind {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ExecuteOutlet : public ManagerOutlet {
 public:
  void to_manager(SessionId, session::Frame<HopResultBatch>) override { ++frames; }
  void audited(std::uint64_t, LedgerReport) override {}
  void executed(std::uint64_t token, Result<HopResultBatch> results) override {
    done.emplace_back(token, std::move(results));
  }
  int frames = 0;
  std::vector<std::pair<std::uint64_t, Result<HopResultBatch>>> done;
};

class ExecuteTest : public ::testing::Test {
 protected:
  static constexpr PortId kIn{1};
  static constexpr PortId kOut{2};

  void SetUp() override {
    server.on_driver(driver::Up{{{kIn, {atm_range(0, 0, 32, 63)}, 1000, true},
                                 {kOut, {atm_range(0, 0, 32, 63)}, 1000, true}},
                                false},
                     now);
    session = server.attach("m", Epoch{1}, now)->session;
    server.finish_step(now);
  }
  static HopSetup first_hop(std::uint64_t connection, Label output) {
    HopSetup setup;
    setup.key = {ConnectionId{connection}, Generation{1}, 0, 0};
    setup.hop_count = 2;
    setup.input_port = kIn;
    setup.output_port = kOut;
    setup.output_label = output;
    setup.demand = {100, 0};
    return setup;
  }
  Label cache_one() { return server.grant(session, kOut, 1, {}, now)->labels.at(0); }
  void execute(const HopBatch& batch, std::uint64_t token) {
    ASSERT_TRUE(server.execute(session, batch, token, now).has_value());
    server.finish_step(now);
  }
  void answer_all() {
    while (!fake.answers.empty()) {
      const driver::Event event = fake.answers.front().event;
      fake.answers.pop_front();
      server.on_driver(event, now);
    }
    server.finish_step(now);
  }

  TimePoint now{std::chrono::seconds{10}};
  FakeSwitch fake;
  ExecuteOutlet outlet;
  static SwitchServerOptions options() {
    SwitchServerOptions options;
    options.controller.name = "sw";
    return options;
  }
  SwitchServer server{options(), fake, outlet};
  SessionId session;
};

TEST_F(ExecuteTest, ACallInASessionThatHasEndedIsToldWhyItHas) {
  server.attach("m", Epoch{2}, now);
  const auto refused = server.execute(session, {}, 1, now);
  ASSERT_FALSE(refused);
  EXPECT_EQ(
      refused.error().text,
      fmt::format("session {} has ended (replaced: epoch 2 has attached): attach again", session));
  EXPECT_EQ(server.grant(SessionId{12}, kOut, 1, {}, now).error().text, "no session 12");
}

TEST_F(ExecuteTest, TheResultsComeByTokenWhenTheSwitchHasAnswered) {
  HopSetup setup = first_hop(1, cache_one());
  setup.labels_wanted = 2;
  setup.quota_wanted = {300, 0};
  // m --> sw: execute(commit);  sw --> switch: add
  execute({{setup}, {}, {}}, 70);
  EXPECT_THAT(outlet.done, IsEmpty());
  // switch --> sw: done;  m <-- reply
  answer_all();
  ASSERT_THAT(outlet.done, SizeIs(1));
  EXPECT_EQ(outlet.done[0].first, 70U);
  const HopResultBatch& out = *outlet.done[0].second;
  ASSERT_THAT(out.results, SizeIs(1));
  EXPECT_EQ(out.results[0].cause, Cause::kNone);
  EXPECT_EQ(out.results[0].input_label, atm_label(0, 32));
  EXPECT_THAT(out.granted.at(0).labels, SizeIs(2));
  EXPECT_THAT(out.quota_granted, ElementsAre(PortQuota{kOut, {300, 0}}));
  EXPECT_EQ(outlet.frames, 0) << "nothing of it goes to the observer";
  EXPECT_EQ(server.controller().counters().executes, 1U);
}

TEST_F(ExecuteTest, EachCallGetsItsOwnResults) {
  execute({{first_hop(1, cache_one())}, {}, {}}, 70);
  HopBatch removal;
  removal.removals = {{{ConnectionId{9}, Generation{1}, 0, 0}, 0}};
  execute(removal, 71);
  ASSERT_THAT(outlet.done, SizeIs(1)) << "the switch has no part in that";
  EXPECT_EQ(outlet.done[0].first, 71U);
  EXPECT_EQ(outlet.done[0].second->results.at(0).key.connection, ConnectionId{9});
  answer_all();
  EXPECT_EQ(outlet.done.at(1).first, 70U);
}

TEST_F(ExecuteTest, ARecallRidesInTheReply) {
  const SessionId other = server.attach("other", Epoch{1}, now)->session;
  ASSERT_EQ(server.grant(session, kOut, 30, {}, now)->labels.size(), 30U);
  server.finish_step(now);
  (void)server.grant(other, kOut, 4, {}, now);
  execute({}, 70);
  ASSERT_THAT(outlet.done, SizeIs(1));
  EXPECT_THAT(outlet.done[0].second->recalls, ElementsAre(PortRecall{kOut, 2, {}}));
  EXPECT_EQ(outlet.frames, 0);
}

TEST_F(ExecuteTest, AnUnknownSessionIsRefused) {
  EXPECT_EQ(server.execute(SessionId{4711}, {}, 70, now).error().code, ErrorCode::kNotFound);
  EXPECT_THAT(outlet.done, IsEmpty());
}

TEST_F(ExecuteTest, WhoseSessionEndsIsToldSo) {
  execute({{first_hop(1, cache_one())}, {}, {}}, 70);
  server.detach(session);
  ASSERT_THAT(outlet.done, SizeIs(1));
  EXPECT_EQ(outlet.done[0].first, 70U);
  EXPECT_EQ(outlet.done[0].second.error().code, ErrorCode::kUnreachable);
  answer_all();
  EXPECT_THAT(outlet.done, SizeIs(1)) << "one answer";
}

TEST_F(ExecuteTest, AlsoWhenTheManagerAttachesAnew) {
  execute({{first_hop(1, cache_one())}, {}, {}}, 70);
  ASSERT_TRUE(server.attach("m", Epoch{2}, now).has_value());
  ASSERT_THAT(outlet.done, SizeIs(1));
  EXPECT_EQ(outlet.done[0].second.error().code, ErrorCode::kUnreachable);
}

TEST_F(ExecuteTest, AManagerThatIsGoneForGoodIsForgotten) {
  execute({{first_hop(1, cache_one())}, {}, {}}, 70);
  answer_all();
  EXPECT_EQ(server.forget_manager("m").error().code, ErrorCode::kBadInput) << "attached";
  EXPECT_EQ(server.forget_manager("nobody").error().code, ErrorCode::kNotFound);
  server.detach(session);
  EXPECT_EQ(server.forget_manager("m"), 1U);
  EXPECT_THAT(fake.table, SizeIs(1));
}

}  // namespace
}  // namespace xbind
