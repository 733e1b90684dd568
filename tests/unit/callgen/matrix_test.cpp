// Pairs of callers and callees: matrices, demand files, repeated pairs and leaves.
#include "callgen/load/matrix.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "callgen/load/demand_file.hpp"

namespace xbind::callgen {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using Counts = std::map<std::pair<std::string, std::string>, int>;
constexpr int kSample = 100'000;

Counts draw(Workload workload, int calls = kSample) {
  Counts counts;
  for (int i = 0; i < calls; ++i) {
    const Ends ends = workload.next();
    ++counts[{std::string(ends.from), std::string(ends.to)}];
  }
  return counts;
}
// The tolerance is four standard deviations of a binomial with this share.
void expect_share(const Counts& counts, const char* from, const char* to, double share) {
  const auto found = counts.find({from, to});
  const int count = found == counts.end() ? 0 : found->second;
  EXPECT_NEAR(count, kSample * share, 4 * std::sqrt(kSample * share * (1 - share)))
      << from << " -> " << to;
}
std::string refusal(const MatrixSpec& spec, const KnownEnds& known) {
  const auto workload = workload_of(spec, known, 1);
  return workload ? "taken" : workload.error().text;
}

const KnownEnds kThree{{}, {"a", "b", "c"}};
const KnownEnds kThreeWithDemands{{{"a", "b", 3}, {"b", "c", 1}}, {"a", "b", "c"}};

TEST(Matrix, TheTopologysDemandsAreTheRuleAndUniformWhenItHasNone) {
  EXPECT_TRUE(needs_topology({}));
  const Counts demands = draw(workload_of({}, kThreeWithDemands, 1).value());
  expect_share(demands, "a", "b", 0.75);
  expect_share(demands, "b", "c", 0.25);
  EXPECT_EQ(draw(workload_of({}, kThree, 1).value()).size(), 6u);
}

TEST(Matrix, TheSeedMeansTheSameCallsAsEver) {
  Workload now = workload_of({}, kThree, 5).value();
  Workload ever = Workload::uniform({"a", "b", "c"}, 5).value();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(now.next(), ever.next());
}

TEST(Matrix, UniformPaysNoHeedToDemands) {
  const Counts counts =
      draw(workload_of({.matrix = Matrix::kUniform}, kThreeWithDemands, 1).value());
  for (const char* const from : {"a", "b", "c"})
    for (const char* const to : {"a", "b", "c"})
      if (from != std::string(to)) expect_share(counts, from, to, 1.0 / 6);
}

TEST(Matrix, GravityIsTheProductOfWhatBeginsOrEndsAtTheEndpoints) {
  // Volumes: a 3, b 4, c 1. Pairs a-b 12, b-c 4, a-c 3, each in both directions: the sum is 38.
  const Counts counts =
      draw(workload_of({.matrix = Matrix::kGravity}, kThreeWithDemands, 1).value());
  expect_share(counts, "a", "b", 12.0 / 38);
  expect_share(counts, "b", "a", 12.0 / 38);
  expect_share(counts, "c", "b", 4.0 / 38);
  expect_share(counts, "a", "c", 3.0 / 38);
}

TEST(Matrix, GravityWithoutDemandsIsZipfInAnOrderOfTheSeed) {
  std::set<std::string> greatest;
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u}) {
    const Counts counts = draw(workload_of({.matrix = Matrix::kGravity}, kThree, seed).value());
    // The products of 1, 1/2, 1/3 are 1/2, 1/3 and 1/6 of their sum, each in both directions.
    std::vector<double> shares;
    std::map<std::string, int> calls;
    for (const auto& [pair, count] : counts) {
      shares.push_back(static_cast<double>(count) / kSample);
      calls[pair.first] += count;
    }
    std::sort(shares.begin(), shares.end());
    ASSERT_EQ(shares.size(), 6u);
    EXPECT_NEAR(shares[0], 1.0 / 12, 0.005) << "seed " << seed;
    EXPECT_NEAR(shares[3], 1.0 / 6, 0.005) << "seed " << seed;
    EXPECT_NEAR(shares[5], 1.0 / 4, 0.007) << "seed " << seed;
    greatest.insert(std::max_element(calls.begin(), calls.end(), [](const auto& a, const auto& b) {
                      return a.second < b.second;
                    })->first);
  }
  EXPECT_GT(greatest.size(), 1u);
}

TEST(Matrix, AHotspotIsCalledByItsShareOfAllCalls) {
  const MatrixSpec spec{.matrix = Matrix::kHotspot, .hotspot = "b", .hotspot_share = 0.6};
  const Counts counts = draw(workload_of(spec, kThree, 1).value());
  expect_share(counts, "a", "b", 0.3);
  expect_share(counts, "c", "b", 0.3);
  for (const auto& [from, to] : {std::pair{"a", "c"}, {"b", "a"}, {"b", "c"}, {"c", "a"}})
    expect_share(counts, from, to, 0.1);
}

TEST(Matrix, AHotspotMayHaveAllCallsAndOneOtherCaller) {
  const MatrixSpec all{.matrix = Matrix::kHotspot, .hotspot = "b", .hotspot_share = 1};
  EXPECT_EQ(draw(workload_of(all, kThree, 1).value()).size(), 2u);
  const MatrixSpec half{.matrix = Matrix::kHotspot, .hotspot = "b", .hotspot_share = 0.5};
  const Counts counts = draw(workload_of(half, {{}, {"a", "b"}}, 1).value());
  expect_share(counts, "a", "b", 0.5);
  expect_share(counts, "b", "a", 0.5);
}

TEST(Matrix, OnePairNeedsNoTopology) {
  const MatrixSpec spec{.from = "x", .to = "y"};
  EXPECT_FALSE(needs_topology(spec));
  EXPECT_EQ(workload_of(spec, {}, 1)->next(), (Ends{"x", "y"}));
}

TEST(Matrix, UnknownNamesAreRefusedBeforeTheRun) {
  EXPECT_EQ(refusal({.matrix = Matrix::kHotspot, .hotspot = "x"}, kThree),
            "option --hotspot: x is none of the topology's 3 endpoints: a, b, c");
  EXPECT_EQ(refusal({.demands_file = "who.txt", .demands = {{"a", "b", 1}, {"a", "z", 1}}}, kThree),
            "who.txt: z is none of the topology's 3 endpoints: a, b, c");
  EXPECT_EQ(refusal({.names_file = "calls.txt", .names = {"c", "d"}}, kThree),
            "calls.txt: d is none of the topology's 3 endpoints: a, b, c");
  KnownEnds many;
  for (int i = 0; i < 20; ++i) many.endpoints.push_back("host-" + std::to_string(i));
  EXPECT_THAT(refusal({.matrix = Matrix::kHotspot, .hotspot = "x"}, many),
              AllOf(HasSubstr("20 endpoints: host-0, host-1"), HasSubstr("host-7, ...")));
}

TEST(Matrix, TooManyEndpointsForAMatrixMadePairByPairAreRefused) {
  KnownEnds many;
  for (std::size_t i = 0; i <= kMatrixEndpointsMax; ++i)
    many.endpoints.push_back("host-" + std::to_string(i));
  EXPECT_EQ(refusal({.matrix = Matrix::kGravity}, many),
            "1001 endpoints, matrix gravity takes at most 1000");
  EXPECT_EQ(refusal({.matrix = Matrix::kUniform}, many), "taken");
}

// ===== repeated pairs =====

TEST(RepeatPair, IsTheChanceThatACallHasTheEndsOfTheOneBefore) {
  std::vector<std::string> endpoints;
  for (int i = 0; i < 50; ++i) endpoints.push_back(std::to_string(i));
  for (const double chance : {0.0, 0.01, 0.5, 1.0}) {
    Workload workload = workload_of({.repeat_pair = chance}, {{}, endpoints}, 1).value();
    Ends former = workload.next();
    int same = 0;
    for (int i = 0; i < kSample; ++i) {
      const Ends ends = workload.next();
      if (ends == former) ++same;
      former = ends;
    }
    // A new draw also gives the same pair by chance: one of 50 x 49 pairs.
    const double share = chance + (1 - chance) / (50 * 49);
    EXPECT_NEAR(same, kSample * share, 4 * std::sqrt(kSample * share * (1 - share)) + 1e-6)
        << chance;
  }
}

// ===== leaves ===================================================================================

TEST(Leaves, AreAThirdEndpointEachAlike) {
  Workload workload = workload_of({.leaves = true}, {{}, {"a", "b", "c", "d"}}, 1).value();
  std::map<std::string_view, int> counts;
  for (int i = 0; i < kSample; ++i) ++counts[workload.next_leaf({"a", "c"})];
  ASSERT_EQ(counts.size(), 2u);
  EXPECT_NEAR(counts["b"], kSample / 2, 4 * 158);
}

TEST(Leaves, NeedThreeEndpoints) {
  EXPECT_EQ(refusal({.leaves = true}, {{}, {"a", "b"}}),
            "a call with a leaf needs three endpoints, 2 known");
  EXPECT_EQ(refusal({.leaves = true}, kThree), "taken");
}

TEST(Leaves, DoNotChangeWhoCallsWhom) {
  Workload with = workload_of({.leaves = true}, kThree, 3).value();
  Workload without = workload_of({}, kThree, 3).value();
  for (int i = 0; i < 100; ++i) {
    const Ends ends = with.next();
    EXPECT_EQ(ends, without.next());
    with.next_leaf(ends);
  }
}

// ===== demand files =============================================================================

std::string file_refusal(std::string_view text) {
  const auto demands = parse_demands(text, "who.txt");
  return demands ? "taken" : demands.error().text;
}

TEST(DemandFile, ALineIsADemand) {
  const auto demands = parse_demands("# who\nhost-a host-b 3\n\nhost-b host-a 0.5\r\n", "who.txt");
  ASSERT_TRUE(demands);
  ASSERT_EQ(demands->size(), 2u);
  EXPECT_EQ((*demands)[0].from, "host-a");
  EXPECT_EQ((*demands)[0].to, "host-b");
  EXPECT_EQ((*demands)[0].weight, 3);
  EXPECT_EQ((*demands)[1].weight, 0.5);
}

TEST(DemandFile, WhatIsWrongIsRefusedWithItsLine) {
  EXPECT_EQ(file_refusal("a b 1\na b\n"), "who.txt line 2: 2 words, not from, to and weight");
  EXPECT_EQ(file_refusal("a a 1\n"), "who.txt line 1: endpoint a would call itself");
  for (const char* const weight : {"0", "-1", "nan", "much"})
    EXPECT_THAT(file_refusal(std::string("a b ") + weight),
                HasSubstr(std::string("weight '") + weight + "' is no number above 0"));
  EXPECT_EQ(file_refusal("# nobody\n"), "who.txt: no demand is in it");
}

TEST(DemandFile, SndlibsDemandsAreTaken) {
  const auto demands = parse_demands(
      "?SNDlib native format; type: network; version: 1.0\n"
      "NODES (\n"
      "  Alpha ( 0 0 )\n"
      "  Beta ( 1 1 )\n"
      ")\n"
      "LINKS (\n"
      "  L1 ( Alpha Beta ) 155.00 0.00 0.00 0.00 ( )\n"
      ")\n"
      "DEMANDS (\n"
      "  D1 ( Alpha Beta ) 1 12.5 UNLIMITED\n"
      ")\n",
      "net.txt");
  ASSERT_TRUE(demands) << demands.error().text;
  ASSERT_EQ(demands->size(), 1u);
  // RouteObject gives the node of this file the same name.
  EXPECT_EQ((*demands)[0].from, "alpha");
  EXPECT_EQ((*demands)[0].to, "beta");
  EXPECT_EQ((*demands)[0].weight, 12.5);
  EXPECT_THAT(file_refusal("?SNDlib native format; type: network; version: 9.9\n"),
              HasSubstr("who.txt"));
}

MatrixSpec lists(std::vector<WeightedEnd> callers, std::vector<WeightedEnd> callees) {
  MatrixSpec spec;
  spec.callers = std::move(callers);
  spec.callees = std::move(callees);
  spec.lists_place = "f.toml class v";
  return spec;
}

TEST(Matrix, TwoListsMakeEveryPairByTheProductOfTheirWeights) {
  EXPECT_TRUE(needs_topology(lists({}, {{"a"}})));
  const Counts counts =
      draw(workload_of(lists({{"a", 3}, {"b", 1}}, {{"b", 1}, {"c", 1}}), kThree, 1).value());
  // a -> b 3, a -> c 3, b -> c 1; b does not call itself.
  expect_share(counts, "a", "b", 3.0 / 7);
  expect_share(counts, "a", "c", 3.0 / 7);
  expect_share(counts, "b", "c", 1.0 / 7);
}

TEST(Matrix, AnEmptyListStandsForAllEndpoints) {
  const Counts to_c = draw(workload_of(lists({}, {{"c", 5}}), kThreeWithDemands, 1).value());
  EXPECT_EQ(to_c.size(), 2U);
  expect_share(to_c, "a", "c", 0.5);
  const Counts from_c = draw(workload_of(lists({{"c", 5}}, {}), kThreeWithDemands, 1).value());
  expect_share(from_c, "c", "a", 0.5);
}

TEST(Matrix, ListsAreCheckedAgainstTheTopology) {
  EXPECT_THAT(refusal(lists({}, {{"x"}}), kThree),
              HasSubstr("f.toml class v: x is none of the topology's 3 endpoints: a, b, c"));
  EXPECT_EQ(refusal(lists({{"a"}}, {{"a"}}), kThree), "f.toml class v: a could only call itself");
  KnownEnds many;
  for (int i = 0; i < 1'001; ++i) many.endpoints.push_back("h" + std::to_string(i));
  std::vector<WeightedEnd> thousand;
  for (int i = 0; i < 1'000; ++i) thousand.push_back({many.endpoints[i], 1});
  EXPECT_EQ(refusal(lists({}, thousand), many),
            "f.toml class v: 1001 callers and 1000 callees make more than 1000000 pairs");
}

}  // namespace
}  // namespace xbind::callgen
