// All client requests as one type, for requests that wait.
#pragma once

#include <type_traits>
#include <variant>

#include "cmgr/parts/call_times.hpp"
#include "cmgr/parts/connection.hpp"
#include "core/call.hpp"
#include "core/name.hpp"

namespace xbind::cmgr {

using RequestBody =
    std::variant<ConnectRequest, ReleaseRequest, ModifyRequest, LeafRequest, CommitRequest>;

// The connection that a request names; 0 for a connect, which creates one.
template <class Body>
ConnectionId connection_of(const Body& body) {
  if constexpr (std::is_same_v<Body, ConnectRequest>) {
    return {};
  } else {
    return body.connection;
  }
}

struct Request {
  ClientIndex client;
  RequestBody body;
  RequestTimes times{};

  RequestId id() const {
    return std::visit([](const auto& request) { return request.request; }, body);
  }
  ConnectionId connection() const {
    return std::visit([](const auto& request) { return connection_of(request); }, body);
  }
};

// kBadInput names the first endpoint that is not a valid name. Requests without endpoints pass.
template <class Body>
Result<void> check_ends(const Body& body) {
  if constexpr (std::is_same_v<Body, ConnectRequest>) {
    if (is_name(body.from) && is_name(body.to)) return {};
    return check_name("endpoint", is_name(body.from) ? body.to : body.from);
  } else if constexpr (std::is_same_v<Body, LeafRequest>) {
    return is_name(body.end) ? Result<void>{} : check_name("endpoint", body.end);
  } else {
    return {};
  }
}

}  // namespace xbind::cmgr
