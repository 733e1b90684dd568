// A controller with a connection that moves to another path, for the tests of make before break.
#pragma once

#include <map>

#include "controller_fixture.hpp"

namespace xbind {

class ControllerPathsTest : public SwitchControllerTest {
 protected:
  ControllerPathsTest();
  ~ControllerPathsTest() override;

  void SetUp() override;

  Label cache_on(PortId port);
  static HopSetup take_over(const HopSetup& earlier, PortId port, Label output);
  static HopSetup join(const HopSetup& earlier, PortId port, std::uint32_t input_vci);
  static HopBatch setup(const HopSetup& hop);
  static HopBatch removal(const HopSetup& hop);
  void commits(const HopSetup& hop);
  // The result of batch `token`; results of other batches stay for later calls.
  HopResult result_of(SwitchController::Token token);
  bool answered(SwitchController::Token token);
  std::vector<Finding> audit();
  void comes_back(bool kept);
  bool clean();

  HopSetup old;    // from kTrunk to kOut
  HopSetup later;  // to kEnd
  std::map<SwitchController::Token, HopResult> results;
};

}  // namespace xbind
