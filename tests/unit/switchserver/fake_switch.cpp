#include "fake_switch.hpp"

#include <algorithm>

namespace xbind {

FakeSwitch::FakeSwitch() = default;

FakeSwitch::~FakeSwitch() = default;

void FakeSwitch::add(const CrossConnect& at, const TrafficContract& contract,
                     driver::Cookie cookie) {
  ++adds;
  queue_.push_back({Kind::kAdd, at, cookie, contract});
}

void FakeSwitch::remove(const CrossConnect& at, driver::Cookie cookie) {
  ++removes;
  queue_.push_back({Kind::kRemove, at, cookie});
}

void FakeSwitch::move(const CrossConnect& at, PortId port, Label label,
                      const TrafficContract& contract, driver::Cookie cookie) {
  ++moves;
  queue_.push_back({Kind::kMove, at, cookie, contract, port, label});
}

void FakeSwitch::read_table(driver::Cookie cookie) {
  ++whole_reads;
  queue_.push_back({Kind::kRead, {}, cookie});
}

void FakeSwitch::read_inputs(const std::vector<driver::Input>& inputs, driver::Cookie cookie) {
  inputs_read = inputs;
  queue_.push_back({Kind::kReadInputs, {}, cookie});
}

void FakeSwitch::read_statistics(PortId port, Label, driver::Cookie cookie) {
  queue_.push_back({Kind::kCount, {port, {}, {}, {}}, cookie});
}

void FakeSwitch::flush() {
  ++flushes;
  EXPECT_FALSE(queue_.empty()) << "a flush with nothing queued";
  for (const Request& request : queue_) perform(request);
  queue_.clear();
}

std::vector<driver::Event> FakeSwitch::break_session() {
  std::vector<driver::Event> events;
  for (const Answer& answer : answers) {
    if (const auto* done = std::get_if<driver::Done>(&answer.event)) {
      events.push_back(driver::Done{done->cookie, Cause::kSwitchUnreachable, 0});
    } else if (const auto* counted = std::get_if<driver::Statistics>(&answer.event)) {
      events.push_back(
          driver::Statistics{counted->cookie, Cause::kSwitchUnreachable, 0, false, {}});
    } else {
      events.push_back(driver::Table{
          std::get<driver::Table>(answer.event).cookie, Cause::kSwitchUnreachable, {}});
    }
  }
  answers.clear();
  events.push_back(driver::Down{"the session broke"});
  return events;
}

void FakeSwitch::perform_move(const Request& request) {
  driver::Done done{request.cookie, Cause::kNone, 0};
  CrossConnect to = request.at;
  to.output_port = request.to_port;
  to.output_label = request.to_label;
  done.absent = !table.contains(request.at);
  done.failure_code = done.absent ? std::uint8_t{12} : refuse_move(request.at);
  if (done.failure_code != 0) {
    done.cause = Cause::kSwitchRefused;
  } else {
    EXPECT_FALSE(table.contains(to)) << "a move onto an existing cross-connect";
    table.erase(request.at);
    contracts.erase(request.at);
    table.insert(to);
    contracts[to] = request.contract;
  }
  answers.push_back({true, done});
}

void FakeSwitch::perform(const Request& request) {
  if (request.kind == Kind::kRead) {
    driver::Table read{request.cookie, table_cause, {}};
    if (table_cause == Cause::kNone) read.cross_connects.assign(table.begin(), table.end());
    answers.push_back({false, read});
    return;
  }
  if (request.kind == Kind::kReadInputs) {
    driver::Table read{request.cookie, table_cause, {}};
    for (const CrossConnect& at : table) {
      const bool asked =
          std::find(inputs_read.begin(), inputs_read.end(),
                    driver::Input{at.input_port, at.input_label}) != inputs_read.end();
      if (asked && table_cause == Cause::kNone) read.cross_connects.push_back(at);
    }
    answers.push_back({false, read});
    return;
  }
  if (request.kind == Kind::kCount) {
    answers.push_back({false, driver::Statistics{request.cookie, Cause::kNone, 0, false,
                                                 cells[request.at.input_port]}});
    return;
  }
  if (request.kind == Kind::kMove) return perform_move(request);
  const bool add = request.kind == Kind::kAdd;
  driver::Done done{request.cookie, Cause::kNone, 0};
  done.failure_code = add ? refuse_add(request.at) : refuse_remove(request.at);
  if (done.failure_code != 0) {
    done.cause = Cause::kSwitchRefused;
  } else if (add) {
    for (const CrossConnect& there : table) {
      if (there.input_port == request.at.input_port &&
          there.input_label == request.at.input_label && !(there == request.at) &&
          !may_branch(there, request.at)) {
        ++branches;
      }
    }
    table.insert(request.at);
    contracts[request.at] = request.contract;
  } else {
    table.erase(request.at);
    contracts.erase(request.at);
  }
  answers.push_back({add, done});
}

}  // namespace xbind
