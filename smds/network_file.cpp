#include "smds/network_file.hpp"

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
#include "smds/access_class.hpp"

namespace xbind::smds {
namespace {

using config::OptionTable;
using Refusal = std::optional<std::string>;
using Tables = std::map<std::string, std::vector<OptionTable>>;

constexpr std::size_t kGroupsMax = 10'000;
constexpr std::size_t kPrefixesMax = 100'000;
constexpr std::size_t kFileOctetsMax = 4U << 20;
constexpr std::uint32_t kTrunkMbitMax = 600;
constexpr const char* kAllowsIndividual = "individual-allow";
constexpr const char* kDeniesIndividual = "individual-deny";
constexpr const char* kAllowsGroup = "group-allow";
constexpr const char* kDeniesGroup = "group-deny";

std::vector<config::OptionTableKind> kinds() {
  return {
      {"server", {"name", "id", "endpoint"}, {"name", "id", "endpoint"}, kServersMax, 1},
      {"trunk", {"between", "mbit-per-s", "adaptation"}, {"between"}, kTrunksMax, 0},
      {"subscriber",
       {"name", "server", "endpoint", "addresses", "class", "mcdus", "adaptation",
        kAllowsIndividual, kDeniesIndividual, kAllowsGroup, kDeniesGroup},
       {"name", "server", "addresses"},
       kSubscribersMax,
       0},
      {"group", {"address", "members"}, {"address", "members"}, kGroupsMax, 0},
      {"prefix", {"prefix", "server"}, {"prefix", "server"}, kPrefixesMax, 0},
  };
}

// A refusal begins with the option that it concerns.
template <class... Args>
std::string about(const char* key, fmt::format_string<Args...> text, Args&&... args) {
  return fmt::format("--{}: {}", key, fmt::format(text, std::forward<Args>(args)...));
}

// Reads the addresses of a list; a refusal begins with the option.
Refusal take_addresses(const char* key, const std::vector<std::string>& words, bool group,
                       std::size_t most, std::vector<Address>& addresses) {
  if (words.size() > most) return fmt::format("--{}: more than {} addresses", key, most);
  for (const std::string& word : words) {
    const auto address = Address::parse(word);
    if (!address) return fmt::format("--{}: {}", key, address.error().text);
    if (address->group() != group) {
      return fmt::format("--{}: {} is {} address", key, word, group ? "an individual" : "a group");
    }
    if (std::ranges::find(addresses, *address) != addresses.end()) {
      return fmt::format("--{}: {} stands there twice", key, word);
    }
    addresses.push_back(*address);
  }
  return std::nullopt;
}

Refusal take_name(const char* key, const std::string& name) {
  const auto good = check_name(key, name);
  return good ? Refusal{} : fmt::format("--{}: {}", key, good.error().text);
}

// Of one screen, from its two lists.
Refusal take_screen(const char* allows, const std::vector<std::string>& allowed, const char* denies,
                    const std::vector<std::string>& denied, bool group, Screen& screen) {
  if (!allowed.empty() && !denied.empty()) {
    return fmt::format("--{} and --{} do not go together", allows, denies);
  }
  screen.allow = !allowed.empty();
  const auto refused = screen.allow
                           ? take_addresses(allows, allowed, group, kScreenMax, screen.listed)
                           : take_addresses(denies, denied, group, kScreenMax, screen.listed);
  std::ranges::sort(screen.listed);
  return refused;
}

// Reads the tables of one file into a network.
class Reading {
 public:
  explicit Reading(const Tables& tables) : tables_(tables) {}

  Result<Network> read() {
    for (const auto part :
         {&Reading::read_servers, &Reading::read_trunks, &Reading::read_subscribers,
          &Reading::read_groups, &Reading::read_prefixes}) {
      if (auto good = (this->*part)(); !good) return tl::make_unexpected(good.error());
    }
    return std::move(network_);
  }

 private:
  Result<void> read_servers();
  Result<void> read_trunks();
  Result<void> read_subscribers();
  Result<void> read_groups();
  Result<void> read_prefixes();

  const std::vector<OptionTable>& of(const char* kind) const { return tables_.at(kind); }
  Refusal find_server(const char* key, const std::string& name, std::uint32_t& index) const;
  // Endpoints are of one server or subscriber each: a line has one program.
  Refusal take_endpoint(const std::string& endpoint) {
    if (endpoints_.insert(endpoint).second) return std::nullopt;
    return about("endpoint", "{} is taken by another table", endpoint);
  }

  const Tables& tables_;
  Network network_;
  std::map<std::string, std::uint32_t, std::less<>> server_of_;  // indices, by name
  std::set<std::string> endpoints_;
  std::set<Address> addresses_;  // of subscribers
};

Refusal Reading::find_server(const char* key, const std::string& name, std::uint32_t& index) const {
  const auto found = server_of_.find(name);
  if (found == server_of_.end()) return fmt::format("--{}: there is no server '{}'", key, name);
  index = found->second;
  return std::nullopt;
}

Result<void> Reading::read_servers() {
  std::set<std::string> names;
  std::set<std::uint16_t> ids;
  for (const OptionTable& table : of("server")) {
    ServerSpec spec;
    config::OptionSet set("[[server]]", "One server.");
    set.add_string("name", &spec.name, "", "Its name.");
    set.add_uint("id", &spec.id, 1, {1, 65'535}, "Its number between servers.");
    set.add_string("endpoint", &spec.endpoint, "", "Where it meets the network.");
    set.add_check([&]() -> Refusal {
      if (auto refused = take_name("name", spec.name)) return refused;
      if (auto refused = take_name("endpoint", spec.endpoint)) return refused;
      if (!names.insert(spec.name).second) {
        return about("name", "another server is called '{}'", spec.name);
      }
      if (!ids.insert(spec.id).second) {
        return about("id", "another server has {}", spec.id);
      }
      return take_endpoint(spec.endpoint);
    });
    if (auto good = table.load(set); !good) return good;
    network_.servers.push_back(std::move(spec));
  }
  std::ranges::sort(network_.servers, {}, &ServerSpec::id);
  for (std::uint32_t index = 0; index < network_.servers.size(); ++index) {
    server_of_.emplace(network_.servers[index].name, index);
  }
  return {};
}

Result<void> Reading::read_trunks() {
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const OptionTable& table : of("trunk")) {
    TrunkSpec spec;
    std::vector<std::string> between;
    config::OptionSet set("[[trunk]]", "Joins two servers.");
    set.add_strings("between", &between, "The two servers.");
    set.add_uint("mbit-per-s", &spec.mbit_per_s, 34, {1, kTrunkMbitMax}, "Of each direction.");
    set.add_enum("adaptation", &spec.adaptation, Adaptation::kAal5,
                 {{"aal5", Adaptation::kAal5}, {"aal34", Adaptation::kAal34}},
                 "How cells carry its PDUs.");
    set.add_check([&]() -> Refusal {
      if (between.size() != 2 || between[0] == between[1]) {
        return about("between", "name two different servers");
      }
      if (auto refused = find_server("between", between[0], spec.one)) return refused;
      if (auto refused = find_server("between", between[1], spec.other)) return refused;
      if (spec.one > spec.other) std::swap(spec.one, spec.other);
      if (!pairs.insert({spec.one, spec.other}).second) {
        return about("between", "another trunk joins {} and {}", between[0], between[1]);
      }
      return std::nullopt;
    });
    if (auto good = table.load(set); !good) return good;
    network_.trunks.push_back(spec);
  }
  return {};
}

Result<void> Reading::read_subscribers() {
  std::set<std::string> names;
  for (const OptionTable& table : of("subscriber")) {
    SubscriberSpec spec;
    std::string server;
    std::vector<std::string> words;
    std::vector<std::string> screens[4];
    config::OptionSet set("[[subscriber]]", "One subscriber.");
    set.add_string("name", &spec.name, "", "Its name.");
    set.add_string("server", &server, "", "The server of its line.");
    set.add_string("endpoint", &spec.endpoint, "", "Where it meets the network.");
    set.add_strings("addresses", &words, "Its individual addresses.");
    set.add_uint("class", &spec.access_class, kAccessClasses.back(), {1, kAccessClasses.back()},
                 "Mbit/s of its access class.");
    set.add_uint("mcdus", &spec.mcdus, 1, {1, kMcdusMax}, "Data units at a time.");
    set.add_enum(
        "adaptation", &spec.adaptation, Adaptation::kAal5,
        {{"aal5", Adaptation::kAal5}, {"aal34", Adaptation::kAal34}, {"udp", Adaptation::kUdp}},
        "What carries its PDUs.");
    set.add_strings(kAllowsIndividual, &screens[0], "The only partners.");
    set.add_strings(kDeniesIndividual, &screens[1], "All others are partners.");
    set.add_strings(kAllowsGroup, &screens[2], "The only groups.");
    set.add_strings(kDeniesGroup, &screens[3], "All others are its groups.");
    set.add_check([&]() -> Refusal {
      if (auto refused = take_name("name", spec.name)) return refused;
      if (!names.insert(spec.name).second || server_of_.contains(spec.name)) {
        return about("name", "another subscriber or server is called '{}'", spec.name);
      }
      if (auto refused = find_server("server", server, spec.server)) return refused;
      if ((spec.adaptation == Adaptation::kUdp) != spec.endpoint.empty()) {
        return about("adaptation", "a line is either udp or has an endpoint");
      }
      if (!spec.endpoint.empty()) {
        if (auto refused = take_name("endpoint", spec.endpoint)) return refused;
        if (auto refused = take_endpoint(spec.endpoint)) return refused;
      }
      if (words.empty()) return about("addresses", "at least one");
      if (auto refused = take_addresses("addresses", words, false, kAddressesMax, spec.addresses)) {
        return refused;
      }
      for (const Address address : spec.addresses) {
        if (!addresses_.insert(address).second) {
          return about("addresses", "another subscriber has {}", to_string(address));
        }
      }
      if (std::ranges::find(kAccessClasses, spec.access_class) == kAccessClasses.end()) {
        return about("class", "{} is not one of {}", spec.access_class,
                     fmt::join(kAccessClasses, ", "));
      }
      if (auto refused = take_screen(kAllowsIndividual, screens[0], kDeniesIndividual, screens[1],
                                     false, spec.individual)) {
        return refused;
      }
      return take_screen(kAllowsGroup, screens[2], kDeniesGroup, screens[3], true, spec.group);
    });
    if (auto good = table.load(set); !good) return good;
    network_.subscribers.push_back(std::move(spec));
  }
  return {};
}

Result<void> Reading::read_groups() {
  std::set<Address> groups;
  for (const OptionTable& table : of("group")) {
    GroupSpec spec;
    std::string address;
    std::vector<std::string> members;
    config::OptionSet set("[[group]]", "One group.");
    set.add_string("address", &address, "", "Its address.");
    set.add_strings("members", &members, "Individual addresses.");
    set.add_check([&]() -> Refusal {
      std::vector<Address> own;
      if (auto refused = take_addresses("address", {address}, true, 1, own)) return refused;
      spec.address = own.front();
      if (!groups.insert(spec.address).second) {
        return about("address", "another group has {}", address);
      }
      if (auto refused =
              take_addresses("members", members, false, kGroupMembersMax, spec.members)) {
        return refused;
      }
      for (const Address member : spec.members) {
        if (!addresses_.contains(member)) {
          return about("members", "no subscriber has {}", to_string(member));
        }
      }
      return std::nullopt;
    });
    if (auto good = table.load(set); !good) return good;
    network_.groups.push_back(std::move(spec));
  }
  return {};
}

Result<void> Reading::read_prefixes() {
  std::set<Address> prefixes;
  for (const OptionTable& table : of("prefix")) {
    PrefixSpec spec;
    std::string prefix;
    std::string server;
    config::OptionSet set("[[prefix]]", "The server of the addresses that begin like this.");
    set.add_string("prefix", &prefix, "", "Type and first digits.");
    set.add_string("server", &server, "", "The server.");
    set.add_check([&]() -> Refusal {
      std::vector<Address> own;
      if (auto refused = take_addresses("prefix", {prefix}, false, 1, own)) return refused;
      spec.prefix = own.front();
      if (!prefixes.insert(spec.prefix).second) {
        return about("prefix", "{} stands there twice", prefix);
      }
      if (addresses_.contains(spec.prefix)) {
        return about("prefix", "{} is the address of a subscriber", prefix);
      }
      return find_server("server", server, spec.server);
    });
    if (auto good = table.load(set); !good) return good;
    network_.prefixes.push_back(spec);
  }
  return {};
}

}  // namespace

Result<Network> parse_network(std::string_view text, const std::string& path) {
  const auto tables = config::read_option_tables(text, path, kinds());
  if (!tables) return tl::make_unexpected(tables.error());
  return Reading(*tables).read();
}

Result<Network> load_network(const std::string& path) {
  const auto text = read_file(path, kFileOctetsMax);
  if (!text) return tl::make_unexpected(text.error());
  return parse_network(*text, path);
}

}  // namespace xbind::smds
