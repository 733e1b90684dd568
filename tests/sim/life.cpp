// World: actions of clients and operators.
#include <algorithm>
#include <array>

#include "tests/sim/world.hpp"

namespace xbind::sim {
// ===== calls =====

ServiceSpec World::some_service() {
  if (world_.chance.percent(5)) {  // 10 frames a second, of that many cells each
    return {ServiceKind::kVideo, 0, 0, 10'000, world_.chance.between(40, 900)};
  }
  if (world_.chance.percent(10)) {
    return some_contract(static_cast<ServiceCategory>(
        world_.chance.between(1, static_cast<std::uint64_t>(kServiceCategoryLast))));
  }
  return {ServiceKind::kCells, world_.chance.between(1, 300), world_.chance.between(0, 40), 0, 0};
}

ServiceSpec World::some_contract(ServiceCategory category) {
  const auto number = [&](std::uint64_t least, std::uint64_t most) {
    return static_cast<std::uint32_t>(world_.chance.between(least, most));
  };
  ServiceSpec service{ServiceKind::kContract};
  TrafficContract& contract = service.contract;
  contract.category = category;
  contract.pcr_cells_per_s = number(1, 300);
  contract.cdvt_us = number(0, 1'000);
  if (has_guaranteed_rate(category)) {
    contract.guaranteed_cells_per_s = number(1, contract.pcr_cells_per_s);
    contract.mbs_cells = number(1, 30);
  }
  if (category == ServiceCategory::kGfr) contract.mfs_cells = number(1, contract.mbs_cells);
  return service;
}

std::string World::some_end() { return Network::endpoint(world_.chance.below(network_.size())); }

// Mostly none. Sometimes frames that no port carries, or at the end of a line without frames.
std::optional<FrameTraffic> World::some_frames(const std::string& end) {
  if (!plan_.frames) return std::nullopt;
  const bool carries = network_.carries_frames(network_.place(end)->first);
  if (!world_.chance.percent(carries ? 30 : 1)) return std::nullopt;
  constexpr std::array kTexts{"port", "vlan 1", "vlan 2", "vlan 3", "class 0", "class 1", "vlan 4"};
  return FrameTraffic::parse(kTexts.at(world_.chance.below(kTexts.size()))).value();
}

void World::make_a_call(std::size_t client) {
  Client& caller = *clients_[client].client;
  if (world_.chance.percent(4)) send_nonsense(client);
  ConnectRequest wanted;
  wanted.from = some_end();
  do wanted.to = some_end();
  while (wanted.to == wanted.from);
  wanted.service = some_service();
  wanted.priority = static_cast<std::uint8_t>(world_.chance.between(0, kPriorityMax));
  if (pools_ && world_.chance.percent(25)) {
    wanted.from = kPoolFrom;
    wanted.to = kPoolTo;
    wanted.service = kPoolService;
  } else if (world_.chance.percent(20)) {
    wanted.reverse = some_service();
  } else if (world_.chance.percent(15)) {
    wanted.hold_ms = static_cast<std::uint32_t>(world_.chance.between(50, 4'000));
  }
  wanted.from_frames = some_frames(wanted.from);
  wanted.to_frames = some_frames(wanted.to);
  switch (world_.chance.below(60)) {  // sometimes a request that cannot succeed
    case 0: wanted.to = "nowhere"; break;
    case 1: wanted.service = {ServiceKind::kCells, Network::kLineRate + 1, 0, 0, 0}; break;
    case 2: wanted.service = {ServiceKind::kCells, 0, 0, 0, 0}; break;
    case 3: wanted.priority = kPriorityMax + 1; break;
    case 4: wanted.hold_ms = kHoldMsMax + 1; break;
    case 5: wanted.service.kind = static_cast<ServiceKind>(9); break;
    case 6: wanted.service = {ServiceKind::kCells, 1'200, 10, 0, 0}; break;
    case 7: wanted.service = {ServiceKind::kCells, 10, 300, 0, 0}; break;
    case 8: wanted.to = Network::kIsland; break;
    default: break;
  }
  caller.connect(wanted);
}

void World::send_nonsense(std::size_t client) {
  const ConnectionId unknown{world_.chance.below(1'000)};
  Client& caller = *clients_[client].client;
  switch (world_.chance.below(4)) {
    case 0: caller.send_nonsense(ReleaseRequest{{}, unknown}); break;
    case 1: caller.send_nonsense(ModifyRequest{{}, unknown, some_service()}); break;
    case 2: caller.send_nonsense(LeafRequest{{}, unknown, some_end(), true}); break;
    default: caller.send_nonsense(CommitRequest{{}, unknown}); break;
  }
}

void World::live(std::size_t client, RequestId call) {
  // Longer where managers and SwitchServers are away together.
  const std::uint64_t most = plan_.crash_together ? 15'000 : 6'000;
  const auto lasts = static_cast<std::int64_t>(world_.chance.between(50, most));
  const std::uint64_t changes = world_.chance.below(4);
  for (std::uint64_t i = 0; i < changes; ++i) {
    world_.after(world_.chance.up_to(milliseconds{lasts}), [this, client, call] {
      if (loading_) change(client, call);
    });
  }
  world_.after(milliseconds{lasts}, [this, client, call] {
    if (loading_) release_now(client, call);
  });
}

void World::live_held(std::size_t client, RequestId request) {
  const Call& call = clients_[client].client->calls().at(request);
  const std::uint64_t dice = world_.chance.below(10);
  if (dice == 0) return;  // the client forgets the hold
  // Sometimes the commit is too late.
  const Duration wait = world_.chance.up_to(milliseconds{call.setup.hold_ms * 5 / 4});
  world_.after(wait, [this, client, request, dice] {
    Client& caller = *clients_[client].client;
    Call& held = caller.calls().at(request);
    if (held.state != Call::State::kHeld || held.orphan) return;
    if (dice == 1) {
      caller.release(held);
      return;
    }
    if (dice == 2) caller.modify(held, some_service(), std::nullopt);
    caller.commit(held);
    if (dice == 3) caller.commit(held);
    if (dice == 4) caller.release(held);
  });
}

void World::change(std::size_t client, RequestId request) {
  Client& caller = *clients_[client].client;
  Call& call = caller.calls().at(request);
  if (!call.promised()) return;
  if (world_.chance.percent(5)) {
    caller.commit(call);  // as if the answer to a commit had been lost
  } else if (world_.chance.percent(45) && !call.setup.reverse) {
    change_leaf(caller, call);
  } else {
    std::optional<ServiceSpec> reverse;
    if (call.setup.reverse) reverse = some_service();
    if (world_.chance.percent(2)) reverse = reverse ? std::nullopt : std::optional{some_service()};
    ServiceSpec service = some_service();
    // Only more or only less, as often as a mixture.
    const Resources had = call.contracts.front().forward;
    const ServiceCategory category = call.contracts.front().traffic.category;
    const std::uint64_t dice = world_.chance.below(4);
    if (dice == 0) service = {ServiceKind::kCells, had.cells_per_s + 20, had.buffer_cells, 0, 0};
    if (dice == 1) {
      service = {ServiceKind::kCells, (had.cells_per_s + 1) / 2, had.buffer_cells / 2, 0, 0};
    }
    // Another category would be refused; that is worth only an occasional test.
    if (category != ServiceCategory::kCbr && world_.chance.percent(80)) {
      service = some_contract(category);
    }
    caller.modify(call, service, reverse);
  }
  if (world_.chance.percent(12)) change(client, request);  // without waiting for the answer
  if (world_.chance.percent(10)) release_now(client, request);
}

void World::change_leaf(Client& caller, Call& call) {
  if (!call.ends.empty() && world_.chance.percent(40)) {
    auto end = call.ends.begin();
    std::advance(end, static_cast<std::ptrdiff_t>(world_.chance.below(call.ends.size())));
    caller.leaf(call, std::string{end->first}, true);
    return;
  }
  const bool drop = world_.chance.percent(5);
  caller.leaf(call, world_.chance.percent(3) ? "nowhere" : some_end(), drop);
}

void World::release_now(std::size_t client, RequestId request) {
  Client& caller = *clients_[client].client;
  Call& call = caller.calls().at(request);
  if (!call.promised()) return;
  caller.release(call);
  if (world_.chance.percent(10)) caller.release(call);
  if (world_.chance.percent(6)) caller.modify(call, some_service(), std::nullopt);
  if (world_.chance.percent(3)) caller.leaf(call, some_end(), false);
}

// ===== operators =====

void World::operate() {
  if (!loading_) return;
  world_.after(milliseconds{world_.chance.between(1'000, 8'000)}, [this] { operate(); });
  ManagerSite& site = *managers_[world_.chance.below(managers_.size())].site;
  if (world_.chance.percent(50)) {
    const cmgr::Aggregation wanted = choose_aggregation();
    site.step([&](cmgr::ConnectionManager& manager) {
      if (!manager.set_aggregation(wanted, world_.now)) world_.violated("T was refused");
    });
  }
  if (pools_ && world_.chance.percent(50)) set_pools(world_.chance.below(5));
}

void World::set_pools(std::size_t wanted) {
  for (ManagerPlace& place : managers_) {
    place.site->step([&](cmgr::ConnectionManager& manager) {
      const auto set = manager.prepare(kPoolFrom, kPoolTo, kPoolService, wanted, world_.now);
      if (!set) return world_.violated("a pool was refused: " + set.error().text);
      place.pools =
          cmgr::pools_as_text({{kPoolFrom, kPoolTo, *set, static_cast<std::uint32_t>(wanted), 0}});
    });
  }
}

// Every manager keeps the pools that were asked for, whatever has happened to its process.
void World::check_pools() {
  for (const ManagerPlace& place : managers_) {
    if (place.site->dead() || place.pools.empty()) continue;
    const auto kept = cmgr::pools_from_text(place.pools, place.site->name());
    for (const cmgr::KeptPool& pool : *kept) {
      std::size_t wanted = 0;
      for (const cmgr::CacheState& state : place.site->manager().caches(1'000, world_.now)) {
        if (state.kind == cmgr::CacheKind::kPrepared) wanted += state.wanted;
      }
      ++world_.tally["pools looked at"];
      if (wanted == pool.count) continue;
      world_.violated(fmt::format("{}: {} connections are to be prepared, {} were asked for",
                                  place.site->name(), wanted, pool.count));
    }
  }
}

}  // namespace xbind::sim
