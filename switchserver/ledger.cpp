#include "switchserver/ledger.hpp"

#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "core/planted.hpp"
#include "switchserver/ledger_refusals.hpp"

namespace xbind {
namespace {

// Line rate times factor, without running over.
std::uint64_t times(std::uint64_t rate, double factor) {
  const double product = static_cast<double>(rate) * factor;
  constexpr double kMost = 9.0e18;
  if (!(product > 0)) return 0;
  return product >= kMost ? static_cast<std::uint64_t>(kMost) : static_cast<std::uint64_t>(product);
}

// Up, so that no more is sold of a port than there is.
std::uint32_t thousandths(double factor) {
  const double parts = std::ceil(factor * PortPolicy::kOverbookingNone - 1e-6);
  return static_cast<std::uint32_t>(std::clamp(parts, 1.0, double{PortPolicy::kOverbookingMax}));
}

std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 32;
  x *= 0x9e37'79b9'7f4a'7c15;
  x ^= x >> 29;
  return x;
}

}  // namespace

Ledger::Ledger(LedgerOptions options) : options_(options), buckets_(64, kNil) {}

// ===== ports =====

void Ledger::set_ports(const std::vector<SwitchPort>& ports) {
  for (Port& port : ports_) port.present = false;
  for (const SwitchPort& about : ports) {
    const auto [place, is_new] =
        port_index_.try_emplace(about.port, static_cast<std::uint32_t>(ports_.size()));
    if (is_new) ports_.emplace_back(about);
    Port& port = ports_[place->second];
    if (!(port.output.range() == about.labels)) {
      if (port.output.idle() && port.input.idle()) {
        port.output = LabelPool(about.labels);
        port.input = LabelPool(about.labels);
      }
    }
    port.about = about;
    port.about.labels = port.output.range();
    port.present = true;
    const auto own = options_.port_overbooking.find(about.port);
    const double factor =
        own == options_.port_overbooking.end() ? options_.overbooking : own->second;
    port.capacity = {times(about.cells_per_s, factor), options_.buffer_cells};
    port.policy = {.cells_per_s = about.cells_per_s,
                   .buffer_cells = options_.buffer_cells,
                   .overbooking = thousandths(factor),
                   .rt_wait_us = options_.rt_wait_us};
  }
}

std::vector<SwitchPort> Ledger::ports() const {
  std::vector<SwitchPort> present;
  for (const Port& port : ports_) {
    if (port.present) present.push_back(port.about);
  }
  return present;
}

Ledger::Port* Ledger::port(PortId id) {
  const auto found = port_index_.find(id);
  return found == port_index_.end() ? nullptr : &ports_[found->second];
}

const Ledger::Port* Ledger::port(PortId id) const {
  const auto found = port_index_.find(id);
  return found == port_index_.end() ? nullptr : &ports_[found->second];
}

bool Ledger::has_port(PortId id) const {
  const Port* found = port(id);
  return found != nullptr && found->present;
}

std::optional<PortUsage> Ledger::usage(PortId id) const {
  const Port* found = port(id);
  if (found == nullptr) return std::nullopt;
  PortUsage usage{
      found->capacity,          found->taken, {}, found->ingress_taken, found->output.free_count(),
      found->input.free_count()};
  for (const Account& account : found->accounts) usage.hops += account.hops;
  return usage;
}

LabelStock Ledger::output_stock(PortId id) const {
  const Port* found = port(id);
  if (found == nullptr) return {};
  return {found->output.free_count(), found->output.size()};
}

std::optional<LabelPlace> Ledger::output_label(PortId id, Label label) const {
  const Port* found = port(id);
  if (found == nullptr || !found->output.contains(label)) return std::nullopt;
  return found->output.place_of(label);
}

std::optional<LabelPlace> Ledger::input_label(PortId id, Label label) const {
  const Port* found = port(id);
  if (found == nullptr || !found->input.contains(label)) return std::nullopt;
  return found->input.place_of(label);
}

// ===== accounts =====

Ledger::Account& Ledger::account(Port& port, ManagerIndex manager) {
  if (manager.value() >= port.accounts.size())
    port.accounts.resize(manager.value() + std::size_t{1});
  return port.accounts[manager.value()];
}

Ledger::Account Ledger::account_of(const Port& port, ManagerIndex manager) const {
  return manager.value() < port.accounts.size() ? port.accounts[manager.value()] : Account{};
}

// What a manager takes from a port's account is the greater of its quota and its hops.
void Ledger::set_quota(Port& port, ManagerIndex manager, Resources quota) {
  Account& of = account(port, manager);
  port.taken -= greater(of.quota, of.hops);
  of.quota = quota;
  port.taken += greater(of.quota, of.hops);
}

void Ledger::set_hops(Port& port, ManagerIndex manager, Resources hops) {
  Account& of = account(port, manager);
  port.taken -= greater(of.quota, of.hops);
  of.hops = hops;
  port.taken += greater(of.quota, of.hops);
}

// ===== managers =====

Result<ManagerIndex> Ledger::manager(std::string_view name) {
  if (const auto known = find_manager(name)) return *known;
  if (name.empty()) return fail(ErrorCode::kBadInput, "a manager's name must not be empty");
  for (std::size_t i = 0; i < managers_.size(); ++i) {
    if (!managers_[i].name.empty()) continue;
    managers_[i].name = name;  // a place that a forgotten name left
    return ManagerIndex{static_cast<std::uint16_t>(i)};
  }
  if (managers_.size() >= options_.managers_max) {
    return fail(ErrorCode::kExhausted, "{} managers are known, no room for {}", managers_.size(),
                name);
  }
  managers_.emplace_back().name = name;
  return ManagerIndex{static_cast<std::uint16_t>(managers_.size() - 1)};
}

std::optional<ManagerIndex> Ledger::find_manager(std::string_view name) const {
  for (std::size_t i = 0; i < managers_.size(); ++i) {
    if (managers_[i].name == name && !name.empty()) {
      return ManagerIndex{static_cast<std::uint16_t>(i)};
    }
  }
  return std::nullopt;
}

void Ledger::open_session(ManagerIndex manager) {
  managers_[manager.value()].in_session = true;
  managers_[manager.value()].forgotten = false;
}

void Ledger::lapse(ManagerIndex manager) {
  Manager& of = managers_[manager.value()];
  of.in_session = false;
  ++of.lapses;
  for (std::uint32_t i = of.first_hop; i != kNil;) {
    const HopRef ref{i};
    i = hops_[i].next;
    const HopRecord& record = hop(ref);
    const bool held = record.setup.held && !planted(Bug::kHeldLapses);
    if (record.state == HopState::kReserved && !held) {
      give_up(ref, LabelHolder::kFree);
    }
  }
  for (Port& port : ports_) {
    if (!planted(Bug::kLapseKeepsCaches)) port.output.free_all(LabelHolder::kCached, manager);
    if (!planted(Bug::kQuotaKept)) set_quota(port, manager, {});
    account(port, manager).declared.reset();
  }
}

std::uint64_t Ledger::forget_manager(ManagerIndex manager) {
  Manager& of = managers_[manager.value()];
  XB_CHECK(!of.in_session, of.name);
  for (std::uint32_t i = of.first_hop; i != kNil;) {
    const HopRef ref{i};
    i = hops_[i].next;
    if (hop(ref).state == HopState::kReserved) give_up(ref, LabelHolder::kFree);
  }
  for (Port& port : ports_) port.output.free_all(LabelHolder::kQuarantine, manager);
  const std::uint64_t left = of.hops;
  of.forgotten = true;
  if (left == 0) of = {};
  return left;
}

// ===== hop records =====

HopRecord* Ledger::find_hop(HopRef ref) {
  const bool there = ref.value() < hops_.size() && hops_[ref.value()].alive;
  return there ? &hops_[ref.value()] : nullptr;
}

HopRecord& Ledger::hop(HopRef ref) {
  XB_CHECK(ref.value() < hops_.size() && hops_[ref.value()].alive, ref, hops_.size());
  return hops_[ref.value()];
}

const HopRecord& Ledger::hop(HopRef ref) const {
  XB_CHECK(ref.value() < hops_.size() && hops_[ref.value()].alive, ref, hops_.size());
  return hops_[ref.value()];
}

// All generations of a hop share a bucket, so that one walk finds the newest.
std::size_t Ledger::bucket(ManagerIndex manager, const HopKey& key) const {
  const std::uint64_t place =
      std::uint64_t{manager.value()} << 32 | std::uint64_t{key.leg} << 16 | key.hop;
  return mix(mix(key.connection.value()) + place) & (buckets_.size() - 1);
}

std::optional<HopRef> Ledger::find(ManagerIndex manager, const HopKey& key) const {
  for (std::uint32_t i = buckets_[bucket(manager, key)]; i != kNil; i = hops_[i].next_in_bucket) {
    if (hops_[i].manager == manager && hops_[i].setup.key == key) return HopRef{i};
  }
  return std::nullopt;
}

HopRef Ledger::insert(ManagerIndex manager, const HopSetup& setup) {
  if (alive_ >= buckets_.size()) grow_buckets();
  if (vacant_.empty()) {
    hops_.emplace_back();
    vacant_.push_back(static_cast<std::uint32_t>(hops_.size() - 1));
  }
  const std::uint32_t index = vacant_.back();
  vacant_.pop_back();
  HopRecord& record = hops_[index];
  record.alive = true;
  record.manager = manager;
  record.session = managers_[manager.value()].lapses;
  record.setup = setup;
  record.demand = setup.demand;
  record.revision = 0;
  record.contract = setup.contract;
  record.alone = charge_of(*port(setup.output_port), setup.demand, setup.contract);
  record.charge = {};
  record.ingress.reset();
  record.next_on_input = kNil;
  record.next_on_output = kNil;
  record.above = kNil;
  record.below = kNil;
  record.progress = {.ticket = record.progress.ticket + 1};
  std::uint32_t& head = buckets_[bucket(manager, setup.key)];
  record.next_in_bucket = head;
  head = index;
  Manager& owner = managers_[manager.value()];
  record.previous = kNil;
  record.next = owner.first_hop;
  if (owner.first_hop != kNil) hops_[owner.first_hop].previous = index;
  owner.first_hop = index;
  ++owner.hops;
  ++alive_;
  touch(HopRef{index});
  return HopRef{index};
}

void Ledger::erase(HopRef ref) {
  HopRecord& record = hop(ref);
  std::uint32_t* link = &buckets_[bucket(record.manager, record.setup.key)];
  while (*link != ref.value()) link = &hops_[*link].next_in_bucket;
  *link = record.next_in_bucket;
  Manager& owner = managers_[record.manager.value()];
  (record.previous == kNil ? owner.first_hop : hops_[record.previous].next) = record.next;
  if (record.next != kNil) hops_[record.next].previous = record.previous;
  --owner.hops;
  --alive_;
  ++clock_;
  record.alive = false;
  vacant_.push_back(ref.value());
  if (owner.forgotten && owner.hops == 0) owner = {};
}

void Ledger::grow_buckets() {
  buckets_.assign(buckets_.size() * 2, kNil);
  for (std::uint32_t i = 0; i < hops_.size(); ++i) {
    if (!hops_[i].alive) continue;
    std::uint32_t& head = buckets_[bucket(hops_[i].manager, hops_[i].setup.key)];
    hops_[i].next_in_bucket = head;
    head = i;
  }
}

}  // namespace xbind
