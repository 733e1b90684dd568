// route_bench measures how fast routes are found on one core, in the network sizes that the project
// promises.
//
//   route_bench [ROUNDS]     rounds of each measurement, 1 to 1000, by default 7; prints the median
//
//  - all pairs: 128 switches with 32 links each. One link goes down; the table is computed from
//    scratch, and only where it changed; by hops and by load.
//  - sparse: 754 switches, 900 links (a tree and 147 more), single paths between distant ends: by
//    hops, and the cheapest by load within a delay bound that the cheapest path alone exceeds.
//  - batches: 4096 pairs of the first network, by names, answers with all their hops, from the
//    service that answers for RouteObject; also with a quarter of the switches full. And the
//    reports that the service handles.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "core/bench.hpp"
#include "core/steady_now.hpp"
#include "routeobject/alternates.hpp"
#include "routeobject/constrained_path.hpp"
#include "routeobject/route_service.hpp"
#include "routeobject/route_table.hpp"

namespace xbind {
namespace {

constexpr std::uint64_t kRate = 353'207;

template <class Work>
double milliseconds(const Work& work) {
  const TimePoint begin = steady_now();
  work();
  return std::chrono::duration<double, std::milli>(steady_now() - begin).count();
}

class Network {
 public:
  Network(const char* name, std::uint32_t switches) : topology_(name) {
    for (std::uint32_t index = 0; index < switches; ++index) {
      (void)topology_.add_switch(fmt::format("n{}", index), true);
    }
    next_port_.assign(switches, 2);
  }
  bool link(SwitchIndex a, SwitchIndex b, std::uint32_t delay_us) {
    const auto added =
        topology_.add_link({a, PortId{next_port_[a]}}, {b, PortId{next_port_[b]}}, kRate);
    if (!added) return false;
    ++next_port_[a];
    ++next_port_[b];
    return topology_.set_link_delay(*added, delay_us).has_value();
  }
  const Topology& topology() const { return topology_; }
  RouteGraph graph() const { return RouteGraph(std::make_shared<const Topology>(topology_)); }

 private:
  Topology topology_;
  std::vector<std::uint32_t> next_port_;
};

// A ring of switches with 32 links each: to the next 16 switches in strides of 3, in both
// directions.
Network dense() {
  Network net("dense", 128);
  for (std::uint32_t at = 0; at < 128; ++at) {
    for (std::uint32_t step = 1; step <= 16; ++step) {
      net.link(at, (at + step * 3) % 128, 100 + (at * 7 + step * 13) % 900);
    }
  }
  return net;
}

Network sparse() {
  Network net("sparse", 754);
  std::mt19937_64 random(754);
  for (SwitchIndex at = 1; at < 754; ++at) {
    const SwitchIndex back = 1 + static_cast<SwitchIndex>(random() % std::min(at, 8u));
    net.link(at, at - back, 100 + static_cast<std::uint32_t>(random() % 900));
  }
  for (int more = 0; more < 147;) {
    const auto a = static_cast<SwitchIndex>(random() % 754);
    const auto b = static_cast<SwitchIndex>((a + 1 + random() % 40) % 754);
    if (net.link(a, b, 100 + static_cast<std::uint32_t>(random() % 900))) ++more;
  }
  return net;
}

int all_pairs(std::size_t rounds) {
  const RouteGraph graph = dense().graph();
  for (const PathMetric metric : {PathMetric::kHops, PathMetric::kLoad}) {
    const auto before = RouteTable::compute(graph, metric, 0);
    if (!before) return 1;
    std::vector<double> full, part;
    std::size_t rows = 0;
    for (std::size_t round = 0; round < rounds; ++round) {
      const std::vector<LinkChange> cut{{round * 37 % graph.topology().links().size(), {false}}};
      const auto changed = graph.with(cut);
      if (!changed) return 1;
      full.push_back(milliseconds([&] { (void)RouteTable::compute(*changed, metric, 0); }));
      part.push_back(milliseconds([&] { rows = before->after(cut)->rows_computed(); }));
    }
    fmt::print(
        "all pairs of 128 x 32, {:5}: {:9.3f} ms from nothing, {:9.3f} ms after a cut ({} rows)\n",
        to_string(metric), median(full), median(part), rows);
  }
  return 0;
}

int single(std::size_t rounds) {
  const RouteGraph graph = sparse().graph();
  std::mt19937_64 random(1);
  // Some load, so that the cheapest path is not the fastest.
  std::vector<LinkChange> load;
  for (std::size_t link = 0; link < graph.topology().links().size(); ++link) {
    load.push_back({link, {true, 1 + random() % kRate, 1 + random() % kRate}});
  }
  const auto loaded = graph.with(load);
  if (!loaded) return 1;
  PathQuery query{.from = "n0", .to = "n753"};
  std::vector<double> hops, bounded, alternates;
  PathQuery fast = query;
  fast.metric = PathMetric::kDelay;
  const auto fastest = find_path(*loaded, fast);
  PathQuery cheap = query;
  cheap.metric = PathMetric::kLoad;
  const auto cheapest = find_path(*loaded, cheap);
  if (!fastest || !cheapest) return 1;
  cheap.delay_us_max = (fastest->delay_us + cheapest->delay_us) / 2;
  std::size_t found = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    hops.push_back(milliseconds([&] { found += find_path(*loaded, query) ? 1 : 0; }));
    bounded.push_back(milliseconds([&] { found += find_path(*loaded, cheap) ? 1 : 0; }));
    alternates.push_back(
        milliseconds([&] { found += find_alternates(*loaded, query, 4) ? 1 : 0; }));
  }
  fmt::print(
      "one path of 754 switches:     {:9.3f} ms by hops, {:9.3f} ms by load within {} us, "
      "{:9.3f} ms for 4 alternates\n",
      median(hops), median(bounded), *cheap.delay_us_max, median(alternates));
  if (found != 3 * rounds) fmt::print(stderr, "{} of {} were found\n", found, 3 * rounds);
  return found == 3 * rounds ? 0 : 1;
}

// Reports all ports of a switch of dense() with `free` cells/s each; `second_up`: port 2 is in
// service.
std::vector<PortReport> ports_of(std::uint64_t free, bool second_up) {
  std::vector<PortReport> ports;
  for (std::uint32_t port = 1; port <= 33; ++port) {
    ports.push_back({PortId{port}, port != 2 || second_up, kRate, free});
  }
  return ports;
}

int batches(std::size_t rounds) {
  RouteService service(dense().topology(), kRouteValidityMsDefault);
  std::mt19937_64 random(2);
  std::vector<PathQuery> queries;
  while (queries.size() < kRouteQueriesMax) {
    const std::uint64_t a = random() % 128, b = random() % 128;
    if (a != b) queries.push_back({fmt::format("n{}", a), fmt::format("n{}", b), kRate / 2});
  }
  std::size_t found = 0;
  const auto a_second = [&] {
    std::vector<double> took;
    for (std::size_t round = 0; round < rounds; ++round) {
      took.push_back(milliseconds([&] {
        const auto answers = service.answer(queries);
        if (!answers) return;
        for (const RouteAnswer& answer : answers->answers) found += answer ? 1 : 0;
      }));
    }
    return static_cast<double>(queries.size()) / median(took) * 1e3;
  };
  const double idle = a_second();
  std::vector<double> mere, cut;
  std::uint64_t number = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::string at = fmt::format("n{}", round % 128);
    const auto report = [&](std::uint64_t free, bool second_up) {
      (void)service.report(at, Epoch{1}, ++number, ports_of(free, second_up), TimePoint{});
    };
    mere.push_back(milliseconds([&] { report(round, true); }));
    cut.push_back(milliseconds([&] { report(round, false); }));
    report(kRate, true);
  }
  // Every fourth switch has no room on its outputs: a search finds other paths, or paths without
  // room.
  for (std::uint32_t at = 0; at < 128; at += 4) {
    (void)service.report(fmt::format("n{}", at), Epoch{1}, ++number, ports_of(0, true),
                         TimePoint{});
  }
  const double full = a_second();
  fmt::print(
      "pairs in batches of 4096:     {:9.0f} a second, {:9.0f} with a quarter of the switches "
      "full\n",
      idle, full);
  fmt::print(
      "a report of 32 links:         {:9.3f} ms of what is free, {:9.3f} ms with a link down\n",
      median(mere), median(cut));
  const std::size_t asked = 2 * rounds * queries.size();
  if (found != asked) fmt::print(stderr, "only {} pairs were answered\n", found);
  return found == asked ? 0 : 1;
}

int run(std::size_t rounds) {
  const int failed = all_pairs(rounds) + single(rounds) + batches(rounds);
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace xbind

int main(int argc, char** argv) {
  const auto count =
      xbind::bench_argument<std::size_t>(argc, argv, "route_bench [ROUNDS]", 7, 1000);
  return count ? xbind::run(*count) : 2;
}
