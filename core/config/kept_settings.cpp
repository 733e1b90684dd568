#include "core/config/kept_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>

#include "core/config/toml_reader.hpp"
#include "core/state_file.hpp"

namespace xbind::config {
namespace {

constexpr StateFormat kSettingsFormat{
    .what = "xbind settings",
    .version = 1,
    .octets_max = std::size_t{1} << 20,
    .without = "options have the values of the command line, the environment and --config",
};

class SettingsReader : TomlReader {
 public:
  SettingsReader(const toml::table& root, const std::string& path) : TomlReader(root, path) {}

  Result<KeptSettings> read() const {
    if (auto known = only_keys(root_, {"setting"}, "the file"); !known) {
      return tl::make_unexpected(known.error());
    }
    const auto found = tables("setting");
    if (!found) return tl::make_unexpected(found.error());
    KeptSettings settings;
    for (const toml::table* const table : *found) {
      if (auto known = only_keys(*table, {"name", "value", "before"}, "a setting"); !known) {
        return tl::make_unexpected(known.error());
      }
      KeptSetting setting;
      for (const auto& [key, into] : {std::pair{"name", &setting.name},
                                      {"value", &setting.value},
                                      {"before", &setting.before}}) {
        auto text = needed_string(*table, key, "a setting");
        if (!text) return tl::make_unexpected(text.error());
        *into = std::move(*text);
      }
      settings.push_back(std::move(setting));
    }
    return settings;
  }
};

std::string content_of(const KeptSettings& settings) {
  toml::array tables;
  for (const KeptSetting& setting : settings) {
    tables.push_back(
        toml::table{{"name", setting.name}, {"value", setting.value}, {"before", setting.before}});
  }
  std::ostringstream text;
  text << toml::table{{"setting", std::move(tables)}} << '\n';
  return text.str();
}

Result<KeptSettings> settings_of(const StateText& state, const std::string& path) {
  const auto root = parse_toml(state.text, path, kSettingsFormat.octets_max);
  if (!root) return tl::make_unexpected(root.error());
  return SettingsReader(*root, path).read();
}

}  // namespace

std::string settings_file_path(const std::string& directory, std::string_view program,
                               const std::string& name) {
  if (directory.empty()) return "";
  return fmt::format("{}/{}-{}.settings", directory, program, name);
}

std::string settings_file_of_one(const std::string& directory, std::string_view program,
                                 std::vector<std::string> names) {
  std::ranges::sort(names);
  for (const std::string& name : names) {
    std::string path = settings_file_path(directory, program, name);
    std::error_code unreadable;  // is then found again by whoever reads the file
    if (!path.empty() && std::filesystem::exists(path, unreadable)) return path;
  }
  return settings_file_path(directory, program, names.front());
}

std::string settings_as_text(const KeptSettings& settings) {
  return state_as_text(kSettingsFormat, content_of(settings));
}

Result<KeptSettings> settings_from_text(std::string_view text, const std::string& path) {
  const auto state = state_from_text(kSettingsFormat, text, path);
  if (!state) return tl::make_unexpected(state.error());
  return settings_of(*state, path);
}

Result<KeptSettings> read_settings(const std::string& path) {
  auto read = read_state_as<KeptSettings>(
      kSettingsFormat, path, [&](const StateText& state) { return settings_of(state, path); });
  if (!read) return tl::make_unexpected(read.error());
  return std::move(*read).value_or(KeptSettings{});
}

Result<void> write_settings(const std::string& path, const KeptSettings& settings) {
  if (path.empty()) return {};
  // A text that no TOML file can hold would keep the next process from starting.
  if (const auto read = settings_from_text(settings_as_text(settings), path);
      !read || *read != settings) {
    return fail(ErrorCode::kBadInput, "{} cannot hold that text", path);
  }
  return write_state(kSettingsFormat, path, content_of(settings), Unwritten::kUndone);
}

}  // namespace xbind::config
