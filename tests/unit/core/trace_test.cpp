// Records and spans of calls, without a process that makes them.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "core/trace/otlp.hpp"
#include "core/trace/ring.hpp"
#include "core/trace/sampling.hpp"
#include "core/trace/span.hpp"

namespace xbind::trace {
namespace {

using testing::ElementsAre;

std::vector<int> content(const Ring<int>& ring) {
  std::vector<int> all;
  ring.for_each([&](int one) { all.push_back(one); });
  return all;
}

TEST(TraceRing, KeepsTheNewest) {
  Ring<int> ring(3);
  for (const int one : {1, 2}) ring.add(one);
  EXPECT_THAT(content(ring), ElementsAre(1, 2));
  EXPECT_EQ(ring.overwritten(), 0U);
  for (const int one : {3, 4, 5}) ring.add(one);
  EXPECT_THAT(content(ring), ElementsAre(3, 4, 5));
  EXPECT_EQ(ring.overwritten(), 2U);
  std::vector<int> back;
  ring.for_each_back([&](int one) {
    back.push_back(one);
    return one != 4;
  });
  EXPECT_THAT(back, ElementsAre(5, 4));
}

// The ids of one epoch are consecutive.
std::size_t sampled(std::uint32_t sample, std::uint64_t first, std::uint64_t step) {
  std::size_t count = 0;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    count += is_sampled(ConnectionId{first + i * step}, sample) ? 1 : 0;
  }
  return count;
}

TEST(TraceSampling, IsOneOfNWhateverThePatternOfTheLoad) {
  constexpr std::uint64_t kEpoch = std::uint64_t{7} << 40;
  EXPECT_EQ(sampled(0, kEpoch, 1), 0U);
  EXPECT_EQ(sampled(1, kEpoch, 1), 100'000U);
  for (const std::uint64_t step : {1U, 2U, 7U, 64U}) {
    EXPECT_NEAR(static_cast<double>(sampled(64, kEpoch, step)), 100'000.0 / 64, 160) << step;
  }
}

TEST(TraceSampling, CallsOfAGreaterNumberAreAmongThoseOfItsDivisors) {
  for (std::uint64_t i = 1; i < 10'000; ++i) {
    const ConnectionId id{i};
    if (is_sampled(id, 100)) {
      EXPECT_TRUE(is_sampled(id, 50) && is_sampled(id, 10)) << i;
    }
  }
}

TEST(TraceIds, NameTheCall) {
  const std::string id = trace_id("cm1", ConnectionId{(std::uint64_t{1} << 40) + 5});
  EXPECT_EQ(id.size(), 32U);
  EXPECT_EQ(id.substr(16), "0000010000000005");
  EXPECT_NE(id, trace_id("cm2", ConnectionId{(std::uint64_t{1} << 40) + 5}));
}

TEST(TraceIds, OfCommandsDiffer) {
  const HopKey key{ConnectionId{1}, Generation{1}, 0, 1};
  std::vector<std::uint64_t> ids;
  for (const HopAction action : {HopAction::kReserve, HopAction::kCommit, HopAction::kRemove}) {
    ids.push_back(span_of_command(key, action, 0));
  }
  ids.push_back(span_of_command(key, HopAction::kModify, 1));
  ids.push_back(span_of_command(key, HopAction::kModify, 2));
  ids.push_back(span_of_command({ConnectionId{1}, Generation{2}, 0, 1}, HopAction::kCommit, 0));
  ids.push_back(span_of_command({ConnectionId{1}, Generation{1}, 1, 1}, HopAction::kCommit, 0));
  ids.push_back(span_of_command({ConnectionId{1}, Generation{1}, 0, 2}, HopAction::kCommit, 0));
  for (std::uint64_t part = 0; part < 4; ++part) ids.push_back(span_within(ids[1], part));
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::unique(ids.begin(), ids.end()), ids.end());
  EXPECT_NE(ids.front(), 0U);
}

TEST(TraceOtlp, IsTheFormOfTheFileExporter) {
  Part part;
  part.process = "xbind-switchserver switch-1";
  part.manager = "cm1";
  part.connection = ConnectionId{5};
  part.shown_id = ConnectionId{6};
  Span span;
  span.id = 0xab;
  span.parent = 0xcd;
  span.name = "switchserver";
  span.place = "switch-1";
  span.begin_ns = 1'700'000'000'000'000'321;
  span.end_ns = 1'700'000'000'000'000'400;
  span.key = {ConnectionId{5}, Generation{1}, 0, 2};
  span.cause = Cause::kNoBandwidth;
  span.detail = "switch-1 port \"2\"";
  part.spans = {span};
  span.id = 0xac;
  span.parent = 0;
  span.end_ns = 0;
  part.spans.push_back(span);
  const std::string line = otlp_line({part});
  EXPECT_EQ(line.find('\n'), std::string::npos);

  const auto json = nlohmann::json::parse(line);
  const auto& resource = json.at("resourceSpans").at(0);
  const auto& name = resource.at("resource").at("attributes").at(0);
  EXPECT_EQ(name.at("key"), "service.name");
  EXPECT_EQ(name.at("value").at("stringValue"), "xbind-switchserver");
  const auto& spans = resource.at("scopeSpans").at(0).at("spans");
  ASSERT_EQ(spans.size(), 2U);
  const auto& first = spans.at(0);
  EXPECT_EQ(first.at("traceId"), trace_id("cm1", ConnectionId{5}));
  EXPECT_EQ(first.at("spanId"), "00000000000000ab");
  EXPECT_EQ(first.at("parentSpanId"), "00000000000000cd");
  EXPECT_EQ(first.at("kind"), 2) << "SPAN_KIND_SERVER";
  EXPECT_EQ(first.at("startTimeUnixNano"), "1700000000000000321");
  EXPECT_EQ(first.at("endTimeUnixNano"), "1700000000000000400");
  EXPECT_EQ(first.at("status").at("code"), 2) << "STATUS_CODE_ERROR";
  EXPECT_EQ(first.at("status").at("message"), "no bandwidth");
  EXPECT_EQ(first.at("attributes").at(0).at("value").at("intValue"), "6");
  const auto& second = spans.at(1);
  EXPECT_FALSE(second.contains("parentSpanId"));
  EXPECT_EQ(second.at("endTimeUnixNano"), second.at("startTimeUnixNano"));
  EXPECT_EQ(second.at("attributes").back().at("key"), "xbind.unfinished");
}

}  // namespace
}  // namespace xbind::trace
