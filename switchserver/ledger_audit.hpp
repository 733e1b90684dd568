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

// Every difference, ascending by input. What the table has on an input of `moving` is passed over.
// - not expected on that input at all: kStrayCrossConnect
// - another output than the settled one, and that one is not there: kChangedCrossConnect
// - another output beside the settled one (an unwanted branch): kStrayCrossConnect
// - settled and nothing on its input: kMissingCrossConnect
std::vector<Finding> compare_table(std::string_view switch_name, std::vector<CrossConnect> table,
                                   TableExpectation expected);

// "sw1 port 2", the element of a finding.
std::string port_element(std::string_view switch_name, PortId port);
// "port 1 0/32 -> port 2 0/40"
std::string to_string(const CrossConnect& cross_connect);

}  // namespace xbind
