// A controller with a switch in memory, and helpers that build its batches.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

#include "fake_switch.hpp"
#include "switchserver/switch_controller.hpp"

namespace xbind {

// A switch with four ports; manager "a" is attached with epoch 1. Ports 1 and 2 are access lines; a
// hop in the middle of a path goes from 3 to 4.
class SwitchControllerTest : public ::testing::Test {
 protected:
  static constexpr PortId kIn{1};
  static constexpr PortId kEnd{2};
  static constexpr PortId kTrunk{3};
  static constexpr PortId kOut{4};

  SwitchControllerTest();
  ~SwitchControllerTest() override;

  void SetUp() override;
  void TearDown() override;

  static std::vector<SwitchPort> ports();
  static HopSetup middle(std::uint64_t connection, std::uint32_t input_vci, Label output);
  static HopSetup whole_path(std::uint64_t connection);  // one switch: first and last hop
  static HopSetup reserve(HopSetup setup);
  Label cache_one(std::string_view manager = "a");

  void apply(const HopBatch& batch, SwitchController::Token token = 1, std::string_view name = "a");
  void answer(std::size_t which = 0);
  void answer_with(Cause cause);
  void answer_all();
  void session_breaks();
  // The results of the only batch that has been completed; without the revisions that answers to
  // modifies name (change_test.cpp).
  HopResultBatch result(SwitchController::Token token = 1);
  HopResultBatch run(const HopBatch& batch);
  bool no_results();
  LabelHolder holder(Label label) const;
  // Commits the middle hop of `connection`.
  HopSetup committed(std::uint64_t connection, std::uint32_t input_vci);
  static CrossConnect cross(const HopSetup& s);
  static HopResult done(const HopKey& key, HopAction action);
  // `resting` is the label that enters the manager's quarantine with the removal.
  static HopResult removed(const HopKey& key, Label resting);
  static HopResult refused(const HopKey& key, HopAction action, Cause cause,
                           std::uint64_t asked = 0);

  TimePoint now{};
  FakeSwitch fake;
  SwitchController controller{{.name = "sw"}, fake};
};

}  // namespace xbind
