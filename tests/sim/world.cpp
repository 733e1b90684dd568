#include "tests/sim/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace xbind::sim {
namespace {

constexpr Duration kLoad = seconds{20};
constexpr Duration kCalm = seconds{100};  // longer than any session that is dead can last
constexpr std::uint64_t kLineRate = 2'000;
constexpr int kCallsPerClient = 60;
constexpr std::uint32_t kEndpointPorts = 2;
constexpr PortId kBefore{3};
constexpr PortId kAfter{4};

std::string switch_name(std::size_t index) { return fmt::format("switch-{}", index); }
std::string endpoint(std::uint64_t at, std::uint64_t port) {
  return fmt::format("h{}-{}", at, port);
}

std::vector<SwitchPort> ports_of_a_switch() {
  std::vector<SwitchPort> ports;
  for (std::uint32_t port = 1; port <= 4; ++port) {
    ports.push_back({PortId{port}, {0, 0, 32, 71}, kLineRate, true});
  }
  return ports;
}

Weather weather_of(Chance& chance) {
  Weather weather;
  weather.loss = static_cast<double>(chance.below(15));
  weather.repeat = static_cast<double>(chance.below(15));
  weather.delay = milliseconds{chance.between(1, 80)};
  weather.add_refused = static_cast<double>(chance.below(4));
  weather.remove_refused = static_cast<double>(chance.below(4));
  weather.between_accidents = milliseconds{chance.between(400, 4'000)};
  return weather;
}

}  // namespace

// ===== building =====

World::World(const Plan& plan) : plan_(plan), world_(plan.seed) {
  world_.planted = plan.planted;
  const std::size_t switches = world_.chance.between(3, 5);
  const std::size_t managers = world_.chance.between(1, 2);
  const std::size_t clients = world_.chance.between(managers, 3);
  if (!plan.fair) world_.weather = weather_of(world_.chance);
  for (std::size_t i = 0; i < switches; ++i) switches_.push_back(make_switch(i));
  for (std::size_t i = 0; i < managers; ++i) managers_.push_back(make_manager(i));
  for (std::size_t i = 0; i < clients; ++i) clients_.push_back(make_client(i));
}

World::~World() = default;

World::SwitchSite World::make_switch(std::size_t index) {
  SwitchSite site;
  site.name = switch_name(index);
  site.device = std::make_unique<LabelSwitch>(
      world_, site.name, ports_of_a_switch(), [this, index](const driver::Event& event) {
        switches_[index].server->on_driver(event, world_.now);
        switch_stepped(index);
      });
  SwitchServerOptions options;
  options.controller.name = site.name;
  options.session_base = std::uint64_t{index + 1} << 32;
  site.server = std::make_unique<SwitchServer>(options, *site.device, *this);
  return site;
}

std::unique_ptr<ManagerSite> World::make_manager(std::size_t index) {
  cmgr::Config config;
  config.epoch = index + 1;
  config.aggregation.threshold = world_.chance.between(1, 4);
  config.label_cache_target = std::array<std::size_t, 3>{0, 3, 8}[world_.chance.below(3)];
  if (plan_.planted == Planted::kLabelGrantedTwice) config.label_cache_target = 3;
  ManagerSite::Hooks hooks;
  hooks.to_switch = [this, index](const std::string& name, SessionId session,
                                  session::Frame<HopBatch> frame) {
    carry_to_switch(index, index_of(name), session, std::move(frame));
  };
  hooks.to_client = [this, index](SessionId session, session::Frame<OutcomeBatch> frame) {
    carry_to_client(index, session, std::move(frame));
  };
  hooks.attach = [this, index](const std::string& name) { return attach(index, name); };
  hooks.route = [this](const cmgr::RouteQuery& query) { return route(query); };
  hooks.stepped = [this, index] {
    check_caches(index);
    check_promised();
  };
  return std::make_unique<ManagerSite>(world_, fmt::format("manager-{}", index), config,
                                       std::move(hooks));
}

World::ClientSite World::make_client(std::size_t index) {
  ClientSite site;
  site.manager = index % managers_.size();
  Client::Hooks hooks;
  hooks.transmit = [this, index](SessionId session, session::Frame<RequestBatch> frame) {
    carry_to_inbox(index, session, std::move(frame));
  };
  hooks.attach = [this, index](Epoch epoch) { attach_client(index, epoch); };
  hooks.connected = [this, index](const Asked& asked) {
    clients_[index].up[asked.connect->request] = path(asked.connect->from, asked.connect->to);
    plan_release(index, asked.connect->request);
  };
  hooks.release_asked = [this, index](const Asked& asked) {
    clients_[index].up.erase(asked.connect->request);
  };
  site.client = std::make_unique<Client>(world_, fmt::format("client-{}", index), std::move(hooks));
  return site;
}

// Along the line, whichever way; the ends' own ports at the ends.
std::vector<PathHop> World::path(const std::string& from, const std::string& to) const {
  const auto place = [](const std::string& name) {
    return std::pair{std::stoul(name.substr(1, name.find('-') - 1)),
                     std::stoul(name.substr(name.find('-') + 1))};
  };
  const auto [first, in] = place(from);
  const auto [last, out] = place(to);
  const bool up = first < last;
  std::vector<PathHop> hops;
  for (std::size_t at = first;; up ? ++at : --at) {
    hops.push_back({switch_name(at), up ? kBefore : kAfter, up ? kAfter : kBefore});
    if (at == last) break;
  }
  hops.front().input_port = PortId{static_cast<std::uint32_t>(in)};
  hops.back().output_port = PortId{static_cast<std::uint32_t>(out)};
  return hops;
}

cmgr::RouteReply World::route(const cmgr::RouteQuery& query) const {
  cmgr::RouteReply reply;
  reply.query = query;
  if (query.to == "nowhere") {
    reply.cause = Cause::kUnknownEndpoint;
    reply.element = query.to;
  } else if (query.cells_per_s > kLineRate) {
    reply.cause = Cause::kNoBandwidth;
    reply.free = kLineRate;
  } else {
    reply.path = {path(query.from, query.to), kLineRate};
  }
  return reply;
}

// ===== the network =====

void World::carry_to_switch(std::size_t manager, std::size_t at, SessionId session,
                            session::Frame<HopBatch> frame) {
  frame = tampered(std::move(frame));
  world_.carry(leg('>', manager, at), [this, at, session, frame = std::move(frame)] {
    switches_[at].server->on_commands(session, frame, world_.now);
    switch_stepped(at);
  });
}

void World::to_manager(SessionId session, session::Frame<HopResultBatch> frame) {
  const std::size_t manager = manager_of_session_.at(session);
  const std::size_t at = (session.value() >> 32) - 1;
  frame = tampered(std::move(frame));
  world_.carry(leg('<', manager, at), [this, manager, session, frame = std::move(frame)] {
    managers_[manager]->step(
        [&](cmgr::ConnectionManager& it) { it.on_results(session, frame, world_.now); });
  });
}

void World::carry_to_client(std::size_t manager, SessionId session,
                            session::Frame<OutcomeBatch> frame) {
  const auto whose = client_of_session_.find(session);
  if (whose == client_of_session_.end()) return;
  const std::size_t client = whose->second;
  frame = tampered(std::move(frame));
  world_.carry(leg('c', manager, client), [this, client, session, frame = std::move(frame)] {
    clients_[client].client->on_outcomes(session, frame);
  });
}

void World::carry_to_inbox(std::size_t client, SessionId session,
                           session::Frame<RequestBatch> frame) {
  const std::size_t manager = clients_[client].manager;
  world_.carry(leg('m', client, manager), [this, manager, session, frame = std::move(frame)] {
    managers_[manager]->step(
        [&](cmgr::ConnectionManager& it) { it.on_requests(session, frame, world_.now); });
  });
}

std::optional<ManagerSite::Attached> World::attach(std::size_t manager, const std::string& name) {
  const std::size_t at = index_of(name);
  if (world_.now < leg('>', manager, at).cut_until) return std::nullopt;
  if (loading_ && world_.chance.percent(world_.weather.loss)) return std::nullopt;
  auto attached = switches_[at].server->attach(managers_[manager]->name(), Epoch{1}, world_.now);
  switch_stepped(at);
  if (!attached) {
    world_.violated("attach was refused: " + attached.error().text);
    return std::nullopt;
  }
  manager_of_session_[attached->session] = manager;
  return ManagerSite::Attached{attached->session, attached->batches_in_flight,
                               attached->holdings.quarantined};
}

void World::attach_client(std::size_t client, Epoch epoch) {
  world_.after(world_.chance.up_to(milliseconds{10}), [this, client, epoch] {
    ManagerSite& site = *managers_[clients_[client].manager];
    SessionId session;
    std::uint32_t window = 0;
    site.step([&](cmgr::ConnectionManager& manager) {
      const auto attached =
          manager.attach_client(clients_[client].client->name(), epoch, world_.now);
      if (!attached) return;  // fenced off by a later attempt of its own
      session = attached->session;
      window = attached->batches_in_flight;
      client_of_session_[session] = client;
    });
    if (window == 0) return;
    world_.after(world_.chance.up_to(milliseconds{10}), [this, client, epoch, session, window] {
      clients_[client].client->on_attached(epoch, session, window);
    });
  });
}

session::Frame<HopBatch> World::tampered(session::Frame<HopBatch> frame) {
  if (!frame.batch) return frame;
  if (plan_.planted == Planted::kNumberBumped && world_.chance.percent(5)) {
    frame.seq = BatchSeq{frame.seq.value() + 1};
  }
  if (plan_.planted == Planted::kDemandShrunk && world_.chance.percent(20)) {
    HopBatch batch = *frame.batch;
    for (HopSetup& setup : batch.setups) setup.demand.cells_per_s /= 2;
    frame.batch = std::make_shared<const HopBatch>(std::move(batch));
  }
  return frame;
}

session::Frame<HopResultBatch> World::tampered(session::Frame<HopResultBatch> frame) {
  if (plan_.planted != Planted::kLabelGrantedTwice || !frame.batch) return frame;
  HopResultBatch batch = *frame.batch;
  for (PortLabels& granted : batch.granted) granted.labels.push_back(granted.labels.front());
  frame.batch = std::make_shared<const HopResultBatch>(std::move(batch));
  return frame;
}

session::Frame<OutcomeBatch> World::tampered(session::Frame<OutcomeBatch> frame) {
  if (plan_.planted != Planted::kWrongEgress || !frame.batch) return frame;
  OutcomeBatch batch = *frame.batch;
  for (Outcome& outcome : batch.outcomes) {
    if (outcome.kind == OutcomeKind::kConnected) ++outcome.egress.value;
  }
  frame.batch = std::make_shared<const OutcomeBatch>(std::move(batch));
  return frame;
}

// ===== what happens =====

void World::make_a_call(std::size_t client) {
  const auto end = [&] {
    return endpoint(world_.chance.below(switches_.size()),
                    world_.chance.between(1, kEndpointPorts));
  };
  const std::string from = end();
  std::string to = end();
  while (to == from) to = end();
  std::uint64_t cells_per_s = world_.chance.between(1, 300);
  const std::uint64_t dice = world_.chance.below(100);
  if (dice < 2) to = "nowhere";
  if (dice == 2) cells_per_s = kLineRate + 1;
  if (dice == 3) cells_per_s = 0;
  if (dice == 4) clients_[client].client->release_unknown();
  clients_[client].client->connect(from, to, cells_per_s);
}

void World::plan_release(std::size_t client, RequestId call) {
  world_.after(milliseconds{world_.chance.between(1, 8'000)}, [this, client, call] {
    if (loading_) release_now(client, call);
  });
}

void World::release_now(std::size_t client, RequestId call) {
  if (!clients_[client].up.contains(call)) return;
  if (world_.chance.percent(10)) {
    clients_[client].client->release_twice(call);
  } else {
    clients_[client].client->release(call);
  }
}

void World::accident() {
  if (!loading_) return;
  const auto average = static_cast<std::uint64_t>(world_.weather.between_accidents.count());
  world_.after(Duration{static_cast<std::int64_t>(world_.chance.below(2 * average) + 1)},
               [this] { accident(); });
  const std::size_t at = world_.chance.below(switches_.size());
  const std::size_t manager = world_.chance.below(managers_.size());
  const std::size_t client = world_.chance.below(clients_.size());
  const SessionId session = managers_[manager]->session_with(switches_[at].name);
  const TimePoint later = world_.now + milliseconds{world_.chance.between(200, 22'000)};
  switch (world_.chance.below(8)) {
    case 0:
    case 1: {
      ++world_.tally["switch sessions lost, seen by the SwitchServer"];
      switches_[at].server->detach(session);
      switch_stepped(at);
      break;
    }
    case 2:
    case 3: {
      if (session == SessionId{}) break;
      ++world_.tally["switch sessions lost, seen by the manager"];
      managers_[manager]->step([&](cmgr::ConnectionManager& it) {
        it.switch_lost(session, "the connection broke", world_.now);
      });
      break;
    }
    case 4: {
      ++world_.tally["partitions"];
      leg('>', manager, at).cut_until = leg('<', manager, at).cut_until = later;
      break;
    }
    case 5: {
      const bool just_dead = world_.chance.percent(50);
      if (!just_dead) {
        ++world_.tally["clients cut off"];
        leg('c', clients_[client].manager, client).cut_until = later;
        leg('m', client, clients_[client].manager).cut_until = later;
      }
      if (just_dead) clients_[client].client->die(world_.chance.up_to(seconds{3}));
      break;
    }
    case 6: {
      if (!switches_[at].device->up()) break;
      const bool kept = world_.chance.percent(60);
      ++world_.tally[kept ? "switches lost" : "switches restarted empty"];
      switches_[at].device->break_session();
      switch_stepped(at);
      world_.after(milliseconds{world_.chance.between(1, 5'000)}, [this, at, kept] {
        switches_[at].device->come_up(kept);
        switch_stepped(at);
      });
      break;
    }
    default: {
      ++world_.tally["RouteObject away"];
      managers_[manager]->routes_away_until = later;
      managers_[manager]->routes_hang = world_.chance.percent(50);
      break;
    }
  }
}

void World::switch_stepped(std::size_t at) {
  switches_[at].server->finish_step(world_.now);
  check_switch(at);
  check_promised();
}

// Everybody whose time has come; false when somebody's deadline stays in the past.
bool World::wake_due() {
  const auto stuck = [&](const std::string& who, TimePoint deadline) {
    if (deadline > world_.now) return false;
    world_.violated(who + " wants to be woken for what it does not do");
    return true;
  };
  for (auto& site : managers_) {
    if (site->manager().next_deadline() > world_.now) continue;
    site->step([&](cmgr::ConnectionManager& manager) { manager.tick(world_.now); });
    if (stuck(site->name(), site->manager().next_deadline())) return false;
  }
  for (std::size_t at = 0; at < switches_.size(); ++at) {
    SwitchServer& server = *switches_[at].server;
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
    for (const auto& site : managers_) next = std::min(next, site->manager().next_deadline());
    for (const auto& site : switches_) next = std::min(next, site.server->next_deadline());
    for (const auto& site : clients_) next = std::min(next, site.client->next_deadline());
    if (next > end) break;
    world_.now = std::max(world_.now, next);
    while (world_.agenda.next() <= world_.now && world_.violation.empty()) {
      const Agenda::Job job = world_.agenda.take();
      job();
      ++world_.tally["steps"];
    }
    if (!wake_due()) return;
  }
  world_.now = std::max(world_.now, end);
}

std::string World::run() {
  for (SwitchSite& site : switches_) {
    site.device->come_up(false);
    for (auto& manager : managers_) {
      manager->step([&](cmgr::ConnectionManager& it) { it.know_switch(site.name); });
    }
  }
  for (ClientSite& site : clients_) site.client->start();
  run_until(world_.now + seconds{1});

  const TimePoint start = world_.now;
  for (std::size_t client = 0; client < clients_.size(); ++client) {
    for (int call = 0; call < kCallsPerClient; ++call) {
      world_.agenda.at(start + world_.chance.up_to(kLoad), [this, client] { make_a_call(client); });
    }
  }
  if (world_.weather.between_accidents > Duration::zero()) accident();
  run_until(start + kLoad);

  // Calm: every accident ends, every request is answered, calls stay up.
  loading_ = false;
  world_.weather = Weather{};
  for (auto& [between, any] : legs_) any.cut_until = world_.now;
  for (auto& site : managers_) site->routes_away_until = world_.now;
  run_until(world_.now + kCalm);
  check_tables();
  audit_all();

  for (std::size_t client = 0; client < clients_.size(); ++client) {
    const auto up = clients_[client].up;
    for (const auto& [call, hops] : up) release_now(client, call);
  }
  run_until(world_.now + seconds{20});
  audit_all();
  check_empty();
  if (plan_.fair) check_fair();
  if (world_.violation.empty()) return {};
  return fmt::format(
      "seed {}, at {} ms: {}", plan_.seed,
      std::chrono::duration_cast<milliseconds>(world_.now.time_since_epoch()).count(),
      world_.violation);
}

}  // namespace xbind::sim
