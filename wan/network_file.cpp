#include "wan/network_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/config/option_tables.hpp"
#include "core/name.hpp"
#include "core/read_file.hpp"

namespace xbind::wan {
namespace {

using Refusal = std::optional<std::string>;
using config::OptionTable;

constexpr std::size_t kFileOctetsMax = 4U << 20;
constexpr std::size_t kInterfaceOctetsMax = 15;  // of the kernel
// 10.78.K.N, the N-th address of the K-th site, both from 1.
constexpr std::uint32_t kDefaultNet = 10U << 24 | 78U << 16;

// ----- a rule -----

struct RuleOptions {
  std::uint64_t octets_per_s = 0;
  std::uint64_t delay_us = 0;
  double loss = 0;
  double duplicate = 0;
  double reorder = 0;
  std::uint64_t reorder_us = 0;
  std::uint64_t queue_octets = 0;
};

std::uint64_t us_of(Duration time) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(time).count());
}

void declare_rule(config::OptionSet& set, RuleOptions& options, const Rule& defaults) {
  RuleOptions* const o = &options;
  set.add_uint("octets-per-s", &o->octets_per_s, defaults.octets_per_s, {1, kRateMax},
               "Rate in octets of whole IP packets a second.");
  set.add_uint("delay-us", &o->delay_us, us_of(defaults.delay), {0, kDelayUsMax},
               "Microseconds from the sending of a packet's last octet to its delivery.");
  set.add_double("loss", &o->loss, defaults.loss, {0, 1}, "Probability that a packet is lost.");
  set.add_double("duplicate", &o->duplicate, defaults.duplicate, {0, 1},
                 "Probability that a packet is delivered twice.");
  set.add_double("reorder", &o->reorder, defaults.reorder, {0, 1},
                 "Probability that a packet is held for reorder-us more, and overtaken.");
  set.add_uint("reorder-us", &o->reorder_us, us_of(defaults.reorder_by), {0, kDelayUsMax},
               "Microseconds for which a packet that is reordered is held.");
  set.add_uint("queue-octets", &o->queue_octets, defaults.queue_octets, {0, kQueueOctetsMax},
               "Octets of packets that wait for the line; 0: none waits.");
  set.add_check([o]() -> Refusal {
    if (o->reorder > 0 && o->reorder_us == 0) return "--reorder needs reorder-us";
    return std::nullopt;
  });
}

Rule rule_of(const RuleOptions& o) {
  return {.octets_per_s = o.octets_per_s,
          .delay = std::chrono::microseconds(o.delay_us),
          .loss = o.loss,
          .duplicate = o.duplicate,
          .reorder = o.reorder,
          .reorder_by = std::chrono::microseconds(o.reorder_us),
          .queue_octets = o.queue_octets};
}

std::vector<std::pair<std::string, std::string>> values_of(const Rule& rule) {
  return {{"octets-per-s", fmt::format("{}", rule.octets_per_s)},
          {"delay-us", fmt::format("{}", us_of(rule.delay))},
          {"loss", fmt::format("{}", rule.loss)},
          {"duplicate", fmt::format("{}", rule.duplicate)},
          {"reorder", fmt::format("{}", rule.reorder)},
          {"reorder-us", fmt::format("{}", us_of(rule.reorder_by))},
          {"queue-octets", fmt::format("{}", rule.queue_octets)}};
}

// ----- a site -----

struct SiteOptions {
  Site site;
  std::vector<std::string> addresses;
};

void declare_site(config::OptionSet& set, SiteOptions& options) {
  Site& site = options.site;
  set.add_string("name", &site.name, "", "Name of the site.");
  set.add_strings("addresses", &options.addresses, "Its IPv4 addresses.");
  set.add_string("namespace", &site.network_namespace, "", "Network namespace of the site.");
  set.add_string("interface", &site.interface, "wan0", "Name of its TUN device.");
  set.add_strings("nodes", &site.nodes, "Nodes of a lab.");
  set.add_strings("programs", &site.programs, "Other processes of a lab.");
}

// A file name for `ip netns`, and an interface, as the kernel takes them.
Refusal name_of_system(const char* key, const std::string& name, std::size_t octets_max) {
  if (name.empty() || name.size() > octets_max || name == "." || name == ".." ||
      name.find_first_of("/: \t\r\n%") != std::string::npos) {
    return fmt::format("--{} '{}' is no name for it: 1 to {} octets without '/', ':', '%', blanks",
                       key, name, octets_max);
  }
  return std::nullopt;
}

Refusal site_fault(SiteOptions& options) {
  Site& site = options.site;
  if (const auto good = check_name("site", site.name); !good) return "--name: " + good.error().text;
  if (!site.network_namespace.empty()) {
    if (auto bad = name_of_system("namespace", site.network_namespace, kNameOctetsMax)) return bad;
  }
  if (auto bad = name_of_system("interface", site.interface, kInterfaceOctetsMax)) return bad;
  for (const std::string& text : options.addresses) {
    const auto address = parse_address(text);
    if (!address) return "--addresses: " + address.error().text;
    site.addresses.push_back(*address);
  }
  const std::size_t needed = 1 + site.nodes.size();
  if (std::max(needed, site.addresses.size()) > kSiteAddressesMax) {
    return fmt::format("--{} {}: a site has at most {} addresses, one for each node and its own",
                       options.addresses.empty() ? "nodes" : "addresses", site.name,
                       kSiteAddressesMax);
  }
  if (!options.addresses.empty() && site.addresses.size() < needed) {
    return fmt::format("--addresses {}: {} nodes need as many, and the site its own",
                       fmt::join(options.addresses, ","), site.nodes.size());
  }
  return std::nullopt;
}

// ----- the file -----

class NetworkReader {
 public:
  using Tables = std::map<std::string, std::vector<OptionTable>>;

  Result<Network> read(const Tables& tables) {
    for (const OptionTable& table : tables.at("site")) {
      if (auto good = add_site(table); !good) return tl::make_unexpected(good.error());
    }
    for (const OptionTable& table : tables.at("path")) {
      if (auto good = add_path(table); !good) return tl::make_unexpected(good.error());
    }
    return std::move(network_);
  }

 private:
  Result<void> add_site(const OptionTable& table) {
    SiteOptions options;
    config::OptionSet set("[[site]]", "A site of the WAN.");
    declare_site(set, options);
    set.add_check([&] { return site_fault(options); });
    if (auto good = table.load(set); !good) return good;
    Site& site = options.site;
    const auto number = static_cast<std::uint32_t>(network_.sites.size() + 1);
    const bool own = !options.addresses.empty();
    for (std::uint32_t at = 1; !own && at <= 1 + site.nodes.size(); ++at) {
      site.addresses.push_back(Address{kDefaultNet | number << 8 | at});
    }
    if (!names_.insert(site.name).second) {
      return refuse(table, "name", fmt::format("another site is called '{}'", site.name));
    }
    if (!site.network_namespace.empty() && !namespaces_.insert(site.network_namespace).second) {
      return refuse(table, "namespace",
                    fmt::format("another site is in '{}'", site.network_namespace));
    }
    for (const Address address : site.addresses) {
      if (addresses_.insert(address).second) continue;
      return refuse(table, own ? "addresses" : "name",
                    fmt::format("the address {} comes twice", to_string(address)));
    }
    for (const auto& [key, words] :
         {std::pair{"nodes", &site.nodes}, std::pair{"programs", &site.programs}}) {
      for (const std::string& word : *words) {
        if (word.empty() || !placed_.insert(word).second) {
          return refuse(table, key, fmt::format("'{}' is empty, or at a site already", word));
        }
      }
    }
    network_.sites.push_back(std::move(site));
    return {};
  }

  Result<void> add_path(const OptionTable& table) {
    std::string from, to;
    bool both = false;
    RuleOptions options;
    config::OptionSet set("[[path]]", "A path of the WAN.");
    set.add_string("from", &from, "", "Site or address.");
    set.add_string("to", &to, "", "Site or address.");
    set.add_flag("both", &both, "Both directions.");
    declare_rule(set, options, {});
    if (auto good = table.load(set); !good) return good;
    const auto sources = network_.addresses_of(from);
    if (!sources) return refuse(table, "from", sources.error().text);
    const auto sinks = network_.addresses_of(to);
    if (!sinks) return refuse(table, "to", sinks.error().text);
    const std::size_t site = *network_.site_of(sources->front());
    if (site == *network_.site_of(sinks->front())) {
      return refuse(table, "to",
                    fmt::format("both ends are at {}, which needs no WAN within itself",
                                network_.sites[site].name));
    }
    const Rule rule = rule_of(options);
    for (const Address one : *sources) {
      for (const Address other : *sinks) {
        if (auto good = add_pair(table, {one, other}, rule); !good) return good;
        if (!both) continue;
        if (auto good = add_pair(table, {other, one}, rule); !good) return good;
      }
    }
    return {};
  }

  Result<void> add_pair(const OptionTable& table, Pair pair, const Rule& rule) {
    if (const auto earlier = places_.find(pair); earlier != places_.end()) {
      return refuse(table, "from",
                    fmt::format("a second rule from {} to {}; the first is at {}",
                                to_string(pair.from), to_string(pair.to), earlier->second));
    }
    if (network_.rules.size() == kPairsMax) {
      return refuse(table, "from", fmt::format("more than {} pairs of addresses", kPairsMax));
    }
    places_.emplace(pair, table.place("from"));
    network_.rules.emplace(pair, rule);
    return {};
  }

  static tl::unexpected<Error> refuse(const OptionTable& table, std::string_view key,
                                      std::string_view sentence) {
    return tl::make_unexpected(table.refusal(key, sentence));
  }

  Network network_;
  std::set<std::string> names_, namespaces_, placed_;
  std::set<Address> addresses_;
  std::map<Pair, std::string> places_;
};

std::vector<config::OptionTableKind> table_kinds() {
  std::vector<std::string> of_path{"from", "to", "both"};
  for (std::string& key : rule_keys()) of_path.push_back(std::move(key));
  return {{"site",
           {"name", "addresses", "namespace", "interface", "nodes", "programs"},
           {"name"},
           kSitesMax},
          {"path", std::move(of_path), {"from", "to"}, kPairsMax, 0}};
}

}  // namespace

std::vector<std::string> rule_keys() {
  std::vector<std::string> keys;
  for (auto& [key, value] : values_of({})) keys.push_back(std::move(key));
  return keys;
}

Result<Rule> changed_rule(const Rule& rule, const std::vector<std::string>& words) {
  const std::vector<std::string> known = rule_keys();
  std::vector<std::string> arguments{"path"};
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) {
      return fail(ErrorCode::kBadInput, "'{}' is not NAME=VALUE", word);
    }
    // Only these: an option set has --config and others of its own also.
    if (std::ranges::find(known, word.substr(0, equals)) == known.end()) {
      return fail(ErrorCode::kBadInput, "a path has no '{}'; known are {}", word.substr(0, equals),
                  fmt::join(known, ", "));
    }
    arguments.push_back("--" + word);
  }
  std::vector<const char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  RuleOptions options;
  config::OptionSet set("path", "Changes a rule.");
  declare_rule(set, options, rule);
  const auto refused = set.load(static_cast<int>(pointers.size()), pointers.data(),
                                [](const std::string&) { return std::nullopt; });
  if (refused) return fail(ErrorCode::kBadInput, "{}", refused->sentence);
  return rule_of(options);
}

std::string to_string(const Rule& rule) {
  std::vector<std::string> words;
  for (const auto& [key, value] : values_of(rule)) words.push_back(key + "=" + value);
  return fmt::format("{}", fmt::join(words, " "));
}

Result<std::vector<config::OptionChange>> changes_of(const Network& before, const Network& wanted) {
  const auto same_site = [](const Site& one, const Site& other) {
    return one.name == other.name && one.network_namespace == other.network_namespace &&
           one.interface == other.interface && one.addresses == other.addresses;
  };
  const auto pair_of = [](const auto& row) { return row.first; };
  if (!std::ranges::equal(before.sites, wanted.sites, same_site) ||
      !std::ranges::equal(before.rules, wanted.rules, {}, pair_of, pair_of)) {
    return fail(ErrorCode::kBadInput,
                "the file of --sites has other sites, or other pairs with a path, than at the "
                "start, which needs a restart; nothing has changed");
  }
  std::vector<config::OptionChange> changes;
  for (const auto& [pair, rule] : wanted.rules) {
    const auto old = values_of(before.rules.at(pair));
    const auto now = values_of(rule);
    for (std::size_t at = 0; at < now.size(); ++at) {
      if (old[at].second == now[at].second) continue;
      changes.push_back(
          {fmt::format("{} from {} to {}", now[at].first, to_string(pair.from), to_string(pair.to)),
           old[at].second, now[at].second, "--sites", true});
    }
  }
  return changes;
}

Result<Network> parse_network(std::string_view text, const std::string& path) {
  const auto tables = config::read_option_tables(text, path, table_kinds());
  if (!tables) return tl::make_unexpected(tables.error());
  return NetworkReader{}.read(*tables);
}

Result<Network> load_network(const std::string& path) {
  const auto text = read_file(path, kFileOctetsMax);
  if (!text) return tl::make_unexpected(text.error());
  return parse_network(*text, path);
}

}  // namespace xbind::wan
