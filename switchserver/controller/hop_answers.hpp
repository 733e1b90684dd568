// Builds the HopResult of a command; shared by the controller's source files.
#pragma once

#include "core/hop.hpp"
#include "core/planted.hpp"
#include "switchserver/ledger/ledger.hpp"

namespace xbind {

inline HopAction action_of(const HopSetup& setup) {
  return setup.commit ? HopAction::kCommit : HopAction::kReserve;
}

inline HopResult refusal(const HopKey& key, HopAction action, Cause cause,
                         std::uint64_t asked = 0) {
  HopResult result;
  result.key = key;
  result.action = action;
  result.cause = cause;
  result.asked = asked;
  return result;
}

inline HopResult refusal(const HopKey& key, HopAction action, const Admission& refused) {
  HopResult result = refusal(key, action, refused.cause, refused.asked);
  result.port = refused.port;
  result.free = refused.free;
  return result;
}

// The same of a modify, whose revision it names.
inline HopResult refusal(const HopModify& modify, Cause cause, std::uint64_t asked = 0) {
  HopResult result = refusal(modify.key, HopAction::kModify, cause, asked);
  result.revision = modify.revision;
  return result;
}

inline HopResult refusal(const HopModify& modify, const Admission& refused) {
  HopResult result = refusal(modify.key, HopAction::kModify, refused);
  result.revision = modify.revision;
  return result;
}

inline HopResult success(const HopModify& modify) { return refusal(modify, Cause::kNone); }

// The command succeeded and has no labels to report.
inline HopResult success(const HopKey& key, HopAction action) {
  return refusal(key, action, Cause::kNone);
}

// The command succeeded; the result carries the labels that the manager does not know yet.
inline HopResult success(const HopRecord& record, HopAction action) {
  HopResult result = success(record.key, action);
  if (action == HopAction::kCommit && record.first()) {
    result.input_label = record.input_label();
  }
  // After a removal the manager must know which label rests in its quarantine. A label of an
  // earlier session may be there or may have lapsed, and only the ledger knows.
  const bool has_label = action == HopAction::kReserve ||
                         (action == HopAction::kCommit ? record.last() : !record.last());
  if (has_label) result.output_label = record.output_label();
  return result;
}

// What an answer to an add means for its hop.
inline HopFsm::Event answer_of(Cause cause) {
  if (cause == Cause::kNone) return HopFsm::Event::kAdded;
  if (cause == Cause::kSwitchRefused) return HopFsm::Event::kAddRefused;
  if (cause == Cause::kSwitchUnreachable) return HopFsm::Event::kAddLost;
  return HopFsm::Event::kAddUnanswered;
}

// The hop below, unless it is being removed as well.
inline const HopRecord* live_below(const Ledger& ledger, HopRef ref) {
  const auto below = ledger.stacks().below(ref);
  const HopRecord* const to = below ? &ledger.hops().hop(*below) : nullptr;
  const bool lives = to != nullptr && to->stage() == HopStage::kCommitted;
  return lives && !planted(Bug::kHopMoveBackDeletes) ? to : nullptr;
}

}  // namespace xbind
