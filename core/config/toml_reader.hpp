// Reads our TOML files: refusals with file and line, unknown keys, lists of tables. The only header
// that includes toml++; include it only in a .cpp that reads a file.
//
// A reader derives from TomlReader and interprets its tables. Pure; any thread.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/config/nearest_name.hpp"
#include "core/result.hpp"

// Our refusals are values, so the parser must return its errors as values.
#define TOML_EXCEPTIONS 0
// Without NDEBUG toml++ asserts on "[[" and a newline before it reports its own error, and would
// end the program. A program that reads somebody else's file must not abort.
#define TOML_ASSERT(expr) static_assert(true)
// The parser is compiled once, in toml_reader.cpp.
#define TOML_HEADER_ONLY 0
#include <toml++/toml.h>

namespace xbind::config {

// Parses the text of a file. `path` is used in refusals only. kBadInput: longer than `octets_max`,
// or not TOML.
Result<toml::table> parse_toml(std::string_view text, const std::string& path,
                               std::size_t octets_max);

class TomlReader {
 protected:
  using Line = toml::source_index;

  // Both arguments outlive the reader.
  TomlReader(const toml::table& root, const std::string& path) : root_(root), path_(path) {}

  static Line line_of(const toml::node& node) { return node.source().begin.line; }

  template <class... Args>
  tl::unexpected<Error> refuse(Line line, fmt::format_string<Args...> text, Args&&... args) const {
    return fail(ErrorCode::kBadInput, "{} line {}: {}", path_, line,
                fmt::format(text, std::forward<Args>(args)...));
  }

  // Refuses the first unknown key in file order. `what`, "a switch", is for the text.
  Result<void> only_keys(const toml::table& table, const std::vector<std::string>& known,
                         std::string_view what) const {
    const toml::key* unknown = nullptr;
    for (const auto& [key, value] : table) {
      if (std::ranges::find(known, key.str()) != known.end()) continue;
      if (!unknown || key.source().begin.line < unknown->source().begin.line) unknown = &key;
    }
    if (unknown == nullptr) return {};
    const auto meant = nearest_name(unknown->str(), known);
    return refuse(unknown->source().begin.line, "{} has no '{}'; {}", what, unknown->str(),
                  meant ? fmt::format("did you mean {}?", *meant)
                        : fmt::format("known are {}", fmt::join(known, ", ")));
  }

  // Returns the [[name]] tables; empty when there are none.
  Result<std::vector<const toml::table*>> tables(std::string_view name) const {
    std::vector<const toml::table*> found;
    const toml::node* node = root_.get(name);
    if (node == nullptr) return found;
    const toml::array* array = node->as_array();
    if (array == nullptr) {
      return refuse(line_of(*node), "{0} is no table; write [[{0}]]", name);
    }
    for (const toml::node& element : *array) {
      if (!element.is_table()) {
        return refuse(line_of(element), "{0} holds something that is no table; write [[{0}]]",
                      name);
      }
      found.push_back(element.as_table());
    }
    return found;
  }

  Result<const toml::node*> needed(const toml::table& table, std::string_view key,
                                   std::string_view what) const {
    const toml::node* node = table.get(key);
    if (node != nullptr) return node;
    return refuse(line_of(table), "{} needs '{}'", what, key);
  }

  Result<std::string> needed_string(const toml::table& table, std::string_view key,
                                    std::string_view what) const {
    const Result<const toml::node*> node = needed(table, key, what);
    if (!node) return tl::make_unexpected(node.error());
    if (!(*node)->is_string()) {
      return refuse(line_of(**node), "'{}' of {} is not a string", key, what);
    }
    return (*node)->as_string()->get();
  }

  const toml::table& root_;
  const std::string& path_;
};

}  // namespace xbind::config
