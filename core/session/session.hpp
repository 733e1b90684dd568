// One end of a session: numbered batches out, numbered batches in, over a transport that may lose,
// repeat and reorder every message (docs/invariants.md, 5). Client - manager and manager -
// SwitchServer are the same protocol; both ends use this class.
//
//   send(batch) ──▶ [seq n, confirmed m] ──▶ transport ──▶ receive() ──▶ in order, once
//
// * Every batch gets the next number and is kept until the peer has confirmed it. A timer with
//   back-off repeats it under the same number. A peer that keeps sending without confirming the
//   oldest batch does not have it, so that batch is repeated at once. For this purpose a peer that
//   holds back batches behind a gap confirms after `gap_after`.
// * Batches are applied in the order of their numbers. Batches behind a gap are held back. Repeats
//   are dropped and confirmed at once (the peer repeats because our confirmation was lost).
// * Confirmations are cumulative and travel with the batches of the other direction. A frame
// without
//   a batch (seq 0) is sent only when no batch was sent for `confirm_after`, or when half the
//   peer's window is unconfirmed.
// * Life: an idle end sends a frame every `heartbeat`. An end that has received nothing for `lease`
//   ends the session, and what was granted to the peer lapses with it.
// * Credits: at most `batches_in_flight` batches and about `octets_in_flight` octets are
// unconfirmed
//   at a time; the peer holds back as many. Attach sends the peer one window for both directions
//   (Limits::agreed). The octets stay below the socket's send buffer (orb/runtime.cpp sets it), so
//   a direct write to a peer that has stopped reading cannot block. One batch is always allowed.
//
// Threads: one at a time, the one that runs the owner's logic. Pure: no clock, no transport; the
// owner sends the frames and calls tick() at next_deadline().
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/planted.hpp"
#include "core/result.hpp"
#include "core/timers.hpp"

namespace xbind::session {

struct Limits {
  std::uint32_t batches_in_flight = 256;  // our window: own batches, unconfirmed
  std::uint32_t batches_held_back = 256;  // the window we grant: the peer's batches behind a gap
  // The default is an estimate: 100,000 calls a second are 15 MB a second each way, and a round
  // trip between busy processes takes tens of milliseconds. orb::connection_credit() bounds real
  // sessions.
  std::size_t octets_in_flight = 384 * 1024;
  // First repeat; doubles up to resend_max. Short enough that a batch lost four times in a row
  // arrives well before a call's timers expire. Longer than confirm_after and a busy peer's answer.
  Duration resend_after = kCoreTimers["resend-after"];
  // Age of a gap at which we confirm again. Also the age of our oldest batch at which a
  // confirmation without it counts as a loss; this one doubles as well. More than a round trip.
  Duration gap_after = kCoreTimers["gap-after"];
  Duration resend_max = kCoreTimers["resend-max"];
  Duration repeat_gap = kCoreTimers["repeat-gap"];  // least time from progress to a repeat
  // After this time without a confirmation the peer is lost and the owner ends the session.
  Duration give_up_after = kCoreTimers["give-up-after"];
  Duration confirm_after = kCoreTimers["confirm-after"];
  Duration heartbeat = kCoreTimers["heartbeat"];
  Duration lease = kCoreTimers["lease"];

  // The limits at the end that attached: both directions use the window that the other end has
  // sent.
  Limits agreed(std::uint32_t peer_window) const {
    Limits limits = *this;
    limits.batches_in_flight = std::min(batches_in_flight, peer_window);
    limits.batches_held_back = peer_window;
    return limits;
  }
};

// One message. seq 0: a confirmation without a batch.
template <class Batch>
struct Frame {
  BatchSeq seq;
  BatchSeq confirmed;  // every batch of the other direction up to this one has been applied
  std::shared_ptr<const Batch> batch;
};

struct Counters {
  std::uint64_t sent = 0;       // our first transmissions
  std::uint64_t resent = 0;     // our repeats
  std::uint64_t applied = 0;    // the peer's batches, in order
  std::uint64_t repeated = 0;   // the peer's repeats, dropped
  std::uint64_t held_back = 0;  // the peer's batches that arrived behind a gap
};

template <class Out, class In>
class Session {
 public:
  Session(Limits limits, TimePoint now)
      : limits_(limits), last_heard_(now), heartbeat_due_(now + limits.heartbeat) {}

  // `callback` runs for each of our batches that the peer has confirmed, in order, within
  // receive().
  void on_confirmed(std::function<void(const Out&)> callback) {
    on_confirmed_ = std::move(callback);
  }

  // --- our direction ----------------------------------------------------------------------------

  // Whether send() may be called now. Until then the owner keeps collecting commands; the next
  // batch becomes larger.
  bool has_credit() const {
    return unconfirmed_.empty() || (unconfirmed_.size() < limits_.batches_in_flight &&
                                    octets_in_flight_ < limits_.octets_in_flight);
  }

  // Numbers and keeps `batch`; returns the frame to transmit. Requires has_credit(). `octets` must
  // be at least the batch's size on the wire (core/wire_octets.hpp).
  Frame<Out> send(Out batch, std::size_t octets, TimePoint now) {
    XB_CHECK(has_credit(), unconfirmed_.size(), octets_in_flight_);
    const BatchSeq seq{next_seq_++};
    auto kept = std::make_shared<const Out>(std::move(batch));
    unconfirmed_.push_back({seq, kept, octets, now, now, now + limits_.resend_after,
                            limits_.resend_after, limits_.gap_after});
    octets_in_flight_ += octets;
    ++counters_.sent;
    return confirming(Frame<Out>{seq, {}, std::move(kept)}, now);
  }

  // --- the peer's direction ---------------------------------------------------------------------

  // Receives a frame and appends to `apply` the batches that are now in order, each exactly once.
  // Refuses (kProtocol) a number beyond the window we granted, a number without a batch, and a
  // confirmation of a batch that was never sent.
  Result<void> receive(Frame<In> frame, TimePoint now,
                       std::vector<std::shared_ptr<const In>>& apply) {
    if (frame.confirmed.value() >= next_seq_) {
      return fail(ErrorCode::kProtocol, "peer confirms batch {}, the last one sent is {}",
                  frame.confirmed, next_seq_ - 1);
    }
    last_heard_ = now;
    confirm(frame.confirmed, now);
    if (frame.seq.value() == 0) return {};
    if (frame.seq.value() <= applied_) {
      ++counters_.repeated;
      confirm_due_ = now;
      if (planted(Bug::kRepeatsApplied) && frame.batch) apply.push_back(std::move(frame.batch));
      return {};
    }
    if (frame.seq.value() - applied_ > limits_.batches_held_back) {
      return fail(ErrorCode::kProtocol, "batch {} is beyond the window: {} applied, {} allowed",
                  frame.seq, applied_, limits_.batches_held_back);
    }
    if (!frame.batch) {
      return fail(ErrorCode::kProtocol, "number {} comes without a batch", frame.seq);
    }
    if (frame.seq.value() != applied_ + 1 && planted(Bug::kGapSkipped)) {
      applied_ = frame.seq.value() - 1;
    }
    if (frame.seq.value() != applied_ + 1) {
      const bool fresh = held_back_.emplace(frame.seq.value(), std::move(frame.batch)).second;
      ++(fresh ? counters_.held_back : counters_.repeated);
      confirm_due_ = std::min(confirm_due_, now + limits_.gap_after);
      return {};
    }
    apply.push_back(std::move(frame.batch));
    ++applied_;
    // The peer repeats one batch at a time, so confirm at once that the gap is closed.
    if (!held_back_.empty()) confirm_due_ = now;
    while (!held_back_.empty() && held_back_.begin()->first == applied_ + 1) {
      apply.push_back(std::move(held_back_.begin()->second));
      held_back_.erase(held_back_.begin());
      ++applied_;
    }
    counters_.applied = applied_;
    if (confirm_due_ == kNever) confirm_due_ = now + limits_.confirm_after;
    if (applied_ - last_confirmed_ >= limits_.batches_held_back / 2) confirm_due_ = now;
    return {};
  }

  // --- time -------------------------------------------------------------------------------------

  // Appends the frames that are due: repeats, and a lone confirmation or heartbeat. Fails
  // (kTimeout) when the oldest batch has waited longer than give_up_after, or when nothing was
  // received for the lease; the owner then ends the session.
  Result<void> tick(TimePoint now, std::vector<Frame<Out>>& transmit) {
    if (!unconfirmed_.empty() && now - unconfirmed_.front().first_sent >= limits_.give_up_after) {
      return fail(ErrorCode::kTimeout, "batch {} has not been confirmed for {} ms",
                  unconfirmed_.front().seq, in_ms(limits_.give_up_after));
    }
    if (now - last_heard_ >= limits_.lease) {
      return fail(ErrorCode::kTimeout, "nothing has been heard for {} ms", in_ms(limits_.lease));
    }
    // Only the oldest batch is repeated. Its confirmation includes the batches that the peer holds
    // back behind the gap; the next gap then becomes the oldest, with its own timer.
    if (!unconfirmed_.empty() && unconfirmed_.front().resend_at <= now) {
      Kept& oldest = unconfirmed_.front();
      oldest.back_off = std::min(oldest.back_off * 2, limits_.resend_max);
      oldest.resend_at = now + oldest.back_off;
      oldest.believed_after = std::min(oldest.believed_after * 2, limits_.resend_max);
      oldest.last_sent = now;
      ++counters_.resent;
      transmit.push_back(confirming(Frame<Out>{oldest.seq, {}, oldest.batch}, now));
    }
    if (confirm_due_ <= now || heartbeat_due_ <= now) {
      transmit.push_back(confirming(Frame<Out>{}, now));
    }
    return {};
  }

  // When tick() has something to do next.
  TimePoint next_deadline() const {
    TimePoint due = std::min({confirm_due_, heartbeat_due_, last_heard_ + limits_.lease});
    if (!unconfirmed_.empty()) {
      due = std::min({due, unconfirmed_.front().resend_at,
                      unconfirmed_.front().first_sent + limits_.give_up_after});
    }
    return due;
  }

  bool idle() const { return unconfirmed_.empty() && held_back_.empty(); }
  std::size_t unconfirmed() const { return unconfirmed_.size(); }
  std::size_t octets_in_flight() const { return octets_in_flight_; }
  BatchSeq applied() const { return BatchSeq{applied_}; }
  BatchSeq last_sent() const { return BatchSeq{next_seq_ - 1}; }
  const Counters& counters() const { return counters_; }
  const Limits& limits() const { return limits_; }

 private:
  struct Kept {
    BatchSeq seq;
    std::shared_ptr<const Out> batch;
    std::size_t octets;
    TimePoint first_sent;
    TimePoint last_sent;
    TimePoint resend_at;
    Duration back_off;
    // Minimum age at which a confirmation without this batch means that it is lost.
    Duration believed_after;
  };

  static std::int64_t in_ms(Duration duration) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
  }

  Frame<Out> confirming(Frame<Out> frame, TimePoint now) {
    frame.confirmed = BatchSeq{applied_};
    last_confirmed_ = applied_;
    confirm_due_ = kNever;
    heartbeat_due_ = now + limits_.heartbeat;
    return frame;
  }

  void confirm(BatchSeq up_to, TimePoint now) {
    bool progress = false;
    while (!unconfirmed_.empty() && unconfirmed_.front().seq <= up_to) {
      octets_in_flight_ -= unconfirmed_.front().octets;
      if (on_confirmed_) on_confirmed_(*unconfirmed_.front().batch);
      unconfirmed_.pop_front();
      progress = true;
    }
    if (unconfirmed_.empty()) return;
    Kept& oldest = unconfirmed_.front();
    if (progress) {
      // The peer is alive. If it is only slow, do not repeat at once every batch that becomes the
      // oldest and is already overdue.
      oldest.resend_at = std::max(oldest.resend_at, now + limits_.repeat_gap);
    } else if (now - oldest.last_sent >= oldest.believed_after) {
      oldest.resend_at = std::min(oldest.resend_at, now);
    }
  }

  Limits limits_;
  std::uint64_t next_seq_ = 1;
  std::deque<Kept> unconfirmed_;  // at most limits_.batches_in_flight
  std::size_t octets_in_flight_ = 0;

  std::uint64_t applied_ = 0;
  std::uint64_t last_confirmed_ = 0;
  std::map<std::uint64_t, std::shared_ptr<const In>> held_back_;  // at most batches_held_back
  TimePoint confirm_due_ = kNever;
  TimePoint last_heard_;
  TimePoint heartbeat_due_;
  Counters counters_;
  std::function<void(const Out&)> on_confirmed_;
};

}  // namespace xbind::session
