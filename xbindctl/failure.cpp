#include "xbindctl/failure.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "core/cause.hpp"
#include "core/config/nearest_name.hpp"
#include "core/name.hpp"
#include "core/version.hpp"
#include "orb/remote_error.hpp"
#include "types.hh"
#include "xbindctl/explanations.hpp"

namespace xbind::ctl {
namespace {

constexpr std::size_t kNamesShown = 10;

// The program of a peer and the option that chooses another one.
struct Program {
  const char* program;
  const char* option;
};

Program program_of(PeerKind kind) {
  switch (kind) {
    case PeerKind::kNone: break;
    case PeerKind::kNameService: return {"omniNames", "--name-service HOST:PORT"};
    case PeerKind::kManager: return {"xbind-cmgr", "--manager NAME"};
    case PeerKind::kSwitchServer: return {"xbind-switchserver", "another SWITCH"};
    case PeerKind::kRouteObject: return {"xbind-routeobject", "--routeobject NAME"};
    case PeerKind::kQosMapper: return {"xbind-qosmapper", "--qosmapper NAME"};
    case PeerKind::kKeeper: return {"xbind-keeper", "another keeper"};
  }
  return {"the peer", "another name"};
}

// "the manager".
const char* role_of(PeerKind kind) {
  switch (kind) {
    case PeerKind::kNone: break;
    case PeerKind::kNameService: return "the name service";
    case PeerKind::kManager: return "the manager";
    case PeerKind::kSwitchServer: return "the SwitchServer";
    case PeerKind::kRouteObject: return "the RouteObject";
    case PeerKind::kQosMapper: return "the QOSMapper";
    case PeerKind::kKeeper: return "the keeper";
  }
  return "the peer";
}

std::string advice_for_unreachable(PeerKind peer) {
  if (peer == PeerKind::kNameService) {
    return "start omniNames, or choose another name service with --name-service HOST:PORT or "
           "XBIND_NAME_SERVICE; `eval \"$(deploy/lab env)\"` sets it for a lab";
  }
  return fmt::format(
      "its name is bound but nothing answers there: start {} again, or remove the name with "
      "`xbind-names clear`",
      program_of(peer).program);
}

}  // namespace

Peer name_service_at(const std::string& address) {
  return {PeerKind::kNameService, "the name service", address};
}

Peer peer_of(PeerKind kind, const std::string& name, CORBA::Object_ptr object) {
  return {kind, name, orb::address_of(object)};
}

std::optional<Failure> name_service_away(const orb::NameClient& names) {
  const orb::KnownNames* const known = names.known();
  const auto why = known == nullptr ? std::nullopt : known->why_used();
  if (!why) return std::nullopt;
  Failure failure = failure_of(*why, name_service_at(names.service()));
  failure.text += "; addresses found earlier are used";
  return failure;
}

std::string advice_for(ErrorCode code, PeerKind peer) {
  if (peer == PeerKind::kNone) return {};
  switch (code) {
    case ErrorCode::kUnreachable: return advice_for_unreachable(peer);
    case ErrorCode::kTimeout:
      return fmt::format(
          "{} is stopped, overloaded or behind a firewall: look at its log, or wait longer with "
          "--call-timeout-ms",
          program_of(peer).program);
    case ErrorCode::kVersion:
      return fmt::format(
          "this is xbindctl {} with protocol version {}: use the xbindctl of {}'s release, or {}",
          version(), v2::protocol_version, program_of(peer).program, program_of(peer).option);
    case ErrorCode::kNotFound:
    case ErrorCode::kBadInput:
    case ErrorCode::kExhausted:
    case ErrorCode::kProtocol:
    case ErrorCode::kFenced:
    case ErrorCode::kSystem: return {};
  }
  return {};
}

tl::unexpected<Failure> failed(ErrorCode code, std::string text, std::string advice) {
  Failure failure;
  failure.name = to_string(code);
  failure.text = std::move(text);
  failure.advice = std::move(advice);
  return tl::make_unexpected(std::move(failure));
}

namespace {

// The names that are bound in the same context as `path`; empty also if they cannot be listed.
std::vector<std::string> bound_beside(orb::NameClient& names, const std::string& path) {
  const std::string context = path.substr(0, path.rfind('/'));
  std::vector<std::string> bound;
  for (const std::string& each : names.list(context).value_or(std::vector<std::string>{})) {
    bound.push_back(each.substr(each.rfind('/') + 1));
  }
  return bound;
}

}  // namespace

OrFailure<CORBA::Object_var> resolved(orb::NameClient& names, PeerKind kind,
                                      const std::string& path) {
  auto object = names.resolve_or_known(path);
  if (object) return *object;
  Failure failure = failure_of(object.error(), name_service_at(names.service()));
  if (object.error().code == ErrorCode::kNotFound) {
    failure.advice =
        advice_for_unbound(path.substr(path.rfind('/') + 1), bound_beside(names, path));
    failure.advice += fmt::format(
        "; is {} running? `xbind-names list` prints the names that are bound", role_of(kind));
  }
  return tl::make_unexpected(std::move(failure));
}

std::string advice_for_unbound(const std::string& typed, const std::vector<std::string>& bound) {
  if (bound.empty()) return "no daemon of this kind has bound a name";
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(bound.size(), kNamesShown); ++i) {
    shown.push_back(printable(bound[i]));
  }
  const auto nearest = config::nearest_name(typed, bound);
  return fmt::format("{}bound there: {}{}",
                     nearest ? fmt::format("did you mean '{}'? ", printable(*nearest)) : "",
                     fmt::join(shown, ", "), bound.size() > kNamesShown ? ", ..." : "");
}

Failure failure_of(const Error& error, const Peer& peer) {
  return {std::string{to_string(error.code)}, error.text, peer.name, peer.address,
          advice_for(error.code, peer.kind)};
}

Failure failure_of(const Outcome& refused, const Peer& peer) {
  const CauseRow& explained = row_of(refused.cause);
  return {std::string{to_string(refused.cause)},
          fmt::format("{}: {}", to_string(refused.kind), explain(refused)),
          peer.name,
          peer.address,
          std::string{explained.remedy},
          refused};
}

}  // namespace xbind::ctl
