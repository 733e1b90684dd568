// Links that calls of earlier epochs pass, and that the topology does not have (recovery.hpp), for
// an alarm that stands while the port of one is in use.
//
// Each link remembers one connection that leaves by it. Only when that one has gone, another is
// searched among those at its switches, a part at a time.
//
// Not thread-safe; owned by Recovery.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "cmgr/parts/found_call.hpp"
#include "cmgr/procedures/context.hpp"

namespace xbind::cmgr {

class OtherLinks {
 public:
  using End = LinkMap::End;
  static constexpr std::size_t kLinksMax = 1'000;
  // Connections that one for_each() looks at, at most, and one more for each link.
  static constexpr std::size_t kLooksMax = 10'000;

  struct Link {
    End one;
    End other;
    friend auto operator<=>(const Link&, const Link&) = default;
  };

  explicit OtherLinks(const Context& context) : context_(context) {}
  OtherLinks(const OtherLinks&) = delete;
  OtherLinks& operator=(const OtherLinks&) = delete;

  // The hops of that connection go from one end to the other. Not kept above kLinksMax links.
  void note(const End& from, const End& to, ConnectionId connection);
  // Forgets the links that the topology has now.
  void compare(const LinkMap& topology);
  // Visits the links of which a port is in use: visit(Link). Of a link at switches with many
  // connections it may take several calls to see that none uses it any more.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (auto& [link, use] : links_) {
      if (in_use(link, use)) visit(link);
    }
  }
  // Connections that for_each() has looked at.
  std::uint64_t looks() const { return looks_; }

 private:
  static constexpr std::size_t kWhole = std::numeric_limits<std::size_t>::max();
  struct Use {
    ConnectionId connection;  // it left by the link when it was looked at last
    bool used = true;
    // The search for another one: from the back of the list of the first end's switch, then of the
    // other's. Entries move forward only.
    bool at_other = false;
    std::size_t left = kWhole;
  };

  bool in_use(const Link& link, Use& use) const;
  bool search(const Link& link, Use& use) const;
  bool leaves_by(const Connection& connection, const Link& link) const;

  const Context& context_;
  mutable std::map<Link, Use> links_;
  mutable std::uint64_t looks_ = 0;
};

}  // namespace xbind::cmgr
