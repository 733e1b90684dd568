// Helpers of the importers' tests.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "routeobject/import/builder.hpp"
#include "routeobject/import/load_topology.hpp"

namespace xbind::import_test {

inline LoadedTopology accepted(std::string_view text, const std::string& path,
                               const ImportOptions& options = {}) {
  Result<LoadedTopology> loaded = parse_any_topology(text, path, options);
  EXPECT_TRUE(loaded.has_value()) << loaded.error().text;
  return loaded.value_or(LoadedTopology{});
}

// The refusal; its code is always kBadInput.
inline std::string refusal(std::string_view text, const std::string& path) {
  const Result<LoadedTopology> loaded = parse_any_topology(text, path, {});
  if (loaded) return "it is a topology";
  EXPECT_EQ(loaded.error().code, ErrorCode::kBadInput);
  return loaded.error().text;
}

inline std::string notes(const LoadedTopology& loaded) {
  return fmt::format("{}\n", fmt::join(loaded.notes, "\n"));
}

// "a:2-b:2@365566 b:3-c:2@4", in order.
inline std::string links(const LoadedTopology& loaded) {
  std::string text;
  for (const TopologyLink& link : loaded.topology.links()) {
    text += fmt::format("{}{}-{}@{}", text.empty() ? "" : " ", loaded.topology.end_text(link.a),
                        loaded.topology.end_text(link.b), link.cells_per_s);
  }
  return text;
}

inline std::string names(const LoadedTopology& loaded) {
  std::string text;
  for (const TopologySwitch& at : loaded.topology.switches()) {
    text += (text.empty() ? "" : " ") + at.name;
  }
  return text;
}

}  // namespace xbind::import_test
