#include "tests/sim/label_switch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/check.hpp"

namespace xbind::sim {
namespace {

constexpr Duration kSlowest = milliseconds{3};
constexpr std::uint8_t kNoResources = 18;  // GSMP: insufficient resources; any code will do

}  // namespace

void LabelSwitch::move(const CrossConnect&, PortId, Label, const TrafficContract&, driver::Cookie) {
  XB_CHECK(false);
}

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
  const bool add = request.kind == Kind::kAdd;
  driver::Done done{request.cookie, Cause::kNone, 0};
  const bool put_back = add && lost_.erase(request.at) != 0;
  if (!put_back &&
      world_.chance.percent(add ? world_.weather.add_refused : world_.weather.remove_refused)) {
    ++world_.tally[add ? "adds refused" : "removes refused"];
    done.cause = Cause::kSwitchRefused;
    done.failure_code = kNoResources;
    return done;
  }
  const bool lies = (add && world_.planted == Planted::kSwitchForgetsAdd) ||
                    (!add && world_.planted == Planted::kSwitchKeepsBranch);
  if (lies && world_.chance.percent(10)) return done;
  if (!add) {
    table_.erase(request.at);
    contracts_.erase(request.at);
    return done;
  }
  for (const CrossConnect& there : table_) {
    if (there.input_port == request.at.input_port && there.input_label == request.at.input_label &&
        there != request.at && !may_branch_(there, request.at)) {
      world_.violated(fmt::format(
          "{}: an add made a branch of another call: input {}:{} already leads to {}:{}", name_,
          there.input_port, to_string(there.input_label), there.output_port,
          to_string(there.output_label)));
    }
  }
  table_.insert(request.at);
  contracts_[request.at] = request.contract;
  return done;
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
