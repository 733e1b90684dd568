// manager_bench: how long one step occupies a connection manager, by kind of step.
//
//   manager_bench [CONNECTIONS [LONGEST_MS]]
//
//   CONNECTIONS  of three hops, 1 000 to 10 000 000; default 1 000 000
//   LONGEST_MS   the exit code is 1 when a step took more processor time; default: none is judged
//
// Runs the manager's logic with a hundred switches in memory (network.hpp), in batches of 64
// requests on virtual time. It sets all connections up, modifies and releases a part of them, lists
// pages, audits a switch and reads events, alarms and traces. It loses a switch with operations
// under way and attaches it again, takes a link and a switch out of the network and back, and lets
// holds expire. Prints for each kind of step the number of steps, the processor time of this
// thread, and the longest wall-clock time, which other processes lengthen.
#include <fmt/format.h>

#include <algorithm>

#include "cmgr/alarm_conditions.hpp"
#include "cmgr/bench/network.hpp"
#include "cmgr/parts/trace_spans.hpp"
#include "core/bench.hpp"
#include "core/log.hpp"
#include "core/steady_now.hpp"

namespace xbind::cmgr {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint64_t kSeed = 19;
constexpr std::size_t kBatch = 64;
constexpr std::size_t kPairs = 70'000;     // more than the route cache holds
constexpr std::size_t kListMax = 10'000;   // the longest page that a manager returns
constexpr std::size_t kUnderWay = 20'000;  // Config::operations_at_once
constexpr std::uint32_t kHoldMs = 2'000;

// Sends `count` requests in batches; add(batch) appends one request.
template <class Add>
void ask(Network& network, std::size_t count, Add&& add) {
  while (count > 0) {
    RequestBatch batch;
    for (std::size_t i = std::min(count, kBatch); i > 0; --i, --count) add(batch);
    network.ask(std::move(batch));
    network.carry();
    network.wait(microseconds{200});
  }
  network.settle(milliseconds{20});
}

void set_up(Network& network, std::size_t count, std::uint32_t hold_ms = 0) {
  ask(network, count,
      [&](RequestBatch& batch) { batch.connects.push_back(network.call(hold_ms)); });
}

void modify(Network& network, std::size_t count) {
  std::size_t at = 0;
  ask(network, count, [&](RequestBatch& batch) {
    batch.modifies.push_back(
        {network.next_request(), network.up[at++], {ServiceKind::kCells, 50, 10, 0, 0}});
  });
}

// Releases connections of all ages.
void release(Network& network, std::size_t count) {
  const std::size_t stride = network.up.size() / count;
  std::vector<ConnectionId> go;
  std::vector<ConnectionId> stay;
  for (std::size_t i = 0; i < network.up.size(); ++i) {
    (i % stride == 0 && go.size() < count ? go : stay).push_back(network.up[i]);
  }
  network.up = std::move(stay);
  std::size_t at = 0;
  ask(network, go.size(), [&](RequestBatch& batch) {
    batch.releases.push_back({network.next_request(), go[at++]});
  });
}

void list_pages(Network& network) {
  const ConnectionManager& manager = network.manager();
  const auto page = [&](const char* what, ConnectionId after) {
    for (int i = 0; i < 10; ++i) {
      network.times().time(what, [&] { (void)manager.list(after, kListMax); });
    }
  };
  const auto [first, last] = std::minmax_element(network.up.begin(), network.up.end());
  const std::uint64_t span = last->value() - first->value();
  page("list: first page", ConnectionId{});
  page("list: middle page", ConnectionId{first->value() + span / 2});
  page("list: last page", ConnectionId{last->value() - std::min(span, kListMax)});
}

void operators(Network& network) {
  ConnectionManager& manager = network.manager();
  const SwitchName name_of = [&](SwitchIndex at) -> const std::string& {
    return manager.switches().name(at);
  };
  const trace::WallClock clock(network.now(), 0);
  AlarmCounts counted;
  auto call = network.up.begin();
  for (int i = 0; i < 10; ++i) {
    network.times().time("audit: everything sent", [&] { manager.flush_all(network.now()); });
    network.times().time("audit: view of a switch",
                         [&] { (void)manager.view_of(Network::switch_name(7)); });
    network.times().time("caches", [&] { (void)manager.caches(100, network.now()); });
    network.times().time("gauges", [&] { (void)manager.gauges(); });
    network.times().time("alarms: the states that raise them",
                         [&] { (void)conditions_of(manager, "manager-1", counted); });
    network.times().time("events: a page of 1 024", [&] {
      (void)manager.calls_after(0, 1'024, {network.now(), 0});
    });
    network.times().time("traces: the latest 100", [&] {
      (void)traced_operations(manager.traces().records(), 100, name_of, clock);
    });
    network.times().time("traces: a call", [&] {
      (void)spans_of(manager.traces().records(), *call++, name_of, clock);
    });
    network.times().time("a call described", [&] { (void)manager.describe(*call); });
    network.times().time("clients", [&] { (void)manager.clients("", 1'000); });
  }
}

// Loses a switch while the greatest number of setups is under way, then attaches it with labels in
// quarantine.
void lose_and_attach(Network& network, std::size_t setups) {
  constexpr std::uint32_t kLost = 7;
  network.begin("switch lost, setups under way");
  network.hold_results(true);
  set_up(network, setups);
  network.lose(kLost);
  network.hold_results(false);
  network.settle(milliseconds{20});
  PortLabels resting{PortId{10 + kLost + 1}, {}};
  for (std::uint32_t label = 0; label < 1'000; ++label) {
    resting.labels.push_back(atm_label(0xfff, label));
  }
  network.begin("switch attached again");
  network.attach(kLost, {resting});
  network.settle(seconds{1});
}

void change_topology(Network& network) {
  const auto until_quiet = [&] {
    do {
      network.settle(milliseconds{50});
    } while (network.manager().gauges().reroutes_under_way > 0);
  };
  const std::vector<UnusableElement> link{
      {{Network::switch_name(20), PortId{10 + 21}}, Unusable::kDown},
      {{Network::switch_name(21), PortId{10 + 20}}, Unusable::kDown}};
  network.begin("link down");
  network.topology(link);
  until_quiet();
  network.begin("link up");
  network.topology({});
  until_quiet();
  network.begin("switch gone");
  network.topology({{{Network::switch_name(50), PortId{}}, Unusable::kDown}});
  until_quiet();
  network.begin("switch back");
  network.topology({});
  until_quiet();
}

// All holds come due at once, as after a scheduler kept the process waiting.
void expire(Network& network, std::size_t holds) {
  network.begin("hold");
  const std::size_t up = network.up.size();
  const TimePoint begin = network.now();
  set_up(network, holds, kHoldMs);
  network.up.resize(up);
  const TimePoint end = network.now();
  network.settle(begin + milliseconds{kHoldMs} - end - milliseconds{1});
  network.begin("holds expire");
  network.wait(end - begin + milliseconds{1});
  network.settle(milliseconds{50});
}

int run(std::size_t connections, std::chrono::milliseconds longest) {
  Config config;
  config.aggregation.mode = AggregationMode::kAdaptive;
  const std::size_t part = std::min<std::size_t>(100'000, connections / 10);
  config.connections_max = connections + part + kUnderWay;
  config.client_session.lease = std::chrono::hours{1};
  config.switch_session.lease = std::chrono::hours{1};
  fmt::print("{} connections of 3 hops over {} switches, {} pairs, seed {}\n\n", connections,
             Network::kSwitches, kPairs, kSeed);
  Network network(config, kPairs, kSeed, steady_now);
  network.begin("setup");
  set_up(network, connections);
  const std::size_t up = network.up.size();
  network.begin("modify");
  modify(network, part);
  network.begin("release");
  release(network, part);
  network.begin("setup, full");
  set_up(network, part);
  list_pages(network);
  operators(network);
  lose_and_attach(network, std::min(kUnderWay, connections));
  change_topology(network);
  expire(network, part);
  network.times().print();
  const auto gauges = network.manager().gauges();
  fmt::print(
      "\n{} up at first, {} modified, {} released, {} refused, {} notices, {} left, {} astray\n",
      up, network.modified, network.released, network.refused, network.notices, gauges.connections,
      gauges.astray);
  const std::vector<std::string> longer = network.times().longer_than(longest);
  for (const std::string& step : longer) {
    fmt::print("longer than {} ms: {}\n", longest.count(), step);
  }
  const bool all = up == connections && network.modified == part && network.released == part;
  return all && longer.empty() ? 0 : 1;
}

}  // namespace
}  // namespace xbind::cmgr

int main(int argc, char** argv) {
  using std::chrono::milliseconds;
  constexpr const char* kUsage = "manager_bench [CONNECTIONS [LONGEST_MS]]";
  milliseconds longest = milliseconds::max();
  if (argc == 3) {
    const auto bound = xbind::bench_argument<std::uint32_t>(2, argv + 1, kUsage, 0, 10'000);
    if (!bound) return 2;
    longest = milliseconds{*bound};
    argc = 2;
  }
  const auto count = xbind::bench_argument<std::size_t>(argc, argv, kUsage, 1'000'000, 10'000'000);
  if (!count) return 2;
  if (*count < 1'000) {
    fmt::print(stderr, "manager_bench: {} connections are below 1000\n", *count);
    return 2;
  }
  xbind::log::start("manager_bench", xbind::log::Level::kError);
  return xbind::cmgr::run(*count, longest);
}
