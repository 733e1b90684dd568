#include "dataplane/forwarding_table.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"

namespace xbind::dataplane {
namespace {

Branch normal(const VirtualLink& input, Branch branch) {
  if (input.path) branch.vci = 0;
  return branch;
}

template <class Level>
std::unique_ptr<Level> take_last(std::vector<std::unique_ptr<Level>>& spares) {
  std::unique_ptr<Level> taken = std::move(spares.back());
  spares.pop_back();
  return taken;
}

// The 28 bits of VPI and VCI are a label of the kind that the port's ranges have.
bool in_range(const LabelRanges& labels, const VirtualLink& input) {
  if (input.vpi > kVpiMax) return false;
  for (const LabelRange& range : labels) {
    const AtmBounds bounds = atm_bounds(range);
    const bool inside = input.path
                            ? range.kind == LabelKind::kAtm && input.vpi >= bounds.vpi_min &&
                                  input.vpi <= bounds.vpi_max
                            : range.contains({range.kind, atm_label(input.vpi, input.vci).value});
    if (inside) return true;
  }
  return false;
}

}  // namespace

std::string to_string(const VirtualLink& link) {
  if (link.path) return fmt::format("port {} path {}", link.port, link.vpi);
  return fmt::format("port {} {}/{}", link.port, link.vpi, link.vci);
}

ForwardingTable::ForwardingTable(const ForwardingOptions& options)
    : options_(options), ports_(options.ports) {
  XB_CHECK(options.ports >= 1 && options.ports <= 65535, options.ports);
  for (Port& port : ports_) port.labels = options.labels;
}

Result<void> ForwardingTable::add_branch(const VirtualLink& input, Branch branch) {
  if (!has(input.port) || !has(branch.port)) {
    return fail(ErrorCode::kBadInput, "port {} is not one of 1 to {}",
                has(input.port) ? branch.port : input.port, options_.ports);
  }
  if (branch.vpi > kVpiMax) {
    return fail(ErrorCode::kBadInput, "output VPI {} is above {}", branch.vpi, kVpiMax);
  }
  branch = normal(input, branch);
  std::uint32_t slot = slot_of(input);
  if (slot != kNoSlot) {
    auto& branches = connection_at(slot).branches;
    const auto there = std::find_if(branches.begin(), branches.end(),
                                    [&](const Branch& one) { return one.same_place(branch); });
    if (there != branches.end()) {
      *there = branch;
      return {};
    }
    if (branches.size() >= options_.branches_per_connection_max) {
      return fail(ErrorCode::kExhausted, "{} has {} branches, the most a connection may have",
                  to_string(input), branches.size());
    }
  } else if (auto fits = check_new(input); !fits) {
    return fits;
  }
  if (branches_ >= options_.branches_max) {
    return fail(ErrorCode::kExhausted, "the table has {} branches, its most", branches_);
  }
  if (slot == kNoSlot) {
    slot = take_slot(input);
    enter(input, slot);
  }
  connection_at(slot).branches.push_back(branch);
  ++branches_;
  return {};
}

Result<void> ForwardingTable::check_new(const VirtualLink& input) const {
  const Port& port = at(input.port);
  if (!in_range(port.labels, input)) {
    return fail(ErrorCode::kBadInput, "{} is outside the port's labels {}", to_string(input),
                to_string(port.labels));
  }
  if (input.vpi < port.paths.size() && port.paths[input.vpi]) {
    // A VPI has either one path entry or channel entries, never both.
    const bool switched_whole = port.paths[input.vpi]->whole != kNoSlot;
    if (switched_whole || input.path) {
      return fail(ErrorCode::kBadInput, "{}: its VPI {}", to_string(input),
                  switched_whole ? "is switched as a whole" : "has channels of its own");
    }
  }
  if (connections() >= options_.connections_max) {
    return fail(ErrorCode::kExhausted, "the table has {} connections, its most", connections());
  }
  return {};
}

std::uint32_t ForwardingTable::take_slot(const VirtualLink& input) {
  ++connections_;
  if (free_ == kNoSlot) {
    const std::uint32_t slot = slots_++;
    if (slot >> kBlockBits == blocks_.size()) blocks_.push_back(std::make_unique<Block>());
    Connection& connection = connection_at(slot);
    connection.input = input;
    connection.self = {slot, 0};
    return slot;
  }
  const std::uint32_t slot = free_;
  Connection& connection = connection_at(slot);
  free_ = std::exchange(connection.self.slot, slot);
  connection.input = input;
  ++connection.self.generation;
  connection.counters = {};
  return slot;
}

std::unique_ptr<ForwardingTable::Page> ForwardingTable::new_page() {
  return spare_pages_.empty() ? std::make_unique<Page>() : take_last(spare_pages_);
}

std::unique_ptr<ForwardingTable::Path> ForwardingTable::new_path() {
  return spare_paths_.empty() ? std::make_unique<Path>() : take_last(spare_paths_);
}

void ForwardingTable::enter(const VirtualLink& input, std::uint32_t slot) {
  auto& paths = at(input.port).paths;
  if (input.vpi >= paths.size()) paths.resize(input.vpi + std::size_t{1});
  if (!paths[input.vpi]) paths[input.vpi] = new_path();
  Path& way = *paths[input.vpi];
  if (input.path) {
    way.whole = slot;
    return;
  }
  auto& page = way.pages[input.vci >> 8];
  if (!page) {
    page = new_page();
    ++way.pages_used;
  }
  page->slots[input.vci & 0xff] = slot;
  ++page->used;
}

Result<void> ForwardingTable::delete_branch(const VirtualLink& input, Branch branch) {
  const std::uint32_t slot = slot_of(input);
  if (slot == kNoSlot) {
    return fail(ErrorCode::kNotFound, "there is no connection at {}", to_string(input));
  }
  branch = normal(input, branch);
  auto& branches = connection_at(slot).branches;
  const auto there = std::find_if(branches.begin(), branches.end(),
                                  [&](const Branch& one) { return one.same_place(branch); });
  if (there == branches.end()) {
    return fail(ErrorCode::kNotFound, "{} has no branch to port {} {}/{}", to_string(input),
                branch.port, branch.vpi, branch.vci);
  }
  erase(connection_at(slot), *there);
  return {};
}

void ForwardingTable::erase(const Connection& connection, const Branch& branch) {
  const std::uint32_t slot = connection.self.slot;
  if (connection.branches.size() == 1) return remove(slot);
  auto& branches = connection_at(slot).branches;
  Branch* const there = branches.begin() + (&branch - branches.begin());
  branches.erase(there, there + 1);
  --branches_;
}

Result<void> ForwardingTable::replace_branch(const VirtualLink& input, Branch old, Branch now) {
  const std::uint32_t slot = slot_of(input);
  if (slot == kNoSlot) {
    return fail(ErrorCode::kNotFound, "there is no connection at {}", to_string(input));
  }
  if (!has(now.port)) {
    return fail(ErrorCode::kBadInput, "port {} is not one of 1 to {}", now.port, options_.ports);
  }
  if (now.vpi > kVpiMax) {
    return fail(ErrorCode::kBadInput, "output VPI {} is above {}", now.vpi, kVpiMax);
  }
  old = normal(input, old);
  now = normal(input, now);
  auto& branches = connection_at(slot).branches;
  const auto at_place = [&](const Branch& wanted) {
    return std::find_if(branches.begin(), branches.end(),
                        [&](const Branch& one) { return one.same_place(wanted); });
  };
  const auto there = at_place(old);
  if (there == branches.end()) {
    return fail(ErrorCode::kNotFound, "{} has no branch to port {} {}/{}", to_string(input),
                old.port, old.vpi, old.vci);
  }
  if (const auto other = at_place(now); other != branches.end() && other != there) {
    return fail(ErrorCode::kBadInput, "{} has a branch to port {} {}/{} already", to_string(input),
                now.port, now.vpi, now.vci);
  }
  *there = now;
  return {};
}

Result<void> ForwardingTable::delete_connection(const VirtualLink& input) {
  const std::uint32_t slot = slot_of(input);
  if (slot == kNoSlot) {
    return fail(ErrorCode::kNotFound, "there is no connection at {}", to_string(input));
  }
  remove(slot);
  return {};
}

template <class Level>
void ForwardingTable::keep(std::vector<std::unique_ptr<Level>>& spares,
                           std::unique_ptr<Level> empty) {
  if (spares.size() < kSparesMax) spares.push_back(std::move(empty));
}

void ForwardingTable::remove(std::uint32_t slot) {
  Connection& connection = connection_at(slot);
  const VirtualLink input = connection.input;
  branches_ -= connection.branches.size();
  connection.branches.clear();
  connection.self.slot = std::exchange(free_, slot);
  --connections_;

  auto& way = at(input.port).paths[input.vpi];
  if (input.path) {
    way->whole = kNoSlot;
    return keep(spare_paths_, std::move(way));
  }
  auto& page = way->pages[input.vci >> 8];
  page->slots[input.vci & 0xff] = kNoSlot;
  if (--page->used != 0) return;
  keep(spare_pages_, std::move(page));
  if (--way->pages_used == 0) keep(spare_paths_, std::move(way));
}

std::size_t ForwardingTable::delete_input(PortId port) {
  const std::size_t before = branches_;
  for (const Connection* connection : connections_of(port)) remove(connection->self.slot);
  return before - branches_;
}

std::size_t ForwardingTable::delete_output(PortId port) {
  const std::size_t before = branches_;
  for (std::uint32_t slot = 0; slot < slots_; ++slot) {
    auto& branches = connection_at(slot).branches;
    if (branches.empty()) continue;  // a free slot
    const auto stay = std::stable_partition(branches.begin(), branches.end(),
                                            [&](const Branch& one) { return one.port != port; });
    if (stay == branches.begin()) {
      remove(slot);
    } else {
      branches_ -= static_cast<std::size_t>(branches.end() - stay);
      branches.erase(stay, branches.end());
    }
  }
  return before - branches_;
}

void ForwardingTable::clear() {
  for (std::uint32_t port = 1; port <= options_.ports; ++port) delete_input(PortId{port});
}

std::size_t ForwardingTable::channels(PortId port, std::uint16_t vpi) const {
  const auto& paths = at(port).paths;
  if (vpi >= paths.size() || !paths[vpi]) return 0;
  std::size_t count = 0;
  for (const auto& page : paths[vpi]->pages) count += page ? page->used : 0;
  return count;
}

std::vector<const Connection*> ForwardingTable::connections_of(PortId port) const {
  std::vector<const Connection*> found;
  for (const auto& way : at(port).paths) {
    if (!way) continue;
    if (way->whole != kNoSlot) found.push_back(&connection_at(way->whole));
    for (const auto& page : way->pages) {
      if (!page) continue;
      for (std::uint32_t slot : page->slots) {
        if (slot != kNoSlot) found.push_back(&connection_at(slot));
      }
    }
  }
  return found;
}

}  // namespace xbind::dataplane
