#include "bench/null/null_switch.hpp"

#include <utility>

#include "core/log.hpp"
#include "core/wire_octets.hpp"

namespace xbind::callgen::null {
namespace {

// Applies commands in the order of a SwitchServer, with the requested labels.
HopResultBatch acknowledge(const HopBatch& batch) {
  HopResultBatch out;
  out.results.reserve(batch.commands());
  for (const HopModify& modify : batch.modifies) {
    out.results.push_back(
        {modify.key, HopAction::kModify, Cause::kNone, {}, {}, {}, 0, 0, modify.revision});
  }
  PortLabels granted;
  std::size_t removals = 0;
  const auto remove_up_to = [&](std::size_t setups) {
    while (removals < batch.removals.size() && batch.removals[removals].after <= setups) {
      const HopKey& key = batch.removals[removals++].key;
      out.results.push_back({key, HopAction::kRemove, Cause::kNone, {}, {}, {}, 0, 0});
    }
  };
  for (std::size_t i = 0; i < batch.setups.size(); ++i) {
    remove_up_to(i);
    const HopSetup& setup = batch.setups[i];
    out.results.push_back({setup.key, setup.commit ? HopAction::kCommit : HopAction::kReserve,
                           Cause::kNone, setup.input_label, setup.output_label, PortId{}, 0, 0});
    granted.port = setup.output_port;
    granted.labels.insert(granted.labels.end(), setup.labels_wanted, {LabelKind::kAtm, 32});
  }
  remove_up_to(batch.setups.size());
  if (!granted.labels.empty()) out.granted.push_back(std::move(granted));
  return out;
}

}  // namespace

SessionId NullSwitch::attach(TimePoint now) {
  session_ = SessionId{next_session_++};
  link_ = std::make_unique<ManagerSession>(session::Limits{}, now);
  waiting_.clear();
  return session_;
}

void NullSwitch::detach(SessionId session) {
  if (session != session_) return;
  session_ = SessionId{};
  link_.reset();
  waiting_.clear();
}

void NullSwitch::on_commands(SessionId session, session::Frame<HopBatch> frame, TimePoint now) {
  if (session != session_ || !link_) return;
  ++frames_;
  std::vector<std::shared_ptr<const HopBatch>> batches;
  if (const auto received = link_->receive(std::move(frame), now, batches); !received) {
    log::warn("the manager: {}; its session ends", received.error().text);
    detach(session);
    return;
  }
  for (const auto& batch : batches) waiting_.push_back(acknowledge(*batch));
}

void NullSwitch::finish_step(TimePoint now, std::vector<ToManager>& out) {
  if (!link_) return;
  const std::size_t before = out.size();
  if (link_->next_deadline() <= now) {
    if (const auto ticked = link_->tick(now, out); !ticked) {
      log::warn("the manager: {}; its session ends", ticked.error().text);
      detach(session_);
      return;
    }
  }
  while (!waiting_.empty() && link_->has_credit()) {
    const std::size_t octets = wire_octets(waiting_.front());
    out.push_back(link_->send(std::move(waiting_.front()), octets, now));
    waiting_.pop_front();
  }
  frames_ += out.size() - before;
  if (waiting_.size() <= kMostWaiting) return;
  log::warn("session ended: {} results are unconfirmed by the manager", waiting_.size());
  detach(session_);
}

TimePoint NullSwitch::next_deadline() const { return link_ ? link_->next_deadline() : kNever; }

}  // namespace xbind::callgen::null
