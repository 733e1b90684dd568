// The text of a file of options (--config FILE): TOML whose keys are the names of options.
//
//   # a manager of the lab
//   name = "east"
//   hop-timer-ms = 2000
//   hit-ratio = 0.99
//   prepare = ["host-a>host-b:400:8"]
//
// Contains no rule about options: OptionSet (options.hpp) checks names, kinds and values. Pure; may
// be used on any thread.
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

// Whether two texts that an option of that kind has accepted are one value: "2.0" and "2" of a
// number. Everything else is compared as text.
bool same_value(ValueKind kind, const std::string& one, const std::string& other);

struct FileSetting {
  std::string name;
  ValueKind kind = ValueKind::kText;
  std::string text;      // as on a command line; the elements of a list joined by commas
  std::size_t line = 0;  // from 1
};

// Returns the settings in the order of the file. `path` is used in refusals only. kBadInput, with
// file and line, for: text that is not TOML (a repeated name included) or longer than `octets_max`;
// a [section] or another table; a date or time; an empty array; an array with elements other than
// strings; and an element that contains a comma.
Result<std::vector<FileSetting>> parse_settings(std::string_view text, const std::string& path,
                                                std::size_t octets_max);

}  // namespace xbind::config
