// Identities as distinct types, so that a swapped argument does not compile.
#pragma once

#include <fmt/format.h>

#include <compare>
#include <cstdint>
#include <functional>

namespace xbind {

template <class Tag, class Rep>
class Id {
 public:
  using rep = Rep;
  constexpr Id() = default;
  constexpr explicit Id(Rep value) : value_(value) {}
  constexpr Rep value() const { return value_; }
  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  Rep value_{};
};

// A port of one switch, as GSMP numbers it (RFC 3292 section 3.2); 0 means no port.
using PortId = Id<struct PortIdTag, std::uint32_t>;
// A connection of one manager. High 24 bits: the manager's epoch; low 40: a counter. Never reused.
using ConnectionId = Id<struct ConnectionIdTag, std::uint64_t>;
// A path of a connection: a retry, a modify and a second path of make-before-break each raise it.
using Generation = Id<struct GenerationTag, std::uint32_t>;
// A client's own number for a request; unique per client name.
using RequestId = Id<struct RequestIdTag, std::uint64_t>;
// One attachment of one peer to another; it ends when either dies or attaches anew.
using SessionId = Id<struct SessionIdTag, std::uint64_t>;
// Raised by each restart of a named manager or client; a lower epoch is fenced off.
using Epoch = Id<struct EpochTag, std::uint64_t>;
// The number of a batch within one session and direction; the first batch is 1.
using BatchSeq = Id<struct BatchSeqTag, std::uint64_t>;

}  // namespace xbind

template <class Tag, class Rep>
struct std::hash<xbind::Id<Tag, Rep>> {
  std::size_t operator()(xbind::Id<Tag, Rep> id) const { return std::hash<Rep>{}(id.value()); }
};

template <class Tag, class Rep>
struct fmt::formatter<xbind::Id<Tag, Rep>> : fmt::formatter<Rep> {
  template <class Context>
  auto format(xbind::Id<Tag, Rep> id, Context& context) const {
    return fmt::formatter<Rep>::format(id.value(), context);
  }
};
