// A label switch that is not there: a table of cross-connects behind a SwitchDriver. Requests and
// answers take their time but stay in order, as over one TCP connection; now and then one is
// refused, and the session may break with requests and answers on their way.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "switchserver/switch_driver.hpp"
#include "tests/sim/parts.hpp"

namespace xbind::sim {

class LabelSwitch : public SwitchDriver {
 public:
  using Deliver = std::function<void(const driver::Event&)>;
  // Whether the two, with one input, are branches of one connection.
  using MayBranch = std::function<bool(const CrossConnect&, const CrossConnect&)>;
  // Cells take another way from now on.
  using Changed = std::function<void()>;

  LabelSwitch(Surroundings& world, std::string name, std::vector<SwitchPort> ports, Deliver deliver,
              MayBranch may_branch, Changed changed)
      : world_(world),
        name_(std::move(name)),
        ports_(std::move(ports)),
        deliver_(std::move(deliver)),
        may_branch_(std::move(may_branch)),
        changed_(std::move(changed)) {}

  void add(const CrossConnect& at, const TrafficContract& contract,
           driver::Cookie cookie) override {
    queue_.push_back({Kind::kAdd, at, cookie, contract});
  }
  void remove(const CrossConnect& at, driver::Cookie cookie) override {
    ask(Kind::kRemove, at, cookie);
  }
  void read_table(driver::Cookie cookie) override { ask(Kind::kRead, {}, cookie); }
  void move(const CrossConnect& at, PortId new_output_port, Label new_output_label,
            const TrafficContract& contract, driver::Cookie cookie) override {
    queue_.push_back({Kind::kMove, at, cookie, contract, new_output_port, new_output_label});
  }
  // Nothing here reads counters.
  void read_statistics(PortId, Label, driver::Cookie) override;
  void flush() override;

  bool up() const { return up_; }
  void come_up(bool kept);
  // A prefix of what is on its way still reaches the switch; nothing is answered any more.
  void break_session();
  // The line at that port has gone down or come up. The controller hears of it behind the answers that
  // are on their way; of a `renewed` one that it is to assert what comes in there once more.
  void line(PortId port, bool up, bool renewed);

  const std::set<CrossConnect>& table() const { return table_; }
  // What it was last told of one that it has.
  const TrafficContract& contract_of(const CrossConnect& at) const { return contracts_.at(at); }
  // Where what comes in there goes.
  std::vector<CrossConnect> leads(PortId input_port, Label input_label) const;
  // Whether a restart has lost something on that input which is not back yet.
  bool has_lost(PortId input_port, Label input_label) const;

 private:
  enum class Kind { kAdd, kRemove, kMove, kRead };
  struct Request {
    Kind kind;
    CrossConnect at;
    driver::Cookie cookie;
    TrafficContract contract{};
    PortId new_port{};  // of a move
    Label new_label{};
  };

  void ask(Kind kind, const CrossConnect& at, driver::Cookie cookie) {
    queue_.push_back({kind, at, cookie});
  }
  driver::Event perform(const Request& request);
  driver::Done change(const Request& request);
  void check_input(const CrossConnect& wanted, const CrossConnect& instead_of);
  void put(const CrossConnect& at, const TrafficContract& contract);
  void drop(const CrossConnect& at);
  void perform_next();
  static driver::Event unreachable(const Request& request);

  Surroundings& world_;
  std::string name_;
  std::vector<SwitchPort> ports_;
  Deliver deliver_;
  MayBranch may_branch_;
  Changed changed_;
  std::set<CrossConnect> table_;
  std::map<CrossConnect, TrafficContract> contracts_;  // of table_
  std::set<CrossConnect> lost_;  // by restarts; what it had once it does not refuse to take back
  bool up_ = false;
  std::uint64_t incarnation_ = 0;  // of the session
  std::vector<Request> queue_;     // before flush()
  std::deque<Request> asked_;      // on their way to the switch
  std::deque<Request> answered_;   // their answers are on the way back
  TimePoint last_in_;
  TimePoint last_out_;
};

}  // namespace xbind::sim
