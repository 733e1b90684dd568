#include "routeobject/network/difference.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

namespace xbind {
namespace {

std::string words(const MediaLine& line) {
  std::string text{to_string(line.cells)};
  if (line.labels == LabelKind::kMpls) text += ", MPLS labels";
  if (line.addresses) text += fmt::format(", {} {}", (*line.addresses)[0], (*line.addresses)[1]);
  if (line.label) text += fmt::format(", label {}", *line.label);
  return text;
}

PathElement element(const Topology& of, LinkEnd end) {
  return {of.switches()[end.at].name, end.port};
}

std::optional<LinkEnd> end_in(const Topology& in, const Topology& of, LinkEnd end) {
  const auto at = in.find(of.switches()[end.at].name);
  if (!at) return std::nullopt;
  return LinkEnd{*at, end.port};
}

// The media of a line whose ends may be listed the other way round.
MediaLine turned(MediaLine line, bool turn) {
  if (turn && line.addresses) std::swap((*line.addresses)[0], (*line.addresses)[1]);
  return line;
}

Result<void> add_switches(const Topology& before, const Topology& after, TopologyDifference& out) {
  for (const TopologySwitch& old : before.switches()) {
    const auto at = after.find(old.name);
    if (!at) {
      out.switches.push_back({ElementChange::kRemoved, old.name, old.endpoint, false});
      continue;
    }
    const TopologySwitch& now = after.switches()[*at];
    if (old.kind != now.kind) {
      return fail(ErrorCode::kBadInput, "{} is of kind {}, it cannot become one of kind {}",
                  old.name, to_string(old.kind), to_string(now.kind));
    }
    if (old.endpoint && now.endpoint && old.media != now.media) {
      return fail(ErrorCode::kBadInput,
                  "the line of {} to its host has cells {}, they cannot become {}", old.name,
                  words(old.media), words(now.media));
    }
    if (old.port_controller != now.port_controller) {
      return fail(ErrorCode::kBadInput,
                  "the port controllers of {} are '{}', they cannot become '{}' while it runs",
                  old.name, old.port_controller, now.port_controller);
    }
    if (old.endpoint == now.endpoint) continue;
    out.switches.push_back({ElementChange::kChanged, old.name, old.endpoint, now.endpoint});
  }
  for (const TopologySwitch& now : after.switches()) {
    if (before.find(now.name)) continue;
    out.switches.push_back({ElementChange::kAdded, now.name, false, now.endpoint});
  }
  return {};
}

Result<void> add_links(const Topology& before, const Topology& after, TopologyDifference& out) {
  for (const TopologyLink& old : before.links()) {
    LinkDifference link{ElementChange::kRemoved,
                        element(before, old.a),
                        element(before, old.b),
                        old.cells_per_s,
                        0,
                        old.delay_us,
                        0};
    const auto found = same_link(after, before, old);
    if (!found) {
      out.links.push_back(std::move(link));
      continue;
    }
    const TopologyLink& now = after.links()[*found];
    const bool turn = element(after, now.a) != link.first_end;
    if (turned(now.media, turn) != old.media) {
      return fail(ErrorCode::kBadInput, "the link {} to {} has cells {}, they cannot become {}",
                  before.end_text(old.a), before.end_text(old.b), words(old.media),
                  words(now.media));
    }
    if (now.cells_per_s == old.cells_per_s && now.delay_us == old.delay_us) continue;
    link.change = ElementChange::kChanged;
    link.cells_per_s_after = now.cells_per_s;
    link.delay_us_after = now.delay_us;
    out.links.push_back(std::move(link));
  }
  for (const TopologyLink& now : after.links()) {
    if (same_link(before, after, now)) continue;
    out.links.push_back({ElementChange::kAdded, element(after, now.a), element(after, now.b), 0,
                         now.cells_per_s, 0, now.delay_us});
  }
  return {};
}

bool same_demands(const Topology& before, const Topology& after) {
  using Words = std::tuple<std::string, std::string, double>;
  const auto all = [](const Topology& of) {
    std::vector<Words> demands;
    for (const TopologyDemand& it : of.demands()) {
      demands.emplace_back(of.switches()[it.from].name, of.switches()[it.to].name, it.weight);
    }
    std::ranges::sort(demands);
    return demands;
  };
  return all(before) == all(after);
}

}  // namespace

std::optional<std::size_t> same_link(const Topology& in, const Topology& of,
                                     const TopologyLink& link) {
  const auto a = end_in(in, of, link.a);
  const auto b = end_in(in, of, link.b);
  if (!a || !b) return std::nullopt;
  const auto found = in.link_at(*a);
  if (!found || in.link_at(*b) != found) return std::nullopt;
  return found;
}

Result<TopologyDifference> difference(const Topology& before, const Topology& after) {
  TopologyDifference out;
  if (auto good = add_switches(before, after, out); !good) {
    return tl::make_unexpected(std::move(good).error());
  }
  if (auto good = add_links(before, after, out); !good) {
    return tl::make_unexpected(std::move(good).error());
  }
  if (const std::size_t count = out.switches.size() + out.links.size();
      count > kNetworkChangesMax) {
    return fail(ErrorCode::kBadInput,
                "{} switches and links differ, at most {} can be changed at a time", count,
                kNetworkChangesMax);
  }
  out.demands = !same_demands(before, after);
  return out;
}

}  // namespace xbind
