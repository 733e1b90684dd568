#include "switchserver/manager_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/log.hpp"
#include "core/name.hpp"
#include "core/state_file.hpp"

namespace xbind {
namespace {

constexpr StateFormat kManagersFormat{
    .what = "xbind-switchserver managers",
    .version = 2,
    .octets_max = std::size_t{1} << 20,
    .without =
        "the SwitchServer waits the longest time for claims of hops, and knows no epoch until "
        "managers attach",
    .earlier = "xbind-switchserver managers 1",
};

constexpr std::string_view kTableLost = " table-lost";

// Takes a number from the front.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// "41 m1", "41 m1 2", "41 m1 table-lost", "41 m1 2 table-lost"
std::optional<KnownManager> manager_from(std::string_view line) {
  KnownManager manager;
  const auto epoch = take_number(line);
  if (!epoch || !line.starts_with(' ')) return std::nullopt;
  manager.epoch = Epoch{*epoch};
  line.remove_prefix(1);
  const std::size_t length = std::min(line.find(' '), line.size());
  manager.name = line.substr(0, length);
  if (!is_name(manager.name)) return std::nullopt;
  line.remove_prefix(length);
  manager.table_lost = line.ends_with(kTableLost);
  if (manager.table_lost) line.remove_suffix(kTableLost.size());
  if (line.empty()) return manager;
  line.remove_prefix(1);
  manager.renewals = take_number(line).value_or(0);
  if (manager.renewals == 0 || !line.empty()) return std::nullopt;
  return manager;
}

std::string content_of(const KnownManagers& managers) {
  std::string text;
  for (const KnownManager& one : managers) {
    text += fmt::format("{} {}", one.epoch, one.name);
    if (one.renewals != 0) text += fmt::format(" {}", one.renewals);
    text += fmt::format("{}\n", one.table_lost ? kTableLost : "");
  }
  return text;
}

Result<KnownManagers> managers_of(const StateText& state, const std::string& path) {
  KnownManagers managers;
  std::string_view text = state.content();
  for (std::size_t number = 2; !text.empty(); ++number) {
    const std::size_t length = text.find('\n');
    const std::string_view line = text.substr(0, length);
    const auto manager = manager_from(line);
    if (length == std::string_view::npos || !manager) {
      return fail(ErrorCode::kBadInput, "{} line {}: '{}' is not an epoch and a manager's name",
                  path, number, printable(line));
    }
    managers.push_back(*manager);
    text.remove_prefix(length + 1);
  }
  return managers;
}

}  // namespace

std::string manager_file_path(const std::string& directory, const std::string& name) {
  return fmt::format("{}/switchserver-{}.managers", directory, name);
}

std::string managers_as_text(const KnownManagers& managers) {
  return state_as_text(kManagersFormat, content_of(managers));
}

Result<KnownManagers> managers_from_text(std::string_view text, const std::string& path) {
  const auto state = state_from_text(kManagersFormat, text, path);
  if (!state) return tl::make_unexpected(state.error());
  return managers_of(*state, path);
}

Result<std::optional<KnownManagers>> read_managers(const std::string& path) {
  return read_state_as<KnownManagers>(
      kManagersFormat, path, [&](const StateText& state) { return managers_of(state, path); });
}

void ManagerKeeper::write(const KnownManagers& managers) {
  if (written_ == managers) return;
  const auto written =
      write_state(kManagersFormat, path_, content_of(managers), Unwritten::kWanted);
  if (!written) {
    log::sessions.warn("{}; after a restart not every manager is known", written.error().text);
    written_.reset();
    return;
  }
  written_ = managers;
}

void ManagerKeeper::note_table_lost(const KnownManagers& managers) {
  if (path_.empty() || std::ranges::none_of(managers, &KnownManager::table_lost)) return;
  const std::lock_guard lock(lost_mutex_);
  lost_ = managers;
  if (!thread_.joinable()) {
    thread_ = std::jthread([this](const std::stop_token& ends) { write_lost(ends); });
  }
  changed_.notify_one();
}

// A manager that has claimed all meanwhile is written without it when the next one attaches; until
// then a call may be incomplete that could be rolled back.
void ManagerKeeper::write_lost(const std::stop_token& ends) {
  for (;;) {
    KnownManagers lost;
    {
      std::unique_lock lock(lost_mutex_);
      if (!changed_.wait(lock, ends, [this] { return !lost_.empty(); })) return;
      lost.swap(lost_);
    }
    const std::lock_guard lock(mutex_);
    KnownManagers managers = written_.value_or(lost);
    for (KnownManager& one : managers) {
      one.table_lost = one.table_lost || std::ranges::any_of(lost, [&](const KnownManager& it) {
                         return it.table_lost && it.name == one.name;
                       });
    }
    write(managers);
  }
}

}  // namespace xbind
