#include "ovs/bridge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/deadlines.hpp"
#include "tests/unit/ovs/memory_bridge.hpp"

namespace xbind::ovs {
namespace {

using namespace openflow;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Duration kEcho = kOvsTimers["bridge-echo"];
constexpr Duration kLost = kOvsTimers["bridge-lost"];
constexpr Duration kConnect = kOvsTimers["bridge-connect"];

// The events that the bridge's owner receives, as text and in order.
struct Owner final : BridgeClient {
  void bridge_ready(BridgeContents came) override {
    events.emplace_back("ready");
    contents = std::move(came);
  }
  void bridge_lost() override { events.emplace_back("lost"); }
  void batch_done(std::uint32_t end, std::span<const Refused> refused) override {
    events.push_back(fmt::format("done before {}", end));
    for (const Refused& one : refused)
      events.push_back(fmt::format("{} refused: {}", one.xid, to_string(one.error)));
  }
  void bridge_port(const PortStatus& status) override {
    events.push_back(fmt::format("port {} {}", status.port.port, status.port.up() ? "up" : "down"));
  }
  std::vector<std::string> take() { return std::exchange(events, {}); }

  std::vector<std::string> events;
  BridgeContents contents;
};

FlowMod flow(std::uint32_t label, std::optional<std::uint32_t> group = {}) {
  FlowMod made;
  made.match = {.in_port = 1, .eth_type = kEthTypeMpls, .mpls_label = label};
  made.actions = group ? Actions{Group{*group}} : Actions{Output{2}};
  return made;
}

class BridgeTest : public ::testing::Test {
 protected:
  void settle() {
    wire::Buffer sent;
    wire::Buffer answers;
    do {
      bridge.take_output(sent);
      memory.receive(sent);
      answers = memory.take_output();
      if (!answers.empty()) bridge.receive(answers, now);
    } while (!sent.empty() || !answers.empty());
  }
  // Only what the bridge sends arrives.
  void hear() { bridge.receive(memory.take_output(), now); }
  void say() {
    wire::Buffer sent;
    bridge.take_output(sent);
    memory.receive(sent);
  }
  void connect() {
    memory.connect();
    bridge.connected(now);
    settle();
  }
  void come_up() {
    connect();
    EXPECT_THAT(owner.take(), ElementsAre("ready"));
  }
  // What the bridge would send, by hand.
  template <class M>
  void hear(const M& message, std::uint32_t xid) {
    wire::Buffer octets;
    encode(message, xid, octets);
    bridge.receive(octets, now);
  }
  // As the owner's timer does: what is due is done, so the next deadline is later.
  void tick() {
    bridge.tick(now);
    EXPECT_TRUE(sleeps(bridge.next_deadline(), now));
  }
  std::string why_closed() const { return bridge.to_close().value_or("it stays open"); }

  TimePoint now = TimePoint{} + std::chrono::seconds{1000};
  Owner owner;
  ovs::test::MemoryBridge memory{3};
  Bridge bridge{owner, {}};
};

// ----- the connection ---------------------------------------------------------------------------

TEST_F(BridgeTest, ReadsTheContentsAndIsReady) {
  memory.tables().apply(GroupMod{.id = 5, .buckets = {{{Output{2}}}, {{Output{3}}}}});
  memory.tables().apply(MeterMod{.id = 6, .rate_kbps = 384, .burst_kbit = 48});
  memory.tables().apply(flow(100, 5));
  come_up();
  EXPECT_TRUE(bridge.ready());
  EXPECT_EQ(owner.contents.flows, memory.tables().flows());
  EXPECT_THAT(owner.contents.groups,
              ElementsAre(GroupDesc{.id = 5, .buckets = {{{Output{2}}}, {{Output{3}}}}}));
  EXPECT_THAT(owner.contents.meters,
              ElementsAre(MeterConfig{.id = 6, .rate_kbps = 384, .burst_kbit = 48}));
  EXPECT_EQ(owner.contents.ports.size(), 4U) << "three, and the local port";
}

TEST_F(BridgeTest, ContentsComeInSeveralParts) {
  memory.set_part_entries(7);
  for (std::uint32_t label = 100; label < 120; ++label) memory.tables().apply(flow(label));
  come_up();
  EXPECT_EQ(owner.contents.flows, memory.tables().flows());
}

TEST_F(BridgeTest, ContentsAreThoseOfItsTable) {
  FlowMod other = flow(100);
  other.table = 3;
  memory.tables().apply(other);
  come_up();
  EXPECT_THAT(owner.contents.flows, IsEmpty());
}

TEST_F(BridgeTest, AnotherVersionIsRefusedByName) {
  memory.set_hello({.version = 4, .bitmap = 0x12});  // 1.0 and 1.3
  connect();
  EXPECT_EQ(why_closed(),
            "the bridge offers OpenFlow 1.3 at most; 1.4 must be among its protocols");
  EXPECT_FALSE(bridge.ready());
}

TEST_F(BridgeTest, ABridgeThatRefusesTheVersionIsQuoted) {
  bridge.connected(now);
  hear(Error{.type = 0, .code = 0}, 1);
  EXPECT_EQ(why_closed(),
            "the bridge refuses the connection: OFPHFC_INCOMPATIBLE; 1.4 must be "
            "among its protocols");
}

TEST_F(BridgeTest, OctetsThatAreNoOpenFlowEndIt) {
  come_up();
  const wire::Buffer text(16, std::byte{'x'});
  bridge.receive(text, now);
  EXPECT_THAT(why_closed(), HasSubstr("the bridge sent no OpenFlow 1.4: version 120"));
  bridge.closed();
  EXPECT_THAT(owner.take(), ElementsAre("lost"));
}

TEST_F(BridgeTest, ASecondHelloEndsIt) {
  come_up();
  hear(Hello{}, 9);
  EXPECT_EQ(why_closed(), "the bridge sent Hello twice");
}

TEST_F(BridgeTest, ABridgeWithoutMetersIsGivenUpByName) {
  memory.refuse_meter_queries();
  connect();
  EXPECT_EQ(why_closed(), "the bridge does not report its contents: OFPBRC_BAD_TYPE");
}

TEST_F(BridgeTest, SilenceIsProbedAndThenGivenUp) {
  come_up();
  EXPECT_EQ(bridge.next_deadline(), now + kEcho);
  now += kEcho;
  tick();
  wire::Buffer sent;
  bridge.take_output(sent);
  EXPECT_EQ(sent.size(), 8U) << "an echo request without data";
  memory.receive(sent);
  hear();
  EXPECT_EQ(bridge.next_deadline(), now + kEcho) << "the bridge has answered";

  memory.hold_answers();
  now += kEcho;
  tick();
  settle();
  EXPECT_EQ(bridge.next_deadline(), now - kEcho + kLost);
  now = bridge.next_deadline();
  tick();
  EXPECT_EQ(why_closed(), "the bridge has been silent");
  EXPECT_EQ(bridge.next_deadline(), kNever);
}

TEST_F(BridgeTest, AnswersAnEchoWithItsData) {
  come_up();
  hear(EchoRequest{{std::byte{1}, std::byte{2}}}, 33);
  wire::Buffer sent;
  bridge.take_output(sent);
  const auto answer = decode(sent);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->header.xid, 33U);
  EXPECT_EQ(answer->body, Body(EchoReply{{std::byte{1}, std::byte{2}}}));
}

TEST_F(BridgeTest, ContentsThatDoNotComeInTimeEndIt) {
  memory.connect();
  bridge.connected(now);
  hear();  // Hello, and nothing more
  EXPECT_EQ(bridge.next_deadline(), now + kConnect);
  now += kConnect;
  tick();
  EXPECT_EQ(why_closed(), "the bridge did not report its contents in time");
  bridge.closed();
  EXPECT_THAT(owner.take(), IsEmpty()) << "it was never ready";
}

TEST_F(BridgeTest, MoreFlowsThanItsBoundEndIt) {
  for (std::uint32_t label = 100; label < 110; ++label) memory.tables().apply(flow(label));
  const auto connected = [&](Bridge& small) {
    memory.connect();
    small.connected(now);
    wire::Buffer sent;
    for (int round = 0; round < 3; ++round) {
      small.take_output(sent);
      memory.receive(sent);
      small.receive(memory.take_output(), now);
    }
  };
  Bridge full(owner, {.flows_max = 10});
  connected(full);
  EXPECT_TRUE(full.ready());
  memory.tables().apply(flow(110));
  Bridge small(owner, {.flows_max = 10});
  connected(small);
  EXPECT_EQ(small.to_close(), "the bridge has more than 10 entries");
}

TEST_F(BridgeTest, CanBeConnectedAgain) {
  come_up();
  bridge.closed();
  bridge.closed();
  EXPECT_THAT(owner.take(), ElementsAre("lost"));
  come_up();
  EXPECT_EQ(bridge.counters().connections, 2U);
}

// ----- ports ------------------------------------------------------------------------------------

TEST_F(BridgeTest, ReportsChangesOfPorts) {
  come_up();
  memory.set_port(2, false);
  settle();
  EXPECT_THAT(owner.take(), ElementsAre("port 2 down"));
}

TEST_F(BridgeTest, AChangeWhileTheContentsAreReadComesAfterThem) {
  memory.connect();
  bridge.connected(now);
  hear();
  say();  // SetConfig and the queries
  wire::Buffer answers = memory.take_output();
  memory.set_port(2, false);
  const wire::Buffer status = memory.take_output();
  bridge.receive(status, now);
  EXPECT_THAT(owner.take(), IsEmpty());
  bridge.receive(answers, now);
  EXPECT_THAT(owner.take(), ElementsAre("ready", "port 2 down"));
}

TEST_F(BridgeTest, MoreChangesOfPortsThanItsBoundWhileTheContentsAreReadEndIt) {
  constexpr std::size_t kMost = 100'000;
  memory.connect();
  bridge.connected(now);
  hear();  // Hello
  wire::Buffer many;
  for (std::size_t i = 0; i < kMost; ++i) {
    encode(PortStatus{PortReason::kModify, {.port = 2, .address = {}, .name = "p2"}}, 0, many);
  }
  bridge.receive(many, now);
  EXPECT_EQ(bridge.to_close(), std::nullopt);
  hear(PortStatus{PortReason::kModify, {.port = 2, .address = {}, .name = "p2"}}, 0);
  EXPECT_EQ(why_closed(), "the bridge's ports change without end");
}

// ----- batches ----------------------------------------------------------------------------------

TEST_F(BridgeTest, ChangesArePipelinedAndABarrierEndsTheBatch) {
  come_up();
  const std::uint32_t first = bridge.next_number();
  EXPECT_EQ(bridge.post(flow(100)), first);
  EXPECT_EQ(bridge.post(flow(101)), first + 1);
  settle();
  EXPECT_EQ(memory.tables().flows().size(), 2U);
  EXPECT_THAT(owner.take(), IsEmpty()) << "no barrier yet";
  bridge.barrier();
  settle();
  EXPECT_THAT(owner.take(), ElementsAre(fmt::format("done before {}", first + 2)));
  const std::size_t messages = memory.received();
  bridge.barrier();
  settle();
  EXPECT_EQ(memory.received(), messages) << "an empty batch needs no barrier";
  EXPECT_EQ(bridge.counters().changes, 2U);
  EXPECT_EQ(bridge.counters().batches, 1U);
}

TEST_F(BridgeTest, ErrorsBelongToTheirBatch) {
  come_up();
  memory.hold_answers();
  const std::uint32_t first = bridge.post(flow(100, 77));
  bridge.post(flow(101));
  bridge.barrier();
  bridge.post(flow(102));
  const std::uint32_t second = bridge.post(flow(103, 78));
  bridge.barrier();
  settle();
  EXPECT_THAT(owner.take(), IsEmpty());
  memory.release_answers();
  settle();
  EXPECT_THAT(owner.take(), ElementsAre(fmt::format("done before {}", first + 2),
                                        fmt::format("{} refused: OFPBAC_BAD_OUT_GROUP", first),
                                        fmt::format("done before {}", second + 1),
                                        fmt::format("{} refused: OFPBAC_BAD_OUT_GROUP", second)));
  EXPECT_EQ(bridge.counters().refused, 2U);
}

// Numbers go on with 1 after 2^32 - 1; 0 belongs to what the bridge sends by itself.
TEST_F(BridgeTest, ErrorsBelongToTheirBatchAcrossTheWrapOfNumbers) {
  for (std::uint32_t before = 0; before < 16; ++before) {
    SCOPED_TRACE(before);
    Bridge late(owner, {.first_number = 0xffffffff - before});
    wire::Buffer sent;
    const auto settle_late = [&] {
      for (int round = 0; round < 3; ++round) {
        late.take_output(sent);
        memory.receive(sent);
        late.receive(memory.take_output(), now);
      }
    };
    memory.connect();
    late.connected(now);
    settle_late();
    ASSERT_THAT(owner.take(), ElementsAre("ready"));
    const std::uint32_t first = late.post(flow(100, 77));
    late.barrier();
    const std::uint32_t second = late.post(flow(101, 78));
    EXPECT_NE(first, 0U);
    EXPECT_NE(second, 0U);
    EXPECT_NE(late.next_number(), 0U);
    const std::uint32_t end = late.next_number();
    late.barrier();
    memory.hold_answers();
    settle_late();
    memory.release_answers();
    settle_late();
    const auto told = owner.take();
    ASSERT_EQ(told.size(), 4U);
    EXPECT_EQ(told[1], fmt::format("{} refused: OFPBAC_BAD_OUT_GROUP", first));
    EXPECT_EQ(told[2], fmt::format("done before {}", end));
    EXPECT_EQ(told[3], fmt::format("{} refused: OFPBAC_BAD_OUT_GROUP", second));
  }
}

TEST_F(BridgeTest, ABundleIsMadeAsAWholeOrNotAtAll) {
  come_up();
  const Bridge::BundledChange group = GroupMod{.id = 5, .buckets = {{{Output{2}}}, {{Output{3}}}}};
  bridge.post_together(std::vector{group, Bridge::BundledChange(flow(100, 5))});
  bridge.barrier();
  settle();
  EXPECT_EQ(owner.take().size(), 1U);
  EXPECT_EQ(memory.tables().flows().size(), 1U);

  const std::uint32_t open = bridge.next_number();
  bridge.post_together(
      std::vector{Bridge::BundledChange(flow(101)), Bridge::BundledChange(flow(102, 6))});
  bridge.barrier();
  settle();
  EXPECT_THAT(owner.take(), ElementsAre(fmt::format("done before {}", open + 4),
                                        fmt::format("{} refused: OFPBAC_BAD_OUT_GROUP", open + 2),
                                        fmt::format("{} refused: OFPBFC_MSG_FAILED", open + 3)));
  EXPECT_EQ(memory.tables().flows().size(), 1U);
}

TEST_F(BridgeTest, MoreRefusalsThanItsBoundEndIt) {
  Bridge small(owner, {.refused_max = 2});
  memory.connect();
  small.connected(now);
  wire::Buffer sent;
  const auto settle_small = [&] {
    for (int round = 0; round < 3; ++round) {
      small.take_output(sent);
      memory.receive(sent);
      small.receive(memory.take_output(), now);
    }
  };
  settle_small();
  ASSERT_TRUE(small.ready());
  for (std::uint32_t label = 100; label < 102; ++label) small.post(flow(label, 77));
  settle_small();
  EXPECT_EQ(small.to_close(), std::nullopt);
  small.post(flow(102, 77));
  settle_small();
  EXPECT_EQ(small.to_close(), "the bridge refused more than 2 changes");
}

TEST_F(BridgeTest, AnswersThatNothingWaitsForAreCounted) {
  come_up();
  hear(BarrierReply{}, 4711);
  hear(FlowStatsReply{}, 4711);
  EXPECT_EQ(bridge.counters().ignored, 2U);
  EXPECT_EQ(why_closed(), "it stays open");
}

// ----- queries ----------------------------------------------------------------------------------

TEST_F(BridgeTest, AQuerySeesTheChangesBeforeIt) {
  come_up();
  memory.set_part_entries(2);
  for (std::uint32_t label = 100; label < 105; ++label) bridge.post(flow(label));
  std::size_t found = 0;
  bridge.read_flows({}, [&](Result<Bridge::Flows> flows) { found = flows->size(); });
  bridge.post(flow(200));
  settle();
  EXPECT_EQ(found, 5U);
}

TEST_F(BridgeTest, AQueryThatTheBridgeRefusesFailsWithItsWords) {
  come_up();
  std::string words;
  const std::uint32_t xid = bridge.next_number();
  bridge.read_port(2, [&](Result<Bridge::PortCounters> read) { words = read.error().text; });
  hear(Error{.type = 1, .code = 11}, xid);
  EXPECT_EQ(words, "OFPBRC_BAD_PORT");
  EXPECT_EQ(bridge.counters().refused, 0U) << "it was no change";
}

TEST_F(BridgeTest, TheEndOfTheConnectionFailsOpenQueries) {
  come_up();
  std::vector<std::string> failed;
  const auto note = [&](const auto& read) {
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::kUnreachable);
    failed.push_back(read.error().text);
  };
  bridge.read_flows({}, note);
  bridge.read_groups(note);
  bridge.read_port(1, note);
  bridge.closed();
  EXPECT_EQ(failed, std::vector<std::string>(3, "the connection to the bridge has ended"));
  EXPECT_THAT(owner.take(), ElementsAre("lost"));
  come_up();
  EXPECT_EQ(failed.size(), 3U) << "once each";
}

}  // namespace
}  // namespace xbind::ovs
