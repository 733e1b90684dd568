#include "bench/model/point.hpp"

#include <fmt/format.h>

#include <array>
#include <memory>

#include "bench/model/sites.hpp"
#include "bench/search/rate_search.hpp"
#include "core/check.hpp"
#include "core/duration_numbers.hpp"

namespace xbind::model {
namespace {

constexpr Duration kDrain = std::chrono::seconds{60};
constexpr double kSearchStep = 1.3;
constexpr double kSearchPrecision = 0.01;

// The paper's network: host-a, switch-1, host-b, each a SwitchServer with its switch; or a longer
// or shorter path.
class Network {
 public:
  explicit Network(const PointPlan& plan);
  PointResult run();

 private:
  struct Mark {
    TimePoint at{};
    std::uint64_t offered = 0;
    std::uint64_t answered = 0;
    std::uint64_t released = 0;
    std::uint64_t requests = 0;

    double open() const { return static_cast<double>(offered - answered); }
  };
  Mark mark() const {
    return {machine_.now(), client_.figures().offered, client_.answered(),
            client_.figures().released, manager_.exchanged().requests};
  }
  std::size_t in_use() {
    return manager_.manager().labels_awaited(watched_, SwitchServerSite::kOut);
  }
  void note_arrival();
  template <class Visitor>
  void for_each_process(Visitor&& visit) {
    visit(client_);
    visit(manager_);
    for (auto& server : servers_) visit(*server);
    for (auto& at : switches_) visit(*at);
    visit(route_object_);
    visit(qos_mapper_);
  }

  PointPlan plan_;
  std::string watched_;  // the switch in the middle of the path
  std::vector<std::uint64_t> in_use_at_arrivals_;
  Machine machine_;
  ClientSite client_;
  ManagerSite manager_;
  MapperSite route_object_;
  MapperSite qos_mapper_;
  std::vector<std::unique_ptr<SwitchServerSite>> servers_;
  std::vector<std::unique_ptr<LabelSwitchSite>> switches_;
};

std::vector<std::string> names_of(std::size_t switches) {
  std::vector<std::string> names{"host-a"};
  for (std::size_t at = 1; at + 1 < switches; ++at) names.push_back(fmt::format("switch-{}", at));
  if (switches > 1) names.emplace_back("host-b");
  return names;
}

cmgr::Config manager_config(const PointPlan& plan) {
  cmgr::Config config = plan.manager;
  if (plan.sessions) config.client_session = config.switch_session = *plan.sessions;
  return config;
}

ClientPlan client_plan(const PointPlan& plan) {
  return {plan.rate,
          plan.calls,
          plan.hold_distribution,
          plan.hold_mean,
          plan.seed,
          plan.client_batch,
          plan.calls / 10,
          plan.callers,
          plan.one_at_a_time,
          plan.sessions.value_or(session::Limits{})};
}

Network::Network(const PointPlan& plan)
    : plan_(plan),
      machine_(plan_.seed),
      client_("client", client_plan(plan_), machine_, plan_.costs),
      manager_("manager", manager_config(plan_), plan_.route_validity, machine_, plan_.costs),
      route_object_("route object", machine_, plan_.costs),
      qos_mapper_("qos mapper", machine_, plan_.costs) {
  XB_CHECK(plan_.switches >= 1 && plan_.switches <= 8, plan_.switches);
  const std::vector<std::string> names = names_of(plan_.switches);
  watched_ = names[(names.size() - 1) / 2];
  for (const std::string& name : names) {
    servers_.push_back(std::make_unique<SwitchServerSite>(
        name, std::uint64_t{servers_.size() + 1} << 32, plan_.sessions.value_or(session::Limits{}),
        machine_, plan_.costs));
    switches_.push_back(
        std::make_unique<LabelSwitchSite>(name + "'s switch", machine_, plan_.costs));
  }
  manager_.drain_up_to(plan_.manager_drain);
  std::size_t host = 0;
  if (plan_.placement == Placement::kOneHost)
    host = machine_.add_host(plan_.cores, plan_.costs.host);
  for_each_process([&](Process& process) {
    if (plan_.placement == Placement::kOwnHosts) {
      host = machine_.add_host(plan_.cores, plan_.costs.host);
    }
    machine_.add(process, host);
  });
  const TimePoint now = machine_.now();
  std::vector<SwitchServerSite*> path;
  for (std::size_t at = 0; at < servers_.size(); ++at) {
    servers_[at]->connect(manager_, *switches_[at], now);
    switches_[at]->connect(*servers_[at]);
    path.push_back(servers_[at].get());
  }
  route_object_.connect(manager_);
  qos_mapper_.connect(manager_);
  manager_.connect({client_, route_object_, qos_mapper_, path}, now);
  client_.connect(
      manager_, [this] { note_arrival(); }, now);
  for_each_process([&](Process& process) { machine_.start(process); });
}

void Network::note_arrival() {
  const std::size_t found = in_use();
  if (in_use_at_arrivals_.size() <= found) in_use_at_arrivals_.resize(found + 1);
  ++in_use_at_arrivals_[found];
}

PointResult Network::run() {
  double in_use_s = 0;  // the integral of their number over time
  const auto until = [&](auto&& reached) {
    while (!reached()) {
      const TimePoint before = machine_.now();
      const std::size_t found = in_use();
      if (!machine_.advance(kNever)) break;
      in_use_s += static_cast<double>(found) * in_seconds(machine_.now() - before);
    }
    return mark();
  };
  const Mark warm = until([&] { return client_.warm(); });
  const double in_use_warm_s = in_use_s;
  std::vector<Duration> busy_before;
  for_each_process([&](Process& process) { busy_before.push_back(process.busy()); });
  const std::uint64_t half = (warm.offered + plan_.calls) / 2;
  const Mark middle = until([&] { return client_.figures().offered >= half; });
  const Mark end = until([&] { return client_.all_offered(); });

  PointResult result;
  const double span = in_seconds(end.at - warm.at);
  result.offered_per_s = static_cast<double>(end.offered - warm.offered) / span;
  result.achieved_per_s = static_cast<double>(end.answered - warm.answered) / span;
  result.operations_per_s =
      static_cast<double>(end.answered + end.released - warm.answered - warm.released) / span;
  result.invocations_per_s = static_cast<double>(end.requests - warm.requests) / span;
  result.mean_in_use = (in_use_s - in_use_warm_s) / span;
  result.backlog_growth =
      (end.open() - middle.open()) / static_cast<double>(end.offered - middle.offered);
  std::size_t index = 0;
  for_each_process([&](Process& process) {
    result.processes.push_back(
        {process.name(), in_seconds(process.busy() - busy_before[index++]) / span, 0, 0});
  });

  while (!client_.over() && machine_.advance(end.at + kDrain)) {
  }
  const ClientSite::Figures& figures = client_.figures();
  result.ended = client_.over();
  result.offered = figures.offered;
  result.connected = figures.connected;
  result.refused = figures.refused;
  result.released = figures.released;
  result.in_use_at_arrivals = in_use_at_arrivals_;
  result.recorded = figures.setup.count();
  result.mean_us = figures.setup.mean_ns() / 1e3;
  result.min_us = in_us(figures.setup.min());
  result.p5_us = in_us(figures.setup.percentile(5));
  result.max_us = in_us(figures.setup.max());
  result.p50_us = in_us(figures.setup.percentile(50));
  result.p95_us = in_us(figures.setup.percentile(95));
  result.p99_us = in_us(figures.setup.percentile(99));
  const auto& to_clients = manager_.manager().client_counters();
  const auto& to_switches = manager_.manager().switches().counters();
  result.invocations = {to_clients.frames_in, to_switches.frames_out, to_switches.frames_in,
                        to_clients.frames_out, manager_.exchanged().questions};
  const double takes = static_cast<double>(to_switches.label_hits + to_switches.label_misses);
  result.hit_ratio = takes > 0 ? static_cast<double>(to_switches.label_hits) / takes : 0;
  if (manager_.exchanged().batches > 0) {
    result.commands_per_batch = static_cast<double>(manager_.exchanged().commands) /
                                static_cast<double>(manager_.exchanged().batches);
  }
  const auto operations = static_cast<double>(figures.offered + figures.released);
  index = 0;
  for_each_process([&](Process& process) {
    PointResult::Share& share = result.processes[index++];
    share.us_per_operation = in_us(process.busy()) / operations;
    share.wakes_per_operation = static_cast<double>(process.wakes()) / operations;
  });
  result.events = machine_.events();
  return result;
}

}  // namespace

cmgr::Config baseline(std::size_t operations_at_once) {
  cmgr::Config config;
  config.one_by_one = true;
  config.operations_at_once = operations_at_once;
  config.route_cache = false;
  config.remote_qos = true;
  config.qos_cache = false;
  config.label_cache_target = 0;
  return config;
}

PointResult run_point(const PointPlan& plan) { return Network(plan).run(); }

double saturation(PointPlan plan) {
  callgen::RateSearch search(
      {.rates = {plan.rate}, .growth = kSearchStep, .precision = kSearchPrecision});
  while (const auto rate = search.next()) {
    plan.rate = *rate;
    search.add(*rate, run_point(plan).sustained());
  }
  return search.kept();
}

}  // namespace xbind::model
