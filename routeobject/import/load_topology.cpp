#include "routeobject/import/load_topology.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "core/read_file.hpp"
#include "routeobject/import/builder.hpp"
#include "routeobject/import/graphml.hpp"
#include "routeobject/import/sndlib.hpp"
#include "routeobject/topology/topology_file.hpp"

namespace xbind {
namespace {

Result<LoadedTopology> loaded(Result<TopologyBuilder::Built> built, TopologyFormat format) {
  if (!built) return tl::make_unexpected(std::move(built).error());
  return LoadedTopology{std::move(built->topology), format, std::move(built->notes)};
}

bool named_as_toml(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  const std::string_view name =
      std::string_view(path).substr(slash == std::string::npos ? 0 : slash + 1);
  return name.ends_with(".toml") || name.find('.') == std::string_view::npos;
}

}  // namespace

std::string_view to_string(TopologyFormat format) {
  switch (format) {
    case TopologyFormat::kToml: return "TOML";
    case TopologyFormat::kSndlib: return "SNDlib native";
    case TopologyFormat::kGraphml: return "GraphML";
  }
  XB_CHECK(false, static_cast<int>(format));
  return {};
}

Result<LoadedTopology> parse_any_topology(std::string_view text, const std::string& path,
                                          const ImportOptions& options) {
  if (text.size() > kTopologyOctetsMax) {
    return fail(ErrorCode::kBadInput, "{} is longer than {} octets", path, kTopologyOctetsMax);
  }
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    return fail(ErrorCode::kBadInput, "{} line {}: an octet 0: this is no text", path,
                1 + std::ranges::count(text.substr(0, zero), '\n'));
  }
  // Skips UTF-8's byte order mark, but no lines: they are counted from the start of the file.
  std::string_view body = text;
  if (body.starts_with("\xEF\xBB\xBF")) body.remove_prefix(3);
  const std::size_t first = std::min(body.find_first_not_of(" \t\r\n"), body.size());
  if (is_sndlib(body)) return loaded(parse_sndlib(body, path), TopologyFormat::kSndlib);
  if (body.substr(first).starts_with('<')) {
    return loaded(parse_graphml(body, path, options), TopologyFormat::kGraphml);
  }
  Result<Topology> topology = parse_topology(text, path);
  if (topology) return LoadedTopology{std::move(*topology), TopologyFormat::kToml, {}};
  if (named_as_toml(path)) return tl::make_unexpected(std::move(topology).error());
  // Refuses for both readings: the file may be TOML under another name, or of an unknown format.
  const std::string_view line = body.substr(first, body.find('\n', first) - first);
  return fail(topology.error().code,
              "{}; and it begins with '{}', not as SNDlib's native format ('{}') or GraphML ('<')",
              topology.error().text, shown(line), kSndlibMark);
}

Result<LoadedTopology> load_topology(const std::string& path, const ImportOptions& options) {
  const Result<std::string> text = read_file(path, kTopologyOctetsMax);
  if (!text) return tl::make_unexpected(text.error());
  return parse_any_topology(*text, path, options);
}

}  // namespace xbind
