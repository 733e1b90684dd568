#include "tests/conformance/driver/stage.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace xbind::driver_kit {
namespace {

constexpr int kRoundsMax = 10'000;  // until driver and switch count as never falling silent

}  // namespace

Stage::Stage(Rig& rig, const Wrap& wrap) : rig_(rig), ports_(rig.ports()) {
  driver_ = rig_.make_driver();
  if (wrap) driver_ = wrap(std::move(driver_));
  driver_->start([this](std::size_t) { ++wakes_; });
}

void Stage::complain(const std::string& what) const { ADD_FAILURE() << what; }

// ----- requests -------------------------------------------------------------------------------

driver::Cookie Stage::open(Answer answer) {
  open_.emplace(++last_, answer);
  return last_;
}

driver::Cookie Stage::add(const CrossConnect& at, const TrafficContract& contract) {
  const driver::Cookie cookie = open(Answer::kDone);
  driver_->requests().add(at, contract, cookie);
  return cookie;
}

driver::Cookie Stage::remove(const CrossConnect& at) {
  const driver::Cookie cookie = open(Answer::kDone);
  driver_->requests().remove(at, cookie);
  return cookie;
}

driver::Cookie Stage::move(const CrossConnect& at, PortId port, Label label,
                           const TrafficContract& contract) {
  const driver::Cookie cookie = open(Answer::kDone);
  driver_->requests().move(at, port, label, contract, cookie);
  return cookie;
}

driver::Cookie Stage::read_table() {
  const driver::Cookie cookie = open(Answer::kTable);
  driver_->requests().read_table(cookie);
  return cookie;
}

driver::Cookie Stage::read_port(PortId port) {
  const driver::Cookie cookie = open(Answer::kTable);
  driver_->requests().read_port(port, cookie);
  return cookie;
}

driver::Cookie Stage::read_inputs(const std::vector<driver::Input>& inputs) {
  const driver::Cookie cookie = open(Answer::kTable);
  driver_->requests().read_inputs(inputs, cookie);
  return cookie;
}

driver::Cookie Stage::read_statistics(PortId port, Label label) {
  const driver::Cookie cookie = open(Answer::kStatistics);
  driver_->requests().read_statistics(port, label, cookie);
  return cookie;
}

// ----- between driver and switch ---------------------------------------------------------------

void Stage::step() {
  while (wakes_ > 0) {
    --wakes_;
    driver_->on_wake(now_);
  }
  take_events();
  driver_->unsent_requests();
  driver_->transmit();
}

void Stage::settle() {
  for (int round = 0; round < kRoundsMax; ++round) {
    step();
    const bool requests = rig_.carry_requests(now_);
    const bool answers = rig_.carry_answers(now_);
    if (!requests && !answers && wakes_ == 0) return;
  }
  complain("driver and switch never fall silent");
}

void Stage::play() {
  flush();
  settle();
}

void Stage::pass(Duration time) {
  const TimePoint end = now_ + time;
  for (int tick = 0; driver_->next_deadline() <= end; ++tick) {
    if (tick == kRoundsMax) return complain("next_deadline() does not move");
    now_ = std::max(now_, driver_->next_deadline());
    driver_->tick(now_);
    step();
  }
  now_ = end;
}

void Stage::pass_and_settle(Duration time) {
  constexpr Duration kPiece = std::chrono::milliseconds{100};
  for (Duration left = time; left > Duration::zero(); left -= kPiece) {
    pass(std::min(left, kPiece));
    settle();
  }
}

std::optional<driver::Up> Stage::come_up() {
  rig_.connect(now_);
  settle();
  return take_one<driver::Up>();
}

void Stage::cut() {
  rig_.cut(now_);
  step();
}

void Stage::end_driver() {
  driver_->stop();
  wakes_ = 0;
  open_.clear();  // nothing waits for answers after the driver's end
  driver_.reset();
}

// ----- results ---------------------------------------------------------------------------------

void Stage::take_events() {
  std::vector<driver::Event> events;
  // Handling events may queue new ones: repeat until there are none, as the daemon does.
  for (;;) {
    driver_->take_events(events);
    if (events.empty()) return;
    for (const driver::Event& event : events) {
      if (const auto* done = std::get_if<driver::Done>(&event)) {
        close(done->cookie, Answer::kDone);
        done_[done->cookie] = *done;
      } else if (const auto* table = std::get_if<driver::Table>(&event)) {
        close(table->cookie, Answer::kTable);
        tables_[table->cookie] = *table;
      } else if (const auto* counted = std::get_if<driver::Statistics>(&event)) {
        close(counted->cookie, Answer::kStatistics);
        statistics_[counted->cookie] = *counted;
      } else {
        on_news(event);
      }
    }
  }
}

void Stage::close(driver::Cookie cookie, Answer answer) {
  const auto open = open_.find(cookie);
  if (open == open_.end()) {
    complain(fmt::format("an answer to cookie {}, under which no request is open", cookie));
  } else if (open->second != answer) {
    complain(fmt::format("cookie {} is answered by an event of another kind", cookie));
  } else {
    open_.erase(open);
  }
}

void Stage::on_news(const driver::Event& event) {
  if (std::holds_alternative<driver::Up>(event)) {
    if (std::exchange(up_, true)) complain("Up while the switch is up");
  } else if (const auto* down = std::get_if<driver::Down>(&event)) {
    if (!std::exchange(up_, false)) complain("Down while the switch is down");
    if (down->reason.empty()) complain("Down without a reason");
    if (!open_.empty()) complain(fmt::format("{} requests are open at Down", open_.size()));
  } else if (!up_) {
    complain("Ports while the switch is down");
  }
  news_.push_back(event);
}

driver::Done Stage::done(driver::Cookie cookie) {
  const auto found = done_.find(cookie);
  if (found != done_.end()) return found->second;
  complain(fmt::format("request {} is not answered", cookie));
  return {cookie, Cause::kTimeout};
}

driver::Table Stage::table(driver::Cookie cookie) {
  const auto found = tables_.find(cookie);
  if (found != tables_.end()) return found->second;
  complain(fmt::format("the reading {} of the table is not answered", cookie));
  return {cookie, Cause::kTimeout, {}};
}

driver::Statistics Stage::statistics(driver::Cookie cookie) {
  const auto found = statistics_.find(cookie);
  if (found != statistics_.end()) return found->second;
  complain(fmt::format("the reading {} of counters is not answered", cookie));
  return {cookie, Cause::kTimeout, 0, false, {}};
}

void Stage::expect_all_answered() {
  for (const auto& [cookie, answer] : open_) {
    complain(fmt::format("request {} is not answered", cookie));
  }
}

CrossConnect Stage::cross(std::uint32_t in, std::uint32_t out) const {
  return {port(0), rig_.label(in), port(1), rig_.label(out)};
}

CrossConnect Stage::there_is(const CrossConnect& at, const TrafficContract& contract) {
  const driver::Cookie cookie = add(at, contract);
  play();
  EXPECT_EQ(done(cookie).cause, Cause::kNone) << "the add that the story begins with";
  return at;
}

}  // namespace xbind::driver_kit
