#include "tests/conformance/driver/mpls_rig.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace xbind::driver_kit {

std::unique_ptr<RunningDriver> MplsRig::make_driver() {
  return std::make_unique<MplsDriver>(wire_);
}

// ----- the control channel --------------------------------------------------------------------

void MplsRig::connect(TimePoint) {
  if (!wire_->arrived) return;
  wire_->connected = true;
  late_.push_back({MplsHello{switch_.boot(), switch_.ports()}, 1});
}

void MplsRig::close(const std::string& reason) {
  wire_->requests.clear();
  late_.clear();
  if (std::exchange(wire_->connected, false) && wire_->arrived) wire_->arrived(MplsClosed{reason});
}

void MplsRig::cut(TimePoint) { close("the line to the switch is cut"); }

bool MplsRig::carry_requests(TimePoint) {
  if (wire_->requests.empty()) return false;
  for (const std::vector<MplsRequest>& message : std::exchange(wire_->requests, {})) {
    for (const MplsRequest& request : message) {
      late_.push_back({switch_.serve(request), ++answers_ * 7 % 4});
    }
  }
  return true;
}

bool MplsRig::carry_answers(TimePoint) {
  if (late_.empty()) return false;
  std::deque<Late> later;
  for (Late& one : std::exchange(late_, {})) {
    if (one.rounds-- > 0) {
      later.push_back(std::move(one));
    } else if (wire_->arrived) {
      wire_->arrived(std::move(one.arrival));
    }
  }
  late_ = std::move(later);
  return true;
}

// ----- the switch -----------------------------------------------------------------------------

void MplsRig::restart_empty(TimePoint) {
  close("the switch has started anew");
  switch_.restart();
}

void MplsRig::tell_ports(std::vector<PortId> renewed) {
  if (wire_->connected) late_.push_back({MplsPorts{switch_.ports(), std::move(renewed)}, 0});
}

void MplsRig::set_line(PortId port, bool up, TimePoint) {
  switch_.set_line(port, up);
  tell_ports(up ? std::vector{port} : std::vector<PortId>{});
}

void MplsRig::refuse_next(std::uint64_t count, RequestKind kind) {
  switch_.refuse_next(
      count, kind == RequestKind::kAdd ? MplsRequest::Kind::kAdd : MplsRequest::Kind::kMove);
}

std::uint8_t MplsRig::refusal_code() const {
  return static_cast<std::uint8_t>(MplsFailure::kRefusedOnPurpose);
}

void MplsRig::another_brings_up(PortId port, TimePoint) {
  switch_.drop_inputs(port);
  tell_ports({port});
}

void MplsRig::another_adds(const CrossConnect& at) {
  const MplsAnswer answer =
      switch_.serve({.kind = MplsRequest::Kind::kAdd, .at = at, .contract = {}});
  EXPECT_EQ(answer.failure, MplsFailure::kNone);
}

void MplsRig::cells_arrive(PortId port, Label label, std::uint64_t cells, TimePoint) {
  switch_.count(port, label, cells);
}

std::set<CrossConnect> MplsRig::table() const {
  std::set<CrossConnect> table;
  for (const auto& [at, contract] : switch_.table()) table.insert(at);
  return table;
}

bool MplsRig::by_contract(const CrossConnect& at) const {
  const auto there = switch_.table().find(at);
  return there != switch_.table().end() && there->second.present();
}

Label MplsRig::label(std::uint32_t number) const {
  return {LabelKind::kMpls, MplsSwitch::kFirstLabel + number};
}

Label MplsRig::label_out_of_range() const { return {LabelKind::kMpls, MplsSwitch::kLastLabel + 1}; }

std::unique_ptr<Rig> make_mpls_rig() { return std::make_unique<MplsRig>(); }

}  // namespace xbind::driver_kit
