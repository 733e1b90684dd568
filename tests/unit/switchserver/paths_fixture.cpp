#include "paths_fixture.hpp"

namespace xbind {

ControllerPathsTest::ControllerPathsTest() = default;

ControllerPathsTest::~ControllerPathsTest() = default;

void ControllerPathsTest::SetUp() {
  SwitchControllerTest::SetUp();
  old = committed(1, 40);
  later = take_over(old, kEnd, cache_on(kEnd));
}

Label ControllerPathsTest::cache_on(PortId port) {
  return controller.grant("a", port, 1, {}, now)->labels.at(0);
}

HopSetup ControllerPathsTest::take_over(const HopSetup& earlier, PortId port, Label output) {
  HopSetup setup = earlier;
  setup.key.generation = Generation{earlier.key.generation.value() + 1};
  setup.takes_over = true;
  setup.output_port = port;
  setup.output_label = output;
  return setup;
}

HopSetup ControllerPathsTest::join(const HopSetup& earlier, PortId port, std::uint32_t input_vci) {
  HopSetup setup = earlier;
  setup.key.generation = Generation{earlier.key.generation.value() + 1};
  setup.joins = true;
  setup.input_port = port;
  setup.input_label = atm_label(0, input_vci);
  return setup;
}

HopBatch ControllerPathsTest::setup(const HopSetup& hop) { return {{hop}, {}, {}}; }

HopBatch ControllerPathsTest::removal(const HopSetup& hop) { return {{}, {{hop.key, 0}}, {}}; }

void ControllerPathsTest::commits(const HopSetup& hop) {
  EXPECT_EQ(run(setup(hop)).results.at(0).cause, Cause::kNone);
}

HopResult ControllerPathsTest::result_of(SwitchController::Token token) {
  EXPECT_TRUE(answered(token)) << token;
  return results[token];
}

bool ControllerPathsTest::answered(SwitchController::Token token) {
  for (const auto& more : controller.take_outputs().results) {
    results[more.token] = more.batch.results.at(0);
  }
  return results.contains(token);
}

std::vector<Finding> ControllerPathsTest::audit() {
  EXPECT_TRUE(controller.audit("a", 9).has_value());
  answer_all();
  const auto outputs = controller.take_outputs();
  EXPECT_EQ(outputs.audits.size(), 1U);
  return outputs.audits.empty() ? std::vector<Finding>{} : outputs.audits[0].report.findings;
}

void ControllerPathsTest::comes_back(bool kept) {
  session_breaks();
  if (!kept) fake.table.clear();
  controller.on_driver(driver::Up{ports(), kept}, now);
  answer_all();
}

bool ControllerPathsTest::clean() {
  return controller.ledger().self_check("sw").empty() && audit().empty();
}

}  // namespace xbind
