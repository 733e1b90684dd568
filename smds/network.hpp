// A network of SMDS servers as its file describes it: servers, the trunks between them,
// subscribers, groups and prefixes. All servers of a network read the same file, each for its own
// part.
//
// Values only; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "smds/address.hpp"

namespace xbind::smds {

inline constexpr std::size_t kServersMax = 1024;
inline constexpr std::size_t kTrunksMax = 8192;
inline constexpr std::size_t kSubscribersMax = 10'000;
inline constexpr std::size_t kAddressesMax = 16;      // of a subscriber
inline constexpr std::size_t kGroupMembersMax = 128;  // of a group
inline constexpr std::size_t kScreenMax = 256;        // addresses of a screen
inline constexpr std::size_t kMcdusMax = 16;          // of a subscriber

// What carries the PDUs of a line.
enum class Adaptation : std::uint8_t {
  kAal5,
  kAal34,
  kUdp,  // a PDU in a datagram; no call
};
std::string_view to_string(Adaptation adaptation);  // "aal5"

struct ServerSpec {
  std::string name;      // also its client's at the manager
  std::uint16_t id = 0;  // from 1; in the envelopes between servers, and the root of a tree
  std::string endpoint;  // of the topology
};

struct TrunkSpec {
  std::uint32_t one = 0;  // indices of two servers, of which the lower comes first
  std::uint32_t other = 0;
  std::uint32_t mbit_per_s = 0;  // of each direction
  Adaptation adaptation = Adaptation::kAal5;
};

// Addresses that a subscriber may exchange PDUs with.
struct Screen {
  bool allow = false;             // true: only the listed ones; false: all others
  std::vector<Address> listed{};  // ascending

  bool passes(Address address) const;
};

struct SubscriberSpec {
  std::string name;
  std::uint32_t server = 0;          // index
  std::string endpoint;              // empty: its line is kUdp
  std::vector<Address> addresses{};  // individual ones
  std::uint32_t access_class = 0;    // one of kAccessClasses
  std::uint32_t mcdus = 1;           // data units that it may send at a time, 1..kMcdusMax
  Adaptation adaptation = Adaptation::kAal5;
  Screen individual{};  // destinations to which it sends, sources from which it receives
  Screen group{};       // groups to which it sends
};

struct GroupSpec {
  Address address;
  std::vector<Address> members{};  // individual ones
};

struct PrefixSpec {
  Address prefix;
  std::uint32_t server = 0;  // index
};

struct Network {
  std::vector<ServerSpec> servers{};  // of ascending id
  std::vector<TrunkSpec> trunks{};
  std::vector<SubscriberSpec> subscribers{};
  std::vector<GroupSpec> groups{};
  std::vector<PrefixSpec> prefixes{};
};

}  // namespace xbind::smds
