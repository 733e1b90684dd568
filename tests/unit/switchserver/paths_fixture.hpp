// A controller with a connection that is to go over to another path, for the tests of make before break.
#pragma once

#include <map>

#include "controller_fixture.hpp"

namespace xbind {

class ControllerPathsTest : public SwitchControllerTest {
 protected:
  void SetUp() override {
    SwitchControllerTest::SetUp();
    old = committed(1, 40);
    later = take_over(old, kEnd, cache_on(kEnd));
  }

  Label cache_on(PortId port) { return controller.grant("a", port, 1, {}, now)->labels.at(0); }
  static HopSetup take_over(const HopSetup& earlier, PortId port, Label output) {
    HopSetup setup = earlier;
    setup.key.generation = Generation{earlier.key.generation.value() + 1};
    setup.takes_over = true;
    setup.output_port = port;
    setup.output_label = output;
    return setup;
  }
  static HopSetup join(const HopSetup& earlier, PortId port, std::uint32_t input_vci) {
    HopSetup setup = earlier;
    setup.key.generation = Generation{earlier.key.generation.value() + 1};
    setup.joins = true;
    setup.input_port = port;
    setup.input_label = atm_label(0, input_vci);
    return setup;
  }
  static HopBatch setup(const HopSetup& hop) { return {{hop}, {}, {}}; }
  static HopBatch removal(const HopSetup& hop) { return {{}, {{hop.key, 0}}, {}}; }
  void commits(const HopSetup& hop) {
    EXPECT_EQ(run(setup(hop)).results.at(0).cause, Cause::kNone);
  }
  // Of the batch `token`; other batches' results wait for their own expectation.
  HopResult result_of(SwitchController::Token token) {
    for (const auto& more : controller.take_outputs().results) {
      results[more.token] = more.batch.results.at(0);
    }
    EXPECT_TRUE(results.contains(token)) << token;
    return results[token];
  }
  bool answered(SwitchController::Token token) {
    for (const auto& more : controller.take_outputs().results) {
      results[more.token] = more.batch.results.at(0);
    }
    return results.contains(token);
  }
  std::vector<Finding> audit() {
    EXPECT_TRUE(controller.audit("a", 9).has_value());
    answer_all();
    const auto outputs = controller.take_outputs();
    EXPECT_EQ(outputs.audits.size(), 1U);
    return outputs.audits.empty() ? std::vector<Finding>{} : outputs.audits[0].report.findings;
  }
  void comes_back(bool kept) {
    session_breaks();
    if (!kept) fake.table.clear();
    controller.on_driver(driver::Up{ports(), kept}, now);
    answer_all();
  }
  bool clean() { return controller.ledger().self_check("sw").empty() && audit().empty(); }

  HopSetup old;    // from kTrunk to kOut
  HopSetup later;  // to kEnd
  std::map<SwitchController::Token, HopResult> results;
};

}  // namespace xbind
