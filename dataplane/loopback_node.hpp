// A switch's part in OAM loopback: its name, and the requests that it has passed on, so that their
// answers find the way back. SwitchFabric calls it (switch_fabric_oam.cpp).
//
//   request, for another point ──▶ cross-connect ──▶ next line   remember(): where it came in
//   request, for a point here  ──▶ back into the line that it came from, as an answer
//   previous line ◀── where the request came in ◀── answer           take(), once
//
// Connections have one direction, so an answer follows the request's trace and no cross-connect.
// One trace is good for one answer: answers never multiply, and one that nobody requested is
// dropped.
//
// Bound: kTraces traces; a new one replaces an older one that has the same place. One thread at a
// time, that of the fabric.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/ids.hpp"
#include "dataplane/forwarding_table.hpp"
#include "dataplane/oam/loopback_cell.hpp"

namespace xbind::dataplane {

// Free-running. Only requests and answers of our form; others travel as cells of the connection.
struct LoopbackCounters {
  std::uint64_t answered = 0;     // requests for a point of this switch
  std::uint64_t passed = 0;       // requests for another point
  std::uint64_t returned = 0;     // answers sent back where their requests came in
  std::uint64_t unrequested = 0;  // answers without a trace, dropped
  std::uint64_t damaged = 0;      // loopback cells with a wrong CRC, passed on like any cell

  friend bool operator==(const LoopbackCounters&, const LoopbackCounters&) = default;
};

// A request that has left by a line, and where it came in.
struct LoopbackTrace {
  std::uint64_t session = 0;
  std::uint32_t tag = 0;
  PortId out{};
  std::uint32_t out_label = 0;  // vpi << 16 | vci, as of a cell
  PortId in{};
  std::uint32_t in_label = 0;
  ConnectionRef connection{};

  // Whether an answer with these values belongs to it.
  bool awaits(std::uint64_t of_session, std::uint32_t of_tag, PortId port,
              std::uint32_t label) const {
    return session == of_session && tag == of_tag && out == port && out_label == label;
  }
};

class LoopbackNode {
 public:
  static constexpr std::size_t kTraces = 1024;

  explicit LoopbackNode(std::string_view name) : node_(node_number(name)), traces_(kTraces) {}

  // Whether `location` is this point of this node.
  bool is_here(const LoopbackPoint& location, Direction side, PortId port,
               std::uint32_t label) const {
    return location == LoopbackPoint{node_, side, port, label};
  }

  void remember(const LoopbackTrace& trace) { place_of(trace) = trace; }
  // Removes the trace. nullopt: there is none, or it was replaced.
  std::optional<LoopbackTrace> take(std::uint64_t session, std::uint32_t tag, PortId out,
                                    std::uint32_t out_label);

  LoopbackCounters counters;

 private:
  std::optional<LoopbackTrace>& place_of(const LoopbackTrace& trace);

  std::uint64_t node_;
  std::vector<std::optional<LoopbackTrace>> traces_;
};

}  // namespace xbind::dataplane
