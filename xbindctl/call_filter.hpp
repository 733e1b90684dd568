// Which calls `calls` shows, in which order, and which page of them. Pure; one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "connection_manager.hh"
#include "core/path.hpp"
#include "route_object.hh"

namespace xbind::ctl {

// What is kept of a call while the others are read.
struct CallRow {
  std::uint64_t id = 0;
  v2::PhaseCode phase = v2::phase_connected;
  v2::PathCondition condition = v2::path_up;
  std::string client;
  std::string from;
  std::string to;
  std::uint64_t cells_per_s = 0;          // of the caller's direction
  std::uint64_t reverse_cells_per_s = 0;  // 0: one direction
  std::uint32_t hops = 0;                 // of the caller's direction
  std::uint32_t leaves = 0;               // beyond `to`
};
CallRow row_of_call(const v2::ConnectionState& state);

enum class CallOrder : std::uint8_t { kId, kCells, kClient, kFrom, kTo };

// An output port with the line behind it, or a whole switch (port 0), and one of v2::unusable_*.
using UnusableElements = std::map<PathElement, v2::UnusableReason>;

struct CallFilter {
  std::string from{};  // empty: any; also of the next three
  std::string to{};    // as callee or leaf
  std::string client{};
  std::string switch_name{};
  PortId port{};  // of that switch; 0: any
  std::optional<v2::PhaseCode> phase{};
  std::uint64_t min_cells_per_s = 0;  // in one of the directions
  // Only calls that are to leave one of these elements. As for the manager, a drained access line
  // is none: no path could avoid it. nullopt: all calls.
  std::optional<UnusableElements> unusable{};

  bool takes(const v2::ConnectionState& state) const;
};

// Collects the calls that pass a filter. With a limit and without `after` it keeps at most twice
// the limit; otherwise all that pass, of which there are at most as many as the manager has calls.
class CallPage {
 public:
  struct Plan {
    CallFilter filter{};
    CallOrder order = CallOrder::kId;  // ties: ascending ids
    bool reverse = false;
    std::uint32_t limit = 0;  // 0: none
    std::uint64_t after = 0;  // an id; 0: from the beginning
  };

  explicit CallPage(Plan plan) : plan_(std::move(plan)) {}
  void add(const v2::ConnectionState& state);

  struct Result {
    std::vector<CallRow> rows;
    std::uint64_t passed = 0;  // calls that passed the filter, also those of other pages
    bool more = false;         // further ones follow these
    // `after` is not among them: it has ended, so its place is not known. Never with kId.
    bool after_unknown = false;
  };
  // Call it once, at the end.
  Result take();

 private:
  bool before(const CallRow& one, const CallRow& other) const;
  void shorten();

  Plan plan_;
  std::vector<CallRow> rows_;
  std::uint64_t passed_ = 0;
  std::uint64_t eligible_ = 0;  // those that `after` does not leave out already
};

}  // namespace xbind::ctl
