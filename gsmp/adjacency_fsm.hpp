// The GSMP handshake (RFC 3292 section 11.2): both ends of a link learn each other's identity and
// detect loss or restart of the peer. One Adjacency lives as long as one TCP connection.
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
// The tests applied to a message:
//   A  its Sender Instance is the one stored from the peer
//   B  its Sender Instance, Port, Name and Partition ID are the stored ones
//   C  its Receiver Instance, Port, Name and Partition ID are what we send as ours. A master adopts
//      the partition that a SYN or SYNACK offers, so that it cannot fail there: otherwise a
//      partition that the switch assigns could never synchronise.
//
// Limits in each period of the own Timer: one ACK in answer to ACKs; two ACKs in total in answer to
// SYN and SYNACK, including the timer's own ACK; two SYN or SYNACK in answer to premature messages.
// Without the first limit two ends would answer each other for ever.
//
// Loss: no valid message arrived for more than three times the Timer that the peer announced, or
// the own Timer while the peer has announced none.
//
// Versions. The first SYN has the highest version of the own list. A SYN whose version is not in
// the list is ignored. Any other SYN is answered in its version, which then holds until the link is
// reset or lost. Messages of other versions are dropped and counted; they do not postpone the loss.
// So the end with the lower version brings the higher one down by its own SYN. When the peer is
// silent, a master tries the next version of its list after kSynsUnanswered SYNs and restarts the
// silence count. When SYNACKs of two versions cross, the lower version wins.
//
// Version 1.1 has no Timer (three seconds of silence are loss), no M, no partition and no PFlag:
// the switch keeps its connections, and the controller compares them with its own. Generated
// instances have 24 bits in every version, because a peer may see the same one in both.
//
// Does no I/O and reads no clock. Messages are appended to `out` as frames; the caller supplies the
// time and the source of instance numbers. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "core/wire/writer.hpp"
#include "gsmp/messages/adjacency.hpp"

namespace xbind::gsmp {

enum class AdjacencyState : std::uint8_t { kSynSent, kSynRcvd, kEstab };

// An event of the state machine: a classified message, another message, or the timer. SYN needs no
// test.
enum class AdjacencyEvent : std::uint8_t {
  kSyn,
  kSynAckC,
  kSynAckNotC,
  kAckBC,
  kAckNotBC,
  kRstAckAC,
  kRstAckOther,
  kOtherMessage,  // any message other than adjacency
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

// The complete transition table: every event in every state.
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
  // Allowed GSMP versions, the highest first: {3, 1}, {3} or {1}.
  std::vector<std::uint8_t> versions{3, 1};
  // Sets M in every message of a master. M has meaning in a SYN only, but some peers require it.
  bool m_in_all = false;
};

// A master tries the next lower version after this number of unanswered SYNs.
inline constexpr int kSynsUnanswered = 3;

// The change that a call caused for the layer above.
enum class AdjacencyChange : std::uint8_t {
  kNone,
  kUp,     // ESTAB reached
  kReset,  // ESTAB left: the peer restarted; the handshake is already running again
  kLost,   // the peer is silent: an RSTACK was sent, drop the connection
};

class Adjacency {
 public:
  // `random` returns 32 bits. It is called once per reset of the link.
  Adjacency(const AdjacencyOptions& options, std::function<std::uint32_t()> random);

  // The transport connection is up: sends SYN. Call once.
  void start(TimePoint now, wire::Buffer& out);
  // An adjacency message arrived. Drops a SYN from an end with the same role (M), a message of
  // another version, and a SYN for another partition. The last is answered with RSTACK.
  AdjacencyChange receive(const AdjacencyMessage& message, TimePoint now, wire::Buffer& out);
  // Any other valid message arrived. Returns false when the caller must drop it: it came before the
  // adjacency was up, or not in the agreed version.
  bool admit(std::uint8_t version, TimePoint now, wire::Buffer& out);
  // Call at next_deadline() or later. A late call runs one period only.
  AdjacencyChange tick(TimePoint now, wire::Buffer& out);
  TimePoint next_deadline() const;

  AdjacencyState state() const { return state_; }
  bool established() const { return state_ == AdjacencyState::kEstab; }
  // The switch refused the requested partition. Holds until the next reset. The handshake keeps
  // requesting it; the owner may prefer to close the connection.
  bool partition_denied() const { return partition_denied_; }
  // The agreed version while established; before that, the version we send.
  std::uint8_t version() const { return version_; }
  // Messages dropped because of their version. Excludes versions that the decoder refuses.
  std::uint64_t other_version() const { return other_version_; }
  // While established: the lower PFlag of both ends; kRecoveredAdjacency in version 1.1.
  std::uint8_t effective_flag() const { return effective_flag_; }
  std::uint8_t peer_flag() const { return peer_flag_; }
  std::uint8_t partition() const { return version_ == 3 ? partition_ : 0; }
  const Endpoint& peer() const { return peer_; }
  const Endpoint& self() const { return self_; }
  // The PFlag to send from the next reset of the link on.
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
  std::size_t version_index_ = 0;  // of the version of our SYNs
  int syns_unanswered_ = 0;        // in that version; any message heard resets it
  std::uint64_t other_version_ = 0;
  Endpoint self_;
  std::uint8_t partition_ = 0;       // what we send; a master's is the adopted one
  std::uint8_t partition_type_ = 0;  // what we send
  std::uint8_t flag_ = 0;            // PFlag we send since the last reset
  bool partition_denied_ = false;

  // The peer verifier and the values recorded with it. All zero: cleared.
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
