// Several things of one kind in a file, a table for each, whose keys are the options of one. Nothing is taken
// over from one table to the next.
//
//   [[switch]]
//   name = "sw1"
//   listen = "127.0.0.1:0"
//   links = {1 = "ring:a", 2 = "ring:b"}        as --links 1=ring:a,2=ring:b
//   fault = ["delay message 500", "reorder 0.1"]
//
// An array, or a table by ports, stands for an option that is a list. Pure; any thread.
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
  std::string table;                // "switch": what stands in [[ ]]
  std::vector<std::string> known;   // names of the options
  std::vector<std::string> needed;  // of them
  std::size_t tables_max = 1024;
};

// One table: where it stands, and its values as they would stand on a command line.
class OptionTable {
 public:
  // Into what `set` declares. kBadInput: what the options refuse, with file, line and reason.
  Result<void> load(OptionSet& set) const;
  // "FILE line N: sentence", at the line of `key`, which is there.
  Error refusal(std::string_view key, std::string_view sentence) const;

 private:
  friend class OptionTableReader;
  using Line = std::uint32_t;
  Error refusal_at(Line line, std::string_view sentence) const;

  std::string path_;
  std::vector<std::string> arguments_;
  std::map<std::string, Line, std::less<>> lines_;
  Line whole_ = 0;
};

// In the order of the file; at least one. kBadInput, with file, line and reason: what is no TOML or longer than
// 4 MiB, another key at the top, no table or too many, a key that is not known or missing, a value that is none
// of an option. `path` stands in the refusals only.
Result<std::vector<OptionTable>> read_option_tables(std::string_view text, const std::string& path,
                                                    const OptionTableKind& kind);
// The same of a file. kSystem: it cannot be read.
Result<std::vector<OptionTable>> load_option_tables(const std::string& path,
                                                    const OptionTableKind& kind);

}  // namespace xbind::config
