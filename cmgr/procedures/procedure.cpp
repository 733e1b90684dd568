#include "cmgr/procedures/procedure.hpp"

#include "cmgr/parts/label_debts.hpp"
#include "cmgr/procedures/hop_sender.hpp"
#include "core/check.hpp"

namespace xbind::cmgr {
namespace {

bool owes_a_removal(const Hops& hops) {
  return std::any_of(hops.begin(), hops.end(),
                     [](const Hop& hop) { return hop.state == HopState::kNotRemoved; });
}

}  // namespace

void EndProcedure::operator()(Procedure* procedure) const {
  ProcedurePlaces& places = procedure->context().connections.places();
  void* const at = dynamic_cast<void*>(procedure);  // start of the complete object
  procedure->~Procedure();
  places.give_back(at);
}

bool Connection::is_changing() const { return procedure != nullptr && procedure->aside(); }

State Connection::state() const {
  // A leaf or another path is set up beside the connection, which stays up meanwhile.
  if (procedure != nullptr && !is_changing()) return procedure->state();
  return stage_ == Stage::kUp ? State::kConnected : State::kGone;
}

void Procedure::setup_answered(Hop& hop, const HopResult& result, TimePoint now) {
  if (result.cause != Cause::kNone) {
    hop_refused(hop, result, now);
    return;
  }
  hop.state = result.action == HopAction::kReserve ? HopState::kReserved : HopState::kCommitted;
  if (--pending_ == 0) all_answered(result.action, now);
}

void Procedure::removal_answered(Hop& hop, Cause cause, TimePoint now) {
  // Not removed: the SwitchServer cannot reach its switch, or that has refused.
  hop.state = cause == Cause::kNone ? HopState::kRemoved : HopState::kNotRemoved;
  if (cause != Cause::kNone) removal_refused(hop, cause);
  if (--pending_ == 0) removals_over(owes_a_removal(hops()), now);
}

HopModify Procedure::change_for(const Hop& hop) const {
  XB_CHECK(false, connection_.id, hop.number);
  return {};
}

void Procedure::begin_removal(Hop& hop, TimePoint now) {
  ++pending_;
  if (hop.state == HopState::kRemoving) return;  // of a leaf that is being dropped
  context_.switches.debts().forgive_change(hop.at, key_of(connection_, hop));
  // A switch without a session gets no removal: it is owed once the others are done.
  if (!context_.switches.is_attached(hop.at)) {
    hop.state = HopState::kNotRemoved;
    --pending_;
    return;
  }
  // From now on no earlier answer of the hop counts; without an answer to the removal it is owed.
  hop.state = HopState::kRemoving;
  context_.sender.tell(*this, hop, Errand::kRemove, now);
}

void Procedure::removals_begun(TimePoint now) {
  if (pending_ == 0) {
    removals_over(owes_a_removal(hops()), now);
  } else {
    context_.sender.send_next(*this, now);
  }
}

void Procedure::removals_lost(SwitchIndex at, TimePoint now) {
  std::uint16_t lost = 0;
  for (Hop& hop : hops()) {
    if (hop.at != at) continue;
    const bool unsaid = std::exchange(hop.errand, Errand::kNone) != Errand::kNone;
    if (!unsaid && hop.state != HopState::kRemoving) continue;
    hop.state = HopState::kNotRemoved;
    ++lost;
  }
  pending_ = static_cast<std::uint16_t>(pending_ - lost);
  if (lost != 0 && pending_ == 0) removals_over(owes_a_removal(hops()), now);
}

void Procedure::owe_unconfirmed(TimePoint now) {
  cmgr::owe_unconfirmed({connection_, hops(), debt_labels(), stock()}, context_.switches, now);
}

void Procedure::settle(TimePoint now, const Hop* refused) {
  // Requests that were not answered while this path existed: the caches may request again.
  for (Hop& hop : hops()) {
    context_.sender.labels_answered(hop);
    context_.switches.caches().quota_answered(hop.at, hop.output_port, key_of(connection_, hop));
    context_.sender.unbook(connection_, hop);
  }
  settle_labels(hops(), debt_labels(), context_.switches, now, refused);
}

}  // namespace xbind::cmgr
