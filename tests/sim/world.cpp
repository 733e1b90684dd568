// World: construction, and the passing of time.
#include "tests/sim/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace xbind::sim {
namespace {

constexpr Duration kLoad = seconds{30};
constexpr Duration kCalm = seconds{100};  // longer than any dead session can last

constexpr Duration kClaimsWait = seconds{60};  // longer than any partition

// Steps between full checks.
constexpr std::uint64_t kLedgerChanges = 24;
constexpr std::size_t kManagerSteps = 48;

Weather weather_of(Chance& chance) {
  Weather weather;
  weather.loss = static_cast<double>(chance.below(15));
  weather.repeat = static_cast<double>(chance.below(15));
  weather.delay = milliseconds{chance.between(1, 80)};
  weather.add_refused = static_cast<double>(chance.below(4));
  weather.remove_refused = static_cast<double>(chance.below(4));
  weather.late_answers = static_cast<double>(chance.below(30)) / 10;
  weather.two_way_lost = static_cast<double>(chance.below(6));
  weather.between_accidents = milliseconds{chance.between(400, 4'000)};
  return weather;
}

template <class T, std::size_t N>
T one_of(Chance& chance, const std::array<T, N>& values) {
  return values[chance.below(N)];
}

}  // namespace

// ===== building =====

World::World(const Plan& plan)
    : plan_(plan),
      disk_(plan.seed + 0x6469736b),
      world_(plan.seed),
      network_(plan.is_stage() ? plan.switches : world_.chance.between(3, 6),
               plan.is_stage() ? 64U : (world_.chance.percent(25) ? 12U : 40U), !plan.is_stage(),
               plan.frames),
      routes_(world_, network_, [this](const std::string& watcher, const TopologyState& state) {
        tell_topology(watcher, state);
      }) {
  planted_bug = plan.bug;
  world_.planted = plan.planted;
  std::size_t managers = std::array{1, 2, 2, 3}[world_.chance.below(4)];
  std::size_t clients = world_.chance.between(managers, 3);
  choose_kind();
  if (plan.two_managers) managers = 2;
  if (plan.is_stage()) managers = clients = plan.managers.size();
  if (managers == 1) one_dies_ = false;
  for (std::size_t i = 0; i < managers; ++i) {
    managers_.emplace_back();
    managers_.back().config = plan.is_stage() ? plan.managers[i] : choose_config(i);
    cooperative_ =
        cooperative_ || managers_.back().config.label_policy == cmgr::LabelPolicy::kCooperative;
  }
  for (std::size_t i = 0; i < network_.size(); ++i) switches_.push_back(make_switch(i));
  for (std::size_t i = 0; i < network_.size(); ++i) make_server(i);
  for (std::size_t i = 0; i < managers; ++i) {
    managers_[i].site = make_manager(i);
    store_epoch(i);
  }
  for (std::size_t i = 0; i < clients; ++i) clients_.push_back(make_client(i));
}

World::~World() { planted_bug = Bug::kNone; }

void World::choose_kind() {
  if (!plan_.is_stage() && plan_.planted == Planted::kNothing) {
    world_.lines = world_.chance.percent(80);
    lines_break_ = world_.lines && !plan_.fair && world_.chance.percent(60);
  }
  calls_per_client_ = 150;
  if (plan_.is_stage()) {
    loading_ = false;
    world_.lines = plan_.lines;
    return;
  }
  pools_ = world_.chance.percent(35);
  const std::uint64_t kind = world_.chance.below(10);
  if (plan_.fair) return;
  world_.weather = weather_of(world_.chance);
  if (plan_.two_managers) {
    world_.weather.between_accidents = Duration::zero();
    return;
  }
  restarts_ = kind < 2 || plan_.restarts || plan_.crash_together;
  short_of_everything_ = world_.chance.percent(15);
  servers_die_ =
      (kind < 8 && world_.chance.percent(30)) || plan_.servers_die || plan_.crash_together;
  one_dies_ = !restarts_ && (kind == 2 || kind == 3);
  if (kind > 7 && !restarts_) world_.weather.between_accidents = Duration::zero();
}

cmgr::Aggregation World::choose_aggregation() {
  cmgr::Aggregation aggregation;
  aggregation.mode = one_of(
      world_.chance, std::array{cmgr::AggregationMode::kFixed, cmgr::AggregationMode::kFixed,
                                cmgr::AggregationMode::kRegions, cmgr::AggregationMode::kAdaptive});
  aggregation.threshold = world_.chance.between(1, 4);
  aggregation.in_flight = world_.chance.between(1, 4);
  return aggregation;
}

cmgr::Config World::choose_config(std::size_t index) {
  cmgr::Config config;
  config.epoch = index + 1;
  config.aggregation = choose_aggregation();
  config.crankbacks = world_.chance.between(0, 3);
  config.remote_qos = world_.chance.percent(35);
  const std::uint64_t engine = world_.chance.below(10);
  if (engine >= 8 && plan_.planted == Planted::kNothing) {
    config.one_by_one = true;
    config.operations_at_once = engine == 8 ? 1 : 4;
    config.route_cache = config.qos_cache = false;
    config.label_cache_target = 0;
    calls_per_client_ = 60;
    return config;
  }
  if (short_of_everything_) {
    config.clients.requests_max = world_.chance.between(10, 60);
    config.debts_max = world_.chance.between(1, 20);
    config.connections_max = world_.chance.between(10, 60);
    config.reroutes_at_once = 2;
    config.pools_max = 1;
  }
  config.operations_at_once = one_of(world_.chance, std::array<std::size_t, 3>{20'000, 20'000, 6});
  config.operations_waiting = one_of(world_.chance, std::array<std::size_t, 2>{100'000, 5});
  config.label_cache_target = one_of(world_.chance, std::array<std::size_t, 4>{0, 3, 8, 64});
  config.label_policy = one_of(
      world_.chance, std::array{cmgr::LabelPolicy::kFixed, cmgr::LabelPolicy::kFixed,
                                cmgr::LabelPolicy::kCompetitive, cmgr::LabelPolicy::kCooperative});
  config.quotas = world_.chance.percent(35);
  config.quota_calls_ahead = world_.chance.between(1, 6);
  if (plan_.planted == Planted::kLabelGrantedTwice) {
    config.label_cache_target = 3;
    config.label_policy = cmgr::LabelPolicy::kFixed;
  }
  return config;
}

World::SwitchSite World::make_switch(std::size_t index) {
  SwitchSite site;
  site.name = Network::switch_name(index);
  GsmpSwitch::Hooks hooks;
  hooks.step = [this, index] { switch_stepped(index); };
  hooks.may_branch = [this, index](const CrossConnect& one, const CrossConnect& other) {
    return same_call(index, one, other);
  };
  hooks.changed = [this, index] {
    SwitchSite& changed = switches_[index];
    std::erase_if(changed.inherited,
                  [&](const CrossConnect& at) { return !changed.device->has(at); });
    check_cells_through(index);
  };
  const bool services = world_.chance.percent(70);
  // Every second switch charges hops by their contract.
  if (index % 2 == 1) {
    site.admission = world_.chance.percent(70) ? AdmissionMode::kEffective : AdmissionMode::kPeak;
  }
  if (!plan_.is_stage() && world_.chance.percent(30)) {
    site.overbooking = one_of(world_.chance, std::array<std::uint64_t, 3>{800, 1'500, 2'000});
  }
  site.device = std::make_unique<GsmpSwitch>(world_, site.name, network_.ports(index), services,
                                             std::move(hooks));
  return site;
}

// Also replaces a server that was killed.
void World::make_server(std::size_t index) {
  SwitchSite& site = switches_[index];
  SwitchServerOptions options;
  options.controller.name = site.name;
  options.controller.ledger.buffer_cells = kBufferCells;
  options.controller.ledger.admission = site.admission;
  options.controller.ledger.overbooking = static_cast<double>(site.overbooking) / 1'000;
  if (short_of_everything_) {
    options.results_waiting_max = 8;
    options.controller.labels_per_grant_max = 6;
    options.controller.open_batches_max = 4;
    options.controller.open_audits_max = 1;
  }
  options.controller.ledger.sharing =
      cooperative_ ? LabelSharing::kCooperative : LabelSharing::kFree;
  options.controller.ledger.unused_percent = kUnusedPercent;
  options.controller.known = site.known;
  options.controller.claims_wait = kClaimsWait;
  // They mend the mistake before it is looked for.
  if (plan_.bug != Bug::kNotPutBack) options.controller.table_round = kTableRound;
  constexpr std::uint64_t kSessionsOfALife = 1'000'000;
  options.session_base =
      (std::uint64_t{index + 1} << 32) + (site.incarnation.value() - 1) * kSessionsOfALife;
  site.server = std::make_unique<SwitchServer>(options, site.device->requests(), *this);
  site.reporter = PortReporter{kReports};
  site.reporter.switch_down(world_.now);
  site.clock = site.full_clock = site.operations = 0;
}

std::unique_ptr<ManagerSite> World::make_manager(std::size_t index) {
  ManagerSite::Hooks hooks;
  hooks.to_switch = [this, index](const std::string& name, SessionId session,
                                  session::Frame<HopBatch> frame) {
    carry_to_switch(index, index_of(name), session, std::move(frame));
  };
  hooks.to_client = [this, index](SessionId session, session::Frame<OutcomeBatch> frame) {
    carry_to_client(index, session, std::move(frame));
  };
  hooks.client_session_over = [this, index](SessionId session, const SessionEnding& ending) {
    tell_session_over(index, session, ending);
  };
  hooks.detach = [this, index](const std::string& name, SessionId session) {
    detach(index, name, session);
  };
  hooks.attach = [this, index](const std::string& name, Epoch epoch) {
    return attach(index, name, epoch);
  };
  hooks.held_hops = [this, index](const std::string& name, SessionId session, std::uint64_t from) {
    return held_hops(index, name, session, from);
  };
  hooks.invoke = [this, index](const std::string& name, SessionId session, HopBatch batch) {
    invoke(index, index_of(name), session, std::move(batch));
  };
  hooks.route = [this](const cmgr::RouteQuery& query) { return routes_.route(query); };
  hooks.watch = [this, index] { return routes_.watch(managers_[index].site->name()); };
  hooks.claim = [this, index](const std::string& name, SessionId session, const HopClaims& page) {
    return claim(index, name, session, page);
  };
  hooks.stepped = [this, index] { manager_stepped(index); };
  return std::make_unique<ManagerSite>(world_, fmt::format("manager-{}", index),
                                       managers_[index].config, std::move(hooks));
}

World::ClientSite World::make_client(std::size_t index) {
  ClientSite site;
  site.manager = index % managers_.size();
  Client::Hooks hooks;
  hooks.transmit = [this, index](SessionId session, session::Frame<RequestBatch> frame) {
    carry_to_inbox(index, session, std::move(frame));
  };
  hooks.attach = [this, index](const client::Attach& attempt, std::uint64_t life) {
    attach_client(index, attempt, life);
  };
  hooks.detach = [this, index](SessionId session) { detach_client(index, session); };
  hooks.up = [this, index](Call& call) {
    if (handovers_lost_.contains({clients_[index].manager, call.id})) {
      call.state = Call::State::kGone;
      return;
    }
    note_lost_call(clients_[index], call);
    if (call.state != Call::State::kUp) return;
    check_call(clients_[index], call);
    check_cells(clients_[index], call);
    live(index, call.setup.request);
  };
  hooks.held = [this, index](Call& call) { live_held(index, call.setup.request); };
  site.client = std::make_unique<Client>(world_, fmt::format("client-{}", index), choose_limits(),
                                         std::move(hooks));
  return site;
}

// In foul weather some limits are low: open requests, patience, credit.
client::Limits World::choose_limits() {
  client::Limits limits;
  if (plan_.fair || plan_.is_stage()) return limits;
  limits.open_max = one_of(world_.chance, std::array<std::size_t, 3>{65'536, 65'536, 12});
  limits.requests_per_batch = one_of(world_.chance, std::array<std::size_t, 3>{512, 512, 2});
  limits.back_off.max = one_of(world_.chance, std::array<Duration, 2>{seconds{1}, seconds{5}});
  limits.jitter = static_cast<double>(world_.chance.below(101)) / 100;
  limits.attach_answer =
      one_of(world_.chance, std::array<Duration, 3>{seconds{1}, seconds{5}, seconds{20}});
  limits.reach_within =
      one_of(world_.chance, std::array<Duration, 3>{seconds{2}, seconds{60}, client::kForever});
  limits.first_answer =
      one_of(world_.chance, std::array<Duration, 3>{seconds{2}, seconds{10}, client::kForever});
  limits.session.batches_in_flight = one_of(world_.chance, std::array<std::uint32_t, 2>{256, 2});
  return limits;
}

// ===== time =====

void World::switch_stepped(std::size_t at) {
  SwitchSite& site = switches_[at];
  // The daemon ends a step like this: an event may make the controller send more requests, which
  // may be refused at once.
  for (;;) {
    site.device->take_events(site.events);
    if (site.events.empty()) break;
    for (const driver::Event& event : site.events) {
      note_situation(at, event);
      site.server->on_driver(event, world_.now);
      note_switch(at, event);
    }
  }
  site.server->finish_step(world_.now);
  site.device->transmit();
  tell_router(at);
  note_absences(at);
  check_nobodys(at);
  const std::uint64_t clock = ledger(at).hops().clock();
  if (clock == site.clock) return;
  site.clock = clock;
  check_promised(1U << at);
  if (plan_.two_managers) check_holders(at);
  if (clock - site.full_clock < kLedgerChanges && !plan_.two_managers) return;
  site.full_clock = clock;
  check_switch(at);
  check_links(at);
  check_unclaimed(at);
}

void World::manager_stepped(std::size_t manager) {
  note_restored(manager);
  if (++managers_[manager].steps % kManagerSteps != 0) return;
  check_caches(manager);
  check_holds(manager);
}

// Runs every part whose deadline has passed. Returns false when a deadline stays in the past.
bool World::wake_due() {
  const auto stuck = [&](const std::string& who, TimePoint deadline) {
    if (deadline > world_.now) return false;
    world_.violated(who + " keeps a deadline in the past: tick() does not serve it");
    return true;
  };
  for (ManagerPlace& place : managers_) {
    ManagerSite& site = *place.site;
    if (site.next_deadline() > world_.now) continue;
    site.step([&](cmgr::ConnectionManager& manager) { manager.tick(world_.now); });
    if (stuck(site.name(), site.next_deadline())) return false;
  }
  for (std::size_t at = 0; at < switches_.size(); ++at) {
    SwitchServer& server = *switches_[at].server;
    GsmpSwitch& device = *switches_[at].device;
    if (device.next_deadline() <= world_.now) {
      device.tick();
      if (stuck("the driver or agent of " + switches_[at].name, device.next_deadline()))
        return false;
    }
    if (report_due(switches_[at]) <= world_.now) {
      tell_router(at);
      if (stuck("the reporter of " + switches_[at].name, report_due(switches_[at]))) return false;
    }
    if (server.next_deadline() > world_.now) continue;
    server.tick(world_.now);
    switch_stepped(at);
    if (stuck(switches_[at].name, server.next_deadline())) return false;
  }
  for (ClientSite& site : clients_) {
    if (site.client->next_deadline() > world_.now) continue;
    site.client->tick();
    if (stuck(site.client->name(), site.client->next_deadline())) return false;
  }
  return true;
}

void World::run_until(TimePoint end) {
  while (world_.violation.empty()) {
    TimePoint next = world_.agenda.next();
    for (const auto& place : managers_) next = std::min(next, place.site->next_deadline());
    for (const auto& site : switches_) {
      next = std::min({next, site.server->next_deadline(), site.device->next_deadline()});
      next = std::min(next, report_due(site));
    }
    for (const auto& site : clients_) next = std::min(next, site.client->next_deadline());
    if (next > end) break;
    world_.agenda.advance_to(next);
    while (world_.agenda.next() <= world_.now && world_.violation.empty()) {
      world_.agenda.take()();
      ++world_.tally["steps"];
    }
    if (!wake_due()) return;
  }
  world_.agenda.advance_to(end);
}

void World::release_everything() {
  set_pools(0);
  // The release of a busy call is requested again.
  for (int round = 0; round < 15; ++round) {
    std::size_t left = 0;
    for (ClientSite& site : clients_) {
      for (auto& [request, call] : site.client->calls()) {
        if (!call.promised() || call.orphan) continue;
        ++left;
        site.client->release(call);
      }
    }
    if (left == 0 && round > 0) break;
    run_until(world_.now + seconds{4});
  }
  run_until(world_.now + seconds{8});
}

std::string World::run() {
  try {
    live_through();
  } catch (const std::logic_error& broken) {
    world_.violated(broken.what());
  }
  if (world_.violation.empty()) return {};
  return fmt::format(
      "seed {}, at {} ms: {}", plan_.seed,
      std::chrono::duration_cast<milliseconds>(world_.violated_at.time_since_epoch()).count(),
      world_.violation);
}

void World::start() {
  for (std::size_t at = 0; at < switches_.size(); ++at) {
    SwitchSite& site = switches_[at];
    site.device->come_up(true);
  }
  for (std::size_t m = 0; m < managers_.size(); ++m) {
    learn_network(m);
    managers_[m].site->serve_with_switches_missing();
  }
  for (ClientSite& site : clients_) site.client->start();
  if (world_.lines) {
    for (ManagerPlace& place : managers_) place.site->watch_topology();
  }
  run_until(world_.now + seconds{1});
}

void World::live_through() {
  start();
  const TimePoint begin = world_.now;
  for (std::size_t client = 0; client < clients_.size(); ++client) {
    for (int call = 0; call < calls_per_client_; ++call) {
      world_.agenda.schedule(begin + world_.chance.up_to(kLoad),
                             [this, client] { make_a_call(client); });
    }
  }
  if (pools_) set_pools(3);
  operate();
  audit_under_load();
  if (world_.weather.between_accidents > Duration::zero()) accident();
  // Seeds of both shards.
  const bool some = !plan_.fair && plan_.some_forge && plan_.seed / 2 % 4 == 0;
  if (plan_.forgers || some) forge();
  if (world_.lines) {
    trouble_on_lines();
  }
  run_until(begin + kLoad);

  calm_down();
  if (plan_.fair) check_fair();
}

// Every accident ends, every request is answered, calls stay up. Then they are released.
void World::calm_down() {
  loading_ = false;
  world_.weather = Weather{};
  for (auto& [between, any] : legs_) any.cut_until = world_.now;
  routes_.start();
  for (ManagerPlace& place : managers_) {
    place.site->routes_away_until = place.site->services_away_until = world_.now;
  }
  run_until(world_.now + kCalm);
  release_for_nobody();
  calm_ = true;
  check_lost();
  check_drift();
  check_answered();
  check_pools();
  if (world_.lines) settle_lines();
  check_tables();
  audit_all();

  calm_ = false;
  release_everything();
  audit_all();
  check_answered();
  check_empty();
  add_up();
}

}  // namespace xbind::sim
