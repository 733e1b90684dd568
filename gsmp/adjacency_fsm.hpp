// The handshake of GSMP (RFC 3292 section 11.2): both ends of a link agree on who they are, and
// notice when the other has gone or begun anew. One Adjacency lives as long as one TCP connection.
//
//                      RSTACK (A and C): reset the link, from any other state
//            ┌──────────────────────────────────────────────────────────────────┐
//            ▼                                                                  │
//       ┌─────────┐  SYN                ┌─────────┐  SYNACK (C)            ┌────┴────┐
//  ────▶│ SYNSENT ├────────────────────▶│ SYNRCVD ├───────────────────────▶│  ESTAB  │
//  SYN  └────┬────┘  SYNACK sent        └─────────┘  or ACK (B and C)      └─────────┘
//            │                                       ACK sent                   ▲
//            └──────────────────────────────────────────────────────────────────┘
//               SYNACK (C): ACK sent
//
// The tests that a message is put to:
//   A  its Sender Instance is the one stored from the peer
//   B  its Sender Instance, Port, Name and Partition ID are the stored ones
//   C  its Receiver Instance, Port, Name and Partition ID are what we send as ours. A master adopts
//   the
//      partition that a SYN or SYNACK offers, so that it cannot fail there: otherwise a partition
//      that the switch assigns could never synchronise.
//
// Every period of the own Timer: at most one ACK in answer to ACKs and two in all in answer to SYN
// and SYNACK (the timer's own ACK counts), and at most two SYN or SYNACK in answer to messages that
// come too early. Without the first limit two ends would answer each other for ever.
//
// Loss: nothing valid was heard for more than three times the Timer that the peer announced (the
// own Timer while the peer has not announced one).
//
// Versions. A SYN goes out in the highest version of the own list. A SYN of a version that is not in the
// list is ignored; one that is, is answered in its version, which then holds until the link is reset or
// lost: whatever comes in another one is dropped, counted, and does not put off the loss. So a lower end
// brings the higher one down by its own SYN. A peer that is silent: a master takes the next version of
// its list after kSynsUnanswered SYNs, and starts to count its silence anew. Should both ends have taken
// a step in opposite directions, so that SYNACKs of two versions cross, the lower version wins.
//
// Version 1.1 has no Timer (three seconds of silence are loss), no M, no partition and no PFlag: the
// switch keeps its connections, and the controller compares them with its own. Instances we draw have 24
// bits in every version, since a peer may see the same one in both.
//
// Nothing here sends, waits or draws: messages are appended to `out` as frames, time is handed in,
// and so is the source of instance numbers. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "core/wire/writer.hpp"
#include "gsmp/adjacency.hpp"

namespace xbind::gsmp {

enum class AdjacencyState : std::uint8_t { kSynSent, kSynRcvd, kEstab };

// A message after its tests, or what else can happen. SYN needs no test.
enum class AdjacencyEvent : std::uint8_t {
  kSyn,
  kSynAckC,
  kSynAckNotC,
  kAckBC,
  kAckNotBC,
  kRstAckAC,
  kRstAckOther,
  kOtherMessage,  // any message that is not adjacency
  kTimer,
};

enum class AdjacencyAction : std::uint8_t {
  kNothing,
  kUpdateSendSynAck,  // update the peer verifier, then SYNACK
  kUpdateSendAck,     // update the peer verifier, then ACK
  kSendSyn,
  kSendSynAck,
  kSendAck,
  kSendRstAck,          // built from the message that caused it
  kSendSynAtMostTwice,  // ... in this period, of SYN and SYNACK together
  kSendSynAckAtMostTwice,
  kSendAckAtMostTwice,  // ... in this period
  kSendAckAtMostOnce,
  kReset,    // new instance, verifier cleared, SYN
  kDeliver,  // a message for the layer above
};

struct AdjacencyStep {
  AdjacencyState next;
  AdjacencyAction action;
  friend constexpr bool operator==(AdjacencyStep, AdjacencyStep) = default;
};

// The whole table. Every event has a meaning in every state.
constexpr AdjacencyStep step(AdjacencyState state, AdjacencyEvent event) {
  using State = AdjacencyState;
  using Seen = AdjacencyEvent;
  using Action = AdjacencyAction;
  if (event == Seen::kRstAckOther) return {state, Action::kNothing};
  switch (state) {
    case State::kSynSent:
      switch (event) {
        case Seen::kSynAckC: return {State::kEstab, Action::kUpdateSendAck};
        case Seen::kSynAckNotC: return {State::kSynSent, Action::kSendRstAck};
        case Seen::kSyn: return {State::kSynRcvd, Action::kUpdateSendSynAck};
        case Seen::kAckBC:
        case Seen::kAckNotBC: return {State::kSynSent, Action::kSendRstAck};
        case Seen::kRstAckAC:
        case Seen::kRstAckOther: return {State::kSynSent, Action::kNothing};
        case Seen::kOtherMessage: return {State::kSynSent, Action::kSendSynAtMostTwice};
        case Seen::kTimer: return {State::kSynSent, Action::kSendSyn};
      }
      break;
    case State::kSynRcvd:
      switch (event) {
        case Seen::kSynAckC: return {State::kEstab, Action::kUpdateSendAck};
        case Seen::kSynAckNotC: return {State::kSynRcvd, Action::kSendRstAck};
        case Seen::kSyn: return {State::kSynRcvd, Action::kUpdateSendSynAck};
        case Seen::kAckBC: return {State::kEstab, Action::kSendAck};
        case Seen::kAckNotBC: return {State::kSynRcvd, Action::kSendRstAck};
        case Seen::kRstAckAC: return {State::kSynSent, Action::kReset};
        case Seen::kRstAckOther: return {State::kSynRcvd, Action::kNothing};
        case Seen::kOtherMessage: return {State::kSynRcvd, Action::kSendSynAckAtMostTwice};
        case Seen::kTimer: return {State::kSynRcvd, Action::kSendSynAck};
      }
      break;
    case State::kEstab:
      switch (event) {
        case Seen::kSyn:
        case Seen::kSynAckC:
        case Seen::kSynAckNotC: return {State::kEstab, Action::kSendAckAtMostTwice};
        case Seen::kAckBC: return {State::kEstab, Action::kSendAckAtMostOnce};
        case Seen::kAckNotBC: return {State::kEstab, Action::kSendRstAck};
        case Seen::kRstAckAC: return {State::kSynSent, Action::kReset};
        case Seen::kRstAckOther: return {State::kEstab, Action::kNothing};
        case Seen::kOtherMessage: return {State::kEstab, Action::kDeliver};
        case Seen::kTimer: return {State::kEstab, Action::kSendAck};
      }
      break;
  }
  return {state, Action::kNothing};
}
static_assert(step(AdjacencyState::kSynSent, AdjacencyEvent::kRstAckAC) ==
              AdjacencyStep{AdjacencyState::kSynSent, AdjacencyAction::kNothing});

struct AdjacencyOptions {
  bool master = true;
  std::uint64_t name = 0;  // 48 bits, not 0
  std::uint32_t port = 0;
  std::uint8_t timer = kAdjacencyPeriod;  // in 100 ms, 1..255
  std::uint8_t partition_type = kPartitionNone;
  std::uint8_t partition = 0;  // 0 when the type is kPartitionNone
  std::uint8_t partition_flag = kRecoveredAdjacency;
  // GSMP versions that may be spoken, the highest first: {3, 1}, {3} or {1}.
  std::vector<std::uint8_t> versions{3, 1};
  // Some peers want M in every message of a master, where it means nothing.
  bool m_in_all = false;
};

// A master that has sent so many SYNs of one version and has heard nothing takes the next lower one.
inline constexpr int kSynsUnanswered = 3;

// What a call changed for the layer above.
enum class AdjacencyChange : std::uint8_t {
  kNone,
  kUp,     // ESTAB reached
  kReset,  // ESTAB left: the peer has begun anew; the handshake is already on its way again
  kLost,   // nothing heard for too long: an RSTACK was sent, drop the connection
};

class Adjacency {
 public:
  // `random` gives 32 bits at each call; called once per reset of the link.
  Adjacency(const AdjacencyOptions& options, std::function<std::uint32_t()> random);

  // The connection is up: SYN. Once.
  void start(TimePoint now, wire::Buffer& out);
  // A message of ours came. What is not for us is dropped: a SYN from one of our own kind (M), one for
  // another partition (that one is answered with RSTACK), and what is of another version.
  AdjacencyChange receive(const AdjacencyMessage& message, TimePoint now, wire::Buffer& out);
  // Any other valid message of this version came. False: too early, or not in the version agreed on;
  // drop it.
  bool admit(std::uint8_t version, TimePoint now, wire::Buffer& out);
  // Call at next_deadline() or later; late calls do not pile up periods.
  AdjacencyChange tick(TimePoint now, wire::Buffer& out);
  TimePoint next_deadline() const;

  AdjacencyState state() const { return state_; }
  bool established() const { return state_ == AdjacencyState::kEstab; }
  // The switch has answered that it does not give us the partition we ask for. Until the next reset; we
  // go on asking, and the owner may want to give up instead.
  bool partition_denied() const { return partition_denied_; }
  // While established: the one agreed on. Before that: the one we send in.
  std::uint8_t version() const { return version_; }
  // Messages dropped because of their version. Those that no decoder of ours reads are not among them.
  std::uint64_t other_version() const { return other_version_; }
  // While established: the lower of what both ends wanted; kRecoveredAdjacency in version 1.1.
  std::uint8_t effective_flag() const { return effective_flag_; }
  std::uint8_t peer_flag() const { return peer_flag_; }
  std::uint8_t partition() const { return version_ == 3 ? partition_ : 0; }
  const Endpoint& peer() const { return peer_; }
  const Endpoint& self() const { return self_; }
  // What to ask for from the next reset of the link on.
  void set_flag(std::uint8_t partition_flag) { options_.partition_flag = partition_flag; }

 private:
  bool version_fits(const AdjacencyMessage& message) const;
  bool may_take_lower() const;
  void take_lower(TimePoint now);
  void agree_on(std::uint8_t version, TimePoint now);
  AdjacencyEvent classify(const AdjacencyMessage& message) const;
  void perform(AdjacencyAction action, const AdjacencyMessage* cause, wire::Buffer& out);
  void update_verifier(const AdjacencyMessage& message);
  void reset(wire::Buffer& out);
  void new_instance();
  void send(AdjacencyCode code, wire::Buffer& out);
  void send_rstack(const AdjacencyMessage& cause, std::uint8_t partition_type, wire::Buffer& out);
  bool partition_refused(const AdjacencyMessage& message) const;
  void new_period(TimePoint now);
  TimePoint loss_deadline() const;
  Duration period() const;

  AdjacencyOptions options_;
  std::function<std::uint32_t()> random_;
  AdjacencyState state_ = AdjacencyState::kSynSent;
  bool started_ = false;
  std::uint8_t version_ = 0;
  std::size_t version_index_ = 0;  // of the version that SYNs are sent in
  int syns_unanswered_ = 0;        // in that version; what is heard sets it to 0
  std::uint64_t other_version_ = 0;
  Endpoint self_;
  std::uint8_t partition_ = 0;       // what we send; a master's is the adopted one
  std::uint8_t partition_type_ = 0;  // what we send
  std::uint8_t flag_ = 0;            // PFlag we send since the last reset
  bool partition_denied_ = false;

  // The peer verifier, and what else is recorded with it. All zero: cleared.
  Endpoint peer_;
  std::uint8_t peer_partition_ = 0;
  std::uint8_t peer_flag_ = 0;
  std::uint8_t peer_timer_ = 0;  // 0: not announced yet
  std::uint8_t effective_flag_ = 0;

  // Sent in this period.
  int acks_ = 0;
  int syns_ = 0;  // and SYNACKs
  TimePoint period_end_ = kNever;
  TimePoint heard_ = kNever;  // last valid message
};

std::string_view to_string(AdjacencyState state);  // "SYNSENT", ...

}  // namespace xbind::gsmp
