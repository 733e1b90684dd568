// The options that operators have set in a running daemon (Reloadable::tune()), as they are kept in
// its --state-dir, so that the next process of the daemon begins with them.
//
//   # xbind settings 1
//   [[setting]]
//   name = "hop-timer-ms"
//   value = "2000"
//   before = "3000"
//   # end: 78 octets, CRC-32 89abcdef
//
// `before` is what the command line, the environment and the file gave when the option was set. If
// they give something else at the next start, that is the operator's newer word, and the setting is
// superseded (docs/decisions/0086). It is a state file (core/state_file.hpp).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace xbind::config {

struct KeptSetting {
  std::string name;    // of the option
  std::string value;   // as typed
  std::string before;  // of the other sources

  friend bool operator==(const KeptSetting&, const KeptSetting&) = default;
};
using KeptSettings = std::vector<KeptSetting>;

// DIRECTORY/PROGRAM-NAME.settings; empty without a directory. `program`: "cmgr".
std::string settings_file_path(const std::string& directory, std::string_view program,
                               const std::string& name);
// For a process with several names: the path of the first name, in their sorted order, that has a
// file; of the very first name if none has. It depends on no order of the names, and a name that is
// added later does not change it. `names`: one or more.
std::string settings_file_of_one(const std::string& directory, std::string_view program,
                                 std::vector<std::string> names);

std::string settings_as_text(const KeptSettings& settings);
// kBadInput: another format, or not whole; the text names `path`.
Result<KeptSettings> settings_from_text(std::string_view text, const std::string& path);

// Without a path, or a file: none. Errors as above, and of read_state().
Result<KeptSettings> read_settings(const std::string& path);
// Nothing without a path. kSystem: writing failed, and the old file stays.
Result<void> write_settings(const std::string& path, const KeptSettings& settings);

}  // namespace xbind::config
