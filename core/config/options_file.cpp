#include "core/config/options_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <tuple>

#include "core/config/toml_reader.hpp"

namespace xbind::config {
namespace {

class OptionsFileReader : private TomlReader {
 public:
  OptionsFileReader(const toml::table& root, const std::string& path) : TomlReader(root, path) {}

  Result<std::vector<FileSetting>> read() const {
    std::vector<FileSetting> settings;
    for (const toml::key* key : keys()) {
      auto setting = read_one(*key, *root_.get(key->str()));
      if (!setting) return tl::make_unexpected(std::move(setting).error());
      settings.push_back(std::move(*setting));
    }
    return settings;
  }

 private:
  // In the order of the file; a table has them in that of their names.
  std::vector<const toml::key*> keys() const {
    std::vector<const toml::key*> keys;
    for (const auto& [key, value] : root_) keys.push_back(&key);
    std::ranges::sort(keys, {}, [](const toml::key* key) {
      return std::tuple(key->source().begin.line, key->source().begin.column);
    });
    return keys;
  }

  Result<FileSetting> read_one(const toml::key& key, const toml::node& node) const {
    FileSetting setting{std::string{key.str()}, {}, {}, key.source().begin.line};
    const Line line = key.source().begin.line;
    if (const auto* text = node.as_string()) {
      setting.kind = ValueKind::kText;
      setting.text = text->get();
    } else if (const auto* whole = node.as_integer()) {
      setting.kind = ValueKind::kWhole;
      setting.text = fmt::format("{}", whole->get());
    } else if (const auto* real = node.as_floating_point()) {
      setting.kind = ValueKind::kReal;
      setting.text = fmt::format("{}", real->get());
    } else if (const auto* flag = node.as_boolean()) {
      setting.kind = ValueKind::kFlag;
      setting.text = flag->get() ? "true" : "false";
    } else if (node.is_table() || node.is_array_of_tables()) {
      return refuse(line,
                    "sections and other tables are not known here: [{}]; write each option as "
                    "name = value",
                    key.str());
    } else if (const auto* array = node.as_array()) {
      auto elements = list(key, *array);
      if (!elements) return tl::make_unexpected(std::move(elements).error());
      setting.kind = ValueKind::kList;
      setting.text = std::move(*elements);
    } else {
      return refuse(line, "{} is a date or a time, which no option takes; write text in quotes",
                    key.str());
    }
    return setting;
  }

  Result<std::string> list(const toml::key& key, const toml::array& array) const {
    std::vector<std::string> elements;
    for (const toml::node& node : array) {
      const auto* element = node.as_string();
      if (element == nullptr) {
        return refuse(line_of(node), "{0} has an element that is not text; write {0} = [\"...\"]",
                      key.str());
      }
      if (element->get().find(',') != std::string::npos) {
        return refuse(line_of(node), "'{}' of {} has a comma in it; write it as two elements",
                      element->get(), key.str());
      }
      elements.push_back(element->get());
    }
    if (elements.empty()) {
      return refuse(line_of(array), "{} is an empty list; leave it out", key.str());
    }
    return fmt::format("{}", fmt::join(elements, ","));
  }
};

}  // namespace

bool same_value(ValueKind kind, const std::string& one, const std::string& other) {
  if (one == other) return true;
  if (kind != ValueKind::kWhole && kind != ValueKind::kReal) return false;
  const auto equal = [&]<class T>(T) {
    const auto number = [](const std::string& text) -> std::optional<T> {
      T value{};
      const char* const end = text.data() + text.size();
      const auto read = std::from_chars(text.data(), end, value);
      return read.ec == std::errc{} && read.ptr == end ? std::optional(value) : std::nullopt;
    };
    const auto first = number(one);
    return first && first == number(other);
  };
  return kind == ValueKind::kWhole ? equal(std::uint64_t{}) : equal(0.0);
}

Result<std::vector<FileSetting>> parse_settings(std::string_view text, const std::string& path,
                                                std::size_t octets_max) {
  const auto root = parse_toml(text, path, octets_max);
  if (!root) return tl::make_unexpected(root.error());
  return OptionsFileReader(*root, path).read();
}

}  // namespace xbind::config
