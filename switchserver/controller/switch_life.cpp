#include "switchserver/controller/switch_life.hpp"

#include <algorithm>

#include "core/log.hpp"
#include "switchserver/controller/parts.hpp"

namespace xbind::controller {

using State = SwitchLink::State;

void SwitchLife::on_event(const driver::Event& event, TimePoint now) {
  parts_.now = now;
  if (const auto* up = std::get_if<driver::Up>(&event)) {
    on_up(*up);
  } else if (const auto* ports = std::get_if<driver::Ports>(&event)) {
    on_ports(*ports);
  } else if (std::holds_alternative<driver::Down>(event)) {
    on_down();
  } else if (const auto* done = std::get_if<driver::Done>(&event)) {
    on_done(*done);
  } else if (const auto* table = std::get_if<driver::Table>(&event)) {
    on_table(*table, now);
  } else if (const auto* counted = std::get_if<driver::Statistics>(&event)) {
    parts_.cells.on_counted(*counted);
  } else if (const auto* others = std::get_if<driver::Others>(&event)) {
    parts_.check.others(*others, now);
  }
  parts_.link.flush();
}

void SwitchLife::on_up(const driver::Up& up) {
  on_down();
  parts_.link.answered(Cause::kNone);
  parts_.settling.switch_up(up.kept);
  if (!up.kept) parts_.ledger.unblock_all();
  set_ports(up.ports);
  if (up.kept) {
    parts_.link.set_state(State::kReading);
    read_table();
  } else {
    match({});
  }
}

void SwitchLife::set_ports(const std::vector<SwitchPort>& ports) {
  const std::vector<PortId> no_room = parts_.ledger.set_ports(ports);
  if (no_room.empty()) return;
  log::gsmp.warn(
      "{} has {} ports more than the {} that a ledger keeps: port {} and others stay unknown",
      parts_.options.name, no_room.size(), PortNumbers::kPortsMax, no_room.front());
}

// The switch stayed up and keeps its connections. Until its table has been read nothing is added;
// what must be asserted again waits for that.
void SwitchLife::on_ports(const driver::Ports& ports) {
  const State state = parts_.link.state();
  Ledger& ledger = parts_.ledger;
  if (state == State::kDown) return;
  ++parts_.counters.port_changes;
  set_ports(ports.ports);
  if (ports.renewed.empty()) return;
  ledger.hops().for_each([&](HopRef ref, const HopRecord& record) {
    const PortId input = ledger.hops().cross_connect(record).input_port;
    const bool renewed = std::ranges::find(ports.renewed, input) != ports.renewed.end();
    // The driver repeats an add that is under way.
    if (!renewed || !record.settled()) return;
    if (state == State::kUp && !ledger.stacks().above(ref)) {
      parts_.hops.reassert(ref);
    } else {  // to be sent when it is live again, or when the table has been read
      ledger.step(ref, HopFsm::Event::kNotSent);
    }
  });
}

void SwitchLife::read_table() {
  reread_at_ = kNever;
  own_table_ = parts_.link.read_table();
}

// The driver has answered all requests before Down. This answers any that it left open.
void SwitchLife::on_down() {
  parts_.link.set_state(State::kDown);
  own_table_ = 0;
  reread_at_ = kNever;
  parts_.check.switch_down();
  parts_.match.switch_down();
  parts_.hops.switch_down();
  parts_.audits.switch_down();
  parts_.looks.switch_down();
  parts_.cells.switch_down();
  parts_.repairs.switch_down();
  parts_.ended.clear();
}

void SwitchLife::on_done(const driver::Done& done) {
  if (SwitchLink::request_of(done.cookie) == SwitchLink::Request::kTable) {
    return parts_.repairs.on_removed(done);
  }
  parts_.hops.on_done(done);
}

void SwitchLife::on_table(const driver::Table& table, TimePoint now) {
  if (table.cookie == own_table_ && own_table_ != 0) {
    own_table_ = 0;
    if (table.cause == Cause::kNone) {
      match(table.cross_connects);
    } else {
      reread_at_ = now + parts_.options.reread_after;
    }
    return;
  }
  const bool awaited =
      parts_.audits.take(table) || parts_.looks.take(table) || parts_.check.take(table, now);
  if (!awaited) ++parts_.counters.unexpected_answers;
  if (!parts_.reading()) parts_.ended.clear();
}

// The switch, whose whole table is given, is changed to match the ledger. It is up then.
void SwitchLife::match(const std::vector<CrossConnect>& table) {
  parts_.match.match_all(table);
  parts_.settling.table_read(parts_.now);
  parts_.claims.settle_uncertain();  // a manager may have been forgotten while the switch was away
  parts_.check.switch_up(parts_.now);
}

}  // namespace xbind::controller
