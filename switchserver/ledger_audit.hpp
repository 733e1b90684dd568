// The comparison of a switch's cross-connect table with what a ledger says should be there.
// (Ledger::self_check(), the comparison of a ledger with itself, is in the same source file.)
// Pure functions; nothing is kept.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/audit.hpp"
#include "core/ids.hpp"

namespace xbind {

// What the ledger says about the time in which the table was read.
struct TableExpectation {
  std::vector<CrossConnect> settled;  // there before and after, unchanged: must be in the table
  std::vector<CrossConnect>
      moving;  // came, went or changed meanwhile: no matter what the table says
};

// Every difference, ascending by input; branches of one input are compared whole, one by one. On an
// input of `moving` only what is settled and not there is a difference.
// - settled, not there, and something else on that input: kChangedCrossConnect, one for each pair
// - settled and not there otherwise: kMissingCrossConnect
// - not settled otherwise (nothing expected on that input, or a branch too many): kStrayCrossConnect
std::vector<Finding> compare_table(std::string_view switch_name, std::vector<CrossConnect> table,
                                   TableExpectation expected);

// "sw1 port 2", the element of a finding.
std::string port_element(std::string_view switch_name, PortId port);
// "port 1 0/32 -> port 2 0/40"
std::string to_string(const CrossConnect& cross_connect);

}  // namespace xbind
