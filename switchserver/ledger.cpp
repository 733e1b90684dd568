#include "switchserver/ledger.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "core/check.hpp"

namespace xbind {
namespace {

Admission refuse(Cause cause, PortId port, std::uint64_t asked, std::uint64_t free = 0) {
  Admission refused;
  refused.cause = cause;
  refused.port = port;
  refused.asked = asked;
  refused.free = free;
  return refused;
}

// What a manager takes from a port's account.
Resources greater(Resources a, Resources b) {
  return {std::max(a.cells_per_s, b.cells_per_s), std::max(a.buffer_cells, b.buffer_cells)};
}

std::uint64_t less(std::uint64_t from, std::uint64_t taken) {
  return from > taken ? from - taken : 0;
}

// Line rate times factor, without running over.
std::uint64_t times(std::uint64_t rate, double factor) {
  const double product = static_cast<double>(rate) * factor;
  constexpr double kMost = 9.0e18;
  if (!(product > 0)) return 0;
  return product >= kMost ? static_cast<std::uint64_t>(kMost) : static_cast<std::uint64_t>(product);
}

// A setup said again. How many replacement labels are wanted this time makes no difference.
bool same_words(const HopSetup& a, const HopSetup& b) {
  const auto words = [](const HopSetup& s) {
    return std::tie(s.key, s.commit, s.hop_count, s.input_port, s.input_label, s.output_port,
                    s.output_label, s.call);
  };
  return words(a) == words(b) && a.demand == b.demand;
}

// The commit of a reservation: labels come with the commit, the rest stands.
bool same_hop(const HopSetup& a, const HopSetup& b) {
  const auto words = [](const HopSetup& s) {
    return std::tie(s.hop_count, s.input_port, s.output_port, s.call);
  };
  return words(a) == words(b) && a.demand == b.demand;
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
    port.capacity = {times(about.cells_per_s, options_.overbooking), options_.buffer_cells};
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
  managers_.push_back({std::string(name)});
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

bool Ledger::forget_manager(ManagerIndex manager) {
  if (managers_[manager.value()].hops != 0) return false;
  for (const Port& port : ports_) {
    const bool quota = manager.value() < port.accounts.size() &&
                       port.accounts[manager.value()].quota != Resources{};
    if (quota || port.output.count(LabelHolder::kCached, manager) != 0 ||
        port.output.count(LabelHolder::kQuarantine, manager) != 0) {
      return false;
    }
  }
  managers_[manager.value()] = {};
  return true;
}

void Ledger::lapse(ManagerIndex manager) {
  ++managers_[manager.value()].lapses;
  for (std::uint32_t i = managers_[manager.value()].first_hop; i != kNil;) {
    const HopRef ref{i};
    i = hops_[i].next;
    if (hop(ref).state == HopState::kReserved) give_up(ref, LabelHolder::kFree);
  }
  for (Port& port : ports_) {
    port.output.free_all(LabelHolder::kCached, manager);
    set_quota(port, manager, {});
  }
}

// ===== set up =====

Admission Ledger::set_up(ManagerIndex manager, const HopSetup& setup) {
  std::optional<HopRef> same;
  const HopKey& key = setup.key;
  Generation newest = key.generation;
  for (std::uint32_t i = buckets_[bucket(manager, key)]; i != kNil; i = hops_[i].next_in_bucket) {
    const HopKey& other = hops_[i].setup.key;
    if (hops_[i].manager != manager || other.connection != key.connection || other.leg != key.leg ||
        other.hop != key.hop) {
      continue;
    }
    newest = std::max(newest, other.generation);
    if (other.generation == key.generation) same = HopRef{i};
  }
  if (newest > key.generation) {
    return refuse(Cause::kStale, {}, key.generation.value(), newest.value());
  }
  if (!same) return set_up_new(manager, setup);
  if (hop(*same).state != HopState::kReserved || !setup.commit) return repeat(*same, setup);
  const Admission admission = commit_reserved(*same, setup);
  if (!admission.admitted()) undo(*same);
  return admission;
}

Admission Ledger::repeat(HopRef ref, const HopSetup& setup) const {
  const HopRecord& record = hop(ref);
  if (record.state == HopState::kRemoving) {
    return refuse(Cause::kBeingReleased, {}, setup.key.generation.value());
  }
  if (!same_words(record.setup, setup)) {
    return refuse(Cause::kInvalidRequest, {}, setup.key.generation.value());
  }
  Admission admission;
  admission.hop = ref;
  admission.repeated = true;
  return admission;
}

Admission Ledger::set_up_new(ManagerIndex manager, const HopSetup& setup) {
  if (setup.key.hop >= setup.hop_count) {
    return refuse(Cause::kInvalidRequest, {}, setup.key.hop, setup.hop_count);
  }
  Port* const in = port(setup.input_port);
  Port* const out = port(setup.output_port);
  if (in == nullptr || !in->present) {
    return refuse(Cause::kUnknownPort, setup.input_port, setup.input_port.value());
  }
  if (out == nullptr || !out->present) {
    return refuse(Cause::kUnknownPort, setup.output_port, setup.output_port.value());
  }
  if (alive_ >= options_.hops_max) return refuse(Cause::kBusy, {}, alive_ + 1);

  Label input_label;
  Label output_label;
  if (setup.commit) {
    if (const auto a = choose_input(setup, input_label); !a.admitted()) return a;
  } else if (setup.input_label.present()) {
    return refuse(Cause::kInvalidRequest, setup.input_port, setup.input_label.value);
  }
  if (const auto a = choose_output(manager, setup, output_label); !a.admitted()) return a;
  if (const auto a = admit_resources(manager, setup); !a.admitted()) return a;

  // Nothing can refuse any more: take it all.
  const HopRef ref = insert(manager, setup);
  HopRecord& record = hop(ref);
  record.state = setup.commit ? HopState::kCommitting : HopState::kReserved;
  record.cross_connect = {setup.input_port, {}, setup.output_port, output_label};
  out->output.move(output_label, {LabelHolder::kConnection, manager, ref});
  if (setup.commit) take_input(record, ref, input_label);
  Resources hops = account(*out, manager).hops;
  set_hops(*out, manager, hops += setup.demand);
  if (setup.first()) in->ingress_taken += setup.demand.cells_per_s;

  Admission admission;
  admission.hop = ref;
  return admission;
}

Admission Ledger::commit_reserved(HopRef ref, const HopSetup& setup) {
  HopRecord& record = hop(ref);
  if (!same_hop(record.setup, setup)) {
    return refuse(Cause::kInvalidRequest, {}, setup.key.generation.value());
  }
  if (setup.output_label.present() && setup.output_label != record.cross_connect.output_label) {
    return refuse(Cause::kInvalidRequest, setup.output_port, setup.output_label.value);
  }
  if (const Port* out = port(setup.output_port); !out->present) {
    return refuse(Cause::kUnknownPort, setup.output_port, setup.output_port.value());
  }
  if (const Port* in = port(setup.input_port); !in->present) {
    return refuse(Cause::kUnknownPort, setup.input_port, setup.input_port.value());
  }
  Label input_label;
  if (const auto a = choose_input(setup, input_label); !a.admitted()) return a;
  take_input(record, ref, input_label);
  record.setup = setup;
  record.state = HopState::kCommitting;
  touch(ref);
  Admission admission;
  admission.hop = ref;
  return admission;
}

// The input label of a commit: at the first hop the next free one, else the one given.
Admission Ledger::choose_input(const HopSetup& setup, Label& chosen) {
  LabelPool& pool = port(setup.input_port)->input;
  if (setup.first()) {
    if (setup.input_label.present()) {
      return refuse(Cause::kInvalidRequest, setup.input_port, setup.input_label.value);
    }
    const auto label = pool.next_free();
    if (!label) return refuse(Cause::kNoLabel, setup.input_port, 1);
    chosen = *label;
    return {};
  }
  if (!pool.contains(setup.input_label)) {
    return refuse(Cause::kInvalidRequest, setup.input_port, setup.input_label.value);
  }
  if (!pool.is_free(setup.input_label)) {
    return refuse(Cause::kForeignInputLabel, setup.input_port, setup.input_label.value);
  }
  chosen = setup.input_label;
  return {};
}

// The output label: at the last hop and in a reserve the next free one, else the one given.
Admission Ledger::choose_output(ManagerIndex manager, const HopSetup& setup, Label& chosen) {
  LabelPool& pool = port(setup.output_port)->output;
  if (setup.last() || !setup.commit) {
    if (setup.output_label.present()) {
      return refuse(Cause::kInvalidRequest, setup.output_port, setup.output_label.value);
    }
    const auto label = pool.next_free();
    if (!label) return refuse(Cause::kNoLabel, setup.output_port, 1);
    chosen = *label;
    return {};
  }
  const bool in_range = pool.contains(setup.output_label);
  const LabelPlace place = in_range ? pool.place_of(setup.output_label) : LabelPlace{};
  const bool held =
      (place.holder == LabelHolder::kCached || place.holder == LabelHolder::kQuarantine) &&
      place.manager == manager;
  if (!held) return refuse(Cause::kLabelNotHeld, setup.output_port, setup.output_label.value);
  chosen = setup.output_label;
  return {};
}

Admission Ledger::admit_resources(ManagerIndex manager, const HopSetup& setup) {
  Port& out = *port(setup.output_port);
  const Account& of = account(out, manager);
  // Free to this manager: the unused part of its quota, else of the port. Where its hops exceed the
  // quota in one of the two, that quota has no unused part.
  const auto room = [](std::uint64_t capacity, std::uint64_t taken, std::uint64_t quota,
                       std::uint64_t hops) { return less(capacity, taken) + less(quota, hops); };
  const std::uint64_t cells = room(out.capacity.cells_per_s, out.taken.cells_per_s,
                                   of.quota.cells_per_s, of.hops.cells_per_s);
  if (setup.demand.cells_per_s > cells) {
    return refuse(Cause::kNoBandwidth, setup.output_port, setup.demand.cells_per_s, cells);
  }
  const std::uint64_t buffer = room(out.capacity.buffer_cells, out.taken.buffer_cells,
                                    of.quota.buffer_cells, of.hops.buffer_cells);
  if (setup.demand.buffer_cells > buffer) {
    return refuse(Cause::kNoBuffer, setup.output_port, setup.demand.buffer_cells, buffer);
  }
  if (setup.first()) {
    const Port& in = *port(setup.input_port);
    const std::uint64_t ingress = less(in.capacity.cells_per_s, in.ingress_taken);
    if (setup.demand.cells_per_s > ingress) {
      return refuse(Cause::kNoBandwidth, setup.input_port, setup.demand.cells_per_s, ingress);
    }
  }
  return {};
}

void Ledger::take_input(HopRecord& record, HopRef ref, Label label) {
  record.cross_connect.input_label = label;
  port(record.cross_connect.input_port)
      ->input.move(label, {LabelHolder::kConnection, record.manager, ref});
}

// ===== what became of it =====

void Ledger::programmed(HopRef ref) {
  HopRecord& record = hop(ref);
  XB_CHECK(record.state == HopState::kCommitting, static_cast<int>(record.state));
  record.state = HopState::kCommitted;
  touch(ref);
}

void Ledger::undo(HopRef ref) {
  const HopState state = hop(ref).state;
  XB_CHECK(state == HopState::kCommitting || state == HopState::kReserved, static_cast<int>(state));
  // A session that began after the commit does not know of the label.
  const bool known = hop(ref).session == managers_[hop(ref).manager.value()].lapses;
  give_up(ref, known ? LabelHolder::kCached : LabelHolder::kFree);
}

bool Ledger::begin_removal(HopRef ref) {
  HopRecord& record = hop(ref);
  if (record.state == HopState::kReserved) {
    give_up(ref, LabelHolder::kQuarantine);
    return true;
  }
  if (record.state != HopState::kRemoving) {
    record.state = HopState::kRemoving;
    touch(ref);
  }
  return false;
}

void Ledger::removed(HopRef ref) {
  XB_CHECK(hop(ref).state == HopState::kRemoving, static_cast<int>(hop(ref).state));
  give_up(ref, LabelHolder::kQuarantine);
}

// Gives back everything the hop holds and ends its record. A label that this SwitchServer allotted
// is free at once, any other goes where it is told.
void Ledger::give_up(HopRef ref, LabelHolder output_goes_to) {
  HopRecord& record = hop(ref);
  const CrossConnect& at = record.cross_connect;
  Port& out = *port(at.output_port);
  Port& in = *port(at.input_port);
  if (record.setup.last()) output_goes_to = LabelHolder::kFree;
  out.output.move(at.output_label, {output_goes_to, record.manager, {}});
  if (at.input_label.present()) in.input.move(at.input_label, {LabelHolder::kFree, {}, {}});
  Resources hops = account(out, record.manager).hops;
  set_hops(out, record.manager, hops -= record.setup.demand);
  if (record.setup.first()) in.ingress_taken -= record.setup.demand.cells_per_s;
  erase(ref);
}

void Ledger::touch(HopRef ref) { hop(ref).version = ++clock_; }

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

// ===== labels and quotas without a connection =====

void Ledger::grant_labels(ManagerIndex manager, PortId id, std::size_t wanted,
                          std::vector<Label>& granted) {
  Port* const of = port(id);
  if (of == nullptr || !of->present) return;
  for (; wanted != 0; --wanted) {
    const auto label = of->output.next_free();
    if (!label) return;
    of->output.move(*label, {LabelHolder::kCached, manager, {}});
    granted.push_back(*label);
  }
}

bool Ledger::return_label(ManagerIndex manager, PortId id, Label label) {
  Port* const of = port(id);
  if (of == nullptr || !of->output.contains(label)) return false;
  const LabelPlace place = of->output.place_of(label);
  const bool loose =
      place.holder == LabelHolder::kCached || place.holder == LabelHolder::kQuarantine;
  if (!loose || place.manager != manager) return false;
  of->output.move(label, {LabelHolder::kFree, {}, {}});
  return true;
}

Resources Ledger::grant_quota(ManagerIndex manager, PortId id, Resources wanted) {
  Port* const of = port(id);
  if (of == nullptr || !of->present) return {};
  const Account& have = account(*of, manager);
  // Hops beyond the quota are taken already: a quota that covers them costs nothing more.
  const auto most = [](std::uint64_t capacity, std::uint64_t taken, std::uint64_t quota,
                       std::uint64_t hops) { return less(capacity, taken) + less(hops, quota); };
  const Resources granted{
      std::min(wanted.cells_per_s, most(of->capacity.cells_per_s, of->taken.cells_per_s,
                                        have.quota.cells_per_s, have.hops.cells_per_s)),
      std::min(wanted.buffer_cells, most(of->capacity.buffer_cells, of->taken.buffer_cells,
                                         have.quota.buffer_cells, have.hops.buffer_cells))};
  Resources quota = have.quota;
  set_quota(*of, manager, quota += granted);
  return granted;
}

bool Ledger::return_quota(ManagerIndex manager, PortId id, Resources amount) {
  Port* const of = port(id);
  if (of == nullptr) return amount == Resources{};
  const Resources have = account(*of, manager).quota;
  set_quota(
      *of, manager,
      {less(have.cells_per_s, amount.cells_per_s), less(have.buffer_cells, amount.buffer_cells)});
  return amount.fits_within(have);
}

Resources Ledger::quota(ManagerIndex manager, PortId id) const {
  const Port* const of = port(id);
  if (of == nullptr || manager.value() >= of->accounts.size()) return {};
  return of->accounts[manager.value()].quota;
}

std::vector<PortLabels> Ledger::cached(ManagerIndex manager) const {
  std::vector<PortLabels> all;
  for (const Port& port : ports_) {
    if (port.output.count(LabelHolder::kCached, manager) == 0) continue;
    all.push_back({port.about.port, port.output.list(LabelHolder::kCached, manager)});
  }
  return all;
}

std::vector<PortLabels> Ledger::quarantined(ManagerIndex manager) const {
  std::vector<PortLabels> all;
  for (const Port& port : ports_) {
    if (port.output.count(LabelHolder::kQuarantine, manager) == 0) continue;
    all.push_back({port.about.port, port.output.list(LabelHolder::kQuarantine, manager)});
  }
  return all;
}

// ===== what the switch has and nobody claims =====

void Ledger::block(const CrossConnect& stranger) {
  const auto block_one = [](LabelPool& pool, Label label) {
    if (pool.contains(label) && pool.is_free(label)) {
      pool.move(label, {LabelHolder::kUnclaimed, {}, {}});
    }
  };
  if (Port* in = port(stranger.input_port)) block_one(in->input, stranger.input_label);
  if (Port* out = port(stranger.output_port)) block_one(out->output, stranger.output_label);
}

void Ledger::unblock_all() {
  for (Port& port : ports_) {
    port.input.free_all(LabelHolder::kUnclaimed);
    port.output.free_all(LabelHolder::kUnclaimed);
  }
}

std::uint64_t Ledger::unclaimed_labels() const {
  std::uint64_t labels = 0;
  for (const Port& port : ports_) {
    labels +=
        port.input.count(LabelHolder::kUnclaimed) + port.output.count(LabelHolder::kUnclaimed);
  }
  return labels;
}

}  // namespace xbind
