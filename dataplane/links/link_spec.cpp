#include "dataplane/links/link_spec.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "dataplane/links/mpls.hpp"

namespace xbind::dataplane {
namespace {

constexpr std::string_view kForms =
    "may be mpls:LOCAL/PEER/LABEL, lsp:LOCAL/PEER, plain:LOCAL/PEER[/uni|/nni], cfr:LOCAL/PEER, "
    "ring:NAME or frames:IFACE[/labels]";

std::optional<std::uint32_t> number(std::string_view text, std::uint32_t min, std::uint32_t max) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < min || value > max)
    return std::nullopt;
  return value;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

tl::unexpected<Error> wrong(std::string_view whole, const std::string& why) {
  return fail(ErrorCode::kBadInput, "link '{}': {}", whole, why);
}

Result<void> parse_addresses(std::string_view local, std::string_view peer, LinkSpec& spec) {
  auto here = net::parse_udp_address(local);
  if (!here) return fail(ErrorCode::kBadInput, "LOCAL: {}", here.error().text);
  auto there = net::parse_udp_address(peer);
  if (!there) return fail(ErrorCode::kBadInput, "PEER: {}", there.error().text);
  if (there->port == 0 || there->host == "0.0.0.0" || there->host == "::")
    return fail(ErrorCode::kBadInput, "PEER: '{}' has an unspecified address or port", peer);
  if (is_ipv6(*here) != is_ipv6(*there)) {
    return fail(ErrorCode::kBadInput, "LOCAL '{}' and PEER '{}' are of two address families", local,
                peer);
  }
  spec.local = std::move(*here);
  spec.peer = std::move(*there);
  return {};
}

Result<LinkSpec> parse_mpls(std::string_view rest) {
  const auto parts = split(rest, '/');
  if (parts.size() != 3)
    return fail(ErrorCode::kBadInput, "{} parts between '/', mpls has LOCAL/PEER/LABEL",
                parts.size());
  LinkSpec spec{.kind = LinkKind::kMpls};
  if (auto good = parse_addresses(parts[0], parts[1], spec); !good)
    return tl::make_unexpected(good.error());
  const auto label = number(parts[2], kMplsLabelMin, kMplsLabelMax);
  if (!label) {
    return fail(ErrorCode::kBadInput, "LABEL '{}' is no number from {} to {}", parts[2],
                kMplsLabelMin, kMplsLabelMax);
  }
  spec.label = *label;
  return spec;
}

// Forms that have nothing but the two addresses.
Result<LinkSpec> parse_pair(std::string_view name, LinkKind kind, std::string_view rest) {
  const auto parts = split(rest, '/');
  if (parts.size() != 2)
    return fail(ErrorCode::kBadInput, "{} parts between '/', {} has LOCAL/PEER", parts.size(),
                name);
  LinkSpec spec{.kind = kind};
  if (auto good = parse_addresses(parts[0], parts[1], spec); !good)
    return tl::make_unexpected(good.error());
  return spec;
}

Result<LinkSpec> parse_plain(std::string_view rest) {
  const auto parts = split(rest, '/');
  if (parts.size() < 2 || parts.size() > 3)
    return fail(ErrorCode::kBadInput, "{} parts between '/', plain has LOCAL/PEER[/uni|/nni]",
                parts.size());
  LinkSpec spec{.kind = LinkKind::kPlain};
  if (auto good = parse_addresses(parts[0], parts[1], spec); !good)
    return tl::make_unexpected(good.error());
  if (parts.size() == 3) {
    if (parts[2] != "uni" && parts[2] != "nni")
      return fail(ErrorCode::kBadInput, "header form '{}', may be uni or nni", parts[2]);
    spec.form = parts[2] == "uni" ? HeaderForm::kUni : HeaderForm::kNni;
  }
  return spec;
}

Result<std::string> parse_name(std::string_view what, std::string_view name, std::size_t most) {
  const bool good = std::all_of(name.begin(), name.end(), [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '.' || letter == '_' || letter == '-';
  });
  if (name.empty() || name.size() > most || !good) {
    return fail(ErrorCode::kBadInput,
                "{} name '{}', may be 1 to {} letters, digits, '.', '_' and '-'", what, name, most);
  }
  return std::string(name);
}

Result<LinkSpec> parse_ring(std::string_view rest) {
  auto name = parse_name("ring", rest, kRingNameMax);
  if (!name) return tl::make_unexpected(name.error());
  return LinkSpec{.kind = LinkKind::kRing, .ring = std::move(*name)};
}

Result<LinkSpec> parse_frames(std::string_view rest) {
  const auto parts = split(rest, '/');
  if (parts.size() > 2)
    return fail(ErrorCode::kBadInput, "{} parts between '/', frames has IFACE[/labels]",
                parts.size());
  auto name = parse_name("interface", parts[0], kInterfaceNameMax);
  if (!name) return tl::make_unexpected(name.error());
  if (parts.size() == 2 && parts[1] != "labels")
    return fail(ErrorCode::kBadInput, "form of frames '{}', may be labels", parts[1]);
  return LinkSpec{
      .kind = LinkKind::kFrames, .interface = std::move(*name), .labels = parts.size() == 2};
}

Result<LinkSpec> parse_kind(std::string_view kind, std::string_view rest) {
  if (kind == "mpls") return parse_mpls(rest);
  if (kind == "lsp") return parse_pair(kind, LinkKind::kLsp, rest);
  if (kind == "cfr") return parse_pair(kind, LinkKind::kCfr, rest);
  if (kind == "plain") return parse_plain(rest);
  if (kind == "ring") return parse_ring(rest);
  if (kind == "frames") return parse_frames(rest);
  return fail(ErrorCode::kBadInput, "kind '{}', {}", kind, kForms);
}

// Parses a list of "NAME=SPEC"; the caller checks the names.
Result<std::vector<NamedLink>> parse_list(std::string_view text) {
  std::vector<NamedLink> links;
  if (text.empty()) return links;
  for (const std::string_view item : split(text, ',')) {
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      return fail(ErrorCode::kBadInput, "'{}' is no NAME=LINK", item);
    }
    auto link = parse_link_spec(item.substr(equals + 1));
    if (!link) return tl::make_unexpected(link.error());
    links.push_back({std::string(item.substr(0, equals)), std::move(*link)});
  }
  return links;
}

// Returns the smallest of `keys` that occurs more than once.
template <class Key>
std::optional<Key> repeated(std::vector<Key> keys) {
  std::sort(keys.begin(), keys.end());
  const auto found = std::adjacent_find(keys.begin(), keys.end());
  if (found == keys.end()) return std::nullopt;
  return *found;
}

}  // namespace

Result<LinkSpec> parse_link_spec(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return wrong(text, std::string(kForms));
  auto spec = parse_kind(text.substr(0, colon), text.substr(colon + 1));
  if (!spec) return wrong(text, spec.error().text);
  return spec;
}

std::string to_string(const LinkSpec& spec) {
  switch (spec.kind) {
    case LinkKind::kMpls:
      return fmt::format("mpls:{}/{}/{}", to_string(spec.local), to_string(spec.peer), spec.label);
    case LinkKind::kLsp:
      return fmt::format("lsp:{}/{}", to_string(spec.local), to_string(spec.peer));
    case LinkKind::kPlain:
      return fmt::format("plain:{}/{}{}", to_string(spec.local), to_string(spec.peer),
                         spec.form == HeaderForm::kUni ? "/uni" : "");
    case LinkKind::kCfr:
      return fmt::format("cfr:{}/{}", to_string(spec.local), to_string(spec.peer));
    case LinkKind::kFrames:
      return fmt::format("frames:{}{}", spec.interface, spec.labels ? "/labels" : "");
    case LinkKind::kRing: break;
  }
  return "ring:" + spec.ring;
}

Result<std::vector<NamedLink>> parse_named_links(std::string_view text) {
  auto links = parse_list(text);
  if (!links) return links;
  std::vector<std::string> names;
  for (const NamedLink& link : *links) names.push_back(link.name);
  if (const auto name = repeated(std::move(names)))
    return fail(ErrorCode::kBadInput, "'{}' has two links", *name);
  return links;
}

Result<std::vector<PortLink>> parse_port_links(std::string_view text, std::uint32_t port_max) {
  auto links = parse_list(text);
  if (!links) return tl::make_unexpected(links.error());
  std::vector<PortLink> ports;
  std::vector<std::uint32_t> numbers;
  for (NamedLink& link : *links) {
    const auto port = number(link.name, 1, port_max);
    if (!port) {
      return fail(ErrorCode::kBadInput, "port '{}' is no number from 1 to {}", link.name, port_max);
    }
    numbers.push_back(*port);
    ports.push_back({PortId{*port}, std::move(link.link)});
  }
  if (const auto port = repeated(std::move(numbers)))
    return fail(ErrorCode::kBadInput, "port {} has two links", *port);
  return ports;
}

}  // namespace xbind::dataplane
