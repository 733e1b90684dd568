#include "switchserver/gsmp/adjacency_fsm.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"
#include "switchserver/gsmp/framing.hpp"

namespace xbind::gsmp {
namespace {
constexpr Duration kTimerUnit = std::chrono::milliseconds(100);
constexpr int kPeriodsToLoss = 3;
}  // namespace

Adjacency::Adjacency(const AdjacencyOptions& options, std::function<std::uint32_t()> random)
    : options_(options), random_(std::move(random)) {
  XB_CHECK(options_.timer != 0 && options_.name != 0, options_.timer, options_.name);
  self_ = Endpoint{options_.name, options_.port, 0};
}

void Adjacency::start(TimePoint now, wire::Buffer& out) {
  XB_CHECK(!started_, started_);
  started_ = true;
  heard_ = now;
  new_period(now);
  reset(out);
}

AdjacencyChange Adjacency::receive(const AdjacencyMessage& message, TimePoint now,
                                   wire::Buffer& out) {
  if (!started_) return AdjacencyChange::kNone;
  if (message.code == AdjacencyCode::kSyn && message.from_master == options_.master) {
    return AdjacencyChange::kNone;  // from one of our own kind
  }
  heard_ = now;
  if (partition_refused(message)) {
    send_rstack(message, kPartitionRequested, out);
    return AdjacencyChange::kNone;
  }
  const bool was_established = established();
  const AdjacencyStep decided = step(state_, classify(message));
  state_ = decided.next;
  perform(decided.action, &message, out);
  if (established() && !was_established) {
    effective_flag_ = std::min(flag_, peer_flag_);
    return AdjacencyChange::kUp;
  }
  return was_established && !established() ? AdjacencyChange::kReset : AdjacencyChange::kNone;
}

bool Adjacency::admit(TimePoint now, wire::Buffer& out) {
  if (!started_) return false;
  heard_ = now;
  const AdjacencyStep decided = step(state_, AdjacencyEvent::kOtherMessage);
  if (decided.action == AdjacencyAction::kDeliver) return true;
  perform(decided.action, nullptr, out);
  return false;
}

AdjacencyChange Adjacency::tick(TimePoint now, wire::Buffer& out) {
  if (!started_) return AdjacencyChange::kNone;
  if (now > loss_deadline()) {
    send(AdjacencyCode::kRstAck, out);
    started_ = false;
    state_ = AdjacencyState::kSynSent;
    return AdjacencyChange::kLost;
  }
  if (now < period_end_) return AdjacencyChange::kNone;
  new_period(now);
  perform(step(state_, AdjacencyEvent::kTimer).action, nullptr, out);
  return AdjacencyChange::kNone;
}

TimePoint Adjacency::next_deadline() const {
  if (!started_) return kNever;
  // Loss is "more than": one nanosecond later, or a caller that sleeps exactly so long would spin.
  return std::min(period_end_, loss_deadline() + Duration(1));
}

TimePoint Adjacency::loss_deadline() const {
  const int timer = peer_timer_ != 0 ? peer_timer_ : options_.timer;
  return heard_ + kPeriodsToLoss * timer * kTimerUnit;
}

void Adjacency::new_period(TimePoint now) {
  acks_ = 0;
  syns_ = 0;
  period_end_ = now + options_.timer * kTimerUnit;
}

AdjacencyEvent Adjacency::classify(const AdjacencyMessage& message) const {
  const bool a = message.sender.instance == peer_.instance;
  const bool b = message.sender == peer_ && message.partition == peer_partition_;
  const bool offers_partition =
      message.code == AdjacencyCode::kSyn || message.code == AdjacencyCode::kSynAck;
  const bool c = message.receiver == self_ &&
                 (message.partition == partition_ || (options_.master && offers_partition));
  switch (message.code) {
    case AdjacencyCode::kSyn: return AdjacencyEvent::kSyn;
    case AdjacencyCode::kSynAck: return c ? AdjacencyEvent::kSynAckC : AdjacencyEvent::kSynAckNotC;
    case AdjacencyCode::kAck: return b && c ? AdjacencyEvent::kAckBC : AdjacencyEvent::kAckNotBC;
    case AdjacencyCode::kRstAck:
      return a && c ? AdjacencyEvent::kRstAckAC : AdjacencyEvent::kRstAckOther;
  }
  return AdjacencyEvent::kRstAckOther;  // a decoder lets no other code through
}

// A controller asks for a partition that is not ours to give.
bool Adjacency::partition_refused(const AdjacencyMessage& message) const {
  return !options_.master && message.code == AdjacencyCode::kSyn &&
         message.partition_type == kPartitionRequested && message.partition != options_.partition;
}

void Adjacency::perform(AdjacencyAction action, const AdjacencyMessage* cause, wire::Buffer& out) {
  switch (action) {
    case AdjacencyAction::kNothing:
    case AdjacencyAction::kDeliver: return;
    case AdjacencyAction::kUpdateSendSynAck:
      update_verifier(*cause);
      return send(AdjacencyCode::kSynAck, out);
    case AdjacencyAction::kUpdateSendAck:
      update_verifier(*cause);
      return send(AdjacencyCode::kAck, out);
    case AdjacencyAction::kSendSyn: return send(AdjacencyCode::kSyn, out);
    case AdjacencyAction::kSendSynAck: return send(AdjacencyCode::kSynAck, out);
    case AdjacencyAction::kSendAck: return send(AdjacencyCode::kAck, out);
    case AdjacencyAction::kSendRstAck: return send_rstack(*cause, partition_type_, out);
    case AdjacencyAction::kSendSynAtMostTwice:
      if (syns_ < 2) send(AdjacencyCode::kSyn, out);
      return;
    case AdjacencyAction::kSendSynAckAtMostTwice:
      if (syns_ < 2) send(AdjacencyCode::kSynAck, out);
      return;
    case AdjacencyAction::kSendAckAtMostTwice:
      if (acks_ < 2) send(AdjacencyCode::kAck, out);
      return;
    case AdjacencyAction::kSendAckAtMostOnce:
      if (acks_ < 1) send(AdjacencyCode::kAck, out);
      return;
    case AdjacencyAction::kReset: return reset(out);
  }
}

void Adjacency::update_verifier(const AdjacencyMessage& message) {
  peer_ = message.sender;
  peer_partition_ = message.partition;
  peer_flag_ = message.partition_flag;
  peer_timer_ = message.timer;
  if (options_.master) {
    if (message.partition_type == kPartitionAssigned) {
      partition_type_ = kPartitionAssigned;
      partition_ = message.partition;
    } else if (message.partition_type == kPartitionNone) {
      partition_type_ = kPartitionNone;
      partition_ = message.partition;
    }
  } else if (message.partition_type == kPartitionNone) {
    // The controller leaves it to us: from its next message on it will say what we assigned.
    peer_partition_ = partition_;
  }
}

void Adjacency::reset(wire::Buffer& out) {
  new_instance();
  peer_ = {};
  peer_partition_ = 0;
  peer_flag_ = 0;
  peer_timer_ = 0;
  partition_ = options_.partition;
  partition_type_ = options_.partition_type;
  flag_ = options_.partition_flag;
  send(AdjacencyCode::kSyn, out);
}

void Adjacency::new_instance() {
  constexpr std::uint32_t kInstanceMask = 0xffffff;
  const std::uint32_t last = self_.instance;
  std::uint32_t next = random_() & kInstanceMask;
  // Never 0, never the one just left; a source that repeats itself must not hold us up.
  while (next == 0 || next == last) next = (next + 1) & kInstanceMask;
  self_.instance = next;
}

void Adjacency::send(AdjacencyCode code, wire::Buffer& out) {
  AdjacencyMessage message;
  message.timer = options_.timer;
  message.code = code;
  message.from_master = options_.master && (code == AdjacencyCode::kSyn || options_.m_in_all);
  message.sender = self_;
  if (code != AdjacencyCode::kSyn) message.receiver = peer_;
  message.partition_type = partition_type_;
  message.partition_flag = flag_;
  message.partition = partition_;
  if (code == AdjacencyCode::kAck) ++acks_;
  if (code == AdjacencyCode::kSyn || code == AdjacencyCode::kSynAck) ++syns_;
  append_frame(out, message);
}

void Adjacency::send_rstack(const AdjacencyMessage& cause, std::uint8_t partition_type,
                            wire::Buffer& out) {
  AdjacencyMessage message;
  message.timer = options_.timer;
  message.code = AdjacencyCode::kRstAck;
  message.from_master = options_.master && options_.m_in_all;
  message.sender = cause.receiver;
  message.receiver = cause.sender;
  message.partition_type = partition_type;
  message.partition_flag = flag_;
  message.partition = partition_;
  append_frame(out, message);
}

std::string_view to_string(AdjacencyState state) {
  switch (state) {
    case AdjacencyState::kSynSent: return "SYNSENT";
    case AdjacencyState::kSynRcvd: return "SYNRCVD";
    case AdjacencyState::kEstab: return "ESTAB";
  }
  return "unknown adjacency state";
}

}  // namespace xbind::gsmp
