#include "cmgr/epoch_file.hpp"

#include <fmt/format.h>

#include <charconv>

#include "core/durable_file.hpp"

namespace xbind::cmgr {
namespace {

constexpr std::string_view kFirstLine = "xbind-cmgr epoch 1\n";
constexpr std::size_t kOctetsMax = 256;

}  // namespace

std::string epoch_file_path(const std::string& directory, const std::string& name) {
  return fmt::format("{}/cmgr-{}.epoch", directory, name);
}

std::string epoch_as_text(Epoch epoch) { return fmt::format("{}{}\n", kFirstLine, epoch); }

Result<Epoch> epoch_from_text(std::string_view text, const std::string& path) {
  std::uint64_t epoch = 0;
  const bool known = text.starts_with(kFirstLine) && text.ends_with('\n');
  if (known) text.remove_prefix(kFirstLine.size());
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), epoch);
  if (!known || error != std::errc{} || end != text.data() + text.size() - 1) {
    return fail(ErrorCode::kBadInput,
                "{} is not the epoch of a manager: two lines, '{}' and a number", path,
                kFirstLine.substr(0, kFirstLine.size() - 1));
  }
  return Epoch{epoch};
}

Result<Epoch> read_epoch(const std::string& path) {
  const auto text = read_file_if_there(path, kOctetsMax);
  if (!text) return tl::make_unexpected(text.error());
  return *text ? epoch_from_text(**text, path) : Epoch{};
}

Result<void> write_epoch(const std::string& path, Epoch epoch) {
  return replace_file(path, epoch_as_text(epoch));
}

}  // namespace xbind::cmgr
