#include "gsmp/adjacency_fsm.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "core/check.hpp"
#include "gsmp/framing.hpp"
#include "gsmp/messages/adjacency_v1.hpp"

namespace xbind::gsmp {
namespace {
constexpr int kPeriodsToLoss = 3;
}  // namespace

Adjacency::Adjacency(const AdjacencyOptions& options, std::function<std::uint32_t()> random)
    : options_(options), random_(std::move(random)) {
  XB_CHECK(options_.timer != 0 && options_.name != 0, options_.timer, options_.name);
  XB_CHECK(!options_.versions.empty(), options_.versions.size());
  for (const std::uint8_t version : options_.versions) {
    XB_CHECK(version == kVersion || version == v1::kVersion, version);
  }
  XB_CHECK(std::ranges::is_sorted(options_.versions, std::greater<>()), options_.versions.front());
  version_ = options_.versions.front();
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
  if (!version_fits(message)) {
    ++other_version_;
    return AdjacencyChange::kNone;
  }
  // Version 1.1 cannot distinguish a controller from a switch.
  if (message.code == AdjacencyCode::kSyn && message.version > v1::kVersion &&
      message.from_master == options_.master) {
    return AdjacencyChange::kNone;  // from an end with the same role
  }
  heard_ = now;
  syns_unanswered_ = 0;
  if (partition_refused(message)) {
    send_rstack(message, kPartitionRequested, out);
    return AdjacencyChange::kNone;
  }
  if (message.code == AdjacencyCode::kRstAck && message.partition_type == kPartitionRequested &&
      options_.master && partition_type_ == kPartitionRequested && message.receiver == self_) {
    partition_denied_ = true;
  }
  const bool was_established = established();
  const AdjacencyEvent event = classify(message);
  if (event == AdjacencyEvent::kSyn || event == AdjacencyEvent::kSynAckC) {
    agree_on(message.version, now);
  }
  const AdjacencyStep decided = step(state_, event);
  state_ = decided.next;
  perform(decided.action, &message, out);
  if (established() && !was_established) {
    effective_flag_ = version_ == v1::kVersion ? kRecoveredAdjacency : std::min(flag_, peer_flag_);
    return AdjacencyChange::kUp;
  }
  return was_established && !established() ? AdjacencyChange::kReset : AdjacencyChange::kNone;
}

bool Adjacency::admit(std::uint8_t version, TimePoint now, wire::Buffer& out) {
  if (!started_) return false;
  if (version != version_) {
    ++other_version_;
    return false;
  }
  heard_ = now;
  syns_unanswered_ = 0;
  const AdjacencyStep decided = step(state_, AdjacencyEvent::kOtherMessage);
  if (decided.action == AdjacencyAction::kDeliver) return true;
  perform(decided.action, nullptr, out);
  return false;
}

AdjacencyChange Adjacency::tick(TimePoint now, wire::Buffer& out) {
  if (!started_) return AdjacencyChange::kNone;
  if (may_take_lower() && syns_unanswered_ >= kSynsUnanswered && now >= period_end_) {
    take_lower(now);
  }
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
  // Loss requires strictly more than the limit. Without the extra nanosecond, a caller that sleeps
  // exactly until the deadline would spin.
  return std::min(period_end_, loss_deadline() + Duration(1));
}

TimePoint Adjacency::loss_deadline() const {
  // The peer may be silent because it does not speak our version: try the next one first.
  if (may_take_lower()) return kNever - Duration(1);
  const int timer = peer_timer_ != 0 ? peer_timer_ : options_.timer;
  return heard_ + kPeriodsToLoss * timer * kAdjacencyPeriodUnit;
}

void Adjacency::new_period(TimePoint now) {
  acks_ = 0;
  syns_ = 0;
  period_end_ = now + period();
}

// Version 1.1 cannot announce a period longer than a second.
Duration Adjacency::period() const {
  const std::uint8_t timer =
      version_ == v1::kVersion ? std::min(options_.timer, v1::kTimer) : options_.timer;
  return timer * kAdjacencyPeriodUnit;
}

// Accepts a SYN in any version we speak until the adjacency is up, and a SYNACK in the version of
// our own SYN or SYNACK. When SYNACKs have crossed, a lower version also fits. Everything else must
// have the agreed version.
bool Adjacency::version_fits(const AdjacencyMessage& message) const {
  if (message.version == version_) return true;
  const bool spoken =
      std::ranges::find(options_.versions, message.version) != options_.versions.end();
  if (!spoken || established()) return false;
  if (message.code == AdjacencyCode::kSyn) return true;
  return message.code == AdjacencyCode::kSynAck && state_ == AdjacencyState::kSynRcvd &&
         message.version < version_;
}

bool Adjacency::may_take_lower() const {
  return options_.master && state_ == AdjacencyState::kSynSent &&
         version_ == options_.versions[version_index_] &&
         version_index_ + 1 < options_.versions.size();
}

// The version cannot change while established: version_fits rejects every other version.
void Adjacency::agree_on(std::uint8_t version, TimePoint now) {
  version_ = version;
  period_end_ = std::min(period_end_, now + period());
}

void Adjacency::take_lower(TimePoint now) {
  version_ = options_.versions[++version_index_];
  syns_unanswered_ = 0;
  heard_ = now;
}

AdjacencyEvent Adjacency::classify(const AdjacencyMessage& message) const {
  const bool a = message.sender.instance == peer_.instance;
  // Version 1.1 has no partition field, so the partition always matches.
  const bool partitions = message.version > v1::kVersion;
  const bool b = message.sender == peer_ && (!partitions || message.partition == peer_partition_);
  const bool offers_partition =
      message.code == AdjacencyCode::kSyn || message.code == AdjacencyCode::kSynAck;
  const bool c = message.receiver == self_ && (!partitions || message.partition == partition_ ||
                                               (options_.master && offers_partition));
  switch (message.code) {
    case AdjacencyCode::kSyn: return AdjacencyEvent::kSyn;
    case AdjacencyCode::kSynAck: return c ? AdjacencyEvent::kSynAckC : AdjacencyEvent::kSynAckNotC;
    case AdjacencyCode::kAck: return b && c ? AdjacencyEvent::kAckBC : AdjacencyEvent::kAckNotBC;
    case AdjacencyCode::kRstAck:
      return a && c ? AdjacencyEvent::kRstAckAC : AdjacencyEvent::kRstAckOther;
  }
  return AdjacencyEvent::kRstAckOther;  // the decoder rejects every other code
}

// A controller requests a partition that this switch does not have.
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
  if (message.version == v1::kVersion) return;
  if (options_.master) {
    if (message.partition_type == kPartitionAssigned) {
      partition_type_ = kPartitionAssigned;
      partition_ = message.partition;
    } else if (message.partition_type == kPartitionNone) {
      partition_type_ = kPartitionNone;
      partition_ = message.partition;
    }
  } else if (message.partition_type == kPartitionNone) {
    // The controller lets us choose. Its next messages will carry the partition that we assigned.
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
  partition_denied_ = false;
  version_index_ = 0;
  version_ = options_.versions.front();
  syns_unanswered_ = 0;
  send(AdjacencyCode::kSyn, out);
}

void Adjacency::new_instance() {
  constexpr std::uint32_t kInstanceMask = 0xffffff;
  const std::uint32_t last = self_.instance;
  std::uint32_t next = random_() & kInstanceMask;
  // Never 0 and never the previous instance. Increment, because a random source may repeat itself.
  while (next == 0 || next == last) next = (next + 1) & kInstanceMask;
  self_.instance = next;
}

void Adjacency::send(AdjacencyCode code, wire::Buffer& out) {
  AdjacencyMessage message;
  message.version = version_;
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
  if (code == AdjacencyCode::kSyn) ++syns_unanswered_;
  append_frame(out, message);
}

void Adjacency::send_rstack(const AdjacencyMessage& cause, std::uint8_t partition_type,
                            wire::Buffer& out) {
  AdjacencyMessage message;
  message.version = cause.version;
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
