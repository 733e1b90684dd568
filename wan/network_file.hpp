// The file of --sites: a table for each site, and one for each path between them.
//
//   [[site]]
//   name = "london"
//   addresses = ["10.78.1.1", "10.78.1.2"]  without: 10.78.K.1 of the K-th site, then one for each
//                                           node
//   namespace = "lab-london"                without: --namespace-prefix and the name
//   interface = "wan0"
//   nodes = ["switch-1"]                    of a lab; each has an address, after the site's own
//   programs = ["xbind-cmgr"]               of a lab: what else is there
//
//   [[path]]
//   from = "london"                         a site: each of its addresses; or an address
//   to = "paris"
//   both = true                             the other direction also, as a line of its own
//   octets-per-s = 100000
//   delay-us = 25000
//   loss = 0.02
//
// Each ordered pair of addresses has at most one rule; packets between others are dropped. Pure,
// except for load_network().
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/config/options.hpp"
#include "core/result.hpp"
#include "wan/network.hpp"

namespace xbind::wan {

// The keys of a rule: octets-per-s, delay-us, loss, ...
std::vector<std::string> rule_keys();
// `rule` with the values of words like "delay-us=25000". kBadInput: a word of another form, an
// unknown key, a value that its option refuses.
Result<Rule> changed_rule(const Rule& rule, const std::vector<std::string>& words);
// What differs between two networks, for a reload: every value of a rule that has changed.
// kBadInput: sites, or the pairs that have a rule, have changed.
Result<std::vector<config::OptionChange>> changes_of(const Network& before, const Network& wanted);
// "octets-per-s=100000 delay-us=25000 ...": all values of a rule, in the order of rule_keys().
std::string to_string(const Rule& rule);

// kBadInput, with file and line: as config::read_option_tables; a name, address, node or namespace
// twice; an address of no host; a word of a path that is neither a site nor an address of one; a
// path within a site; two rules for one pair; more than kSitesMax, kSiteAddressesMax or kPairsMax.
Result<Network> parse_network(std::string_view text, const std::string& path);
// kSystem: the file cannot be read.
Result<Network> load_network(const std::string& path);

}  // namespace xbind::wan
