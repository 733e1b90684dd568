#include "switchserver/make_driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/check.hpp"
#include "net/tcp_client.hpp"
#include "switchserver/drivers/running_gsmp_driver.hpp"
#include "switchserver/node_options.hpp"

namespace xbind {
namespace {

// ----- GSMP over TCP --------------------------------------------------------------------------

Result<std::string> gsmp_rest(std::string_view rest) {
  const auto peer = parse_host_port(rest);
  if (!peer) return tl::make_unexpected(peer.error());
  return to_string(*peer);
}

std::unique_ptr<RunningDriver> make_gsmp(const NodeOptions& options, std::string_view rest,
                                         std::function<std::uint32_t()> random) {
  gsmp::SessionOptions session;
  session.adjacency.name = gsmp::name_from("xbind-switchserver " + options.name);
  session.adjacency.versions.clear();
  for (const char version : options.gsmp_versions) {
    if (version == ',') continue;
    session.adjacency.versions.push_back(static_cast<std::uint8_t>(version - '0'));
  }
  session.window = options.window;
  session.transaction_timeout = std::chrono::milliseconds(options.transaction_timeout_ms);
  net::TcpClientOptions tcp;
  tcp.peer = parse_host_port(rest).value();
  return std::make_unique<RunningGsmpDriver>(session, std::move(random),
                                             std::make_unique<net::TcpClient>(std::move(tcp)));
}

// ----- the table of schemes -------------------------------------------------------------------

struct Scheme {
  std::string_view name;
  // Checks the part after "://" and returns its normal form.
  Result<std::string> (*rest)(std::string_view rest);
  std::unique_ptr<RunningDriver> (*make)(const NodeOptions& options, std::string_view rest,
                                         std::function<std::uint32_t()> random);
};
constexpr Scheme kSchemes[] = {{"gsmp", gsmp_rest, make_gsmp}};
constexpr const Scheme& kDefaultScheme = kSchemes[0];

struct Split {
  std::string_view scheme;
  std::string_view rest;
};

Split split(std::string_view address) {
  constexpr std::string_view kMark = "://";
  const std::size_t mark = address.find(kMark);
  if (mark == std::string_view::npos) return {kDefaultScheme.name, address};
  return {address.substr(0, mark), address.substr(mark + kMark.size())};
}

Result<const Scheme*> scheme_of(std::string_view name) {
  const auto* const found = std::ranges::find(kSchemes, name, &Scheme::name);
  if (found != std::end(kSchemes)) return found;
  std::string known;
  for (const Scheme& scheme : kSchemes) {
    known += known.empty() ? "" : ", ";
    known += scheme.name;
  }
  return fail(ErrorCode::kBadInput, "no driver speaks \"{}\"; there is one for: {}", name, known);
}

}  // namespace

Result<std::string> full_switch_address(std::string_view address) {
  const Split parts = split(address);
  const auto scheme = scheme_of(parts.scheme);
  if (!scheme) return tl::make_unexpected(scheme.error());
  const auto rest = (*scheme)->rest(parts.rest);
  if (!rest) return tl::make_unexpected(rest.error());
  return fmt::format("{}://{}", (*scheme)->name, *rest);
}

std::unique_ptr<RunningDriver> make_driver(const NodeOptions& options,
                                           std::function<std::uint32_t()> random) {
  const Split parts = split(options.switch_address);
  const auto scheme = scheme_of(parts.scheme);
  XB_CHECK(scheme.has_value(), options.switch_address);
  return (*scheme)->make(options, parts.rest, std::move(random));
}

}  // namespace xbind
