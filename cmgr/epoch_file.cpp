#include "cmgr/epoch_file.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "core/manager_epochs.hpp"
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

// Takes a number from the front.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// "41\n", "41 2\n"
std::optional<KeptEpoch> epoch_from(std::string_view line) {
  const auto epoch = take_number(line);
  if (!epoch) return std::nullopt;
  KeptEpoch kept{Epoch{*epoch}};
  if (line.starts_with(' ')) {
    line.remove_prefix(1);
    const auto renewals = take_number(line);
    if (renewals.value_or(0) == 0) return std::nullopt;
    kept.renewals = *renewals;
  }
  if (line != "\n") return std::nullopt;
  return kept;
}

Result<KeptEpoch> epoch_of(const StateText& state, const std::string& path) {
  std::string_view line = state.content();
  const auto kept = epoch_from(line);
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (!kept || kept->epoch.value() > kManagerEpochMax) {
    return fail(ErrorCode::kBadInput,
                "{} line 2: '{}' is no epoch of a manager, from 0 to {}, and how often they were "
                "renewed",
                path, printable(line), kManagerEpochMax);
  }
  return *kept;
}

std::string line_of(const KeptEpoch& kept) {
  if (kept.renewals == 0) return fmt::format("{}\n", kept.epoch);
  return fmt::format("{} {}\n", kept.epoch, kept.renewals);
}

}  // namespace

std::string epoch_file_path(const std::string& directory, const std::string& name) {
  return fmt::format("{}/cmgr-{}.epoch", directory, name);
}

std::string epoch_as_text(const KeptEpoch& epoch) {
  return state_as_text(kEpochFormat, line_of(epoch));
}

Result<KeptEpoch> epoch_from_text(std::string_view text, const std::string& path) {
  const auto state = state_from_text(kEpochFormat, text, path);
  if (!state) return tl::make_unexpected(state.error());
  return epoch_of(*state, path);
}

Result<KeptEpoch> read_epoch(const std::string& path) {
  const auto read = read_state_as<KeptEpoch>(
      kEpochFormat, path, [&](const StateText& state) { return epoch_of(state, path); });
  if (!read) return tl::make_unexpected(read.error());
  return read->value_or(KeptEpoch{});
}

Result<void> write_epoch(const std::string& path, const KeptEpoch& epoch) {
  return write_state(kEpochFormat, path, line_of(epoch), Unwritten::kWanted);
}

}  // namespace xbind::cmgr
