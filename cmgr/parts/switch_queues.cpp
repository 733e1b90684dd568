#include "cmgr/parts/switch_queues.hpp"

#include <algorithm>

#include "cmgr/parts/call_traces.hpp"
#include "core/wire_octets.hpp"

namespace xbind::cmgr {

SwitchQueues::SwitchQueues(const Config& config, Peers& peers, CallTimes& times, CallTraces& traces)
    : config_(config),
      peers_(peers),
      times_(times),
      traces_(traces),
      aggregation_(config.aggregation) {}

SwitchIndex SwitchQueues::add(const std::string& name) {
  const SwitchIndex index{static_cast<SwitchIndex::rep>(lines_.size())};
  lines_.push_back(std::make_unique<SwitchLine>(SwitchLine{index, name, Aggregator{aggregation_}}));
  return index;
}

void SwitchQueues::begin_session(SwitchIndex index, SessionId session,
                                 std::uint32_t batches_in_flight, TimePoint now) {
  SwitchLine& line = at(index);
  line.session = session;
  ++line.attachments;
  line.link =
      std::make_unique<SwitchLine::Session>(config_.switch_session.agreed(batches_in_flight), now);
}

void SwitchQueues::end_session(SwitchIndex index) {
  SwitchLine& line = at(index);
  resent_before_ += line.link->counters().resent;
  line.session = SessionId{};
  line.link.reset();
  line.queue.clear([&](TimesIndex call) { times_.dropped(call); });
}

void SwitchQueues::queue(SwitchIndex index, HopKey removal, TimesIndex times, TimePoint now) {
  SwitchLine& to = at(index);
  ++commands_;
  times_.queued(times);
  to.queue.add(removal, now, times);
  send_due(to, now, false);
}

void SwitchQueues::queue(SwitchIndex index, HopModify change, TimePoint now) {
  SwitchLine& to = at(index);
  ++commands_;
  to.queue.add(std::move(change), now);
  send_due(to, now, false);
}

void SwitchQueues::invoke(SwitchIndex index, HopBatch batch) {
  SwitchLine& to = at(index);
  commands_ += batch.commands();
  // Returned labels do not travel with it: if the invocation failed, nobody would know whether they
  // arrived. They travel in the session, which loses nothing.
  ++frames_out_;
  if (!batch.traced.empty()) traces_.sent(batch, index);
  peers_.invoke(to.session, to.name, std::move(batch));
}

void SwitchQueues::flush(TimePoint now) {
  count_batches();
  for (const auto& line : lines_) send_due(*line, now, true);
}

void SwitchQueues::flush_all(TimePoint now) {
  for (const auto& line : lines_) {
    line->queue.flush_now(now);
    send_due(*line, now, true);
  }
}

Result<void> SwitchQueues::tick(SwitchLine& line, TimePoint now) {
  if (line.link->next_deadline() > now) return {};
  repeats_.clear();
  const auto ticked = line.link->tick(now, repeats_);
  for (auto& frame : repeats_) transmit(line, std::move(frame));
  return ticked;
}

void SwitchQueues::count_batches() {
  batches_under_way_ = 0;
  for (const auto& line : lines_) {
    if (line->link) batches_under_way_ += line->link->unconfirmed();
  }
}

TimePoint SwitchQueues::next_deadline() const {
  TimePoint due = kNever;
  for (const auto& line : lines_) {
    if (!line->link) continue;
    due = std::min(due, line->link->next_deadline());
    // Without credit a due batch waits for a confirmation, not for the clock.
    if (line->link->has_credit()) due = std::min(due, line->queue.deadline());
  }
  return due;
}

void SwitchQueues::add_to(DeskCounters& sum) const {
  sum.frames_out += frames_out_;
  sum.commands += commands_;
  sum.batches_resent += resent_before_;
  for (const auto& line : lines_) {
    if (line->link) sum.batches_resent += line->link->counters().resent;
  }
}

void SwitchQueues::send_one(SwitchLine& to, TimePoint now) {
  HopBatch batch = to.queue.take([&](TimesIndex call) { times_.left(call, now); });
  if (!batch.traced.empty()) traces_.sent(batch, to.index);
  const std::size_t octets = wire_octets(batch);
  ++batches_under_way_;
  transmit(to, to.link->send(std::move(batch), octets, now));
}

void SwitchQueues::transmit(SwitchLine& to, session::Frame<HopBatch> frame) {
  ++frames_out_;
  peers_.to_switch(to.session, to.name, std::move(frame));
}

}  // namespace xbind::cmgr
