// The highest epoch of a manager on disk, so that epochs rise although all SwitchServers have
// restarted too.
//
// A state file (core/state_file.hpp) whose content is a line with the number and, if not 0, how
// often the epochs had been renewed (core/manager_epochs.hpp). Written before the epoch is used, if
// the disk has room.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/ids.hpp"
#include "core/result.hpp"

namespace xbind::cmgr {

// DIRECTORY/cmgr-NAME.epoch
std::string epoch_file_path(const std::string& directory, const std::string& name);

struct KeptEpoch {
  Epoch epoch;
  std::uint64_t renewals = 0;

  friend bool operator==(const KeptEpoch&, const KeptEpoch&) = default;
};

std::string epoch_as_text(const KeptEpoch& epoch);
// kBadInput: another format, not whole, or a number that no manager has; the text names `path`.
Result<KeptEpoch> epoch_from_text(std::string_view text, const std::string& path);

// Without a file: 0. Errors as above, and of read_state().
Result<KeptEpoch> read_epoch(const std::string& path);
// kSystem: writing failed, and the old file stays until writing works again.
Result<void> write_epoch(const std::string& path, const KeptEpoch& epoch);

}  // namespace xbind::cmgr
