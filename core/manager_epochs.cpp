#include "core/manager_epochs.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace xbind {

ManagerEpochs epochs_in_file(Epoch newest, std::uint64_t renewals) {
  ManagerEpochs known;
  known.newest = newest;
  known.renewals = renewals;
  return known;
}

ManagerEpochs epochs_at_switch(Epoch newest, std::uint64_t renewals,
                               std::vector<std::uint64_t> used) {
  ManagerEpochs known = epochs_in_file(newest, renewals);
  known.fenced = newest;
  if (used.size() >= kEpochsListedMax) known.unlisted_from = used.back() + 1;
  known.used = std::move(used);
  return known;
}

void merge(ManagerEpochs& all, const ManagerEpochs& more) {
  if (more.renewals > all.renewals) {
    all.newest = more.newest;
    all.renewals = more.renewals;
  } else if (more.renewals == all.renewals) {
    all.newest = std::max(all.newest, more.newest);
  }
  all.fenced = std::max(all.fenced, more.fenced);
  std::vector<std::uint64_t> both;
  std::ranges::set_union(all.used, more.used, std::back_inserter(both));
  all.used = std::move(both);
  all.unlisted_from = std::min(all.unlisted_from, more.unlisted_from);
}

std::optional<Epoch> next_epoch(const ManagerEpochs& all) {
  std::uint64_t next = all.newest.value();
  do {
    if (next >= kManagerEpochMax) return std::nullopt;
    ++next;
  } while (std::ranges::binary_search(all.used, next));
  if (next <= all.fenced.value() || next >= all.unlisted_from) return std::nullopt;
  return Epoch{next};
}

std::optional<Epoch> renewed_epoch(const ManagerEpochs& all) {
  const auto room_above = [&](std::uint64_t epoch) {
    return epoch + kEpochsFreeAfterRenewal < all.unlisted_from;
  };
  const std::uint64_t last = all.used.empty() ? 1 : std::max<std::uint64_t>(all.used.back(), 1);
  if (room_above(last)) return Epoch{last};
  std::uint64_t from = 1;
  for (const std::uint64_t used : all.used) {
    if (used > from + kEpochsFreeAfterRenewal && room_above(from)) return Epoch{from};
    from = std::max(from, used);
  }
  return std::nullopt;
}

}  // namespace xbind
