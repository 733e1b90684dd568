#include "routeobject/topology/topology.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/check.hpp"
#include "core/name.hpp"
#include "dataplane/port_controller_profile.hpp"

namespace xbind {
namespace {

constexpr std::array<std::string_view, 2> kKinds{"emulated", "ovs"};

bool name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

}  // namespace

std::optional<std::string> name_fault(std::string_view name) {
  if (name.empty()) return "a name cannot be empty";
  if (name.size() > kNameOctetsMax) {
    return fmt::format("name '{}' has {} characters, the most is {}", printable(name, 40),
                       name.size(), kNameOctetsMax);
  }
  if (!name_start(name.front())) {
    return fmt::format("name '{}' does not begin with a lower-case letter or a digit",
                       printable(name));
  }
  for (char c : name) {
    if (name_start(c) || c == '.' || c == '-') continue;
    return fmt::format("name '{}' has a '{}': only a-z, 0-9, '.' and '-' are allowed",
                       printable(name), printable({&c, 1}));
  }
  return std::nullopt;
}

std::string_view to_string(SwitchKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

std::optional<SwitchKind> switch_kind_of(std::string_view word) {
  const auto found = std::ranges::find(kKinds, word);
  if (found == kKinds.end()) return std::nullopt;
  return static_cast<SwitchKind>(found - kKinds.begin());
}

Result<SwitchIndex> Topology::add_switch(std::string name, bool endpoint, SwitchKind kind) {
  if (const auto fault = name_fault(name)) return fail(ErrorCode::kBadInput, "{}", *fault);
  if (index_of_.contains(name)) {
    return fail(ErrorCode::kBadInput, "switch '{}' is already there", name);
  }
  if (switches_.size() == kSwitchesMax) {
    return fail(ErrorCode::kExhausted, "switch '{}' is one more than {}", name, kSwitchesMax);
  }
  const auto index = static_cast<SwitchIndex>(switches_.size());
  index_of_.emplace(name, index);
  const MediaLine media = kind == SwitchKind::kOvs ? frames_line() : MediaLine{};
  switches_.push_back({std::move(name), endpoint, 1, media, kind});
  return index;
}

Result<void> Topology::check_end(LinkEnd end) const {
  if (end.at >= switches_.size()) {
    return fail(ErrorCode::kNotFound, "switch number {} is not there, {} are", end.at,
                switches_.size());
  }
  if (end.port.value() == 0 || end.port.value() > kPortsMax) {
    return fail(ErrorCode::kBadInput, "port {} of {} is not in 1 to {}", end.port,
                switches_[end.at].name, kPortsMax);
  }
  if (switches_[end.at].endpoint && end.port == kEndpointPort) {
    return fail(ErrorCode::kBadInput, "port 1 of {} is its endpoint's, links begin at port 2",
                switches_[end.at].name);
  }
  if (const auto taken = link_at_.find(end); taken != link_at_.end()) {
    const TopologyLink& link = links_[taken->second];
    return fail(ErrorCode::kBadInput, "port {} of {} already has the link {} to {}", end.port,
                switches_[end.at].name, end_text(link.a), end_text(link.b));
  }
  return {};
}

Result<std::size_t> Topology::add_link(LinkEnd a, LinkEnd b, std::uint64_t cells_per_s) {
  for (const LinkEnd end : {a, b}) {
    if (const Result<void> good = check_end(end); !good) return tl::make_unexpected(good.error());
  }
  if (a.at == b.at) {
    return fail(ErrorCode::kBadInput, "the link {} to {} joins a switch with itself", end_text(a),
                end_text(b));
  }
  if (cells_per_s == 0 || cells_per_s > kLinkCellsPerSMax) {
    return fail(ErrorCode::kBadInput, "{} cells/s of the link {} to {} is not in 1 to {}",
                cells_per_s, end_text(a), end_text(b), kLinkCellsPerSMax);
  }
  const std::size_t index = links_.size();
  if (index == kLinksMax) {
    return fail(ErrorCode::kExhausted, "the link {} to {} is one more than {}", end_text(a),
                end_text(b), kLinksMax);
  }
  links_.push_back({a, b, cells_per_s});
  if (carries_frames(links_.back())) links_.back().media = frames_line();
  for (const LinkEnd end : {a, b}) {
    link_at_.emplace(end, index);
    std::uint32_t& ports = switches_[end.at].ports;
    ports = std::max(ports, end.port.value());
  }
  return index;
}

Result<void> Topology::add_demand(SwitchIndex from, SwitchIndex to, double weight) {
  for (const SwitchIndex end : {from, to}) {
    if (end >= switches_.size()) {
      return fail(ErrorCode::kNotFound, "switch number {} is not there, {} are", end,
                  switches_.size());
    }
    if (!switches_[end].endpoint) {
      return fail(ErrorCode::kBadInput, "{} is no endpoint, calls neither start nor end there",
                  switches_[end].name);
    }
  }
  if (from == to) {
    return fail(ErrorCode::kBadInput, "the demand from {} to itself joins nothing",
                switches_[from].name);
  }
  if (!std::isfinite(weight) || weight <= 0) {
    return fail(ErrorCode::kBadInput, "weight {} from {} to {} is not above zero", weight,
                switches_[from].name, switches_[to].name);
  }
  if (demands_.size() == kDemandsMax) {
    return fail(ErrorCode::kExhausted, "the demand from {} to {} is one more than {}",
                switches_[from].name, switches_[to].name, kDemandsMax);
  }
  demands_.push_back({from, to, weight});
  return {};
}

Result<void> Topology::set_host_media(SwitchIndex at, MediaLine line) {
  if (at >= switches_.size()) {
    return fail(ErrorCode::kNotFound, "switch number {} is not there, {} are", at,
                switches_.size());
  }
  if (!switches_[at].endpoint) {
    return fail(ErrorCode::kBadInput, "{} is no endpoint, it has no line to a host",
                switches_[at].name);
  }
  auto fault = media_line_fault(line);
  if (!fault && switches_[at].kind == SwitchKind::kOvs) fault = frames_line_fault(line);
  if (fault) {
    return fail(ErrorCode::kBadInput, "the media of {}: {}", switches_[at].name, *fault);
  }
  switches_[at].media = std::move(line);
  return {};
}

Result<void> Topology::set_port_controller(SwitchIndex at, std::string profile) {
  if (at >= switches_.size()) {
    return fail(ErrorCode::kNotFound, "switch number {} is not there, {} are", at,
                switches_.size());
  }
  if (switches_[at].kind != SwitchKind::kEmulated) {
    return fail(ErrorCode::kBadInput, "{} is of kind {}, its ports have no controllers",
                switches_[at].name, to_string(switches_[at].kind));
  }
  if (const auto read = dataplane::parse_port_controller(profile); !read) {
    return fail(ErrorCode::kBadInput, "the port controllers of {}: {}", switches_[at].name,
                read.error().text);
  }
  switches_[at].port_controller = std::move(profile);
  return {};
}

Result<void> Topology::set_link_media(std::size_t link, MediaLine line) {
  if (link >= links_.size()) {
    return fail(ErrorCode::kNotFound, "link number {} is not there, {} are", link, links_.size());
  }
  auto fault = media_line_fault(line);
  if (!fault && carries_frames(links_[link])) fault = frames_line_fault(line);
  if (!fault) fault = link_line_fault(line);
  if (fault) {
    return fail(ErrorCode::kBadInput, "the link {} to {}: {}", end_text(links_[link].a),
                end_text(links_[link].b), *fault);
  }
  links_[link].media = std::move(line);
  return {};
}

bool Topology::carries_frames(const TopologyLink& link) const {
  return switches_[link.a.at].kind == SwitchKind::kOvs ||
         switches_[link.b.at].kind == SwitchKind::kOvs;
}

Result<void> Topology::set_link_delay(std::size_t link, std::uint32_t delay_us) {
  if (link >= links_.size()) {
    return fail(ErrorCode::kNotFound, "link number {} is not there, {} are", link, links_.size());
  }
  if (delay_us > kLinkDelayUsMax) {
    return fail(ErrorCode::kBadInput, "{} us on the link {} to {} is not in 0 to {}", delay_us,
                end_text(links_[link].a), end_text(links_[link].b), kLinkDelayUsMax);
  }
  links_[link].delay_us = delay_us;
  return {};
}

std::optional<SwitchIndex> Topology::find(std::string_view switch_name) const {
  const auto found = index_of_.find(switch_name);
  if (found == index_of_.end()) return std::nullopt;
  return found->second;
}

bool Topology::port_is_free(LinkEnd end) const { return check_end(end).has_value(); }

std::optional<std::size_t> Topology::link_at(LinkEnd end) const {
  const auto found = link_at_.find(end);
  if (found == link_at_.end()) return std::nullopt;
  return found->second;
}

std::string Topology::end_text(LinkEnd end) const {
  XB_CHECK(end.at < switches_.size(), end.at, switches_.size());
  return fmt::format("{}:{}", switches_[end.at].name, end.port);
}

std::vector<std::uint64_t> Topology::port_cells_per_s(SwitchIndex at) const {
  XB_CHECK(at < switches_.size(), at, switches_.size());
  std::vector<std::uint64_t> rates(switches_[at].ports, 0);
  std::uint64_t sum = 0;
  for (auto entry = link_at_.lower_bound(LinkEnd{at, PortId{0}});
       entry != link_at_.end() && entry->first.at == at; ++entry) {
    const std::uint64_t rate = links_[entry->second].cells_per_s;
    rates[entry->first.port.value() - 1] = rate;
    sum += rate;
  }
  if (switches_[at].endpoint) rates[0] = std::min(sum, kLinkCellsPerSMax);
  return rates;
}

std::vector<PortRate> Topology::rates_set(std::string_view switch_name) const {
  std::vector<PortRate> rates;
  const auto at = find(switch_name);
  if (!at) return rates;
  for (auto entry = link_at_.lower_bound(LinkEnd{*at, PortId{0}});
       entry != link_at_.end() && entry->first.at == *at; ++entry) {
    const TopologyLink& link = links_[entry->second];
    if (link.rate_is_set) rates.push_back({entry->first.port, link.cells_per_s});
  }
  return rates;
}

}  // namespace xbind
