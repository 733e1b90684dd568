// A switch compared with a very simple model of it: random additions, deletions and cells
// must give the same result in both.
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>

#include "cells.hpp"
#include "dataplane/switch_fabric.hpp"

namespace xbind::dataplane {
namespace {

constexpr std::uint32_t kPorts = 4;
constexpr std::size_t kQueueMax = 8;
constexpr std::size_t kConnectionsMax = 40;
constexpr std::size_t kBranchesMax = 70;
constexpr LabelRange kLabels = atm_range(0, 3, 250, 265);  // crosses the edge of a page of VCIs

struct Model {
  struct Waiting {
    Cell cell;
    VirtualLink from;
    std::uint64_t life;
  };
  struct Entry {
    std::uint64_t life = 0;  // distinguishes successive connections of one label
    std::vector<Branch> branches;
    ConnectionCounters counters;
  };
  std::map<VirtualLink, Entry> table;
  std::map<PortId, std::deque<Waiting>> queues;
  std::map<PortId, PortCounters> ports;
  std::uint64_t lives = 0;

  std::size_t branches() const {
    std::size_t count = 0;
    for (const auto& [link, entry] : table) count += entry.branches.size();
    return count;
  }
  bool vpi_taken(const VirtualLink& input) const {
    for (const auto& [link, entry] : table) {
      if (link.port == input.port && link.vpi == input.vpi && (link.path || input.path))
        return true;
    }
    return false;
  }
  bool add(const VirtualLink& input, Branch branch) {
    if (input.path) branch.vci = 0;
    const auto found = table.find(input);
    if (found != table.end()) {
      for (const Branch& one : found->second.branches) {
        if (one.same_place(branch)) return true;
      }
    } else if (vpi_taken(input) || table.size() >= kConnectionsMax) {
      return false;
    }
    if (branches() >= kBranchesMax) return false;
    Entry& entry = table[input];
    if (entry.branches.empty()) entry.life = ++lives;
    entry.branches.push_back(branch);
    return true;
  }
  // The connection of a waiting cell, if it has not been replaced.
  Entry* living(const Waiting& waiting) {
    const auto found = table.find(waiting.from);
    return found != table.end() && found->second.life == waiting.life ? &found->second : nullptr;
  }
  bool remove(const VirtualLink& input, Branch branch) {
    if (input.path) branch.vci = 0;
    const auto found = table.find(input);
    if (found == table.end()) return false;
    auto& all = found->second.branches;
    const auto there = std::find(all.begin(), all.end(), branch);
    if (there == all.end()) return false;
    all.erase(there);
    if (all.empty()) table.erase(found);
    return true;
  }
  void receive(PortId port, const Cell& cell) {
    ++ports[port].input_cells;
    auto found = table.find(path(port, cell.vpi()));
    if (found == table.end()) found = table.find(channel(port, cell.vpi(), cell.vci()));
    if (found == table.end()) {
      ++ports[port].invalid_label;
      return;
    }
    Entry& entry = found->second;
    ++entry.counters.input_cells;
    for (const Branch& branch : entry.branches) {
      auto& queue = queues[branch.port];
      if (queue.size() >= kQueueMax) {
        ++ports[branch.port].output_discards;
        ++entry.counters.output_discards;
        continue;
      }
      Cell copy = cell;
      copy.header = cell_header(branch.vpi, found->first.path ? cell.vci() : branch.vci, cell.pt(),
                                cell.clp());
      queue.push_back({copy, found->first, entry.life});
    }
  }
  void drop(PortId port) {
    for (; !queues[port].empty(); queues[port].pop_front()) {
      ++ports[port].output_discards;
      if (Entry* entry = living(queues[port].front())) ++entry->counters.output_discards;
    }
  }
  std::vector<Cell> transmit(PortId port, std::size_t count) {
    std::vector<Cell> cells;
    auto& queue = queues[port];
    for (; cells.size() < count && !queue.empty(); queue.pop_front()) {
      cells.push_back(queue.front().cell);
      ++ports[port].output_cells;
      if (Entry* entry = living(queue.front())) ++entry->counters.output_cells;
    }
    return cells;
  }
};

class Both : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  std::mt19937_64 bits{GetParam()};
  std::uint64_t unknown = 0;
  Model model;
  SwitchFabric fabric{{.ports = kPorts,
                       .labels = {kLabels},
                       .connections_max = kConnectionsMax,
                       .branches_max = kBranchesMax},
                      {.cells_max = kQueueMax, .clp1_cells_max = kQueueMax},
                      {.on_unknown_label = [this](auto...) { ++unknown; }, .on_cells = {}}};

  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(bits() % bound); }
  PortId port() { return PortId{1 + below(kPorts)}; }
  std::uint16_t vpi() { return static_cast<std::uint16_t>(below(4)); }
  std::uint16_t vci() { return static_cast<std::uint16_t>(250 + below(16)); }
  VirtualLink link() { return below(6) == 0 ? path(port(), vpi()) : channel(port(), vpi(), vci()); }
  // Few places, so that deletions find branches.
  Branch branch() {
    return {port(), static_cast<std::uint16_t>(below(2)), static_cast<std::uint16_t>(below(3))};
  }

  void step(std::uint32_t number) {
    switch (below(8)) {
      case 0: {
        const VirtualLink input = link();
        const Branch to = branch();
        ASSERT_EQ(fabric.table().add_branch(input, to).has_value(), model.add(input, to));
        return;
      }
      case 1: {
        const VirtualLink input = link();
        const Branch to = branch();
        ASSERT_EQ(fabric.table().delete_branch(input, to).has_value(), model.remove(input, to));
        return;
      }
      case 2: {
        if (below(40) == 0) {  // a line that fails and comes back
          const PortId broken = port();
          fabric.set_line(broken, false);
          fabric.set_line(broken, true);
          model.drop(broken);
          return;
        }
        if (below(4) != 0) return;
        const VirtualLink input = link();
        ASSERT_EQ(fabric.table().delete_connection(input).has_value(),
                  model.table.erase(input) > 0);
        return;
      }
      case 3:
      case 4: {
        const PortId from = port();
        const std::size_t count = below(8);
        std::vector<Cell> cells(count);
        cells.resize(fabric.transmit(from, cells, TimePoint{}));
        ASSERT_EQ(words(cells), words(model.transmit(from, count)));
        return;
      }
      default: {
        const PortId at = port();
        std::vector<Cell> cells;
        for (std::uint32_t count = below(6); count > 0; --count)
          cells.push_back(make_cell(vpi(), vci(), number, below(8), below(2) == 0));
        fabric.receive(at, cells, TimePoint{});
        for (const Cell& cell : cells) model.receive(at, cell);
        return;
      }
    }
  }

  void compare() {
    ASSERT_EQ(fabric.table().connections(), model.table.size());
    ASSERT_EQ(fabric.table().branches(), model.branches());
    for (const auto& [link, entry] : model.table) {
      const Connection* there = fabric.table().find(link);
      ASSERT_NE(there, nullptr) << to_string(link);
      ASSERT_TRUE(std::equal(there->branches.begin(), there->branches.end(), entry.branches.begin(),
                             entry.branches.end()));
      ASSERT_EQ(there->counters, entry.counters) << to_string(link);
    }
    std::uint64_t invalid = 0;
    for (std::uint32_t number = 1; number <= kPorts; ++number) {
      const PortId id{number};
      ASSERT_EQ(fabric.counters(id), model.ports[id]) << "port " << number;
      ASSERT_EQ(fabric.queued(id), model.queues[id].size());
      invalid += model.ports[id].invalid_label;
    }
    ASSERT_EQ(unknown, invalid);
  }
};

TEST_P(Both, ComeToTheSame) {
  for (std::uint32_t number = 0; number < 20000; ++number) {
    ASSERT_NO_FATAL_FAILURE(step(number)) << "step " << number;
    if (number % 50 == 0) {
      ASSERT_NO_FATAL_FAILURE(compare()) << "step " << number;
    }
  }
  // Every kind of discard must have occurred, else the comparison above proves little.
  std::uint64_t discards = 0, sent = 0;
  for (const auto& [id, counters] : model.ports) {
    discards += counters.output_discards;
    sent += counters.output_cells;
  }
  EXPECT_GT(discards, 100u);
  EXPECT_GT(sent, 1000u);
  EXPECT_GT(unknown, 100u);
  fabric.table().clear();
  EXPECT_EQ(fabric.table().branches(), 0u);
  EXPECT_EQ(fabric.table().connections(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Both, ::testing::Range(std::uint64_t{1}, std::uint64_t{9}));

}  // namespace
}  // namespace xbind::dataplane
