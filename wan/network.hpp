// The sites that a WAN joins, and the rules between their addresses. Plain data; the file of
// --sites says it (network_file.hpp).
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "wan/ipv4.hpp"
#include "wan/rule.hpp"

namespace xbind::wan {

inline constexpr std::size_t kSitesMax = 64;
inline constexpr std::size_t kSiteAddressesMax = 250;  // of one site
inline constexpr std::size_t kPairsMax = 65'536;       // ordered pairs with a rule

struct Site {
  std::string name;
  std::string network_namespace;      // empty: chosen by the program's --namespace-prefix
  std::string interface;              // of its TUN device
  std::vector<Address> addresses;     // at least one; the first is the site's own
  std::vector<std::string> nodes;     // of a lab, at addresses[1], addresses[2], ...
  std::vector<std::string> programs;  // of a lab
};

struct Network {
  std::vector<Site> sites;
  std::map<Pair, Rule> rules;

  // Position in `sites`; nullopt: no site has that name, or address.
  std::optional<std::size_t> site_named(std::string_view name) const;
  std::optional<std::size_t> site_of(Address address) const;
  // The addresses that a word means: a site's name means all of it, otherwise it is an address of a
  // site. kNotFound, kBadInput: a word that means none.
  Result<std::vector<Address>> addresses_of(std::string_view word) const;
};

}  // namespace xbind::wan
