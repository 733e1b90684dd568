#include "cmgr/parts/call_log.hpp"

#include <chrono>

#include "core/name.hpp"

namespace xbind::cmgr {
namespace {

EventKind event_of(OutcomeKind kind) {
  switch (kind) {
    case OutcomeKind::kConnected: return EventKind::kConnected;
    case OutcomeKind::kRefused: return EventKind::kRefused;
    case OutcomeKind::kReleased: return EventKind::kReleased;
    case OutcomeKind::kBusy: return EventKind::kBusy;
    case OutcomeKind::kHeld: return EventKind::kHeld;
    case OutcomeKind::kModified: return EventKind::kModified;
    case OutcomeKind::kLeafAdded: return EventKind::kLeafAdded;
    case OutcomeKind::kLeafDropped: break;
  }
  return EventKind::kLeafDropped;
}

EventKind event_of(NoticeKind kind) {
  switch (kind) {
    case NoticeKind::kBroken: return EventKind::kBroken;
    case NoticeKind::kRerouted: return EventKind::kRerouted;
    case NoticeKind::kMended: return EventKind::kMended;
    case NoticeKind::kIncomplete: return EventKind::kIncomplete;
    case NoticeKind::kUnknown: break;
  }
  return EventKind::kPathUnknown;
}

std::string_view words_of(EndWhy why) {
  switch (why) {
    case EndWhy::kAsked: break;
    case EndWhy::kHoldExpired: return "the hold was not committed in time";
    case EndWhy::kByForce: return "an operator has ended it by force";
    case EndWhy::kAbandoned: return "its two-way caller was gone before it was set up";
    case EndWhy::kIncomplete:
      return "the manager was started again, and the ledgers do not have all of the call";
  }
  return "its client has released it";
}

// `why`: an Outcome or a Refusal.
template <class Why, class Record>
void add_details(const Why& why, Record& record) {
  record.detailed = true;
  record.asked = why.asked;
  record.free = why.free;
  record.element = why.element;
  record.reason.assign(why.reason, 0, CallLog::kReasonOctetsMax);
}

}  // namespace

CallLog::Record& CallLog::next(EventKind kind, Cause cause, const std::string& client,
                               const CallEnds* ends) {
  Record& record = ring_.next();
  record.kind = kind;
  record.cause = cause;
  record.detailed = false;
  if (record.ends.get() != ends) record.ends.reset(ends);
  if (record.client != client) record.client = client;  // often the same one
  return record;
}

void CallLog::outcome(const Outcome& outcome, const std::string& client, const CallEnds* ends) {
  Record& record = next(event_of(outcome.kind), outcome.cause, client, ends);
  record.connection = outcome.connection;
  record.request = outcome.request;
  if (outcome.cause == Cause::kNone) return;
  add_details(outcome, record);
}

void CallLog::notice(NoticeKind kind, ConnectionId connection, const std::string& client,
                     const CallEnds* ends, const Refusal& why) {
  Record& record = next(event_of(kind), why.cause, client, ends);
  record.connection = connection;
  record.request = {};
  add_details(why, record);
}

void CallLog::ended(EndWhy why, ConnectionId connection, const std::string& client,
                    const CallEnds* ends) {
  const Cause cause = why == EndWhy::kHoldExpired ? Cause::kHoldExpired : Cause::kNone;
  Record& record = next(EventKind::kEnded, cause, client, ends);
  record.connection = connection;
  record.request = {};
  record.detailed = true;
  record.asked = record.free = 0;
  record.element.clear();
  record.reason = words_of(why);
}

EventPage CallLog::page(std::uint64_t after, std::size_t limit, const Moment& now) const {
  EventPage page;
  page.newest = stamped_;
  const auto span = ring_.after(after, limit, stamped_);
  page.lost = span.lost;
  page.events.reserve(span.count);
  for (std::uint64_t number = span.first; number < span.first + span.count; ++number) {
    const Record& record = ring_[number];
    const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(now.now - record.at);
    xbind::Event& event = page.events.emplace_back();
    event.number = number;
    event.at_ms = now.utc_ms - static_cast<std::uint64_t>(age.count());
    event.kind = record.kind;
    event.object = record.client;
    event.connection = record.connection;
    event.request = record.request;
    if (record.ends) {
      event.from = record.ends->from;
      event.to = record.ends->to;
    }
    event.cause = record.cause;
    if (!record.detailed) continue;
    event.element = printable(record.element);
    event.asked = record.asked;
    event.free = record.free;
    event.text = printable(record.reason, 4 * kReasonOctetsMax);
  }
  return page;
}

}  // namespace xbind::cmgr
