// Compares a switch's cross-connect table with a ledger (ledger/self_check.hpp compares a ledger
// with itself). Pure functions without state.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/audit.hpp"
#include "core/ids.hpp"
#include "switchserver/ledger/label_pool.hpp"

namespace xbind {

class Ledger;

// What the ledger expects in a table that was read over some time.
struct TableExpectation {
  std::vector<CrossConnect> settled;  // there before and after, unchanged: must be in the table
  std::vector<CrossConnect>
      moving;  // added, removed or changed meanwhile: the table may show either
};

// Adds what a table that was read since that clock of the ledger must or may show of the hop.
void expect(const Ledger& ledger, HopRef ref, std::uint64_t since, TableExpectation& expected);

// A finding, with the entry that the switch has too much and the one that it lacks. A changed one
// has both.
struct TableDifference {
  Finding finding;
  std::optional<CrossConnect> extra;
  std::optional<CrossConnect> missing;
};

// Returns every difference, ascending by input; each branch of an input is compared by itself. On
// an input in `moving`, only a settled entry that is absent is a difference.
// - settled but absent, with another entry on that input: kChangedCrossConnect, one per pair
// - settled but absent otherwise: kMissingCrossConnect
// - present but not settled otherwise (an unexpected input, or one branch too many):
//   kStrayCrossConnect
std::vector<TableDifference> differences_of(std::string_view switch_name,
                                            std::vector<CrossConnect> table,
                                            TableExpectation expected);
// Their findings alone.
std::vector<Finding> compare_table(std::string_view switch_name, std::vector<CrossConnect> table,
                                   TableExpectation expected);

}  // namespace xbind
