#include "routeobject/import/graphml.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <pugixml.hpp>
#include <set>
#include <tuple>
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

// All text of a node and its children, CDATA pieces joined; check_depth() has bounded the tree.
std::string_view text_of(const pugi::xml_node& node) { return trimmed(node.text().get()); }

// The data that are read, by attr.name.
bool is_used(std::string_view name) {
  constexpr std::string_view kUsed[] = {"label",     "Longitude",      "Latitude", "LinkSpeedRaw",
                                        "LinkSpeed", "LinkSpeedUnits", "LinkLabel"};
  return std::ranges::find(kUsed, name) != std::end(kUsed);
}

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
    const std::string name = key.attribute("attr.name").value();
    if (!keys_.emplace(id, name).second) {
      return builder_.refuse(line_of(key), "key '{}' is there twice", shown(id));
    }
    const std::string_view domain = key.attribute("for").value();
    for (const pugi::xml_node& child : key.children()) {
      const std::string_view text = text_of(child);
      if (local_name(child) != "default" || text.empty() || !is_used(name)) continue;
      for (const char* const element : {"node", "edge"}) {
        if (!domain.empty() && domain != "all" && domain != element) continue;
        const auto [at, is_new] = defaults_[element].emplace(name, Default{id, std::string(text)});
        if (is_new) continue;
        return builder_.refuse(line_of(child), "keys '{}' and '{}' both have a default of '{}'",
                               shown(at->second.key), shown(id), shown(name));
      }
    }
    return {};
  }

  Result<void> read_graph(const pugi::xml_node& graph) {
    directed_ = std::string_view(graph.attribute("edgedefault").value()) == "directed";
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
    note_edges();
    return {};
  }

  void note_edges() {
    if (directed_edges_ > 0) {
      builder_.note(fmt::format("{} edge{} directed: a link carries both ways all the same",
                                directed_edges_, directed_edges_ == 1 ? " is" : "s are"));
    }
    if (against_ > 0) {
      builder_.note(
          fmt::format("{} directed edge{} against an earlier one of the same two nodes: "
                      "kept as a link of its own",
                      against_, against_ == 1 ? " runs" : "s run"));
    }
    if (undeclared_ > 0) {
      builder_.note(fmt::format("{} data of keys that are not declared, '{}' the first: ignored",
                                undeclared_, shown(first_undeclared_)));
    }
  }

  // The data of a node or an edge: text by name.
  class Data {
   public:
    // Empty if there is none.
    std::string_view operator[](std::string_view name) const {
      const auto found = texts_.find(name);
      return found == texts_.end() ? std::string_view{} : found->second;
    }
    // False if there is a different text of this name.
    bool add(std::string_view name, std::string_view text) {
      const auto [at, is_new] = texts_.emplace(name, text);
      return is_new || at->second == text;
    }

   private:
    std::map<std::string_view, std::string_view, std::less<>> texts_;
  };

  // `what` names the element in refusals.
  Result<Data> data_of(const pugi::xml_node& element, const std::string& what) {
    Data data;
    std::set<std::string_view> given;
    for (const pugi::xml_node& child : element.children()) {
      if (local_name(child) != "data") continue;
      const std::string_view id = child.attribute("key").value();
      const auto key = keys_.find(std::string(id));
      if (key == keys_.end()) {
        if (++undeclared_ == 1) first_undeclared_ = id;
        continue;
      }
      if (!is_used(key->second)) continue;
      given.insert(key->first);
      const std::string_view text = text_of(child);
      if (text.empty() || data.add(key->second, text)) continue;
      return builder_.refuse(line_of(child), "{} has the data '{}' twice: '{}' and '{}'", what,
                             shown(key->second), shown(data[key->second]), shown(text));
    }
    const auto defaults = defaults_.find(local_name(element));
    if (defaults == defaults_.end()) return data;
    for (const auto& [name, otherwise] : defaults->second) {
      // An empty element of this key is data: that the node or edge has no text.
      if (!given.contains(otherwise.key) && data[name].empty()) data.add(name, otherwise.text);
    }
    return data;
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
    const Result<Data> data = data_of(node, fmt::format("node '{}'", shown(id)));
    if (!data) return tl::make_unexpected(data.error());
    std::string_view label = (*data)["label"];
    if (label.empty()) label = drawn_label(node);
    if (label.empty()) label = id;
    std::optional<Position> position;
    const std::string_view longitude = (*data)["Longitude"];
    const std::string_view latitude = (*data)["Latitude"];
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
    const auto [first, is_new] = edges_.emplace(std::tuple(from, to, id), line);
    if (!is_new && !id.empty()) {
      return builder_.refuse(line, "{} from '{}' to '{}' is already in line {}", what, shown(from),
                             shown(to), first->second);
    }
    const std::string_view directed = edge.attribute("directed").value();
    if (directed == "true" || (directed_ && directed != "false")) {
      ++directed_edges_;
      if (joined_.contains(std::pair(to, from))) ++against_;
      joined_.emplace(from, to);
    }
    const Result<Data> data = data_of(edge, what);
    if (!data) return tl::make_unexpected(data.error());
    const Result<Rate> rate = rate_of(*data, what, line);
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

  // Of LinkSpeed and LinkSpeedUnits; nullopt if they state no rate.
  static std::optional<double> bits_of_speed(std::string_view speed, std::string_view units) {
    const auto number = number_of(speed);
    const std::size_t power = std::string_view("KMGTkmgt").find(units);
    if (number && units.size() == 1 && power != std::string_view::npos) {
      return *number * std::pow(1000.0, static_cast<double>(power % 4 + 1));
    }
    return std::nullopt;
  }

  Result<Rate> rate_of(const Data& data, const std::string& what, std::size_t line) const {
    const std::string_view speed = data["LinkSpeed"];
    const std::string_view units = data["LinkSpeedUnits"];
    const auto bits_of_pair = bits_of_speed(speed, units);
    if (const std::string_view raw = data["LinkSpeedRaw"]; !raw.empty()) {
      const auto bits = number_of(raw);
      if (!bits) {
        return builder_.refuse(line, "{}: LinkSpeedRaw '{}' is no number", what, shown(raw));
      }
      std::string why = fmt::format("LinkSpeedRaw {} bit/s", shown(raw));
      // A millionth is the rounding of a writer.
      if (bits_of_pair && std::abs(*bits_of_pair - *bits) > *bits * 1e-6) {
        why += fmt::format(", against LinkSpeed {} {}bit/s", shown(speed), units);
      }
      return rate_of_bits(*bits, std::move(why), what, line);
    }
    std::string passed_over;
    if (bits_of_pair) {
      return rate_of_bits(*bits_of_pair, fmt::format("LinkSpeed {} {}bit/s", shown(speed), units),
                          what, line);
    }
    if (!speed.empty()) {
      passed_over = fmt::format("LinkSpeed '{}' with units '{}'", shown(speed), shown(units));
      const RateInText found = rate_in_text(fmt::format("{} {}", speed, units));
      if (found.kind == RateInText::Kind::kStated) {
        return Rate{found.cells_per_s, fmt::format("{}, as {}", passed_over, found.words)};
      }
    }
    for (const char* const name : {"LinkLabel", "label"}) {
      const std::string_view label = data[name];
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
  struct Default {
    std::string key;
    std::string text;
  };

  std::unordered_map<std::string, std::string> keys_;  // id to attr.name
  // Of "node" and "edge": defaults by attr.name.
  std::map<std::string, std::map<std::string, Default>, std::less<>> defaults_;
  bool directed_ = false;  // edgedefault
  std::map<std::tuple<std::string, std::string, std::string_view>, std::size_t> edges_;  // lines
  std::set<std::pair<std::string, std::string>> joined_;  // by directed edges
  std::size_t directed_edges_ = 0;
  std::size_t against_ = 0;  // directed edges whose two nodes are joined the other way, too
  std::size_t undeclared_ = 0;
  std::string first_undeclared_;
};

}  // namespace

Result<TopologyBuilder::Built> parse_graphml(std::string_view text, const std::string& path,
                                             const ImportOptions& options) {
  return GraphmlReader(text, path, options).read();
}

}  // namespace xbind
