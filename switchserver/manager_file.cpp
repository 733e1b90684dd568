#include "switchserver/manager_file.hpp"

#include <fmt/format.h>

#include <charconv>

#include "core/durable_file.hpp"
#include "core/log.hpp"
#include "core/name.hpp"

namespace xbind {
namespace {

constexpr std::string_view kFirstLine = "xbind-switchserver managers 1";
constexpr std::size_t kOctetsMax = std::size_t{1} << 20;

constexpr std::string_view kTableLost = " table-lost";

// "41 m1", "41 m1 table-lost"
std::optional<KnownManager> manager_from(std::string_view line) {
  const bool table_lost = line.ends_with(kTableLost);
  if (table_lost) line.remove_suffix(kTableLost.size());
  std::uint64_t epoch = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), epoch);
  line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  if (error != std::errc{} || !line.starts_with(' ') || !is_name(line.substr(1))) {
    return std::nullopt;
  }
  return KnownManager{std::string(line.substr(1)), Epoch{epoch}, table_lost};
}

}  // namespace

std::string manager_file_path(const std::string& directory, const std::string& name) {
  return fmt::format("{}/switchserver-{}.managers", directory, name);
}

std::string managers_as_text(const KnownManagers& managers) {
  std::string text = fmt::format("{}\n", kFirstLine);
  for (const KnownManager& one : managers) {
    text += fmt::format("{} {}{}\n", one.epoch, one.name, one.table_lost ? kTableLost : "");
  }
  return text;
}

Result<KnownManagers> managers_from_text(std::string_view text, const std::string& path) {
  KnownManagers managers;
  for (std::size_t number = 1; !text.empty() || number == 1; ++number) {
    const std::size_t length = text.find('\n');
    const std::string_view line = text.substr(0, length);
    const bool whole = length != std::string_view::npos;
    const auto manager = number == 1 ? std::nullopt : manager_from(line);
    if (!whole || (number == 1 ? line != kFirstLine : !manager)) {
      return fail(ErrorCode::kBadInput, "{} line {}: '{}' is not {}", path, number, printable(line),
                  number == 1 ? fmt::format("'{}'", kFirstLine) : "an epoch and a manager's name");
    }
    if (manager) managers.push_back(*manager);
    text.remove_prefix(length + 1);
  }
  return managers;
}

Result<std::optional<KnownManagers>> read_managers(const std::string& path) {
  const auto text = read_file_if_there(path, kOctetsMax);
  if (!text) return tl::make_unexpected(text.error());
  if (!*text) return std::nullopt;
  auto managers = managers_from_text(**text, path);
  if (!managers) return tl::make_unexpected(managers.error());
  return std::move(*managers);
}

void ManagerKeeper::write(const KnownManagers& managers) {
  if (kept_ == managers) return;
  const auto written = replace_file(path_, managers_as_text(managers));
  failed_ = !written;
  if (!written) {
    log::sessions.warn("{}; after a restart not every manager is known", written.error().text);
    return;
  }
  kept_ = managers;
}

}  // namespace xbind
