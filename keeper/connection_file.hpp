// The file of --connections: a table for each permanent connection.
//
//   [[connection]]
//   name = "trunk-east"
//   from = "host-a"
//   to = "host-b"
//   both = true
//   cells-per-s = 5000
//   count = 2                        two alike
//
// The other keys are the options of `xbindctl connect` that describe a service, a contract or the
// traffic at the ends. Pure, except for load_connections().
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/call.hpp"
#include "core/result.hpp"

namespace xbind::keeper {

inline constexpr std::size_t kTablesMax = 10'000;    // in one file
inline constexpr std::uint32_t kCallsMax = 100'000;  // of all tables together

// One table.
struct Wanted {
  std::string name;
  ConnectRequest request;  // its number is 0
  std::uint32_t count = 1;
};

// Returns the tables in file order, at least one. kBadInput, with file and line: as
// config::read_option_tables, two tables of one name, options that do not go together, more than
// kCallsMax calls.
Result<std::vector<Wanted>> parse_connections(std::string_view text, const std::string& path);
Result<std::vector<Wanted>> load_connections(const std::string& path);

}  // namespace xbind::keeper
