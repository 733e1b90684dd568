#include "routeobject/topology/topology_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <vector>

#include "core/config/toml_reader.hpp"
#include "core/read_file.hpp"

namespace xbind {
namespace {

using Line = toml::source_index;

// An end as the file writes it: "host-a:2", or "host-a" without the port.
struct EndText {
  SwitchIndex at = 0;
  std::optional<PortId> port;
};

struct LinkText {
  EndText ends[2];
  std::uint64_t cells_per_s = 0;
  MediaLine media;
  std::uint32_t delay_us = 0;
  bool rate_is_set = false;
  Line line = 0;
};

class TopologyReader : private config::TomlReader {
 public:
  TopologyReader(const toml::table& root, const std::string& path) : TomlReader(root, path) {}

  Result<Topology> read() {
    Result<void> done = read_root();
    if (done) done = read_switches();
    if (done) done = read_links();
    if (done) done = read_demands();
    if (!done) return tl::make_unexpected(std::move(done).error());
    return std::move(topology_);
  }

 private:
  Result<void> read_root() {
    if (root_.empty()) return fail(ErrorCode::kBadInput, "{}: the file is empty", path_);
    if (const auto good = only_keys(root_, {"name", "switch", "link", "demand"}, "a topology");
        !good) {
      return good;
    }
    if (!root_.contains("name")) {
      return fail(ErrorCode::kBadInput, "{}: the topology has no name", path_);
    }
    const Result<std::string> name = needed_string(root_, "name", "a topology");
    if (!name) return tl::make_unexpected(name.error());
    if (const auto fault = name_fault(*name)) {
      return refuse(root_.get("name")->source().begin.line, "{}", *fault);
    }
    topology_ = Topology(*name);
    return {};
  }

  Result<void> read_switches() {
    const auto found = tables("switch");
    if (!found) return tl::make_unexpected(found.error());
    if (found->empty()) return fail(ErrorCode::kBadInput, "{}: there is no [[switch]]", path_);
    for (const toml::table* table : *found) {
      if (const auto good = only_keys(
              *table, {"name", "endpoint", "kind", "media", "port-controller"}, "a switch");
          !good) {
        return good;
      }
      Result<std::string> name = needed_string(*table, "name", "a switch");
      if (!name) return tl::make_unexpected(name.error());
      bool endpoint = false;
      if (const toml::node* node = table->get("endpoint")) {
        if (!node->is_boolean()) {
          return refuse(node->source().begin.line, "'endpoint' of {} is neither true nor false",
                        *name);
        }
        endpoint = node->as_boolean()->get();
      }
      const auto kind = read_kind(*table, *name);
      if (!kind) return tl::make_unexpected(kind.error());
      const auto added = topology_.add_switch(std::move(*name), endpoint, *kind);
      if (!added) return refuse(table->get("name")->source().begin.line, "{}", added.error().text);
      if (const toml::node* node = table->get("media")) {
        if (const auto good = read_host_media(*node, *added); !good) return good;
      }
      if (const toml::node* node = table->get("port-controller")) {
        if (const auto good = read_port_controller(*node, *added); !good) return good;
      }
    }
    return {};
  }

  Result<SwitchKind> read_kind(const toml::table& table, std::string_view name) const {
    const toml::node* node = table.get("kind");
    if (node == nullptr) return SwitchKind::kEmulated;
    const auto kind = node->is_string() ? switch_kind_of(node->as_string()->get()) : std::nullopt;
    if (kind) return *kind;
    return refuse(node->source().begin.line, "'kind' of {} is neither \"emulated\" nor \"ovs\"",
                  name);
  }

  Result<void> read_host_media(const toml::node& node, SwitchIndex at) {
    const Line line = node.source().begin.line;
    if (!node.is_table()) {
      return refuse(line, "'media' of {} is no table: {{ cells = \"plain\" }}",
                    topology_.switches()[at].name);
    }
    const toml::table& table = *node.as_table();
    if (const auto good = only_keys(table, {"labels", "cells", "addresses", "label"}, "media");
        !good) {
      return good;
    }
    auto media = read_media(table, "media", topology_.switches()[at].kind);
    if (!media) return tl::make_unexpected(media.error());
    if (const auto set = topology_.set_host_media(at, std::move(*media)); !set) {
      return refuse(line, "{}", set.error().text);
    }
    return {};
  }

  Result<void> read_port_controller(const toml::node& node, SwitchIndex at) {
    const Line line = node.source().begin.line;
    if (!node.is_string()) {
      return refuse(line, "'port-controller' of {} is no string", topology_.switches()[at].name);
    }
    const auto set = topology_.set_port_controller(at, node.as_string()->get());
    return set ? Result<void>{} : refuse(line, "{}", set.error().text);
  }

  // The keys labels, cells, addresses and label of a link or of a switch's media.
  // `kind`: kOvs if one of the line's switches is of that kind.
  Result<MediaLine> read_media(const toml::table& table, std::string_view what,
                               SwitchKind kind) const {
    MediaLine media = kind == SwitchKind::kOvs ? frames_line() : MediaLine{};
    if (const toml::node* node = table.get("labels")) {
      const std::string* word = node->is_string() ? &node->as_string()->get() : nullptr;
      if (word == nullptr || (*word != "atm" && *word != "mpls")) {
        return refuse(node->source().begin.line, "'labels' of {} is neither \"atm\" nor \"mpls\"",
                      what);
      }
      media.labels = *word == "mpls" ? LabelKind::kMpls : LabelKind::kAtm;
    }
    if (kind != SwitchKind::kOvs) media.cells = default_cells(media.labels);
    if (const toml::node* node = table.get("cells")) {
      const auto form = node->is_string() ? cells_form_of(node->as_string()->get()) : std::nullopt;
      if (!form) {
        return refuse(node->source().begin.line,
                      "'cells' of {} is none of \"mpls\", \"plain\", \"ring\", \"none\", "
                      "\"lsp\", \"frames\"",
                      what);
      }
      media.cells = *form;
      if (*form == CellsForm::kFrames && !table.contains("labels")) media.labels = LabelKind::kMpls;
    }
    if (const toml::node* node = table.get("addresses")) {
      const toml::array* ends = node->as_array();
      if (ends == nullptr || ends->size() != 2 || !(*ends)[0].is_string() ||
          !(*ends)[1].is_string()) {
        return refuse(node->source().begin.line,
                      "'addresses' of {} is not two strings: [\"127.0.0.1:6635\", "
                      "\"127.0.0.2:6635\"]",
                      what);
      }
      media.addresses = {(*ends)[0].as_string()->get(), (*ends)[1].as_string()->get()};
    }
    if (const toml::node* node = table.get("label")) {
      const toml::value<std::int64_t>* number = node->as_integer();
      if (number == nullptr || number->get() < kMplsLabelMin || number->get() > kMplsLabelMax) {
        return refuse(node->source().begin.line, "'label' of {} is not a whole number of {} to {}",
                      what, kMplsLabelMin, kMplsLabelMax);
      }
      media.label = static_cast<std::uint32_t>(number->get());
    }
    return media;
  }

  Result<SwitchIndex> switch_named(std::string_view name, Line line) const {
    if (const auto index = topology_.find(name)) return *index;
    return refuse(line, "there is no switch '{}'", name);
  }

  Result<EndText> read_end(const toml::node& node) const {
    const Line line = node.source().begin.line;
    if (!node.is_string()) return refuse(line, "an end of 'between' is not a string");
    const std::string& text = node.as_string()->get();
    const std::size_t colon = text.find(':');
    const auto at = switch_named(std::string_view{text}.substr(0, colon), line);
    if (!at) return tl::make_unexpected(at.error());
    if (colon == std::string::npos) return EndText{*at, std::nullopt};
    std::uint32_t port = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data() + colon + 1, last, port);
    if (error != std::errc{} || end != last || port == 0 || port > kPortsMax) {
      return refuse(line, "'{}' has no port of 1 to {} after its colon", text, kPortsMax);
    }
    return EndText{*at, PortId{port}};
  }

  Result<LinkText> read_link(const toml::table& table) const {
    if (const auto good = only_keys(table,
                                    {"between", "cells-per-s", "rate-is-set", "delay-us", "labels",
                                     "cells", "addresses", "label"},
                                    "a link");
        !good) {
      return tl::make_unexpected(good.error());
    }
    LinkText link;
    link.line = table.source().begin.line;
    const auto between = needed(table, "between", "a link");
    if (!between) return tl::make_unexpected(between.error());
    const toml::array* ends = (*between)->as_array();
    if (ends == nullptr || ends->size() != 2) {
      return refuse((*between)->source().begin.line,
                    "'between' is not two ends: [\"host-a:2\", \"switch-1\"]");
    }
    for (std::size_t i = 0; i < 2; ++i) {
      const auto end = read_end((*ends)[i]);
      if (!end) return tl::make_unexpected(end.error());
      link.ends[i] = *end;
    }
    const auto rate = needed(table, "cells-per-s", "a link");
    if (!rate) return tl::make_unexpected(rate.error());
    const toml::value<std::int64_t>* number = (*rate)->as_integer();
    if (number == nullptr || number->get() < 0) {
      return refuse((*rate)->source().begin.line,
                    "'cells-per-s' of a link is not a whole number of 1 to {}", kLinkCellsPerSMax);
    }
    link.cells_per_s = static_cast<std::uint64_t>(number->get());
    if (const toml::node* node = table.get("delay-us")) {
      const toml::value<std::int64_t>* delay = node->as_integer();
      if (delay == nullptr || delay->get() < 0 || delay->get() > kLinkDelayUsMax) {
        return refuse(node->source().begin.line,
                      "'delay-us' of a link is not a whole number of 0 to {}", kLinkDelayUsMax);
      }
      link.delay_us = static_cast<std::uint32_t>(delay->get());
    }
    if (const toml::node* node = table.get("rate-is-set")) {
      if (!node->is_boolean()) {
        return refuse(node->source().begin.line,
                      "'rate-is-set' of a link is neither true nor false");
      }
      link.rate_is_set = node->as_boolean()->get();
    }
    const auto& switches = topology_.switches();
    const bool ovs = std::ranges::any_of(link.ends, [&switches](const EndText& end) {
      return switches[end.at].kind == SwitchKind::kOvs;
    });
    auto media = read_media(table, "a link", ovs ? SwitchKind::kOvs : SwitchKind::kEmulated);
    if (!media) return tl::make_unexpected(media.error());
    link.media = std::move(*media);
    return link;
  }

  Result<void> read_links() {
    const auto found = tables("link");
    if (!found) return tl::make_unexpected(found.error());
    std::vector<LinkText> links;
    std::set<LinkEnd> named;  // ports that links of the file name: not assigned automatically
    for (const toml::table* table : *found) {
      const auto link = read_link(*table);
      if (!link) return tl::make_unexpected(link.error());
      for (const EndText& end : link->ends) {
        if (end.port) named.insert({end.at, *end.port});
      }
      links.push_back(*link);
    }
    std::vector<std::uint32_t> next_port;  // per switch; no lower port is left to assign
    for (const TopologySwitch& at : topology_.switches()) next_port.push_back(at.endpoint ? 2 : 1);
    for (const LinkText& link : links) {
      LinkEnd ends[2];
      for (std::size_t i = 0; i < 2; ++i) {
        ends[i].at = link.ends[i].at;
        std::uint32_t& next = next_port[ends[i].at];
        while (!link.ends[i].port && named.contains({ends[i].at, PortId{next}})) ++next;
        ends[i].port = link.ends[i].port.value_or(PortId{next});
        if (!link.ends[i].port) ++next;
      }
      const auto added = topology_.add_link(ends[0], ends[1], link.cells_per_s);
      if (!added) return refuse(link.line, "{}", added.error().text);
      if (const auto set = topology_.set_link_media(*added, link.media); !set) {
        return refuse(link.line, "{}", set.error().text);
      }
      if (const auto set = topology_.set_link_delay(*added, link.delay_us); !set) {
        return refuse(link.line, "{}", set.error().text);
      }
      topology_.mark_rate_set(*added, link.rate_is_set);
    }
    return {};
  }

  Result<void> read_demands() {
    const auto found = tables("demand");
    if (!found) return tl::make_unexpected(found.error());
    for (const toml::table* table : *found) {
      if (const auto good = only_keys(*table, {"from", "to", "weight"}, "a demand"); !good) {
        return good;
      }
      SwitchIndex ends[2];
      for (std::size_t i = 0; i < 2; ++i) {
        const char* const key = i == 0 ? "from" : "to";
        const auto name = needed_string(*table, key, "a demand");
        if (!name) return tl::make_unexpected(name.error());
        const auto index = switch_named(*name, table->get(key)->source().begin.line);
        if (!index) return tl::make_unexpected(index.error());
        ends[i] = *index;
      }
      double weight = 1.0;
      if (const toml::node* node = table->get("weight")) {
        if (!node->is_number()) {
          return refuse(node->source().begin.line, "'weight' of a demand is not a number");
        }
        weight = *node->value<double>();
      }
      const auto added = topology_.add_demand(ends[0], ends[1], weight);
      if (!added) return refuse(table->source().begin.line, "{}", added.error().text);
    }
    return {};
  }

  Topology topology_;
};

}  // namespace

Result<Topology> parse_topology(std::string_view text, const std::string& path) {
  const auto root = config::parse_toml(text, path, kTopologyOctetsMax);
  if (!root) return tl::make_unexpected(root.error());
  return TopologyReader(*root, path).read();
}

Result<Topology> read_topology_file(const std::string& path) {
  const Result<std::string> text = read_file(path, kTopologyOctetsMax);
  if (!text) return tl::make_unexpected(text.error());
  return parse_topology(*text, path);
}

}  // namespace xbind
