// Reads the manager's list of calls for a server, and for a subscriber's host.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "keeper/keeper.hpp"
#include "orb/name_client.hpp"
#include "smds/line_calls.hpp"

namespace xbind::smds {

struct CallList {
  std::uint64_t unread = 0;               // keeper::unread_switches()
  std::vector<keeper::ListedCall> own{};  // of the first client
  std::vector<SeenCall> seen{};           // of all clients, connected
};

// `clients`: the server, then its neighbours. Waits for the manager, page by page. Errors: those of
// client::TwoWay.
Result<CallList> read_calls(orb::NameClient& names, const std::string& manager,
                            const std::vector<std::string>& clients);

}  // namespace xbind::smds
