// Every row of the adjacency table, the worked exchanges, limits and loss.
#include "gsmp/adjacency_fsm.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/unit/gsmp/adjacency_fixture.hpp"

namespace xbind::gsmp {
namespace {

using namespace std::chrono_literals;
using test::golden;
using test::to_hex;
using namespace test::adjacency;
using State = AdjacencyState;
using Action = AdjacencyAction;

// ----- the table ------------------------------------------------------------------------------

struct Row {
  State state;
  AdjacencyEvent event;
  Action action;
  State next;
};

TEST(AdjacencyTable, EveryRow) {
  const Row rows[] = {
      {State::kSynSent, AdjacencyEvent::kSynAckC, Action::kUpdateSendAck, State::kEstab},
      {State::kSynSent, AdjacencyEvent::kSynAckNotC, Action::kSendRstAck, State::kSynSent},
      {State::kSynSent, AdjacencyEvent::kSyn, Action::kUpdateSendSynAck, State::kSynRcvd},
      {State::kSynSent, AdjacencyEvent::kAckBC, Action::kSendRstAck, State::kSynSent},
      {State::kSynSent, AdjacencyEvent::kAckNotBC, Action::kSendRstAck, State::kSynSent},
      {State::kSynSent, AdjacencyEvent::kRstAckAC, Action::kNothing, State::kSynSent},
      {State::kSynSent, AdjacencyEvent::kRstAckOther, Action::kNothing, State::kSynSent},
      {State::kSynSent, AdjacencyEvent::kOtherMessage, Action::kSendSynAtMostTwice,
       State::kSynSent},
      {State::kSynSent, AdjacencyEvent::kTimer, Action::kSendSyn, State::kSynSent},
      {State::kSynRcvd, AdjacencyEvent::kSynAckC, Action::kUpdateSendAck, State::kEstab},
      {State::kSynRcvd, AdjacencyEvent::kSynAckNotC, Action::kSendRstAck, State::kSynRcvd},
      {State::kSynRcvd, AdjacencyEvent::kSyn, Action::kUpdateSendSynAck, State::kSynRcvd},
      {State::kSynRcvd, AdjacencyEvent::kAckBC, Action::kSendAck, State::kEstab},
      {State::kSynRcvd, AdjacencyEvent::kAckNotBC, Action::kSendRstAck, State::kSynRcvd},
      {State::kSynRcvd, AdjacencyEvent::kRstAckAC, Action::kReset, State::kSynSent},
      {State::kSynRcvd, AdjacencyEvent::kRstAckOther, Action::kNothing, State::kSynRcvd},
      {State::kSynRcvd, AdjacencyEvent::kOtherMessage, Action::kSendSynAckAtMostTwice,
       State::kSynRcvd},
      {State::kSynRcvd, AdjacencyEvent::kTimer, Action::kSendSynAck, State::kSynRcvd},
      {State::kEstab, AdjacencyEvent::kSynAckC, Action::kSendAckAtMostTwice, State::kEstab},
      {State::kEstab, AdjacencyEvent::kSynAckNotC, Action::kSendAckAtMostTwice, State::kEstab},
      {State::kEstab, AdjacencyEvent::kSyn, Action::kSendAckAtMostTwice, State::kEstab},
      {State::kEstab, AdjacencyEvent::kAckBC, Action::kSendAckAtMostOnce, State::kEstab},
      {State::kEstab, AdjacencyEvent::kAckNotBC, Action::kSendRstAck, State::kEstab},
      {State::kEstab, AdjacencyEvent::kRstAckAC, Action::kReset, State::kSynSent},
      {State::kEstab, AdjacencyEvent::kRstAckOther, Action::kNothing, State::kEstab},
      {State::kEstab, AdjacencyEvent::kOtherMessage, Action::kDeliver, State::kEstab},
      {State::kEstab, AdjacencyEvent::kTimer, Action::kSendAck, State::kEstab},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(step(row.state, row.event), (AdjacencyStep{row.next, row.action}))
        << to_string(row.state) << ", event " << static_cast<int>(row.event);
  }
  EXPECT_EQ(std::size(rows), 3U * 9U);
}

// ----- the worked exchanges -------------------------------------------------------------------

TEST(AdjacencyExchange, BothEndsBegin) {  // sequence (a)
  End c = controller();
  End s = the_switch();
  // controller --> SYN
  c.adjacency.start(kStart, c.out);
  EXPECT_EQ(c.sent(), frames({"A1"}));
  // switch --> SYN
  s.adjacency.start(kStart, s.out);
  EXPECT_EQ(s.sent(), frames({"A2"}));
  // controller --> SYNACK
  EXPECT_EQ(c.hears("A2"), AdjacencyChange::kNone);
  EXPECT_EQ(c.sent(), frames({"A4"}));
  EXPECT_EQ(c.adjacency.state(), State::kSynRcvd);
  // switch --> SYNACK
  EXPECT_EQ(s.hears("A1"), AdjacencyChange::kNone);
  EXPECT_EQ(s.sent(), frames({"A3"}));
  EXPECT_EQ(s.adjacency.state(), State::kSynRcvd);
  // controller --> ACK
  EXPECT_EQ(c.hears("A3"), AdjacencyChange::kUp);
  EXPECT_EQ(c.sent(), frames({"A5"}));
  // switch --> ACK
  EXPECT_EQ(s.hears("A4"), AdjacencyChange::kUp);
  EXPECT_EQ(s.sent(), frames({"A6"}));
  // Each end receives the other's ACK and sends no answer: six messages in total.
  EXPECT_EQ(c.hears("A6"), AdjacencyChange::kNone);
  EXPECT_EQ(s.hears("A5"), AdjacencyChange::kNone);
  EXPECT_TRUE(c.sent().empty());
  EXPECT_TRUE(s.sent().empty());
  EXPECT_TRUE(c.adjacency.established());
  EXPECT_TRUE(s.adjacency.established());
  EXPECT_EQ(c.adjacency.peer(), (Endpoint{kSwitchName, 0x10, 0x3d4e5f}));
}

TEST(AdjacencyExchange, OnlyTheControllerBegins) {  // sequence (b): the switch's own SYN is lost
  End c = controller();
  End s = the_switch();
  c.adjacency.start(kStart, c.out);
  EXPECT_EQ(c.sent(), frames({"A1"}));
  s.adjacency.start(kStart, s.out);
  s.out.clear();
  EXPECT_EQ(s.hears("A1"), AdjacencyChange::kNone);
  EXPECT_EQ(s.sent(), frames({"A3"}));
  EXPECT_EQ(c.hears("A3"), AdjacencyChange::kUp);
  EXPECT_EQ(c.sent(), frames({"A5"}));
  EXPECT_EQ(s.hears("A5"), AdjacencyChange::kUp);
  EXPECT_EQ(s.sent(), frames({"A6"}));
  EXPECT_EQ(c.hears("A6"), AdjacencyChange::kNone);
  EXPECT_TRUE(c.sent().empty());
}

TEST(AdjacencyExchange, TheControllerRestarts) {  // sequence (c)
  End s = the_switch();
  s.adjacency.start(kStart, s.out);
  s.hears("A1");
  s.hears("A5");
  ASSERT_TRUE(s.adjacency.established());
  s.out.clear();

  End c(controller_options(), {0x777777});
  c.adjacency.start(kStart, c.out);
  const wire::Buffer syn = c.out;
  c.out.clear();
  // controller --> SYN with a new instance; switch --> ACK with the old one
  EXPECT_EQ(s.hears(syn), AdjacencyChange::kNone);
  EXPECT_EQ(s.sent(), frames({"A6"}));
  // controller --> RSTACK, with the old instance
  EXPECT_EQ(c.hears("A6"), AdjacencyChange::kNone);
  EXPECT_EQ(c.sent(), frames({"A7"}));
  // switch: begins anew, with another instance
  EXPECT_EQ(s.hears("A7"), AdjacencyChange::kReset);
  EXPECT_EQ(s.adjacency.state(), State::kSynSent);
  EXPECT_EQ(s.adjacency.self().instance, 0x333333U);
  // Then as in (a), without waiting for a timer.
  const wire::Buffer new_syn = s.out;
  s.out.clear();
  c.hears(new_syn);
  s.hears(c.out);
  EXPECT_TRUE(s.adjacency.established());
}

TEST(AdjacencyExchange, TheLowerFlagWins) {
  for (const std::uint8_t mine : {kNewAdjacency, kRecoveredAdjacency}) {
    for (const std::uint8_t theirs : {kNewAdjacency, kRecoveredAdjacency}) {
      AdjacencyOptions c_options = controller_options();
      c_options.partition_flag = mine;
      AdjacencyOptions s_options = switch_options();
      s_options.partition_flag = theirs;
      End c(c_options, {1});
      End s(s_options, {2});
      c.adjacency.start(kStart, c.out);
      s.adjacency.start(kStart, s.out);
      talk(c, s);
      EXPECT_EQ(c.adjacency.effective_flag(), std::min(mine, theirs));
      EXPECT_EQ(s.adjacency.effective_flag(), std::min(mine, theirs));
    }
  }
}

TEST(AdjacencyExchange, AChangedWishIsToldAtTheNextReset) {
  End s = the_switch();
  s.adjacency.start(kStart, s.out);
  s.hears("A1");
  s.hears("A5");
  s.out.clear();
  s.adjacency.set_flag(kRecoveredAdjacency);
  s.hears("A7");
  const auto syn = std::get<AdjacencyMessage>(test::messages_of(s.out).at(0));
  EXPECT_EQ(syn.code, AdjacencyCode::kSyn);
  EXPECT_EQ(syn.partition_flag, kRecoveredAdjacency);
}

// ----- messages that are ignored -----

TEST(Adjacency, IgnoresASynOfItsOwnKind) {
  End c = controller();
  c.adjacency.start(kStart, c.out);
  c.out.clear();
  c.hears("A1");  // M is 1: another controller
  EXPECT_TRUE(c.out.empty());
  End s = the_switch();
  s.adjacency.start(kStart, s.out);
  s.out.clear();
  s.hears("A2");  // M is 0: another switch
  EXPECT_TRUE(s.out.empty());
  EXPECT_EQ(s.adjacency.state(), State::kSynSent);
}

TEST(Adjacency, DropsARstackThatIsNotAboutThisLink) {
  End s = the_switch();
  s.adjacency.start(kStart, s.out);
  s.hears("A1");
  s.hears("A5");
  s.out.clear();
  wire::Buffer other_sender = golden("A7");
  other_sender[4 + 27] ^= std::byte{1};  // check A fails
  EXPECT_EQ(s.hears(other_sender), AdjacencyChange::kNone);
  wire::Buffer other_receiver = golden("A7");
  other_receiver[4 + 31] ^= std::byte{1};  // check C fails
  EXPECT_EQ(s.hears(other_receiver), AdjacencyChange::kNone);
  EXPECT_TRUE(s.adjacency.established());
  EXPECT_TRUE(s.out.empty());
}

// Covers every field that checks B and C compare.
TEST(Adjacency, AnswersAnAckOfAnotherLinkWithRstack) {
  for (const std::size_t offset : {9, 15, 19, 23, 27, 28, 31}) {
    End s = the_switch();
    s.adjacency.start(kStart, s.out);
    s.hears("A1");
    s.hears("A5");
    s.out.clear();
    wire::Buffer ack = golden("A5");
    ack[4 + offset] ^= std::byte{1};
    EXPECT_EQ(s.hears(ack), AdjacencyChange::kNone);
    const auto answer = test::messages_of(s.out);
    ASSERT_EQ(answer.size(), 1U) << offset;
    EXPECT_EQ(std::get<AdjacencyMessage>(answer[0]).code, AdjacencyCode::kRstAck) << offset;
  }
}

// Covers every field that check C compares, in both states before the adjacency.
TEST(Adjacency, AnswersASynAckForSomebodyElseWithRstack) {
  for (const bool syn_first : {false, true}) {
    for (const std::size_t offset : {15, 23, 31}) {
      End c = controller();
      c.adjacency.start(kStart, c.out);
      if (syn_first) c.hears("A2");
      const State before = c.adjacency.state();
      c.out.clear();
      wire::Buffer synack = golden("A3");
      synack[4 + offset] ^= std::byte{1};
      c.hears(synack);
      const auto answer = test::messages_of(c.out);
      ASSERT_EQ(answer.size(), 1U) << offset;
      EXPECT_EQ(std::get<AdjacencyMessage>(answer[0]).code, AdjacencyCode::kRstAck) << offset;
      EXPECT_EQ(c.adjacency.state(), before) << offset;
    }
  }
}

TEST(Adjacency, AnswersASynAckOfAnotherLinkWithRstack) {
  End c = controller();
  c.adjacency.start(kStart, c.out);
  c.out.clear();
  wire::Buffer synack = golden("A3");
  synack[4 + 31] ^= std::byte{1};
  c.hears(synack);
  EXPECT_EQ(std::get<AdjacencyMessage>(test::messages_of(c.out).at(0)).code,
            AdjacencyCode::kRstAck);
  EXPECT_EQ(c.adjacency.state(), State::kSynSent);
}

// ----- limits ---------------------------------------------------------------------------------

TEST(AdjacencyLimits, OneAckForAcksInAPeriod) {
  End s = the_switch();
  s.adjacency.start(kStart, s.out);
  s.hears("A1");
  s.hears("A5");  // the ACK that led to ESTAB counts for this period
  s.out.clear();
  for (int i = 0; i < 5; ++i) s.hears("A5");
  EXPECT_TRUE(s.out.empty());
  // The next period begins with the timer's own ACK and has no other.
  s.now = kStart + 1s;
  s.adjacency.tick(s.now, s.out);
  EXPECT_EQ(s.sent(), frames({"A6"}));
  for (int i = 0; i < 5; ++i) s.hears("A5");
  EXPECT_TRUE(s.out.empty());
}

// Two ends that answer every ACK would never stop.
TEST(AdjacencyLimits, APeerThatAcksForEverGetsOneAPeriod) {
  End s = the_switch();
  s.adjacency.start(kStart, s.out);
  s.hears("A1");
  s.hears("A5");
  s.out.clear();
  for (int tenth = 1; tenth <= 50; ++tenth) {
    s.now = kStart + tenth * 100ms;
    s.adjacency.tick(s.now, s.out);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(s.hears("A5"), AdjacencyChange::kNone);
  }
  EXPECT_EQ(s.sent().size(), 5U);
  EXPECT_TRUE(s.adjacency.established());
}

TEST(AdjacencyLimits, TwoAcksWhenSynsCome) {
  End s = the_switch();
  s.adjacency.start(kStart, s.out);
  s.hears("A1");
  s.hears("A5");
  s.out.clear();
  for (int i = 0; i < 5; ++i) s.hears("A1");
  EXPECT_EQ(s.sent(), frames({"A6"}));  // the second of this period
}

TEST(AdjacencyLimits, TwoSynForMessagesThatComeTooEarly) {
  End c = controller();
  c.adjacency.start(kStart, c.out);
  EXPECT_EQ(c.sent(), frames({"A1"}));
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(c.adjacency.admit(kVersion, kStart, c.out));
  EXPECT_EQ(c.sent(), frames({"A1"}));  // the second of this period
}

TEST(AdjacencyLimits, TwoSynAckForMessagesThatComeTooEarly) {
  End c = controller();
  c.adjacency.start(kStart, c.out);
  c.hears("A2");
  c.now = kStart + 1s;
  c.adjacency.tick(c.now, c.out);
  c.out.clear();
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(c.adjacency.admit(kVersion, c.now, c.out));
  EXPECT_EQ(c.sent(), frames({"A4"}));
}

TEST(AdjacencyLimits, OtherMessagesPassWhenEstablished) {
  End s = the_switch();
  s.adjacency.start(kStart, s.out);
  s.hears("A1");
  s.hears("A5");
  s.out.clear();
  EXPECT_TRUE(s.adjacency.admit(kVersion, kStart, s.out));
  EXPECT_TRUE(s.out.empty());
}

// ----- timer and loss -------------------------------------------------------------------------

TEST(AdjacencyTimer, SaysWhatItsStateSays) {
  End c = controller();
  c.adjacency.start(kStart, c.out);
  c.out.clear();
  EXPECT_EQ(c.adjacency.next_deadline(), kStart + 1s);
  EXPECT_EQ(c.adjacency.tick(kStart + 999ms, c.out), AdjacencyChange::kNone);
  EXPECT_TRUE(c.out.empty());
  c.adjacency.tick(kStart + 1s, c.out);
  EXPECT_EQ(c.sent(), frames({"A1"}));  // SYNSENT: SYN
  c.hears("A2");
  c.out.clear();
  c.adjacency.tick(kStart + 2s, c.out);
  EXPECT_EQ(c.sent(), frames({"A4"}));  // SYNRCVD: SYNACK
  c.hears("A3");
  c.out.clear();
  c.now = kStart + 3s;
  c.adjacency.tick(c.now, c.out);
  EXPECT_EQ(c.sent(), frames({"A5"}));  // ESTAB: ACK
}

TEST(AdjacencyTimer, ALateTickIsOneTick) {
  End s = the_switch();
  s.adjacency.start(kStart, s.out);
  s.out.clear();
  s.adjacency.tick(kStart + 2900ms, s.out);
  EXPECT_EQ(s.sent(), frames({"A2"}));
  EXPECT_EQ(s.adjacency.tick(kStart + 2950ms, s.out), AdjacencyChange::kNone);
  EXPECT_TRUE(s.out.empty());
}

TEST(AdjacencyLoss, AfterThreeOfThePeersTimers) {
  End s = the_switch();
  s.adjacency.start(kStart, s.out);
  wire::Buffer syn = golden("A1");
  syn[4 + 2] = std::byte{50};  // the controller sends every 5 s
  s.hears(syn);
  s.hears("A5");
  s.out.clear();
  ASSERT_TRUE(s.adjacency.established());
  EXPECT_EQ(s.adjacency.tick(kStart + 15s, s.out), AdjacencyChange::kNone);
  s.out.clear();
  EXPECT_EQ(s.adjacency.tick(kStart + 15s + 1ns, s.out), AdjacencyChange::kLost);
  const auto last = test::messages_of(s.out);
  ASSERT_EQ(last.size(), 1U);
  const auto& rstack = std::get<AdjacencyMessage>(last[0]);
  EXPECT_EQ(rstack.code, AdjacencyCode::kRstAck);
  EXPECT_EQ(rstack.sender, (Endpoint{kSwitchName, 0x10, 0x3d4e5f}));
  EXPECT_EQ(rstack.receiver, (Endpoint{kControllerName, 1, 0x0a1b2c}));
  EXPECT_EQ(s.adjacency.next_deadline(), kNever);
}

TEST(AdjacencyLoss, AfterAResetOurOwnTimerCountsAgain) {
  End s = the_switch();
  s.adjacency.start(kStart, s.out);
  wire::Buffer syn = golden("A1");
  syn[4 + 2] = std::byte{50};
  s.hears(syn);
  s.hears("A5");
  // RSTACK about this link: nothing is known about the next controller
  ASSERT_EQ(s.hears("A7"), AdjacencyChange::kReset);
  EXPECT_EQ(s.adjacency.tick(kStart + 3s, s.out), AdjacencyChange::kNone);
  EXPECT_EQ(s.adjacency.tick(kStart + 3s + 1ns, s.out), AdjacencyChange::kLost);
}

TEST(AdjacencyLoss, AnyValidMessagePutsItOff) {
  End s = the_switch();
  s.adjacency.start(kStart, s.out);
  s.hears("A1");
  s.hears("A5");
  s.adjacency.admit(kVersion, kStart + 2s, s.out);
  EXPECT_EQ(s.adjacency.tick(kStart + 5s, s.out), AdjacencyChange::kNone);
  EXPECT_EQ(s.adjacency.tick(kStart + 5s + 1ns, s.out), AdjacencyChange::kLost);
}

TEST(AdjacencyLoss, ASilentPeerIsLostAfterThreeOfOurOwnTimers) {
  AdjacencyOptions options = controller_options();
  options.versions = {3};
  End c(options, {0x0a1b2c});
  c.adjacency.start(kStart, c.out);
  EXPECT_EQ(c.adjacency.tick(kStart + 3s, c.out), AdjacencyChange::kNone);
  EXPECT_EQ(c.adjacency.tick(kStart + 3s + 1ns, c.out), AdjacencyChange::kLost);
}

TEST(AdjacencyInstance, IsNeverZeroAndNeverTheLast) {
  End s(switch_options(), {0, 0x01000001, 1});
  s.adjacency.start(kStart, s.out);
  EXPECT_EQ(s.adjacency.self().instance, 1U);
  s.hears("A1");
  // RSTACK about this link: the low 24 bits of the next number would repeat the instance.
  wire::Buffer rstack = golden("A7");
  rstack[4 + 29] = std::byte{0};
  rstack[4 + 30] = std::byte{0};
  rstack[4 + 31] = std::byte{1};
  s.hears(rstack);
  EXPECT_EQ(s.adjacency.state(), State::kSynSent);
  EXPECT_EQ(s.adjacency.self().instance, 2U);
}

TEST(AdjacencyOptionsTest, MInAllForPeersThatWantIt) {
  AdjacencyOptions options = controller_options();
  options.m_in_all = true;
  End c(options, {0x0a1b2c});
  c.adjacency.start(kStart, c.out);
  c.out.clear();
  c.hears("A2");
  EXPECT_TRUE(std::get<AdjacencyMessage>(test::messages_of(c.out).at(0)).from_master);
}

}  // namespace
}  // namespace xbind::gsmp
