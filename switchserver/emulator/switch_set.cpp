#include "switchserver/emulator/switch_set.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>

#include "core/config/toml_reader.hpp"
#include "core/read_file.hpp"

namespace xbind::emulator {
namespace {

constexpr std::size_t kFileOctetsMax = 4U << 20;

class SetReader : private config::TomlReader {
 public:
  SetReader(const toml::table& root, const std::string& path) : TomlReader(root, path) {}

  Result<std::vector<SwitchOptions>> read() {
    for (const auto& [key, value] : root_) {
      if (key.str() != "switch") {
        return refuse(key.source().begin.line, "there is no '{}' here; write [[switch]]",
                      key.str());
      }
    }
    const toml::node* node = root_.get("switch");
    if (node == nullptr) return fail(ErrorCode::kBadInput, "{}: there is no [[switch]]", path_);
    const toml::array* array = node->as_array();
    if (array == nullptr || !array->is_homogeneous(toml::node_type::table)) {
      return refuse(line_of(*node), "switch is no list of tables; write [[switch]]");
    }
    if (array->size() > kSwitchesMax) {
      return refuse(line_of(*array->get(kSwitchesMax)), "more than {} switches", kSwitchesMax);
    }
    for (const toml::node& one : *array) {
      if (const auto good = read_switch(*one.as_table()); !good) {
        return tl::make_unexpected(good.error());
      }
    }
    return std::move(switches_);
  }

 private:
  // A value as it would stand on a command line.
  Result<std::string> scalar(std::string_view key, const toml::node& node) const {
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
    if (const auto* flag = node.as_boolean()) return std::string(flag->get() ? "true" : "false");
    return refuse(line_of(node), "'{}' is no text, whole number, true or false", key);
  }

  Result<std::string> value(std::string_view key, const toml::node& node) const {
    std::vector<std::string> parts;
    if (const toml::array* array = node.as_array()) {
      for (const toml::node& element : *array) {
        auto part = scalar(key, element);
        if (!part) return part;
        if (part->find(',') != std::string::npos) {
          return refuse(line_of(element), "'{}' of {} has a comma in it", *part, key);
        }
        parts.push_back(std::move(*part));
      }
    } else if (const toml::table* table = node.as_table()) {
      for (const auto& [port, element] : *table) {
        const auto part = scalar(key, element);
        if (!part) return part;
        parts.push_back(fmt::format("{}={}", port.str(), *part));
      }
    } else {
      return scalar(key, node);
    }
    if (parts.empty()) return refuse(line_of(node), "'{}' is an empty list", key);
    return fmt::format("{}", fmt::join(parts, ","));
  }

  Result<void> read_switch(const toml::table& table) {
    if (const auto good = only_keys(table, switch_option_names(), "a switch"); !good) return good;
    std::vector<std::string> arguments{"[[switch]]"};
    std::map<std::string, Line, std::less<>> lines;
    for (const auto& [key, node] : table) {
      const auto text = value(key.str(), node);
      if (!text) return tl::make_unexpected(text.error());
      arguments.push_back(fmt::format("--{}={}", key.str(), *text));
      lines.emplace(key.str(), key.source().begin.line);
    }
    const Line whole = line_of(table);
    if (!lines.contains("name")) return refuse(whole, "a switch needs a 'name'");
    if (!lines.contains("listen")) return refuse(whole, "a switch needs 'listen'");
    return load(arguments, lines, whole);
  }

  Result<void> load(const std::vector<std::string>& arguments,
                    const std::map<std::string, Line, std::less<>>& lines, Line whole) {
    SwitchOptions options;
    config::OptionSet set("[[switch]]", "One switch of several in a process.");
    declare(set, options);
    std::vector<const char*> words;
    for (const std::string& argument : arguments) words.push_back(argument.c_str());
    const auto refused = set.load(static_cast<int>(words.size()), words.data(),
                                  [](const std::string&) { return std::nullopt; });
    if (refused) {
      // "[[switch]]: --ports ...\nTry ...": the sentence, and the line of the option it names first.
      std::string_view sentence = refused->text;
      sentence = sentence.substr(0, sentence.find('\n'));
      sentence.remove_prefix(std::min(sentence.find(": ") + 2, sentence.size()));
      return refuse(line_of_first(sentence, lines).value_or(whole), "{}", sentence);
    }
    for (const SwitchOptions& other : switches_) {
      if (other.name == options.name) {
        return refuse(lines.find("name")->second, "another switch is called '{}'", options.name);
      }
      if (other.listen == options.listen && !options.listen.ends_with(":0")) {
        return refuse(lines.find("listen")->second, "{} listens on {} already", other.name,
                      options.listen);
      }
    }
    switches_.push_back(std::move(options));
    return {};
  }

  static std::optional<Line> line_of_first(std::string_view sentence,
                                           const std::map<std::string, Line, std::less<>>& lines) {
    const std::size_t begin = sentence.find("--");
    if (begin == std::string_view::npos) return std::nullopt;
    const std::string_view rest = sentence.substr(begin + 2);
    const auto found =
        lines.find(rest.substr(0, rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz-")));
    return found == lines.end() ? std::nullopt : std::optional(found->second);
  }

  std::vector<SwitchOptions> switches_;
};

}  // namespace

Result<std::vector<SwitchOptions>> parse_switches(std::string_view text, const std::string& path) {
  const auto root = config::parse_toml(text, path, kFileOctetsMax);
  if (!root) return tl::make_unexpected(root.error());
  return SetReader(*root, path).read();
}

Result<std::vector<SwitchOptions>> load_switches(const std::string& path) {
  const auto text = read_file(path, kFileOctetsMax);
  if (!text) return tl::make_unexpected(text.error());
  return parse_switches(*text, path);
}

std::vector<dataplane::LinkPlace> link_places(const std::vector<SwitchOptions>& switches) {
  std::vector<dataplane::LinkPlace> places;
  for (const SwitchOptions& one : switches) {
    for (dataplane::PortLink& link : links_of(one)) {
      places.push_back({one.name, link.port, std::move(link.link)});
    }
  }
  return places;
}

}  // namespace xbind::emulator
