#include "cmgr/epoch_file.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "core/durable_file.hpp"

namespace xbind::cmgr {
namespace {

constexpr std::string_view kFirstLine = "xbind-cmgr epoch 1\n";
constexpr std::size_t kOctetsMax = 256;

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

}  // namespace

std::string epoch_file_path(const std::string& directory, const std::string& name) {
  return fmt::format("{}/cmgr-{}.epoch", directory, name);
}

std::string epoch_as_text(const KeptEpoch& kept) {
  if (kept.renewals == 0) return fmt::format("{}{}\n", kFirstLine, kept.epoch);
  return fmt::format("{}{} {}\n", kFirstLine, kept.epoch, kept.renewals);
}

Result<KeptEpoch> epoch_from_text(std::string_view text, const std::string& path) {
  const bool known = text.starts_with(kFirstLine);
  if (known) text.remove_prefix(kFirstLine.size());
  const auto kept = known ? epoch_from(text) : std::nullopt;
  if (!kept) {
    return fail(ErrorCode::kBadInput,
                "{} is not the epoch of a manager: two lines, '{}' and a number", path,
                kFirstLine.substr(0, kFirstLine.size() - 1));
  }
  return *kept;
}

Result<KeptEpoch> read_epoch(const std::string& path) {
  const auto text = read_file_if_there(path, kOctetsMax);
  if (!text) return tl::make_unexpected(text.error());
  return *text ? epoch_from_text(**text, path) : KeptEpoch{};
}

Result<void> write_epoch(const std::string& path, const KeptEpoch& epoch) {
  return replace_file(path, epoch_as_text(epoch));
}

}  // namespace xbind::cmgr
