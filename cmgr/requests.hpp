// What a client may ask for, as one type: for requests that wait.
#pragma once

#include <variant>

#include "cmgr/call_times.hpp"
#include "cmgr/connection.hpp"
#include "core/call.hpp"

namespace xbind::cmgr {

using RequestBody =
    std::variant<ConnectRequest, ReleaseRequest, ModifyRequest, LeafRequest, CommitRequest>;

struct Request {
  ClientIndex client = 0;
  RequestBody body;
  RequestTimes times{};

  RequestId id() const {
    return std::visit([](const auto& request) { return request.request; }, body);
  }
};

}  // namespace xbind::cmgr
