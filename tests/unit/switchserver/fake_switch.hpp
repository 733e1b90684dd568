// A SwitchDriver that answers from memory, when and how the test says. Requests take effect in the
// order in which they were queued, at flush(); their answers wait until the test delivers them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "switchserver/switch_driver.hpp"

namespace xbind {

class FakeSwitch : public SwitchDriver {
 public:
  struct Answer {
    bool add = false;
    driver::Event event;  // Done or Table
  };

  // What the switch has. One input with two outputs is a branch nobody asked for: see branches.
  std::set<CrossConnect> table;
  std::map<CrossConnect, TrafficContract> contracts;  // of what is in the table
  std::map<PortId, CellCounters> cells;               // what read_statistics() tells
  std::deque<Answer> answers;                         // not delivered yet
  int adds = 0;
  int removes = 0;
  int moves = 0;
  int flushes = 0;
  int branches = 0;  // adds on an input that had a cross-connect already
  // GSMP failure code for an add (a remove), 0 to do it.
  std::function<std::uint8_t(const CrossConnect&)> refuse_add = [](const CrossConnect&) {
    return std::uint8_t{0};
  };
  std::function<std::uint8_t(const CrossConnect&)> refuse_remove = refuse_add;
  std::function<std::uint8_t(const CrossConnect& from)> refuse_move = refuse_add;
  Cause table_cause = Cause::kNone;
  // Whether the add beside what is there on the same input is meant as a branch.
  std::function<bool(const CrossConnect& there, const CrossConnect& added)> may_branch =
      [](const CrossConnect&, const CrossConnect&) { return false; };

  void add(const CrossConnect& at, const TrafficContract& contract,
           driver::Cookie cookie) override {
    ++adds;
    queue_.push_back({Kind::kAdd, at, cookie, contract});
  }
  void remove(const CrossConnect& at, driver::Cookie cookie) override {
    ++removes;
    queue_.push_back({Kind::kRemove, at, cookie});
  }
  void move(const CrossConnect& at, PortId port, Label label, const TrafficContract& contract,
            driver::Cookie cookie) override {
    ++moves;
    queue_.push_back({Kind::kMove, at, cookie, contract, port, label});
  }
  void read_table(driver::Cookie cookie) override { queue_.push_back({Kind::kRead, {}, cookie}); }
  void read_statistics(PortId port, Label, driver::Cookie cookie) override {
    queue_.push_back({Kind::kCount, {port, {}, {}, {}}, cookie});
  }
  void flush() override {
    ++flushes;
    EXPECT_FALSE(queue_.empty()) << "a flush with nothing queued";
    for (const Request& request : queue_) perform(request);
    queue_.clear();
  }

  bool unflushed() const { return !queue_.empty(); }

  // The session breaks: what has not been answered never will be, whatever became of it.
  std::vector<driver::Event> break_session() {
    std::vector<driver::Event> events;
    for (const Answer& answer : answers) {
      if (const auto* done = std::get_if<driver::Done>(&answer.event)) {
        events.push_back(driver::Done{done->cookie, Cause::kSwitchUnreachable, 0});
      } else if (const auto* counted = std::get_if<driver::Statistics>(&answer.event)) {
        events.push_back(driver::Statistics{counted->cookie, Cause::kSwitchUnreachable, 0, {}});
      } else {
        events.push_back(driver::Table{
            std::get<driver::Table>(answer.event).cookie, Cause::kSwitchUnreachable, {}});
      }
    }
    answers.clear();
    events.push_back(driver::Down{"the session broke"});
    return events;
  }

 private:
  enum class Kind { kAdd, kRemove, kMove, kRead, kCount };
  struct Request {
    Kind kind;
    CrossConnect at;
    driver::Cookie cookie;
    TrafficContract contract{};
    PortId to_port{};  // of a move
    Label to_label{};
  };

  void perform_move(const Request& request) {
    driver::Done done{request.cookie, Cause::kNone, 0};
    CrossConnect to = request.at;
    to.output_port = request.to_port;
    to.output_label = request.to_label;
    done.absent = !table.contains(request.at);
    done.failure_code = done.absent ? std::uint8_t{12} : refuse_move(request.at);
    if (done.failure_code != 0) {
      done.cause = Cause::kSwitchRefused;
    } else {
      EXPECT_FALSE(table.contains(to)) << "a move onto what is there";
      table.erase(request.at);
      contracts.erase(request.at);
      table.insert(to);
      contracts[to] = request.contract;
    }
    answers.push_back({true, done});
  }

  void perform(const Request& request) {
    if (request.kind == Kind::kRead) {
      driver::Table read{request.cookie, table_cause, {}};
      if (table_cause == Cause::kNone) read.cross_connects.assign(table.begin(), table.end());
      answers.push_back({false, read});
      return;
    }
    if (request.kind == Kind::kCount) {
      answers.push_back({false, driver::Statistics{request.cookie, Cause::kNone, 0,
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

  std::vector<Request> queue_;
};

}  // namespace xbind
