#include "tests/sim/label_switch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/check.hpp"

namespace xbind::sim {
namespace {

constexpr Duration kSlowest = milliseconds{3};
constexpr std::uint8_t kNoResources = 18;  // GSMP: insufficient resources; any code will do
constexpr std::uint8_t kNoSuchBranch = 12;

}  // namespace

void LabelSwitch::read_statistics(PortId, Label, driver::Cookie) { XB_CHECK(false); }

void LabelSwitch::flush() {
  for (const Request& request : std::exchange(queue_, {})) {
    last_in_ = std::max(last_in_, world_.now + world_.chance.up_to(kSlowest));
    asked_.push_back(request);
    world_.agenda.at(last_in_, [this, of = incarnation_] {
      if (of == incarnation_) perform_next();
    });
  }
}

void LabelSwitch::perform_next() {
  const Request request = asked_.front();
  asked_.pop_front();
  answered_.push_back(request);
  last_out_ = std::max(last_out_, world_.now + world_.chance.up_to(kSlowest));
  world_.agenda.at(last_out_, [this, of = incarnation_, event = perform(request)] {
    if (of != incarnation_) return;
    answered_.pop_front();
    deliver_(event);
  });
}

driver::Event LabelSwitch::perform(const Request& request) {
  if (request.kind == Kind::kRead) {
    return driver::Table{request.cookie, Cause::kNone, {table_.begin(), table_.end()}};
  }
  return change(request);
}

driver::Done LabelSwitch::change(const Request& request) {
  const bool add = request.kind == Kind::kAdd;
  const bool move = request.kind == Kind::kMove;
  const bool remove = request.kind == Kind::kRemove;
  driver::Done done{request.cookie, Cause::kNone, 0};
  const bool put_back = add && lost_.erase(request.at) != 0;
  const bool unknown = move && !table_.contains(request.at);
  if (unknown || (!put_back && world_.chance.percent(remove ? world_.weather.remove_refused
                                                            : world_.weather.add_refused))) {
    ++world_.tally[remove ? "removes refused" : move ? "moves refused" : "adds refused"];
    done.cause = Cause::kSwitchRefused;
    done.failure_code = unknown ? kNoSuchBranch : kNoResources;
    done.absent = unknown;
    return done;
  }
  const bool lies = (add && world_.planted == Planted::kSwitchForgetsAdd) ||
                    (remove && world_.planted == Planted::kSwitchKeepsBranch);
  if (lies && world_.chance.percent(10)) return done;
  if (remove) {
    drop(request.at);
    lost_.erase(request.at);
  } else if (move) {
    ++world_.tally["moves"];
    const CrossConnect wanted{request.at.input_port, request.at.input_label, request.new_port,
                              request.new_label};
    check_input(wanted, request.at);
    drop(request.at);
    put(wanted, request.contract);
  } else {
    check_input(request.at, request.at);
    put(request.at, request.contract);
  }
  changed_();
  return done;
}

// What comes in must not go into another call as well.
void LabelSwitch::check_input(const CrossConnect& wanted, const CrossConnect& instead_of) {
  for (const CrossConnect& there : leads(wanted.input_port, wanted.input_label)) {
    if (there == wanted || there == instead_of || may_branch_(there, wanted)) continue;
    world_.violated(
        fmt::format("{}: an add made a branch of another call: input {}:{} already leads to {}:{}",
                    name_, there.input_port, to_string(there.input_label), there.output_port,
                    to_string(there.output_label)));
  }
}

void LabelSwitch::put(const CrossConnect& at, const TrafficContract& contract) {
  table_.insert(at);
  contracts_[at] = contract;
}

void LabelSwitch::drop(const CrossConnect& at) {
  table_.erase(at);
  contracts_.erase(at);
}

std::vector<CrossConnect> LabelSwitch::leads(PortId input_port, Label input_label) const {
  std::vector<CrossConnect> found;
  for (auto at = table_.lower_bound({input_port, input_label, PortId{0}, Label{}});
       at != table_.end() && at->input_port == input_port && at->input_label == input_label; ++at) {
    found.push_back(*at);
  }
  return found;
}

bool LabelSwitch::has_lost(PortId input_port, Label input_label) const {
  const auto at = lost_.lower_bound({input_port, input_label, PortId{0}, Label{}});
  return at != lost_.end() && at->input_port == input_port && at->input_label == input_label;
}

driver::Event LabelSwitch::unreachable(const Request& request) {
  if (request.kind == Kind::kRead) {
    return driver::Table{request.cookie, Cause::kSwitchUnreachable, {}};
  }
  return driver::Done{request.cookie, Cause::kSwitchUnreachable, 0};
}

void LabelSwitch::come_up(bool kept) {
  up_ = true;
  if (!kept) {
    lost_.merge(table_);
    table_.clear();
    contracts_.clear();
  }
  deliver_(driver::Up{ports_, kept});
}

void LabelSwitch::line(PortId port, bool up, bool renewed) {
  for (SwitchPort& known : ports_) {
    if (known.port == port) known.up = up;
  }
  if (!up_) return;  // it will tell when it is back
  last_out_ = std::max(last_out_, world_.now + world_.chance.up_to(kSlowest));
  driver::Ports news{ports_, {}};
  if (renewed) news.renewed.push_back(port);
  world_.agenda.at(last_out_, [this, of = incarnation_, news = std::move(news)] {
    if (of == incarnation_) deliver_(news);
  });
}

void LabelSwitch::break_session() {
  ++incarnation_;
  up_ = false;
  std::deque<Request> open = std::exchange(answered_, {});
  const std::uint64_t arrive = world_.chance.below(asked_.size() + 1);
  for (std::uint64_t i = 0; i < asked_.size(); ++i) {
    if (i < arrive) (void)perform(asked_[i]);
    open.push_back(asked_[i]);
  }
  asked_.clear();
  for (const Request& request : open) deliver_(unreachable(request));
  deliver_(driver::Down{"the session broke"});
}

}  // namespace xbind::sim
