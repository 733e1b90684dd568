// Joins the entries of switches that are in no ledger to paths, along the links of the topology, so
// that an operator sees which ends they connect before `repair` removes them. Pure.
//
// The entries are those that an audit lists as stray cross-connects: at most as many as an audit
// lists. Each of them is in one path; a path that forks is listed once for each of its ends.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/audit.hpp"

namespace xbind::ctl {

struct EntryOfNobody {
  std::string switch_name;
  CrossConnect at;
  bool of_call = false;  // a ledger has its input: it is a branch of that call

  friend auto operator<=>(const EntryOfNobody&, const EntryOfNobody&) = default;
};

// What the topology says of the ports.
struct PortPlan {
  using End = std::pair<std::string, PortId>;
  std::map<End, End> far_ends;  // both ways
  std::set<std::string> endpoints;
};

struct PathOfNobody {
  std::vector<EntryOfNobody> hops;  // from the first to the last
  std::string from;                 // the endpoint, or where and why the path begins
  std::string to;
  std::size_t shared = 0;  // so many of its first hops are in an earlier path of the list, too
};

// The stray cross-connects among the findings. One whose text is of another form is left out.
std::vector<EntryOfNobody> entries_of_nobody(const std::vector<Finding>& findings);

std::vector<PathOfNobody> paths_of_nobody(std::vector<EntryOfNobody> entries, const PortPlan& plan);

// "host-a -> host-a port 1 0/32 -> switch-1 port 1 0/40 -> host-b port 2 0/32 -> host-b: 3 hops"
std::string words_of(const PathOfNobody& path);

}  // namespace xbind::ctl
