#include "cmgr/parts/call_traces.hpp"

#include <algorithm>
#include <utility>

#include "core/call.hpp"

namespace xbind::cmgr {

CallRecord CallTraces::record_of(const Connection& connection, CallRecord::Kind kind) const {
  CallRecord record;
  record.at = now_;
  record.connection = connection.id;
  record.kind = kind;
  return record;
}

void CallTraces::begun(const Connection& connection, const char* name) {
  CallRecord record = record_of(connection, CallRecord::Kind::kBegun);
  record.name = name;
  record.shown_id = connection.shown_id();
  record.request = connection.asker().value_or(Asker{}).request;
  const CallEnds& ends = *connection.ends;
  record.words = std::make_unique<const std::string>(ends.from + " -> " + ends.to);
  records_.add(std::move(record));
}

void CallTraces::state(const Connection& connection, const char* name) {
  CallRecord record = record_of(connection, CallRecord::Kind::kState);
  record.name = name;
  records_.add(std::move(record));
}

void CallTraces::ended(const Connection& connection, Cause cause) {
  CallRecord record = record_of(connection, CallRecord::Kind::kEnded);
  record.cause = cause;
  records_.add(std::move(record));
}

void CallTraces::stages(const Connection& connection, const CallTimes& times, TimesIndex call) {
  times.visit_stages(call, [&](std::string_view name, TimePoint from, TimePoint until) {
    CallRecord record = record_of(connection, CallRecord::Kind::kStage);
    record.name = name.data();  // the name of an enumerator, a whole literal
    record.at = from;
    record.until = until;
    records_.add(std::move(record));
  });
}

void CallTraces::whole(const Connection& connection, const char* name, const CallTimes& times,
                       TimesIndex call, const Refusal* refusal) {
  begun(connection, name);
  stages(connection, times, call);
  if (refusal != nullptr) why_refused(connection, *refusal);
  ended(connection, refusal == nullptr ? Cause::kNone : refusal->cause);
}

void CallTraces::why_refused(const Connection& connection, const Refusal& refusal) {
  Outcome outcome;
  outcome.kind = OutcomeKind::kRefused;
  outcome.cause = refusal.cause;
  outcome.element = refusal.element;
  outcome.asked = refusal.asked;
  outcome.free = refusal.free;
  outcome.reason = refusal.reason;
  // Without the cause, which the span names anyway.
  std::string words = explain(outcome).substr(to_string(refusal.cause).size());
  if (words.empty()) return;
  CallRecord record = record_of(connection, CallRecord::Kind::kRefused);
  record.words = std::make_unique<const std::string>(std::move(words));
  records_.add(std::move(record));
}

void CallTraces::sent(const HopBatch& batch, SwitchIndex to) {
  const trace::ConnectionSet traced(batch.traced);
  const auto note = [&](const HopKey& key, HopAction action, std::uint32_t revision) {
    if (!traced.contains(key.connection)) return;
    CallRecord record;
    record.at = now_;
    record.connection = key.connection;
    record.kind = CallRecord::Kind::kSent;
    record.action = action;
    record.place = to;
    record.revision = revision;
    record.hop = key;
    records_.add(std::move(record));
  };
  for (const HopModify& change : batch.modifies) {
    note(change.key, HopAction::kModify, change.revision);
  }
  for (const HopSetup& setup : batch.setups) {
    note(setup.key, setup.commit ? HopAction::kCommit : HopAction::kReserve, 0);
  }
  for (const HopRemoval& removal : batch.removals) note(removal.key, HopAction::kRemove, 0);
}

void CallTraces::answered(SwitchIndex from, const HopResult& result) {
  CallRecord record;
  record.at = now_;
  record.connection = result.key.connection;
  record.kind = CallRecord::Kind::kAnswered;
  record.action = result.action;
  record.cause = result.cause;
  record.place = from;
  record.port = result.port;
  record.revision = result.revision;
  record.hop = result.key;
  records_.add(std::move(record));
}

}  // namespace xbind::cmgr
