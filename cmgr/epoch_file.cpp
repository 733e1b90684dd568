#include "cmgr/epoch_file.hpp"

#include <fmt/format.h>

#include <charconv>

#include "cmgr/procedures/connection_table.hpp"
#include "core/name.hpp"
#include "core/state_file.hpp"

namespace xbind::cmgr {
namespace {

constexpr StateFormat kEpochFormat{
    .what = "xbind-cmgr epoch",
    .version = 2,
    .octets_max = 256,
    .without = "the epoch is taken from the SwitchServers",
    .earlier = "xbind-cmgr epoch 1",
};

Result<Epoch> epoch_of(const StateText& state, const std::string& path) {
  std::string_view line = state.content();
  const bool whole = line.ends_with('\n');
  if (whole) line.remove_suffix(1);
  std::uint64_t epoch = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), epoch);
  if (!whole || error != std::errc{} || end != line.data() + line.size() ||
      epoch > ConnectionTable::kEpochMax) {
    return fail(ErrorCode::kBadInput, "{} line 2: '{}' is no epoch of a manager, from 0 to {}",
                path, printable(line), ConnectionTable::kEpochMax);
  }
  return Epoch{epoch};
}

}  // namespace

std::string epoch_file_path(const std::string& directory, const std::string& name) {
  return fmt::format("{}/cmgr-{}.epoch", directory, name);
}

std::string epoch_as_text(Epoch epoch) {
  return state_as_text(kEpochFormat, fmt::format("{}\n", epoch));
}

Result<Epoch> epoch_from_text(std::string_view text, const std::string& path) {
  const auto state = state_from_text(kEpochFormat, text, path);
  if (!state) return tl::make_unexpected(state.error());
  return epoch_of(*state, path);
}

Result<Epoch> read_epoch(const std::string& path) {
  const auto read = read_state_as<Epoch>(
      kEpochFormat, path, [&](const StateText& state) { return epoch_of(state, path); });
  if (!read) return tl::make_unexpected(read.error());
  return read->value_or(Epoch{});
}

Result<void> write_epoch(const std::string& path, Epoch epoch) {
  return write_state(kEpochFormat, path, fmt::format("{}\n", epoch), Unwritten::kWanted);
}

}  // namespace xbind::cmgr
