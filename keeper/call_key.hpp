// How the keeper recognises its calls. The manager's list of calls does not have the service that a
// client asked for, but it has the number of the setup request. The keeper therefore numbers its
// setups by their content:
//
//   request number   high 32 bits: digest of service, reverse service and traffic of the ends
//                    low 32 bits: counts attempts, so that no number is used twice in an epoch
//
// With the ends, which the list has, two calls of one key are interchangeable. Numbers are kept in
// the ledgers of the SwitchServers, so a keeper, or a manager, finds them after any restart. The
// high half of the number of a release is 0.
//
// Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/call.hpp"
#include "core/ids.hpp"

namespace xbind::keeper {

struct CallKey {
  std::string from;
  std::string to;
  std::uint32_t service = 0;  // never 0 in a key of a request

  friend bool operator==(const CallKey&, const CallKey&) = default;
};

// Of everything in a request except its number and its priority. Priority only orders setups, so
// another priority does not replace a call.
CallKey key_of(const ConnectRequest& request);
// Of a call that the manager lists.
CallKey key_of(std::string from, std::string to, RequestId number);

RequestId setup_number(const CallKey& key, std::uint32_t attempt);
RequestId release_number(std::uint32_t attempt);

}  // namespace xbind::keeper

template <>
struct std::hash<xbind::keeper::CallKey> {
  std::size_t operator()(const xbind::keeper::CallKey& key) const {
    return std::hash<std::string>{}(key.from) ^ std::hash<std::string>{}(key.to) * 3 ^ key.service;
  }
};
