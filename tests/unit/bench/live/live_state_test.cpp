// The data of the live page: samples, their bound, and the state of the run.
#include "bench/live/live_state.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "bench/live/live_page.hpp"

namespace xbind::callgen {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::json;

// A second of a run: so many calls sent and connected in all, with this p99.
Progress after(int seconds, std::uint64_t calls, Duration p99) {
  Progress now;
  now.elapsed = std::chrono::seconds{seconds};
  now.since = 1s;
  now.asked_per_s = 100;
  now.sent = now.connected = calls;
  now.recent_p50 = now.recent_p90 = now.recent_p99 = p99;
  return now;
}
Json json_of(const LiveState& state) { return Json::parse(state.json()); }

TEST(LiveState, BeginsEmpty) {
  const Json now = json_of(LiveState("xbind-callgen run"));
  EXPECT_EQ(now["schema"], "xbind.live/1");
  EXPECT_EQ(now["state"], "starting");
  EXPECT_EQ(now["command"], "xbind-callgen run");
  EXPECT_TRUE(now["samples"]["at_s"].empty());
}

TEST(LiveState, RatesAreThoseOfTheInterval) {
  LiveState state("");
  state.take(after(1, 100, 2ms));
  Progress later = after(2, 250, 0ms);
  later.refused = 5;
  later.refusals = {{"no bandwidth", 5}};
  state.take(later);
  const Json now = json_of(state);
  EXPECT_EQ(now["state"], "offering");
  EXPECT_EQ(now["samples"]["offered_per_s"], (Json{100.0, 150.0}));
  EXPECT_EQ(now["samples"]["refused_per_s"], (Json{0.0, 5.0}));
  EXPECT_EQ(now["samples"]["p99_ms"], (Json{2.0, nullptr}));  // no call connected in the second
  EXPECT_EQ(now["refusals"]["no bandwidth"], 5);
}

TEST(LiveState, TheShareOfRefusalsIsKnownOnceCallsAreAnswered) {
  LiveState state("");
  EXPECT_EQ(json_of(state)["calls"]["refused_share"], nullptr);
  Progress now = after(1, 100, 2ms);
  now.connected = 60;
  now.refused = 10;
  now.busy = 5;
  now.unanswered = 5;  // 20 are under way
  state.take(now);
  EXPECT_DOUBLE_EQ(json_of(state)["calls"]["refused_share"], 15.0 / 80);
}

TEST(LiveState, ShowsPausesAndTheEnd) {
  LiveState state("");
  Progress now = after(1, 100, 2ms);
  now.paused = true;
  state.take(now);
  EXPECT_EQ(json_of(state)["state"], "paused");
  EXPECT_EQ(json_of(state)["samples"]["asked_per_s"], (Json{0.0}));
  now.paused = false;
  now.all_offered = true;
  state.take(now);
  EXPECT_EQ(json_of(state)["state"], "ending");
}

TEST(LiveState, JoinsNeighboursAndKeepsPeaks) {
  LiveState state("");
  for (int second = 1; second <= 5000; ++second)
    state.take(after(second, 100U * static_cast<unsigned>(second), second == 1234 ? 99ms : 1ms));
  const Json samples = json_of(state)["samples"];
  ASSERT_LE(samples["at_s"].size(), LiveState::kSamplesMax);
  ASSERT_GE(samples["at_s"].size(), LiveState::kSamplesMax / 2);
  EXPECT_EQ(samples["at_s"].back(), 5000.0);
  double peak = 0;
  for (const auto& p99 : samples["p99_ms"]) peak = std::max(peak, p99.get<double>());
  EXPECT_EQ(peak, 99);
  for (const auto& offered : samples["offered_per_s"])
    EXPECT_NEAR(offered.get<double>(), 100, 1e-9);
}

TEST(LivePage, IsOneTextThatAsksNobodyElse) {
  std::string page(live_page());
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
  const std::string name_space = "http://www.w3.org/2000/svg";
  page.erase(page.find(name_space), name_space.size());
  for (const char* const outside : {"http:", "https:", "src=", "@import", "url("})
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
}

}  // namespace
}  // namespace xbind::callgen
