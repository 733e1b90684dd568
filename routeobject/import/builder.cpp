#include "routeobject/import/builder.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <numeric>
#include <set>

#include "core/check.hpp"
#include "core/name.hpp"

namespace xbind {
namespace {

constexpr std::size_t kShownMax = 40;
constexpr std::size_t kNamesPerNote = 8;
constexpr std::size_t kFirstLinks = 3;
constexpr double kEarthRadiusKm = 6371.009;

double distance_km(Position a, Position b) {
  constexpr double kRadian = std::numbers::pi / 180;
  const double north = std::sin((b.latitude - a.latitude) * kRadian / 2);
  const double east = std::sin((b.longitude - a.longitude) * kRadian / 2);
  const double h =
      north * north + std::cos(a.latitude * kRadian) * std::cos(b.latitude * kRadian) * east * east;
  return 2 * kEarthRadiusKm * std::asin(std::sqrt(std::min(1.0, h)));
}

bool on_earth(Position at) { return std::abs(at.longitude) <= 180 && std::abs(at.latitude) <= 90; }

std::size_t part_of(std::vector<std::size_t>& parts, std::size_t node) {
  while (parts[node] != node) {
    parts[node] = parts[parts[node]];
    node = parts[node];
  }
  return node;
}

// Octets of the UTF-8 character at the front of `text`; 0: not UTF-8, or a control character.
std::size_t character_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return lead < 0x20 || lead == 0x7F ? 0 : 1;
  const std::size_t length = lead >= 0xF5   ? 0
                             : lead >= 0xF0 ? 4
                             : lead >= 0xE0 ? 3
                             : lead >= 0xC2 ? 2
                                            : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 0;
  }
  // Sequences of 3 and 4 octets that Unicode excludes: overlong forms, surrogates, above U+10FFFF.
  const auto second = static_cast<unsigned char>(text[1]);
  const bool wrong = (lead == 0xE0 && second < 0xA0) || (lead == 0xED && second >= 0xA0) ||
                     (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second >= 0x90) ||
                     (lead == 0xC2 && second < 0xA0);  // C1 controls
  return wrong ? 0 : length;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

std::string shown(std::string_view word) {
  std::string text;
  std::size_t at = 0;
  while (at < word.size() && text.size() < kShownMax) {
    const std::size_t length = character_length(word.substr(at));
    if (length == 0) {
      text += '?';
    } else if (text.size() + length > kShownMax) {
      break;
    } else {
      text += word.substr(at, length);
    }
    at += std::max<std::size_t>(length, 1);
  }
  if (at < word.size()) text += "...";
  return text;
}

std::string switch_name_of(std::string_view raw) {
  std::string name;
  for (char c : raw) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (letter) {
      name += c;
    } else if (!name.empty() && c == '.') {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
    if (name.size() == kNameOctetsMax) break;
  }
  while (!name.empty() && (name.back() == '-' || name.back() == '.')) name.pop_back();
  return name;
}

std::string topology_name_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  std::string stem = slash == std::string::npos ? path : path.substr(slash + 1);
  stem = stem.substr(0, stem.find_last_of('.'));
  std::string name = switch_name_of(stem);
  return name.empty() ? "imported" : name;
}

std::string TopologyBuilder::unique_name(std::string_view label) {
  std::string name = switch_name_of(label);
  if (name.empty()) name = fmt::format("node-{}", topology_.switches().size() + 1);
  if (!topology_.find(name)) return name;
  std::uint32_t& suffix = suffixes_.try_emplace(name, 1).first->second;
  for (;;) {
    const std::string end = fmt::format("-{}", ++suffix);
    const std::string made = name.substr(0, kNameOctetsMax - end.size()) + end;
    if (!topology_.find(made)) return made;
  }
}

Result<void> TopologyBuilder::add_node(const std::string& id, std::string_view label,
                                       std::size_t line, std::optional<Position> position) {
  if (const auto found = nodes_.find(id); found != nodes_.end()) {
    return refuse(line, "node '{}' is already in line {}", shown(id), found->second.line);
  }
  const std::string name = unique_name(label);
  const auto added = topology_.add_switch(name, true);
  if (!added) return refuse(line, "{}", added.error().text);
  nodes_.emplace(id, Node{*added, line});
  next_port_.push_back(kEndpointPort.value() + 1);
  positions_.push_back(position);
  if (label != name) renamed_.push_back(fmt::format("'{}' = {}", shown(label), name));
  return {};
}

Result<SwitchIndex> TopologyBuilder::node(std::string_view what, const std::string& id,
                                          std::size_t line) const {
  const auto found = nodes_.find(id);
  if (found != nodes_.end()) return found->second.index;
  return refuse(line, "{} names the node '{}', which is not there", what, shown(id));
}

Result<void> TopologyBuilder::add_link(std::string_view what, const std::string& from,
                                       const std::string& to, std::uint64_t cells_per_s,
                                       const std::string& why, std::size_t line) {
  LinkEnd ends[2];
  for (std::size_t i = 0; i < 2; ++i) {
    const auto index = node(what, i == 0 ? from : to, line);
    if (!index) return tl::make_unexpected(index.error());
    ends[i] = {*index, PortId{next_port_[*index]}};
  }
  if (ends[0].at == ends[1].at) {
    return refuse(line, "{} joins the node '{}' with itself", what, shown(from));
  }
  if (cells_per_s == 0) {
    return refuse(line, "{} has no capacity: {} is less than one cell a second", what, why);
  }
  const auto added = topology_.add_link(ends[0], ends[1], cells_per_s);
  if (!added) return refuse(line, "{}: {}", what, added.error().text);
  for (const LinkEnd& end : ends) ++next_port_[end.at];

  const auto [at, is_new] = rate_at_.try_emplace({why, cells_per_s}, rates_.size());
  if (is_new) rates_.push_back({why, cells_per_s, 0, {}});
  RateChoice& choice = rates_[at->second];
  ++choice.links;
  if (choice.first.size() < kFirstLinks) {
    choice.first.push_back(
        fmt::format("{} to {}", topology_.end_text(ends[0]), topology_.end_text(ends[1])));
  }
  return {};
}

Result<void> TopologyBuilder::add_demand(std::string_view what, const std::string& from,
                                         const std::string& to, double weight, std::size_t line) {
  const auto source = node(what, from, line);
  if (!source) return tl::make_unexpected(source.error());
  const auto target = node(what, to, line);
  if (!target) return tl::make_unexpected(target.error());
  if (*source == *target) {
    return refuse(line, "{} joins the node '{}' with itself", what, shown(from));
  }
  if (weight == 0) {
    ++demands_zero_;
    return {};
  }
  const auto added = topology_.add_demand(*source, *target, weight);
  if (!added) return refuse(line, "{}: {}", what, added.error().text);
  return {};
}

void TopologyBuilder::note(std::string text) {
  if (first_notes_.size() < kImportNotesMax) {
    first_notes_.push_back(std::move(text));
  } else {
    ++notes_over_;
  }
}

void TopologyBuilder::note_rates() {
  for (const RateChoice& choice : rates_) {
    notes_.push_back(fmt::format("{} link{}: {}: {} cells/s ({}{})", choice.links,
                                 choice.links == 1 ? "" : "s", choice.why, choice.cells_per_s,
                                 fmt::join(choice.first, ", "),
                                 choice.links > choice.first.size() ? ", ..." : ""));
  }
}

void TopologyBuilder::note_names() {
  for (std::size_t i = 0; i < renamed_.size(); i += kNamesPerNote) {
    const auto end = renamed_.begin() + std::min(i + kNamesPerNote, renamed_.size());
    notes_.push_back(fmt::format("switch names: {}", fmt::join(renamed_.begin() + i, end, ", ")));
  }
}

void TopologyBuilder::note_shape() {
  std::vector<std::size_t> parts(topology_.switches().size());
  std::iota(parts.begin(), parts.end(), std::size_t{0});
  std::size_t count = parts.size();
  std::size_t parallel = 0;
  std::set<std::pair<SwitchIndex, SwitchIndex>> joined;
  for (const TopologyLink& link : topology_.links()) {
    if (!joined.insert(std::minmax(link.a.at, link.b.at)).second) ++parallel;
    const std::size_t a = part_of(parts, link.a.at);
    const std::size_t b = part_of(parts, link.b.at);
    if (a == b) continue;
    parts[a] = b;
    --count;
  }
  if (parallel > 0) {
    notes_.push_back(
        fmt::format("{} link{} join{} two nodes that an earlier one joins: kept, beside each other",
                    parallel, parallel == 1 ? "" : "s", parallel == 1 ? "s" : ""));
  }
  if (count > 1) {
    std::size_t alone = part_of(parts, 0);
    for (std::size_t i = 1; i < parts.size(); ++i) {
      if (part_of(parts, i) == part_of(parts, 0)) continue;
      alone = i;
      break;
    }
    notes_.push_back(fmt::format("the graph has {} unconnected parts: {} cannot be reached from {}",
                                 count, topology_.switches()[alone].name,
                                 topology_.switches()[0].name));
  }
}

void TopologyBuilder::set_delays() {
  const bool any = std::ranges::any_of(positions_, [](const auto& at) { return at.has_value(); });
  if (!any) return;
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    if (!positions_[i] || on_earth(*positions_[i])) continue;
    notes_.push_back(fmt::format(
        "coordinates are no degrees ({} is at {}, {}): links get no delay from them",
        topology_.switches()[i].name, positions_[i]->longitude, positions_[i]->latitude));
    return;
  }
  std::size_t with = 0;
  for (std::size_t i = 0; i < topology_.links().size(); ++i) {
    const TopologyLink& link = topology_.links()[i];
    const auto& a = positions_[link.a.at];
    const auto& b = positions_[link.b.at];
    if (!a || !b) continue;
    const auto delay = static_cast<std::uint32_t>(std::lround(distance_km(*a, *b) * kDelayUsPerKm));
    XB_CHECK(topology_.set_link_delay(i, delay).has_value(), i, delay);
    ++with;
  }
  notes_.push_back(fmt::format("delay of {} of {} links: great-circle distance at {} us/km", with,
                               topology_.links().size(), kDelayUsPerKm));
}

Result<TopologyBuilder::Built> TopologyBuilder::finish(std::string_view what) {
  if (topology_.switches().empty()) {
    return fail(ErrorCode::kBadInput, "{}: there is no node", path_);
  }
  notes_.push_back(fmt::format("{}: {} nodes, {} links, {} demands; every node is an endpoint",
                               what, topology_.switches().size(), topology_.links().size(),
                               topology_.demands().size()));
  notes_.insert(notes_.end(), first_notes_.begin(), first_notes_.end());
  note_rates();
  note_shape();
  set_delays();
  if (demands_zero_ > 0) {
    notes_.push_back(
        fmt::format("{} demand{} of 0 left out", demands_zero_, demands_zero_ == 1 ? "" : "s"));
  }
  note_names();
  if (notes_.size() + notes_over_ > kImportNotesMax) {
    const std::size_t over = notes_.size() + notes_over_ - (kImportNotesMax - 1);
    notes_.resize(std::min(notes_.size(), kImportNotesMax - 1));
    notes_.push_back(fmt::format("{} more notes are left out", over));
  }
  // The file's words are safe for a terminal, except that some of their characters are invisible.
  for (std::string& text : notes_) text = printable(text, kNoteOctetsMax);
  return Built{std::move(topology_), std::move(notes_)};
}

}  // namespace xbind
