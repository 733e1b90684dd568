// The text of a file of options (--config FILE): TOML whose keys are the names of options.
//
//   # a manager of the lab
//   name = "east"
//   hop-timer-ms = 2000
//   hit-ratio = 0.99
//   prepare = ["host-a>host-b:400:8"]
//
// Knows nothing of options: OptionSet (options.hpp) judges names, kinds and values. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace xbind::config {

// What a value of TOML is: a string, integer, float, boolean, or array of strings.
enum class ValueKind : std::uint8_t { kText, kWhole, kReal, kFlag, kList };

struct FileSetting {
  std::string name;
  ValueKind kind = ValueKind::kText;
  std::string text;      // as on a command line; the elements of a list joined by commas
  std::size_t line = 0;  // from 1
};

// In the order of the file. `path` stands in the refusals only. kBadInput, with file and line: no TOML
// (a name that comes twice is none) or longer than `octets_max`; a [section] or another table, a date
// or time, an empty array, an array of anything but strings, and an element with a comma in it.
Result<std::vector<FileSetting>> parse_settings(std::string_view text, const std::string& path,
                                                std::size_t octets_max);

}  // namespace xbind::config
