#include "controller_fixture.hpp"

#include "tests/unit/deadlines.hpp"

namespace xbind {

SwitchControllerTest::SwitchControllerTest() = default;

SwitchControllerTest::~SwitchControllerTest() = default;

void SwitchControllerTest::SetUp() {
  controller.on_driver(driver::Up{ports(), false}, now);
  ASSERT_TRUE(controller.attach("a", Epoch{1}).has_value());
}

void SwitchControllerTest::TearDown() {
  controller.on_time(now);
  EXPECT_TRUE(sleeps(controller.wake_at(), now));
  EXPECT_THAT(controller.ledger().self_check("sw"), ::testing::IsEmpty());
  EXPECT_FALSE(fake.unflushed());
  EXPECT_EQ(fake.branches, 0);
}

std::vector<SwitchPort> SwitchControllerTest::ports() {
  std::vector<SwitchPort> all;
  for (std::uint32_t i = 1; i <= 4; ++i)
    all.push_back({PortId{i}, {atm_range(0, 0, 32, 63)}, 1000, true});
  return all;
}

HopSetup SwitchControllerTest::middle(std::uint64_t connection, std::uint32_t input_vci,
                                      Label output) {
  HopSetup setup;
  setup.key = {ConnectionId{connection}, Generation{1}, 0, 1};
  setup.hop_count = 3;
  setup.input_port = kTrunk;
  setup.input_label = atm_label(0, input_vci);
  setup.output_port = kOut;
  setup.output_label = output;
  setup.demand = {100, 10};
  setup.request = RequestId{connection};
  return setup;
}

HopSetup SwitchControllerTest::whole_path(std::uint64_t connection) {
  HopSetup setup = middle(connection, 0, {});
  setup.key.hop = 0;
  setup.hop_count = 1;
  setup.input_port = kIn;
  setup.input_label = {};
  setup.output_port = kEnd;
  return setup;
}

HopSetup SwitchControllerTest::reserve(HopSetup setup) {
  setup.commit = false;
  setup.input_label = {};
  setup.output_label = {};
  return setup;
}

Label SwitchControllerTest::cache_one(std::string_view manager) {
  return controller.grant(manager, kOut, 1, {}, now)->labels.at(0);
}

void SwitchControllerTest::apply(const HopBatch& batch, SwitchController::Token token,
                                 std::string_view name) {
  ASSERT_TRUE(controller.apply(name, batch, token, now).has_value());
}

void SwitchControllerTest::answer(std::size_t which) {
  ASSERT_LT(which, fake.answers.size());
  const driver::Event event = fake.answers[which].event;
  fake.answers.erase(fake.answers.begin() + static_cast<std::ptrdiff_t>(which));
  controller.on_driver(event, now);
}

void SwitchControllerTest::answer_with(Cause cause) {
  auto done = std::get<driver::Done>(fake.answers.front().event);
  fake.answers.pop_front();
  done.cause = cause;
  controller.on_driver(done, now);
}

void SwitchControllerTest::answer_all() {
  while (!fake.answers.empty()) answer();
}

void SwitchControllerTest::session_breaks() {
  for (const driver::Event& event : fake.break_session()) controller.on_driver(event, now);
}

HopResultBatch SwitchControllerTest::result(SwitchController::Token token) {
  auto outputs = controller.take_outputs();
  EXPECT_EQ(outputs.results.size(), 1U);
  if (outputs.results.empty()) return {};
  EXPECT_EQ(outputs.results[0].token, token);
  for (HopResult& each : outputs.results[0].batch.results) each.revision = 0;
  return outputs.results[0].batch;
}

HopResultBatch SwitchControllerTest::run(const HopBatch& batch) {
  apply(batch);
  answer_all();
  return result();
}

bool SwitchControllerTest::no_results() { return controller.take_outputs().results.empty(); }

LabelHolder SwitchControllerTest::holder(Label label) const {
  return controller.ledger().labels().output_label(kOut, label)->holder;
}

HopSetup SwitchControllerTest::committed(std::uint64_t connection, std::uint32_t input_vci) {
  const HopSetup setup = middle(connection, input_vci, cache_one());
  EXPECT_EQ(run({{setup}, {}, {}}).results.at(0).cause, Cause::kNone);
  return setup;
}

CrossConnect SwitchControllerTest::cross(const HopSetup& s) {
  return {s.input_port, s.input_label, s.output_port, s.output_label};
}

HopResult SwitchControllerTest::done(const HopKey& key, HopAction action) {
  HopResult result;
  result.key = key;
  result.action = action;
  return result;
}

HopResult SwitchControllerTest::removed(const HopKey& key, Label resting) {
  HopResult result = done(key, HopAction::kRemove);
  result.output_label = resting;
  return result;
}

HopResult SwitchControllerTest::refused(const HopKey& key, HopAction action, Cause cause,
                                        std::uint64_t asked) {
  HopResult result = done(key, action);
  result.cause = cause;
  result.asked = asked;
  return result;
}

}  // namespace xbind
