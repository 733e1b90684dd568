#include "wan/network.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace xbind::wan {

std::optional<std::size_t> Network::site_named(std::string_view name) const {
  const auto found = std::ranges::find(sites, name, &Site::name);
  if (found == sites.end()) return std::nullopt;
  return static_cast<std::size_t>(found - sites.begin());
}

std::optional<std::size_t> Network::site_of(Address address) const {
  const auto found = std::ranges::find_if(sites, [&](const Site& site) {
    return std::ranges::find(site.addresses, address) != site.addresses.end();
  });
  if (found == sites.end()) return std::nullopt;
  return static_cast<std::size_t>(found - sites.begin());
}

Result<std::vector<Address>> Network::addresses_of(std::string_view word) const {
  if (const auto site = site_named(word)) return sites[*site].addresses;
  const auto address = parse_address(word);
  if (!address) {
    std::vector<std::string_view> names;
    for (const Site& site : sites) names.push_back(site.name);
    return fail(ErrorCode::kNotFound, "'{}' is neither a site nor an IPv4 address; sites are {}",
                word, fmt::join(names, ", "));
  }
  if (!site_of(*address)) {
    return fail(ErrorCode::kNotFound, "{} is not an address of any site", word);
  }
  return std::vector{*address};
}

}  // namespace xbind::wan
