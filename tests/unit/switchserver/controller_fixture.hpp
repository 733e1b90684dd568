// A controller with a switch in memory, and batches in the words of a test.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

#include "fake_switch.hpp"
#include "switchserver/switch_controller.hpp"

namespace xbind {

// A switch of four ports; manager "a" is attached with epoch 1. 1 and 2 are access lines, a hop in
// the middle of a path goes from 3 to 4.
class SwitchControllerTest : public ::testing::Test {
 protected:
  static constexpr PortId kIn{1};
  static constexpr PortId kEnd{2};
  static constexpr PortId kTrunk{3};
  static constexpr PortId kOut{4};

  void SetUp() override {
    controller.on_driver(driver::Up{ports(), false}, now);
    ASSERT_TRUE(controller.attach("a", Epoch{1}).has_value());
  }
  void TearDown() override {
    EXPECT_THAT(controller.ledger().self_check("sw"), ::testing::IsEmpty());
    EXPECT_FALSE(fake.unflushed());
    EXPECT_EQ(fake.branches, 0);
  }

  static std::vector<SwitchPort> ports() {
    std::vector<SwitchPort> all;
    for (std::uint32_t i = 1; i <= 4; ++i) all.push_back({PortId{i}, {0, 0, 32, 63}, 1000, true});
    return all;
  }
  static HopSetup middle(std::uint64_t connection, std::uint32_t input_vci, Label output) {
    HopSetup setup;
    setup.key = {ConnectionId{connection}, Generation{1}, 0, 1};
    setup.hop_count = 3;
    setup.input_port = kTrunk;
    setup.input_label = atm_label(0, input_vci);
    setup.output_port = kOut;
    setup.output_label = output;
    setup.demand = {100, 10};
    setup.call = {"client", RequestId{connection}, "ann", "bob"};
    return setup;
  }
  static HopSetup whole_path(std::uint64_t connection) {  // one switch: first and last hop
    HopSetup setup = middle(connection, 0, {});
    setup.key.hop = 0;
    setup.hop_count = 1;
    setup.input_port = kIn;
    setup.input_label = {};
    setup.output_port = kEnd;
    return setup;
  }
  static HopSetup reserve(HopSetup setup) {
    setup.commit = false;
    setup.input_label = {};
    setup.output_label = {};
    return setup;
  }
  Label cache_one(std::string_view manager = "a") {
    return controller.grant(manager, kOut, 1, {}, now)->labels.at(0);
  }

  void apply(const HopBatch& batch, SwitchController::Token token = 1,
             std::string_view name = "a") {
    ASSERT_TRUE(controller.apply(name, batch, token, now).has_value());
  }
  void answer(std::size_t which = 0) {
    ASSERT_LT(which, fake.answers.size());
    const driver::Event event = fake.answers[which].event;
    fake.answers.erase(fake.answers.begin() + static_cast<std::ptrdiff_t>(which));
    controller.on_driver(event, now);
  }
  void answer_with(Cause cause) {
    auto done = std::get<driver::Done>(fake.answers.front().event);
    fake.answers.pop_front();
    done.cause = cause;
    controller.on_driver(done, now);
  }
  void answer_all() {
    while (!fake.answers.empty()) answer();
  }
  void session_breaks() {
    for (const driver::Event& event : fake.break_session()) controller.on_driver(event, now);
  }
  // The results of the one batch that has been completed.
  HopResultBatch result(SwitchController::Token token = 1) {
    auto outputs = controller.take_outputs();
    EXPECT_EQ(outputs.results.size(), 1U);
    if (outputs.results.empty()) return {};
    EXPECT_EQ(outputs.results[0].token, token);
    return outputs.results[0].batch;
  }
  HopResultBatch run(const HopBatch& batch) {
    apply(batch);
    answer_all();
    return result();
  }
  bool no_results() { return controller.take_outputs().results.empty(); }
  LabelHolder holder(Label label) const {
    return controller.ledger().output_label(kOut, label)->holder;
  }
  // The middle hop `connection`, committed.
  HopSetup committed(std::uint64_t connection, std::uint32_t input_vci) {
    const HopSetup setup = middle(connection, input_vci, cache_one());
    EXPECT_EQ(run({{setup}, {}, {}}).results.at(0).cause, Cause::kNone);
    return setup;
  }
  static CrossConnect cross(const HopSetup& s) {
    return {s.input_port, s.input_label, s.output_port, s.output_label};
  }
  static HopResult done(const HopKey& key, HopAction action) {
    HopResult result;
    result.key = key;
    result.action = action;
    return result;
  }
  // With the label that rests in the manager's quarantine since.
  static HopResult removed(const HopKey& key, Label resting) {
    HopResult result = done(key, HopAction::kRemove);
    result.output_label = resting;
    return result;
  }
  static HopResult refused(const HopKey& key, HopAction action, Cause cause,
                           std::uint64_t asked = 0) {
    HopResult result = done(key, action);
    result.cause = cause;
    result.asked = asked;
    return result;
  }

  TimePoint now{};
  FakeSwitch fake;
  SwitchController controller{{.name = "sw"}, fake};
};

}  // namespace xbind
