#include "switchserver/ledger.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/check.hpp"
#include "core/name_hash.hpp"
#include "core/planted.hpp"
#include "switchserver/ledger_refusals.hpp"

namespace xbind {
namespace {

// Line rate times factor, with saturation instead of overflow.
std::uint64_t times(std::uint64_t rate, double factor) {
  const double product = static_cast<double>(rate) * factor;
  constexpr double kMost = 9.0e18;
  if (!(product > 0)) return 0;
  return product >= kMost ? static_cast<std::uint64_t>(kMost) : static_cast<std::uint64_t>(product);
}

// Rounds up, so that no more of a port is promised than it has.
std::uint32_t thousandths(double factor) {
  const double parts = std::ceil(factor * PortPolicy::kOverbookingNone - 1e-6);
  return static_cast<std::uint32_t>(std::clamp(parts, 1.0, double{PortPolicy::kOverbookingMax}));
}

}  // namespace

Ledger::Ledger(LedgerOptions options) : options_(options) {}

// ===== ports =====

std::vector<PortId> Ledger::set_ports(const std::vector<SwitchPort>& ports) {
  std::vector<PortId> no_room;
  for (Port& port : ports_) port.present = false;
  for (const SwitchPort& about : ports) {
    std::uint32_t number = port_numbers_.find(about.port);
    if (number == AbsentIndex::kAbsent) {
      if (ports_.size() >= kPortsMax) {
        no_room.push_back(about.port);
        continue;
      }
      number = static_cast<std::uint32_t>(ports_.size());
      ports_.emplace_back(about);
      port_numbers_.insert(about.port, number);
    }
    Port& port = ports_[number];
    if (port.output.ranges() != about.labels && port.output.idle() && port.input.idle()) {
      port.output = LabelPool(about.labels);
      port.input = LabelPool(about.labels);
    }
    port.about = about;
    port.about.labels = port.output.ranges();
    port.present = true;
    set_capacity(port);
  }
  return no_room;
}

void Ledger::set_capacity(Port& port) const {
  const SwitchPort& about = port.about;
  const auto own = options_.port_overbooking.find(about.port);
  const double factor = own == options_.port_overbooking.end() ? options_.overbooking : own->second;
  port.capacity = {times(about.cells_per_s, planted(Bug::kCapacityOfLine) ? 1.0 : factor),
                   options_.buffer_cells};
  port.policy = {.cells_per_s = about.cells_per_s,
                 .buffer_cells = options_.buffer_cells,
                 .overbooking = thousandths(factor),
                 .rt_wait_us = options_.rt_wait_us};
}

void Ledger::change_capacities(const LedgerOptions& options) {
  options_.overbooking = options.overbooking;
  options_.port_overbooking = options.port_overbooking;
  options_.rt_wait_us = options.rt_wait_us;
  options_.buffer_cells = options.buffer_cells;
  for (Port& port : ports_) {
    if (port.present) set_capacity(port);
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
  const std::uint32_t number = port_numbers_.find(id);
  return number == AbsentIndex::kAbsent ? nullptr : &ports_[number];
}

const Ledger::Port* Ledger::port(PortId id) const {
  const std::uint32_t number = port_numbers_.find(id);
  return number == AbsentIndex::kAbsent ? nullptr : &ports_[number];
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

// A manager's part of a port's account is the greater of its quota and its hops.
void Ledger::set_quota(Port& port, Account& of, Resources quota) {
  port.taken -= greater(of.quota, of.hops);
  of.quota = quota;
  port.taken += greater(of.quota, of.hops);
}

void Ledger::set_hops(Port& port, Account& of, Resources hops) {
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
    managers_[i].name = name;  // reuses the place of a forgotten name
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

bool Ledger::has_labels(ManagerIndex manager) const {
  constexpr std::array kHolders{LabelHolder::kCached, LabelHolder::kQuarantine,
                                LabelHolder::kLapsed};
  return std::any_of(ports_.begin(), ports_.end(), [&](const Port& port) {
    return std::any_of(kHolders.begin(), kHolders.end(),
                       [&](LabelHolder holder) { return port.output.count(holder, manager) != 0; });
  });
}

void Ledger::open_session(ManagerIndex manager) {
  managers_[manager.value()].in_session = true;
  managers_[manager.value()].forgotten = false;
  for (Port& port : ports_) {
    if (port.output.count(LabelHolder::kLapsed, manager) == 0) continue;
    port.output.begin_rest(manager);
    port.output.move_all(manager, LabelHolder::kLapsed, LabelHolder::kQuarantine);
  }
}

void Ledger::lapse(ManagerIndex manager) {
  Manager& of = managers_[manager.value()];
  of.in_session = false;
  for (std::uint32_t i = 0; i < hops_.size(); ++i) {
    HopRecord& record = hops_[i];
    if (!record.alive || record.manager != manager) continue;
    record.earlier_session = true;
    const bool held = record.held && !planted(Bug::kHeldLapses);
    if (record.state == HopStage::kReserved && !held) {
      give_up(HopRef{i}, LabelHolder::kLapsed);
    }
  }
  for (Port& port : ports_) {
    if (planted(Bug::kLapsedAtOnceFree)) {
      port.output.free_all(LabelHolder::kCached, manager);
    } else if (!planted(Bug::kLapseKeepsCaches)) {
      port.output.move_all(manager, LabelHolder::kCached, LabelHolder::kLapsed);
    }
    if (!planted(Bug::kQuotaKept)) set_quota(port, account(port, manager), {});
    account(port, manager).declared.reset();
  }
}

void Ledger::end_rest(ManagerIndex manager) {
  if (managers_[manager.value()].in_session) return;
  for (Port& port : ports_) port.output.end_rest(manager);
}

std::uint64_t Ledger::forget_manager(ManagerIndex manager) {
  Manager& of = managers_[manager.value()];
  XB_CHECK(!of.in_session, of.name);
  for (std::uint32_t i = 0; i < hops_.size(); ++i) {
    const HopRecord& record = hops_[i];
    if (!record.alive || record.manager != manager) continue;
    if (record.state == HopStage::kReserved) give_up(HopRef{i}, LabelHolder::kFree);
  }
  for (Port& port : ports_) {
    port.output.free_all(LabelHolder::kQuarantine, manager);
    port.output.free_all(LabelHolder::kLapsed, manager);
  }
  const std::uint64_t left = of.hops;
  of.forgotten = true;
  if (left == 0) of = {};
  return left;
}

// ===== hop records =====

HopRecord& Ledger::no_such_hop(HopRef ref) const {
  XB_CHECK(is_there(ref), ref, hops_.size());
  std::abort();
}

// All generations of a hop have the same hash, so that one walk finds the newest.
std::uint64_t Ledger::hash(ManagerIndex manager, const HopKey& key) {
  const std::uint64_t place =
      std::uint64_t{manager.value()} << 32 | std::uint64_t{key.leg} << 16 | key.hop;
  return mix_hash(mix_hash(key.connection.value()) + place);
}

void Ledger::prefetch(ManagerIndex manager, const HopSetup& setup) const {
  prefetch(manager, setup.key);
  if (const Port* const in = port(setup.input_port)) in->input.prefetch(setup.input_label);
  if (const Port* const out = port(setup.output_port)) out->output.prefetch(setup.output_label);
}

void Ledger::prefetch_labels(const HopRecord& record) const {
  ports_[record.input_port].input.prefetch(record.input_label());
  ports_[record.output_port].output.prefetch(record.output_label());
}

std::optional<HopRef> Ledger::find(ManagerIndex manager, const HopKey& key) const {
  for (std::uint32_t i = by_place_.first(hash(manager, key)); i != kNil;) {
    const HopRecord& record = hops_[i];
    if (record.key == key && record.manager == manager) return HopRef{i};
    i = record.next;
  }
  return std::nullopt;
}

void Ledger::find_all(ManagerIndex manager, const HopKey& place, std::vector<HopRef>& found) const {
  for (std::uint32_t i = by_place_.first(hash(manager, place)); i != kNil; i = hops_[i].next) {
    HopKey key = hops_[i].key;
    key.generation = place.generation;
    if (key == place && hops_[i].manager == manager) found.push_back(HopRef{i});
  }
}

HopRef Ledger::insert(ManagerIndex manager, const HopSetup& setup, std::uint32_t owner,
                      std::uint64_t hash) {
  const std::uint32_t index = vacant_ == kNil ? hops_.grow() : vacant_;
  HopRecord& record = hops_[index];
  if (vacant_ != kNil) vacant_ = record.next;
  if (vacant_ != kNil) prefetch(HopRef{vacant_});  // the record that the next insert() uses
  const std::uint32_t ticket = record.ticket + 1;
  record = {};
  record.ticket = ticket;
  record.alive = true;
  record.manager = manager;
  record.key = setup.key;
  copy_setup_fields(record, setup);
  if (owner != kNoOwner) names_.take_again(owner);
  record.owner = owner;
  record.request = setup.request;
  record.demand = setup.demand;
  record.packed = PackedContract(setup.contract);
  by_place_.insert(
      hash, index, [this](std::uint32_t at) -> std::uint32_t& { return hops_[at].next; },
      [this](std::uint32_t at) { return Ledger::hash(hops_[at].manager, hops_[at].key); });
  ++managers_[manager.value()].hops;
  record.version = ++clock_;
  return HopRef{index};
}

void Ledger::copy_setup_fields(HopRecord& record, const HopSetup& setup) {
  record.hop_count = setup.hop_count;
  record.commit = setup.commit;
  record.held = setup.held;
  record.branch = setup.branch;
  record.takes_over = setup.takes_over;
  record.joins = setup.joins;
  record.bidirectional = setup.bidirectional;
  record.input_named = setup.input_label.present();
  record.output_named = setup.output_label.present();
}

void Ledger::erase(HopRef ref) {
  HopRecord& record = hops_[ref.value()];
  by_place_.erase(hash(record.manager, record.key), ref.value(),
                  [this](std::uint32_t at) -> std::uint32_t& { return hops_[at].next; });
  if (record.special) extras_.erase(ref.value());
  if (record.held) hold_ends_.erase(ref.value());
  if (record.owner != kNoOwner) names_.release(record.owner);
  Manager& owner = managers_[record.manager.value()];
  --owner.hops;
  ++clock_;
  record.alive = false;
  record.special = false;
  record.next = vacant_;
  vacant_ = ref.value();
  if (owner.forgotten && owner.hops == 0) owner = {};
}

CrossConnect Ledger::cross_connect(const HopRecord& record) const {
  return {ports_[record.input_port].about.port, record.input_label(),
          ports_[record.output_port].about.port, record.output_label()};
}

TimePoint Ledger::hold_end(HopRef ref) const {
  const auto found = hold_ends_.find(ref.value());
  return found == hold_ends_.end() ? kNever : found->second;
}

HopSetup Ledger::setup_of(HopRef ref) const {
  const HopRecord& record = hop(ref);
  const CrossConnect at = cross_connect(record);
  HopSetup setup;
  setup.key = record.key;
  setup.commit = record.commit;
  setup.hop_count = record.hop_count;
  setup.input_port = at.input_port;
  if (record.input_named) setup.input_label = at.input_label;
  setup.output_port = at.output_port;
  if (record.output_named) setup.output_label = at.output_label;
  setup.request = record.request;
  setup.held = record.held;
  setup.branch = record.branch;
  setup.takes_over = record.takes_over;
  setup.joins = record.joins;
  setup.bidirectional = record.bidirectional;
  const HopExtras extras = record.special ? extras_.at(ref.value()) : plain_extras(record);
  setup.demand = extras.asked;
  setup.contract = extras.asked_contract.contract();
  return setup;
}

std::size_t Ledger::hop_octets() const {
  // A node of a map: the element, its link and the allocator's overhead.
  constexpr std::size_t kNode = sizeof(std::pair<std::uint32_t, HopExtras>) + 2 * sizeof(void*);
  constexpr std::size_t kEnd = sizeof(std::pair<std::uint32_t, TimePoint>) + 2 * sizeof(void*);
  return hops_.octets() + by_place_.octets() + names_.octets() + extras_.size() * kNode +
         hold_ends_.size() * kEnd +
         (extras_.bucket_count() + hold_ends_.bucket_count()) * sizeof(void*);
}

std::size_t Ledger::label_octets() const {
  std::size_t octets = 0;
  for (const Port& port : ports_) octets += port.input.octets() + port.output.octets();
  return octets;
}

// ===== fields that few hops have =====

HopExtras Ledger::plain_extras(const HopRecord& record) const {
  HopExtras plain;
  plain.asked = record.demand;
  plain.asked_contract = record.packed;
  plain.alone = record.charge;
  if (record.has_ingress) plain.ingress = record.demand.cells_per_s;
  return plain;
}

HopExtras& Ledger::extras(std::uint32_t at) {
  HopRecord& record = hops_[at];
  if (record.special) return extras_.at(at);
  record.special = true;
  return extras_.emplace(at, plain_extras(record)).first->second;
}

void Ledger::drop_plain(std::uint32_t at) {
  HopRecord& record = hops_[at];
  if (!record.special) return;
  const auto found = extras_.find(at);
  record.has_ingress = found->second.ingress.has_value();
  if (!(found->second == plain_extras(record))) return;
  extras_.erase(found);
  record.special = false;
}

std::uint32_t Ledger::above_of(std::uint32_t at) const {
  return hops_[at].special ? extras_.at(at).above : kNil;
}

std::uint32_t Ledger::below_of(std::uint32_t at) const {
  return hops_[at].special ? extras_.at(at).below : kNil;
}

std::uint32_t Ledger::revision(HopRef ref) const {
  return hop(ref).special ? extras_.at(ref.value()).revision : 0;
}

ConnectionId Ledger::shown_id(HopRef ref) const {
  return hop(ref).special ? extras_.at(ref.value()).shown_id : ConnectionId{};
}

Resources Ledger::alone(HopRef ref) const {
  const HopRecord& record = hop(ref);
  return record.special ? extras_.at(ref.value()).alone : record.charge;
}

std::optional<std::uint64_t> Ledger::ingress(HopRef ref) const {
  const HopRecord& record = hop(ref);
  if (record.special) return extras_.at(ref.value()).ingress;
  return record.has_ingress ? std::optional(record.demand.cells_per_s) : std::nullopt;
}

void Ledger::set_ingress(std::uint32_t at, std::optional<std::uint64_t> cells_per_s) {
  HopRecord& record = hops_[at];
  if (record.special || (cells_per_s && *cells_per_s != record.demand.cells_per_s)) {
    extras(at).ingress = cells_per_s;
  } else {
    record.has_ingress = cells_per_s.has_value();
  }
}

// Keeps what the hop needs alone (HopExtras::alone).
void Ledger::set_charge(std::uint32_t at, Resources charge) {
  if (hops_[at].charge == charge) return;
  extras(at);
  hops_[at].charge = charge;
}

}  // namespace xbind
