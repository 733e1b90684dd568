// A SwitchDriver that answers from memory, when and as the test chooses. Requests take effect in
// the order in which they were queued, at flush(); their answers wait until the test delivers them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "switchserver/drivers/switch_driver.hpp"

namespace xbind {

class FakeSwitch : public SwitchDriver {
 public:
  struct Answer {
    bool add = false;
    driver::Event event;  // Done or Table
  };

  // The switch's table. One input with two outputs may be an unintended branch: see `branches`.
  std::set<CrossConnect> table;
  std::map<CrossConnect, TrafficContract> contracts;  // of the entries in the table
  std::map<PortId, CellCounters> cells;               // answers of read_statistics()
  std::deque<Answer> answers;                         // not delivered yet
  int adds = 0;
  int removes = 0;
  int moves = 0;
  int flushes = 0;
  int whole_reads = 0;                       // read_table()
  std::vector<driver::Input> inputs_read{};  // of the last read_inputs()
  int branches = 0;  // unintended adds on an input that had a cross-connect already
  // GSMP failure code for an add or a remove; 0 executes it.
  std::function<std::uint8_t(const CrossConnect&)> refuse_add = [](const CrossConnect&) {
    return std::uint8_t{0};
  };
  std::function<std::uint8_t(const CrossConnect&)> refuse_remove = refuse_add;
  std::function<std::uint8_t(const CrossConnect& from)> refuse_move = refuse_add;
  Cause table_cause = Cause::kNone;
  // Whether the second add on the same input is intended as a branch.
  std::function<bool(const CrossConnect& there, const CrossConnect& added)> may_branch =
      [](const CrossConnect&, const CrossConnect&) { return false; };

  FakeSwitch();
  ~FakeSwitch() override;

  void add(const CrossConnect& at, const TrafficContract& contract, driver::Cookie cookie) override;
  void remove(const CrossConnect& at, driver::Cookie cookie) override;
  void move(const CrossConnect& at, PortId port, Label label, const TrafficContract& contract,
            driver::Cookie cookie) override;
  void read_table(driver::Cookie cookie) override;
  void read_inputs(const std::vector<driver::Input>& inputs, driver::Cookie cookie) override;
  void read_statistics(PortId port, Label, driver::Cookie cookie) override;
  void flush() override;

  bool unflushed() const { return !queue_.empty(); }

  // The session breaks: pending answers are dropped, whether or not the requests took effect.
  std::vector<driver::Event> break_session();

 private:
  enum class Kind { kAdd, kRemove, kMove, kRead, kReadInputs, kCount };
  struct Request {
    Kind kind;
    CrossConnect at;
    driver::Cookie cookie;
    TrafficContract contract{};
    PortId to_port{};  // target of a move
    Label to_label{};
  };

  void perform_move(const Request& request);
  void perform(const Request& request);

  std::vector<Request> queue_;
};

}  // namespace xbind
