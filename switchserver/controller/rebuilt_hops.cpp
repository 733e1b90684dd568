#include "switchserver/controller/rebuilt_hops.hpp"

#include <map>

#include "core/planted.hpp"

namespace xbind {

EntryIndex::EntryIndex(const std::vector<CrossConnect>& entries) : entries_(entries) {
  by_output_.reserve(entries.size());
  for (const CrossConnect& entry : entries) by_output_.push_back(&entry);
  std::sort(by_output_.begin(), by_output_.end(), ByOutput{});
}

bool EntryIndex::fits(const CrossConnect& entry, const CrossConnect& known) {
  const auto port = [](PortId there, PortId wanted) {
    return wanted == PortId{} || there == wanted;
  };
  const auto label = [](const Label& there, const Label& wanted) {
    return !wanted.present() || there == wanted;
  };
  return port(entry.input_port, known.input_port) && label(entry.input_label, known.input_label) &&
         (entry.output_port == PortId{} || (port(entry.output_port, known.output_port) &&
                                            label(entry.output_label, known.output_label)));
}

EntryFit EntryIndex::judge(const CrossConnect& known, const Count& count) {
  if (count.told + count.untold == 0) return {{}, false, Cause::kNotConnected, 0};
  const bool one = count.told == 1 || (count.told != 0 && planted(Bug::kFirstOfSeveral));
  if (one && (count.untold == 0 || is_whole(known))) {
    return {*count.last_told, false, Cause::kNone, 0};
  }
  if (is_whole(known)) return {known, true, Cause::kNone, 0};
  return {{}, false, Cause::kIncomplete, count.untold != 0 ? 0 : count.told};
}

EntryIndex::ByInputRange EntryIndex::on_input(const CrossConnect& known) const {
  const auto below = [](const CrossConnect& a, const CrossConnect& b) {
    return std::tie(a.input_port, a.input_label) < std::tie(b.input_port, b.input_label);
  };
  const auto [first, last] = std::equal_range(entries_.begin(), entries_.end(), known, below);
  return {first, last};
}

EntryIndex::ByOutputRange EntryIndex::on_output(const CrossConnect& known) const {
  const auto below = [](const CrossConnect* a, const CrossConnect* b) {
    return std::tie(a->output_port, a->output_label) < std::tie(b->output_port, b->output_label);
  };
  const auto [first, last] = std::equal_range(by_output_.begin(), by_output_.end(), &known, below);
  return {first, last};
}

// Those that the switch does not report the output of stand first; an input port may be known.
EntryIndex::ByOutputRange EntryIndex::untold(const CrossConnect& known) const {
  const CrossConnect from{known.input_port, Label{}, PortId{}, Label{}};
  const auto first = std::lower_bound(by_output_.begin(), by_output_.end(), &from, ByOutput{});
  auto last = first;
  while (last != by_output_.end() && (*last)->output_port == PortId{} &&
         (known.input_port == PortId{} || (*last)->input_port == known.input_port)) {
    ++last;
  }
  return {first, last};
}

void refuse_contested(std::vector<RebuiltHop>& hops) {
  std::map<CrossConnect, std::vector<RebuiltHop*>> takers;
  for (RebuiltHop& one : hops) {
    if (one.fit.taken) takers[*one.fit.taken].push_back(&one);
  }
  for (auto& [entry, all] : takers) {
    if (all.size() == 1) continue;
    const HopKey& first = all.front()->claimed->key;
    const bool one_call = std::ranges::all_of(all, [&](const RebuiltHop* one) {
      return one->claimed->key.connection == first.connection;
    });
    const auto knows_output = [](const RebuiltHop* one) {
      return one->claimed->cross_connect.output_label.present();
    };
    const auto keeper = std::ranges::find_if(all, knows_output);
    for (auto it = all.begin(); it != all.end(); ++it) {
      if (one_call && (keeper == all.end() ? it == all.begin() : it == keeper)) continue;
      (*it)->fit = {{},
                    false,
                    one_call ? Cause::kNotConnected : Cause::kIncomplete,
                    one_call ? std::uint64_t{0} : std::uint64_t{1}};
    }
  }
}

}  // namespace xbind
