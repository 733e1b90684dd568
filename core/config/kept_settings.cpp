#include "core/config/kept_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>

#include "core/config/toml_reader.hpp"
#include "core/durable_file.hpp"

namespace xbind::config {
namespace {

constexpr std::string_view kSettingsFirstLine = "# xbind settings 1\n";
constexpr std::size_t kSettingsOctetsMax = std::size_t{1} << 20;

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
  toml::array tables;
  for (const KeptSetting& setting : settings) {
    tables.push_back(
        toml::table{{"name", setting.name}, {"value", setting.value}, {"before", setting.before}});
  }
  std::ostringstream text;
  text << kSettingsFirstLine << toml::table{{"setting", std::move(tables)}} << '\n';
  return with_end_mark(text.str());
}

Result<KeptSettings> settings_from_text(std::string_view text, const std::string& path) {
  if (!text.starts_with(kSettingsFirstLine)) {
    return fail(ErrorCode::kBadInput, "{} line 1: it is not '{}'", path,
                kSettingsFirstLine.substr(0, kSettingsFirstLine.size() - 1));
  }
  const auto whole = without_end_mark(text, path);
  if (!whole) return tl::make_unexpected(whole.error());
  const auto root = parse_toml(*whole, path, kSettingsOctetsMax);
  if (!root) return tl::make_unexpected(root.error());
  return SettingsReader(*root, path).read();
}

Result<KeptSettings> read_settings(const std::string& path) {
  if (path.empty()) return KeptSettings{};
  const auto text = read_file_if_there(path, kSettingsOctetsMax);
  if (!text) return tl::make_unexpected(text.error());
  return *text ? settings_from_text(**text, path) : KeptSettings{};
}

Result<void> write_settings(const std::string& path, const KeptSettings& settings) {
  if (path.empty()) return {};
  const std::string text = settings_as_text(settings);
  // A text that no TOML file can hold would keep the next process from starting.
  if (const auto read = settings_from_text(text, path); !read || *read != settings) {
    return fail(ErrorCode::kBadInput, "{} cannot hold that text", path);
  }
  return replace_file(path, text);
}

}  // namespace xbind::config
