#include "switchserver/ledger/hop_extras.hpp"

#include <utility>

namespace xbind {

HopExtras HopExtrasTable::plain(const HopRecord& record, bool entering) {
  HopExtras plain;
  plain.asked = record.demand;
  plain.asked_contract = record.contract_;
  plain.alone = record.charge;
  if (entering) plain.ingress = record.demand.cells_per_s;
  return plain;
}

// ===== reads =====

std::uint32_t HopExtrasTable::revision(HopRef ref) const {
  return has_extras(hops_.hop(ref)) ? extras_.at(ref.value()).revision : 0;
}

ConnectionId HopExtrasTable::shown_id(HopRef ref) const {
  return has_extras(hops_.hop(ref)) ? extras_.at(ref.value()).shown_id : ConnectionId{};
}

Resources HopExtrasTable::alone(HopRef ref) const {
  const HopRecord& record = hops_.hop(ref);
  return has_extras(record) ? extras_.at(ref.value()).alone : record.charge;
}

std::optional<std::uint64_t> HopExtrasTable::ingress(HopRef ref) const {
  const HopRecord& record = hops_.hop(ref);
  if (has_extras(record)) return extras_.at(ref.value()).ingress;
  return is_entering(record) ? std::optional(record.demand.cells_per_s) : std::nullopt;
}

bool HopExtrasTable::matches(HopRef ref, const Resources& demand,
                             const TrafficContract& contract) const {
  const HopRecord& record = hops_.hop(ref);
  if (demand == record.demand && contract == record.contract()) return true;
  if (!has_extras(record)) return false;
  const HopExtras& extras = extras_.at(ref.value());
  return demand == extras.asked && contract == extras.asked_contract.contract();
}

HopSetup HopExtrasTable::setup_of(HopRef ref) const {
  const HopRecord& record = hops_.hop(ref);
  const CrossConnect at = hops_.cross_connect(record);
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
  const HopExtras extras = has_extras(record) ? extras_.at(ref.value()) : plain(record, false);
  setup.demand = extras.asked;
  setup.contract = extras.asked_contract.contract();
  return setup;
}

// ===== changes =====

HopExtras& HopExtrasTable::edit(HopRef ref) {
  HopRecord& record = hops_[ref.value()];
  if (has_extras(record)) return extras_.at(ref.value());
  const HopExtras had = plain(record, is_entering(record));
  record.rare_ = HopRecord::Rare::kExtras;
  return extras_.emplace(ref.value(), had).first->second;
}

void HopExtrasTable::drop_plain(HopRef ref) {
  HopRecord& record = hops_[ref.value()];
  if (!has_extras(record)) return;
  const auto found = extras_.find(ref.value());
  const bool entering = found->second.ingress.has_value();
  if (!(found->second == plain(record, entering))) return;
  extras_.erase(found);
  record.rare_ = entering ? HopRecord::Rare::kEntering : HopRecord::Rare::kPlain;
}

void HopExtrasTable::set_ingress(HopRef ref, std::optional<std::uint64_t> cells_per_s) {
  HopRecord& record = hops_[ref.value()];
  if (has_extras(record) || (cells_per_s && *cells_per_s != record.demand.cells_per_s)) {
    edit(ref).ingress = cells_per_s;
  } else {
    record.rare_ = cells_per_s ? HopRecord::Rare::kEntering : HopRecord::Rare::kPlain;
  }
}

void HopExtrasTable::ask_again(HopRef ref, const HopSetup& setup) {
  if (!has_extras(hops_[ref.value()])) return;
  HopExtras& extras = extras_.at(ref.value());
  extras.asked = setup.demand;
  extras.asked_contract = PackedContract(setup.contract);
}

void HopExtrasTable::drop_all(HopRef ref) {
  HopRecord& record = hops_[ref.value()];
  if (has_extras(record)) extras_.erase(ref.value());
  if (record.held) hold_ends_.erase(ref.value());
  record.rare_ = HopRecord::Rare::kPlain;
}

// ===== holds and memory =====

TimePoint HopExtrasTable::hold_end(HopRef ref) const {
  const auto found = hold_ends_.find(ref.value());
  return found == hold_ends_.end() ? kNever : found->second;
}

std::size_t HopExtrasTable::octets() const {
  // A node of a map: the element, its link and the allocator's overhead.
  constexpr std::size_t kNode = sizeof(std::pair<std::uint32_t, HopExtras>) + 2 * sizeof(void*);
  constexpr std::size_t kEnd = sizeof(std::pair<std::uint32_t, TimePoint>) + 2 * sizeof(void*);
  return extras_.size() * kNode + hold_ends_.size() * kEnd +
         (extras_.bucket_count() + hold_ends_.bucket_count()) * sizeof(void*);
}

}  // namespace xbind
