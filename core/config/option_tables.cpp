#include "core/config/option_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "core/config/toml_reader.hpp"
#include "core/read_file.hpp"

namespace xbind::config {
namespace {

constexpr std::size_t kTablesOctetsMax = 4U << 20;

}  // namespace

class OptionTableReader : private TomlReader {
 public:
  OptionTableReader(const toml::table& root, const std::string& path, const OptionTableKind& kind)
      : TomlReader(root, path), kind_(kind) {}

  // Refuses what is none of the kinds.
  Result<void> check_top(const std::vector<OptionTableKind>& kinds) const {
    for (const auto& [key, value] : root_) {
      const auto is_it = [name = key.str()](const auto& kind) { return kind.table == name; };
      if (std::ranges::any_of(kinds, is_it)) continue;
      std::vector<std::string> known;
      known.reserve(kinds.size());
      for (const OptionTableKind& kind : kinds) known.push_back(fmt::format("[[{}]]", kind.table));
      return refuse(key.source().begin.line, "there is no '{}' here; write {}", key.str(),
                    fmt::join(known, " or "));
    }
    return {};
  }

  Result<std::vector<OptionTable>> read() {
    const toml::node* node = root_.get(kind_.table);
    if (node == nullptr && kind_.tables_min == 0) return std::vector<OptionTable>{};
    if (node == nullptr) {
      return fail(ErrorCode::kBadInput, "{}: there is no [[{}]]", path_, kind_.table);
    }
    const toml::array* array = node->as_array();
    if (array == nullptr || !array->is_homogeneous(toml::node_type::table)) {
      return refuse(line_of(*node), "{0} is no list of tables; write [[{0}]]", kind_.table);
    }
    if (array->size() > kind_.tables_max) {
      return refuse(line_of(*array->get(kind_.tables_max)), "more than {} [[{}]]", kind_.tables_max,
                    kind_.table);
    }
    std::vector<OptionTable> tables;
    for (const toml::node& one : *array) {
      auto table = read_table(*one.as_table());
      if (!table) return tl::make_unexpected(table.error());
      tables.push_back(std::move(*table));
    }
    return tables;
  }

 private:
  // A value as it would stand on a command line.
  Result<std::string> scalar(std::string_view key, const toml::node& node) const {
    if (const auto* text = node.as_string()) {
      // An argument of a command line ends there, and the rest would be lost.
      if (text->get().find('\0') == std::string::npos) return text->get();
      return refuse(line_of(node), "'{}' has an octet 0 in its text", key);
    }
    if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
    if (const auto* number = node.as_floating_point()) {
      return fmt::format("{}", number->get());
    }
    if (const auto* flag = node.as_boolean()) return std::string(flag->get() ? "true" : "false");
    return refuse(line_of(node), "'{}' is no text, number, true or false", key);
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

  Result<OptionTable> read_table(const toml::table& table) const {
    const std::string what = "a " + kind_.table;
    if (const auto good = only_keys(table, kind_.known, what); !good) {
      return tl::make_unexpected(good.error());
    }
    OptionTable out;
    out.path_ = path_;
    out.whole_ = line_of(table);
    out.arguments_.push_back(fmt::format("[[{}]]", kind_.table));
    for (const auto& [key, node] : table) {
      const auto text = value(key.str(), node);
      if (!text) return tl::make_unexpected(text.error());
      out.arguments_.push_back(fmt::format("--{}={}", key.str(), *text));
      out.lines_.emplace(key.str(), key.source().begin.line);
    }
    for (const std::string& key : kind_.needed) {
      if (!out.lines_.contains(key)) return refuse(out.whole_, "{} needs '{}'", what, key);
    }
    return out;
  }

  const OptionTableKind& kind_;
};

Result<void> OptionTable::load(OptionSet& set) const {
  std::vector<const char*> words;
  for (const std::string& argument : arguments_) words.push_back(argument.c_str());
  const auto refused = set.load(static_cast<int>(words.size()), words.data(),
                                [](const std::string&) { return std::nullopt; });
  if (!refused) return {};
  // refused->text is "[[switch]]: --ports ...\nTry ...". Extracts the sentence, and the line of the
  // first option that it names.
  std::string_view sentence = refused->text;
  sentence = sentence.substr(0, sentence.find('\n'));
  sentence.remove_prefix(std::min(sentence.find(": ") + 2, sentence.size()));
  Line line = whole_;
  if (const std::size_t begin = sentence.find("--"); begin != std::string_view::npos) {
    const std::string_view rest = sentence.substr(begin + 2);
    const auto named =
        lines_.find(rest.substr(0, rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz-")));
    if (named != lines_.end()) line = named->second;
  }
  return tl::make_unexpected(refusal_at(line, sentence));
}

Error OptionTable::refusal(std::string_view key, std::string_view sentence) const {
  return refusal_at(lines_.find(key)->second, sentence);
}

std::string OptionTable::place(std::string_view key) const {
  return fmt::format("{} line {}", path_, lines_.find(key)->second);
}

Error OptionTable::refusal_at(Line line, std::string_view sentence) const {
  return {ErrorCode::kBadInput, fmt::format("{} line {}: {}", path_, line, sentence)};
}

Result<std::vector<OptionTable>> read_option_tables(std::string_view text, const std::string& path,
                                                    const OptionTableKind& kind) {
  auto tables = read_option_tables(text, path, std::vector{kind});
  if (!tables) return tl::make_unexpected(tables.error());
  return std::move(tables->at(kind.table));
}

Result<std::map<std::string, std::vector<OptionTable>>> read_option_tables(
    std::string_view text, const std::string& path, const std::vector<OptionTableKind>& kinds) {
  const auto root = parse_toml(text, path, kTablesOctetsMax);
  if (!root) return tl::make_unexpected(root.error());
  std::map<std::string, std::vector<OptionTable>> all;
  for (const OptionTableKind& kind : kinds) {
    OptionTableReader reader(*root, path, kind);
    if (auto good = reader.check_top(kinds); !good) return tl::make_unexpected(good.error());
    auto tables = reader.read();
    if (!tables) return tl::make_unexpected(tables.error());
    all[kind.table] = std::move(*tables);
  }
  return all;
}

Result<std::vector<OptionTable>> load_option_tables(const std::string& path,
                                                    const OptionTableKind& kind) {
  const auto text = read_file(path, kTablesOctetsMax);
  if (!text) return tl::make_unexpected(text.error());
  return read_option_tables(*text, path, kind);
}

}  // namespace xbind::config
