#include "routeobject/import/graphml.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <pugixml.hpp>
#include <unordered_map>

#include "routeobject/import/link_rate.hpp"

namespace xbind {
namespace {

// The name without its prefix: "y:NodeLabel" is "NodeLabel".
std::string_view local_name(const pugi::xml_node& node) {
  const std::string_view name = node.name();
  const std::size_t colon = name.find(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

// All text of a node and its children, CDATA pieces joined; check_depth() has bounded the tree.
std::string_view text_of(const pugi::xml_node& node) { return trimmed(node.text().get()); }

class GraphmlReader {
 public:
  GraphmlReader(std::string_view text, const std::string& path, const ImportOptions& options)
      : text_(text), options_(options), builder_(path) {
    for (std::size_t at = text.find('\n'); at != std::string_view::npos;
         at = text.find('\n', at + 1)) {
      line_ends_.push_back(at);
    }
  }

  Result<TopologyBuilder::Built> read() {
    Result<void> done = parse();
    if (done) done = check_depth();
    if (done) done = read_root();
    if (!done) return tl::make_unexpected(std::move(done).error());
    return builder_.finish("GraphML");
  }

 private:
  std::size_t line_at(std::size_t offset) const {
    return 1 + static_cast<std::size_t>(std::ranges::lower_bound(line_ends_, offset) -
                                        line_ends_.begin());
  }
  std::size_t line_of(const pugi::xml_node& node) const {
    const std::ptrdiff_t offset = node.offset_debug();
    return line_at(offset < 0 ? 0 : static_cast<std::size_t>(offset));
  }

  Result<void> parse() {
    std::size_t marks = 0;
    for (std::size_t i = 0; i < text_.size(); ++i) {
      if (text_[i] != '<' && text_[i] != '=') continue;
      if (++marks > kXmlMarksMax) {
        return builder_.refuse(line_at(i), "more than {} marks of XML", kXmlMarksMax);
      }
    }
    const pugi::xml_parse_result result = document_.load_buffer(
        text_.data(), text_.size(), pugi::parse_default | pugi::parse_doctype, pugi::encoding_utf8);
    if (result) return {};
    const auto offset = static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0));
    return builder_.refuse(line_at(offset), "not well-formed XML: {}", result.description());
  }

  // Iterative, not recursive: the file determines the depth.
  Result<void> check_depth() const {
    std::size_t depth = 0;
    pugi::xml_node node = document_.first_child();
    while (node) {
      if (node.type() == pugi::node_doctype) {
        return builder_.refuse(line_of(node),
                               "the file declares a document type: entities are not expanded");
      }
      if (const pugi::xml_node child = node.first_child()) {
        node = child;
        if (++depth > kXmlDepthMax) {
          return builder_.refuse(line_of(node), "elements are nested more than {} deep",
                                 kXmlDepthMax);
        }
        continue;
      }
      while (depth > 0 && !node.next_sibling()) {
        node = node.parent();
        --depth;
      }
      node = node.next_sibling();
    }
    return {};
  }

  Result<void> read_root() {
    const pugi::xml_node root = document_.document_element();
    if (local_name(root) != "graphml") {
      return builder_.refuse(
          line_of(root), "XML with the root <{}> is not read, only <graphml>{}", shown(root.name()),
          local_name(root) == "network" ? "; of SNDlib the native format is read, not the XML one"
                                        : "");
    }
    pugi::xml_node graph;
    for (const pugi::xml_node& child : root.children()) {
      if (local_name(child) == "key") {
        if (const auto read = read_key(child); !read) return read;
      } else if (local_name(child) == "graph") {
        if (graph) {
          return builder_.refuse(line_of(child), "a second graph; the first begins in line {}",
                                 line_of(graph));
        }
        graph = child;
      }
    }
    if (!graph) return builder_.refuse(line_of(root), "<graphml> has no <graph>");
    return read_graph(graph);
  }

  Result<void> read_key(const pugi::xml_node& key) {
    const std::string id = key.attribute("id").value();
    if (id.empty()) return builder_.refuse(line_of(key), "a <key> has no id");
    if (!keys_.emplace(id, key.attribute("attr.name").value()).second) {
      return builder_.refuse(line_of(key), "key '{}' is there twice", shown(id));
    }
    return {};
  }

  Result<void> read_graph(const pugi::xml_node& graph) {
    if (std::string_view(graph.attribute("edgedefault").value()) == "directed") {
      builder_.note("edgedefault is 'directed': links carry both ways all the same");
    }
    builder_.note("GraphML has no demands: every pair is equally likely");
    // Nodes first: an edge may stand before the nodes it joins.
    for (const pugi::xml_node& child : graph.children()) {
      if (local_name(child) == "hyperedge") {
        return builder_.refuse(line_of(child), "a hyperedge is no link of two ends");
      }
      if (local_name(child) != "node") continue;
      if (const auto read = read_node(child); !read) return read;
    }
    for (const pugi::xml_node& child : graph.children()) {
      if (local_name(child) != "edge") continue;
      if (const auto read = read_edge(child); !read) return read;
    }
    return {};
  }

  // The text of the data whose key has this name; empty if there is none.
  std::string_view data(const pugi::xml_node& of, std::string_view name) const {
    for (const pugi::xml_node& child : of.children()) {
      if (local_name(child) != "data") continue;
      const auto key = keys_.find(child.attribute("key").value());
      if (key == keys_.end() || key->second != name) continue;
      if (const std::string_view text = text_of(child); !text.empty()) return text;
    }
    return {};
  }

  // The label that yEd draws beside a node.
  static std::string_view drawn_label(const pugi::xml_node& node) {
    const pugi::xml_node label = node.find_node([](const pugi::xml_node& below) {
      return local_name(below) == "NodeLabel" && !text_of(below).empty();
    });
    return label ? text_of(label) : std::string_view{};
  }

  Result<void> read_node(const pugi::xml_node& node) {
    const std::size_t line = line_of(node);
    const std::string id = node.attribute("id").value();
    if (id.empty()) return builder_.refuse(line, "a <node> has no id");
    for (const pugi::xml_node& child : node.children()) {
      if (local_name(child) == "graph") {
        return builder_.refuse(line_of(child), "node '{}' holds a graph of its own", shown(id));
      }
    }
    std::string_view label = data(node, "label");
    if (label.empty()) label = drawn_label(node);
    if (label.empty()) label = id;
    std::optional<Position> position;
    const std::string_view longitude = data(node, "Longitude");
    const std::string_view latitude = data(node, "Latitude");
    if (!longitude.empty() && !latitude.empty()) {
      const auto east = number_of(longitude);
      const auto north = number_of(latitude);
      if (!east || !north) {
        return builder_.refuse(line, "the position of node '{}' is no two numbers: '{}', '{}'",
                               shown(id), shown(longitude), shown(latitude));
      }
      position = Position{*east, *north};
    }
    return builder_.add_node(id, label, line, position);
  }

  struct Rate {
    std::uint64_t cells_per_s = 0;
    std::string why;
  };

  Result<void> read_edge(const pugi::xml_node& edge) {
    const std::size_t line = line_of(edge);
    const std::string from = edge.attribute("source").value();
    const std::string to = edge.attribute("target").value();
    const std::string_view id = edge.attribute("id").value();
    const std::string what = id.empty()
                                 ? fmt::format("the edge '{}' to '{}'", shown(from), shown(to))
                                 : fmt::format("edge '{}'", shown(id));
    if (from.empty() || to.empty()) {
      return builder_.refuse(line, "{} lacks a source or a target", what);
    }
    const Result<Rate> rate = rate_of(edge, what, line);
    if (!rate) return tl::make_unexpected(rate.error());
    return builder_.add_link(what, from, to, rate->cells_per_s, rate->why, line);
  }

  Result<Rate> rate_of_bits(double bits_per_s, std::string why, const std::string& what,
                            std::size_t line) const {
    const auto cells = cells_per_s_of_bits(bits_per_s);
    if (cells) return Rate{*cells, std::move(why)};
    return builder_.refuse(line, "{}: {} is not from 1 to {} cells/s", what, why,
                           kLinkCellsPerSMax);
  }

  Result<Rate> rate_of(const pugi::xml_node& edge, const std::string& what,
                       std::size_t line) const {
    if (const std::string_view raw = data(edge, "LinkSpeedRaw"); !raw.empty()) {
      const auto bits = number_of(raw);
      if (!bits) {
        return builder_.refuse(line, "{}: LinkSpeedRaw '{}' is no number", what, shown(raw));
      }
      return rate_of_bits(*bits, fmt::format("LinkSpeedRaw {} bit/s", shown(raw)), what, line);
    }
    std::string passed_over;
    if (const std::string_view speed = data(edge, "LinkSpeed"); !speed.empty()) {
      const std::string_view units = data(edge, "LinkSpeedUnits");
      const auto number = number_of(speed);
      const std::size_t power = std::string_view("KMGT").find(units);
      if (number && units.size() == 1 && power != std::string_view::npos) {
        return rate_of_bits(*number * std::pow(1000.0, static_cast<double>(power + 1)),
                            fmt::format("LinkSpeed {} {}bit/s", shown(speed), units), what, line);
      }
      passed_over = fmt::format("LinkSpeed '{}' with units '{}'", shown(speed), shown(units));
    }
    for (const char* const name : {"LinkLabel", "label"}) {
      const std::string_view label = data(edge, name);
      if (label.empty()) continue;
      RateInText found = rate_in_text(label);
      if (found.kind == RateInText::Kind::kStated) {
        return Rate{found.cells_per_s, fmt::format("label '{}', as {}", shown(label), found.words)};
      }
      if (passed_over.empty()) passed_over = fmt::format("label '{}'", shown(label));
    }
    return rate_of_bits(
        options_.default_rate_mbits * 1e6,
        fmt::format("{} states no rate, so --default-rate {} Mbit/s",
                    passed_over.empty() ? "the file" : passed_over, options_.default_rate_mbits),
        what, line);
  }

  std::string_view text_;
  const ImportOptions& options_;
  TopologyBuilder builder_;
  std::vector<std::size_t> line_ends_;
  pugi::xml_document document_;
  std::unordered_map<std::string, std::string> keys_;  // id to attr.name
};

}  // namespace

Result<TopologyBuilder::Built> parse_graphml(std::string_view text, const std::string& path,
                                             const ImportOptions& options) {
  return GraphmlReader(text, path, options).read();
}

}  // namespace xbind
