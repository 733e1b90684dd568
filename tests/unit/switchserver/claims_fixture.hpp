// A SwitchServer that restarts with an empty ledger, while its switch keeps what it has.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "paths_fixture.hpp"
#include "tests/unit/deadlines.hpp"

namespace xbind {

class ClaimsTest : public ControllerPathsTest {
 protected:
  void TearDown() override {
    if (next_) {
      next().on_time(now);
      answers();
      EXPECT_TRUE(sleeps(next().wake_at(), now));
      EXPECT_THAT(books().self_check("sw"), ::testing::IsEmpty());
    }
    ControllerPathsTest::TearDown();
  }
  // What the manager has, as the ledger of the first life holds it.
  HopClaims claims_of(const std::string& manager = "a") {
    HeldHops held = controller.held_hops(manager, 0, 1'000, now);
    return {std::move(held.hops), std::move(held.owners), {}, true};
  }
  // The process ends, and the next one has read the switch's table, unless that has restarted, too.
  void restart(std::optional<std::vector<KnownManager>> known = {{{"a", Epoch{1}}}},
               bool kept = true) {
    SwitchControllerOptions options{.name = "sw"};
    options.known = std::move(known);
    fake.answers.clear();
    next_.emplace(options, fake);
    if (!kept) fake.table.clear();
    next().on_driver(driver::Up{ports(), kept}, now);
    answers();
  }
  void attach(const std::string& manager = "a", Epoch epoch = Epoch{1}) {
    ASSERT_TRUE(next().attach(manager, epoch).has_value());
  }
  ClaimsTaken claim(const HopClaims& page, const std::string& manager = "a") {
    const auto taken = next().claim(manager, page, now);
    EXPECT_TRUE(taken.has_value());
    answers();
    return taken.value_or(ClaimsTaken{});
  }
  void answers() {
    while (!fake.answers.empty()) {
      const driver::Event event = fake.answers.front().event;
      fake.answers.pop_front();
      next().on_driver(event, now);
    }
  }
  HopResult commit(const HopSetup& hop, const std::string& manager = "a") {
    EXPECT_TRUE(next().apply(manager, setup(hop), 5, now).has_value());
    answers();
    const auto outputs = next().take_outputs();
    return outputs.results.at(0).batch.results.at(0);
  }
  HopResult change(const HopKey& key, std::uint32_t revision, Resources demand) {
    HopBatch batch;
    batch.modifies = {{key, revision, demand}};
    EXPECT_TRUE(next().apply("a", batch, 5 + revision, now).has_value());
    answers();
    return next().take_outputs().results.at(0).batch.results.at(0);
  }
  HopResult remove(const HopKey& key) {
    EXPECT_TRUE(next().apply("a", {{}, {{key, 0}}, {}}, 6, now).has_value());
    answers();
    return next().take_outputs().results.at(0).batch.results.at(0);
  }
  std::vector<Finding> look() {
    EXPECT_TRUE(next().audit("a", 9).has_value());
    answers();
    return next().take_outputs().audits.at(0).report.findings;
  }
  SwitchController& next() { return *next_; }
  const Ledger& books() { return next_->ledger(); }
  LabelHolder holder_of(Label label, PortId port = kOut) {
    return books().labels().output_label(port, label)->holder;
  }

  std::optional<SwitchController> next_;
};

}  // namespace xbind
