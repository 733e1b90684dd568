// Maps (input port, VPI, VCI), or a whole virtual path (input port, VPI), to a set of branches,
// each an output port and a label. With several branches every cell is replicated.
//
//   port ──▶ VPI ──▶ the whole path ─────────────▶ connection ──▶ branches
//                └─▶ VCI / 256 ──▶ VCI % 256 ────▶ connection ──▶ branches
//
// Three or four loads find a connection. A level exists only while it has entries (a few empty ones
// are kept for reuse), so memory grows with the connections:
// - 68 octets for each of many connections whose VCIs are close together;
// - at most about 3.5 kB for a connection that has a VPI for itself;
// - 16 to 32 octets more for each branch of a tree;
// - 8 octets for each VPI of a port up to the highest used. The table keeps the memory of removed
//   connections for later ones. Connections lie in blocks that never move, and growth never
//   rebuilds anything: an insertion allocates at most one block, one page and one path.
//
// One thread at a time. Connections may share an output branch (multipoint-to-point).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "core/label.hpp"
#include "core/result.hpp"
#include "dataplane/branch_list.hpp"
#include "dataplane/cells/cell.hpp"
#include "dataplane/counters.hpp"

namespace xbind::dataplane {

// The input end of a virtual channel or of a virtual path at a port.
struct VirtualLink {
  PortId port;
  std::uint16_t vpi = 0;
  std::uint16_t vci = 0;  // of a path: 0
  bool path = false;      // all VCIs of the VPI, carried unchanged

  friend constexpr auto operator<=>(const VirtualLink&, const VirtualLink&) = default;
};
constexpr VirtualLink channel(PortId port, std::uint16_t vpi, std::uint16_t vci) {
  return {port, vpi, vci, false};
}
constexpr VirtualLink path(PortId port, std::uint16_t vpi) { return {port, vpi, 0, true}; }
// "port 3 0/32", "port 3 path 7".
std::string to_string(const VirtualLink& link);

// Identifies a connection in queues, even after its end: a reused slot has another generation.
struct ConnectionRef {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;

  friend bool operator==(ConnectionRef, ConnectionRef) = default;
};

// Fits into one cache line.
struct alignas(64) Connection {
  VirtualLink input;
  BranchList branches;  // never empty
  ConnectionRef self;
  ConnectionCounters counters;
};
static_assert(sizeof(Connection) == 64);

struct ForwardingOptions {
  std::uint32_t ports = 2;                  // numbered 1..ports
  LabelRanges labels{AtmBounds{}.range()};  // of every port's input, until set_labels()
  std::size_t connections_max = std::size_t{1} << 18;
  std::size_t branches_max = std::size_t{1} << 20;  // in the whole table
  std::size_t branches_per_connection_max = 1024;
};

class ForwardingTable {
 public:
  // ports is 1..65535.
  explicit ForwardingTable(const ForwardingOptions& options);

  std::uint32_t ports() const { return options_.ports; }
  bool has(PortId port) const { return port.value() >= 1 && port.value() <= options_.ports; }

  // ----- changes -----
  // An existing branch gets the new priority and tag. On an error nothing has changed.
  //   kBadInput   no such port; input label outside the port's range; output VPI above 4095; a
  //               channel on a VPI that is switched as a whole, or a path on a VPI with channels
  //   kExhausted  one of the bounds of ForwardingOptions
  Result<void> add_branch(const VirtualLink& input, Branch branch);
  // Deleting the last branch deletes the connection and its counters. kNotFound: no such
  // connection, or it has no such branch.
  Result<void> delete_branch(const VirtualLink& input, Branch branch);
  Result<void> delete_connection(const VirtualLink& input);
  // Replaces `old` by `now` in one step: the connection keeps its counters, and each cell uses
  // exactly one of the two. kNotFound as for delete_branch; kBadInput: no such port, output VPI
  // above 4095, or another branch than `old` already has the new port and label.
  Result<void> replace_branch(const VirtualLink& input, Branch old, Branch now);
  // Deletes a branch of the connection, both as returned by this table; like delete_branch, without
  // looking either up.
  void erase(const Connection& connection, const Branch& branch);
  // Return the number of deleted branches. `port` must exist.
  std::size_t delete_input(PortId port);
  std::size_t delete_output(PortId port);
  void clear();

  // Labels that may be entered from now on; existing entries stay. `port` must exist.
  void set_labels(PortId port, const LabelRanges& labels) { at(port).labels = labels; }
  // Bounds of the whole table from now on; existing entries stay.
  void set_bounds(std::size_t connections_max, std::size_t branches_max) {
    options_.connections_max = connections_max;
    options_.branches_max = branches_max;
  }
  const LabelRanges& labels(PortId port) const { return at(port).labels; }

  // ----- look-ups; pointers are valid until the table changes -----
  // The connection that a cell uses. `port` must exist. Null: no connection has that label.
  Connection* lookup(PortId port, std::uint16_t vpi, std::uint16_t vci) {
    const Port& entry = at(port);
    if (vpi >= entry.paths.size() || !entry.paths[vpi]) return nullptr;
    const Path& way = *entry.paths[vpi];
    std::uint32_t slot = way.whole;
    if (slot == kNoSlot) {
      const Page* page = way.pages[vci >> 8].get();
      if (page == nullptr) return nullptr;
      slot = page->slots[vci & 0xff];
      if (slot == kNoSlot) return nullptr;
    }
    return &connection_at(slot);
  }
  // Exactly this entry, not the path that a channel's cell would use.
  const Connection* find(const VirtualLink& input) const {
    const std::uint32_t slot = slot_of(input);
    return slot == kNoSlot ? nullptr : &connection_at(slot);
  }
  // Null: the connection has ended.
  Connection* find(ConnectionRef ref) {
    if (ref.slot >= slots_) return nullptr;
    Connection& connection = connection_at(ref.slot);
    return connection.self == ref && !connection.branches.empty() ? &connection : nullptr;
  }
  // In order of labels. `port` must exist.
  std::vector<const Connection*> connections_of(PortId port) const;
  // Number of channels of one VPI of a port; a whole path has none. `port` must exist.
  std::size_t channels(PortId port, std::uint16_t vpi) const;
  // Calls visit(const Connection&) for each, in no order. It must not change the table.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::uint32_t slot = 0; slot < slots_; ++slot) {
      const Connection& connection = connection_at(slot);
      if (!connection.branches.empty()) visit(connection);
    }
  }
  std::size_t connections() const { return connections_; }
  std::size_t branches() const { return branches_; }

 private:
  static constexpr std::uint32_t kNoSlot = 0xffffffff;
  struct Page {
    Page() { slots.fill(kNoSlot); }
    std::array<std::uint32_t, 256> slots;
    std::uint32_t used = 0;
  };
  struct Path {
    std::uint32_t whole = kNoSlot;
    std::uint32_t pages_used = 0;
    std::array<std::unique_ptr<Page>, 256> pages;
  };
  struct Port {
    LabelRanges labels;
    std::vector<std::unique_ptr<Path>> paths;  // indexed by VPI, up to the highest used
  };

  static constexpr std::uint32_t kBlockBits = 8;
  static constexpr std::uint32_t kBlockSlots = 1U << kBlockBits;
  using Block = std::array<Connection, kBlockSlots>;

  const Connection& connection_at(std::uint32_t slot) const {
    return (*blocks_[slot >> kBlockBits])[slot & (kBlockSlots - 1)];
  }
  Connection& connection_at(std::uint32_t slot) {
    return (*blocks_[slot >> kBlockBits])[slot & (kBlockSlots - 1)];
  }
  const Port& at(PortId port) const { return ports_[port.value() - 1]; }
  Port& at(PortId port) { return ports_[port.value() - 1]; }
  std::uint32_t slot_of(const VirtualLink& input) const {
    if (!has(input.port)) return kNoSlot;
    const auto& paths = at(input.port).paths;
    if (input.vpi >= paths.size() || !paths[input.vpi]) return kNoSlot;
    const Path& way = *paths[input.vpi];
    if (input.path) return way.whole;
    const Page* page = way.pages[input.vci >> 8].get();
    return page == nullptr ? kNoSlot : page->slots[input.vci & 0xff];
  }
  Result<void> check_new(const VirtualLink& input) const;
  std::uint32_t take_slot(const VirtualLink& input);
  void enter(const VirtualLink& input, std::uint32_t slot);
  template <class Level>
  static void keep(std::vector<std::unique_ptr<Level>>& spares, std::unique_ptr<Level> empty);
  std::unique_ptr<Page> new_page();
  std::unique_ptr<Path> new_path();
  void remove(std::uint32_t slot);

  ForwardingOptions options_;
  std::vector<Port> ports_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::uint32_t slots_ = 0;  // ever used
  // Head of the list of empty slots; `self.slot` of each is the next one.
  std::uint32_t free_ = kNoSlot;
  std::size_t connections_ = 0;
  // Empty and reset: labels that are added and removed in turns need no new page each time.
  static constexpr std::size_t kSparesMax = 8;
  std::vector<std::unique_ptr<Page>> spare_pages_;
  std::vector<std::unique_ptr<Path>> spare_paths_;
  std::size_t branches_ = 0;
};

}  // namespace xbind::dataplane
