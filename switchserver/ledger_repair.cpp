// Ledger: makes its lists, label places and accounts agree with its hop records again.
#include <algorithm>
#include <utility>

#include "switchserver/ledger.hpp"

namespace xbind {

void LabelPool::relist() {
  // Freed labels go on resting in their order. The list may be broken: it may end early or turn in
  // circles.
  std::vector<Index> order;
  for (Index i = free_.head; i != kNil && order.size() < touched_; i = find(i)->next) {
    if (find(i) == nullptr || find(i)->holder != LabelHolder::kFree) break;
    order.push_back(i);
  }
  free_ = {};
  unclaimed_ = {};
  for (Lists& of : managers_) of = {{}, {}, {}, of.rested};
  touched_ = 0;
  std::vector<bool> listed(pages_.size() * kPage);
  const auto enlist = [&](Index index) {
    if (listed[index]) return;
    listed[index] = true;
    Slot& slot = touched(index);
    if (slot.holder == LabelHolder::kConnection) slot.holder = LabelHolder::kFree;
    append(*list_of(slot.holder, slot.manager), index);
    ++touched_;
  };
  std::ranges::for_each(order, enlist);
  for (std::size_t page = 0; page < pages_.size(); ++page) {
    if (!pages_[page]) continue;
    for (Index i = 0; i < kPage; ++i) {
      if ((*pages_[page])[i].holder == LabelHolder::kUnused) continue;
      enlist(static_cast<Index>(page * kPage) + i);
    }
  }
}

void Ledger::rebuild() {
  for (Port& port : ports_) {
    port.output.relist();
    port.input.relist();
    port.taken = {};
    port.ingress_taken = 0;
    for (Account& account : port.accounts) {
      account.hops = {};
      account.labels = 0;
    }
  }
  for_each_hop([&](HopRef, HopRecord& record) {
    record.next_on_output = kNil;
    record.next_on_input = kNil;
  });
  for_each_hop([&](HopRef ref, HopRecord& record) {
    Port& out = output_port(record);
    Port& in = input_port(record);
    if (const auto spot = out.output.find_spot(record.output_label())) {
      enter(out.output, *spot, ref, &HopRecord::next_on_output);
    }
    const Label input = record.input_label();
    if (const auto spot = in.input.find_spot(input); input.present() && spot) {
      enter(in.input, *spot, ref, &HopRecord::next_on_input);
    }
    account(out, record.manager).hops += record.charge;
    in.ingress_taken += ingress(ref).value_or(0);
  });
  for (Port& port : ports_) {
    for (const Account& account : port.accounts) {
      port.taken += greater(account.quota, account.hops);
    }
  }
  // Each label once: the group of hops that share it is charged together.
  for_each_hop([&](HopRef ref, HopRecord& record) {
    Port& out = output_port(record);
    const auto spot = out.output.find_spot(record.output_label());
    if (!spot || out.output.place_of(*spot).hop != ref) return;
    if (!record.last()) ++account(out, record.manager).labels;
    charge_group(out, ref.value());
  });
}

}  // namespace xbind
