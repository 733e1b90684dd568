// Reads a file that describes several things of one kind: one table for each, whose keys are the
// options of that thing. A table inherits nothing from the table before it.
//
//   [[switch]]
//   name = "sw1"
//   listen = "127.0.0.1:0"
//   links = {1 = "ring:a", 2 = "ring:b"}        as --links 1=ring:a,2=ring:b
//   fault = ["delay message 500", "reorder 0.1"]
//
// An array, or a table keyed by port, stands for an option that is a list. Pure; any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/options.hpp"
#include "core/result.hpp"

namespace xbind::config {

struct OptionTableKind {
  std::string table;                // "switch": the name in [[ ]]
  std::vector<std::string> known;   // names of the options
  std::vector<std::string> needed;  // names that every table must have
  std::size_t tables_max = 1024;
  std::size_t tables_min = 1;  // 0 or 1
};

// One table: its place in the file, and its values as they would stand on a command line.
class OptionTable {
 public:
  // Loads the values into the options of `set`. kBadInput: an option refuses its value; the text
  // has file, line and reason.
  Result<void> load(OptionSet& set) const;
  // Returns "FILE line N: sentence", with the line of `key`, which must exist.
  Error refusal(std::string_view key, std::string_view sentence) const;
  // "FILE line N", with the line of `key`, which must exist.
  std::string place(std::string_view key) const;

 private:
  friend class OptionTableReader;
  using Line = std::uint32_t;
  Error refusal_at(Line line, std::string_view sentence) const;

  std::string path_;
  std::vector<std::string> arguments_;
  std::map<std::string, Line, std::less<>> lines_;
  Line whole_ = 0;
};

// Returns the tables in file order, at least one. kBadInput, with file, line and reason: not TOML,
// longer than 4 MiB, an unknown key at the top level, no table or too many, an unknown or missing
// key, an invalid option value. `path` is used in the texts only.
Result<std::vector<OptionTable>> read_option_tables(std::string_view text, const std::string& path,
                                                    const OptionTableKind& kind);
// Reads a file with tables of several kinds; the result has every kind by the name of its table.
Result<std::map<std::string, std::vector<OptionTable>>> read_option_tables(
    std::string_view text, const std::string& path, const std::vector<OptionTableKind>& kinds);
// Reads the first from a file. kSystem: the file cannot be read.
Result<std::vector<OptionTable>> load_option_tables(const std::string& path,
                                                    const OptionTableKind& kind);

}  // namespace xbind::config
