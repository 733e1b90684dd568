// Daemons with an operators' interface, as commands name them: `manager`, `routeobject`,
// `qosmapper`, `switchserver NAME`, or `all`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "operations.hh"
#include "orb/name_client.hpp"
#include "xbindctl/answers.hpp"
#include "xbindctl/commands.hpp"
#include "xbindctl/fleet.hpp"

namespace xbind::ctl {

// "manager", ..., "all".
const std::vector<std::string>& daemon_words();
// A sentence about words[1] if it is none of them. `words`: the command's, verb first.
std::optional<std::string> fault_of_daemon(const std::vector<std::string>& words);
// The daemons that are meant; of `all` every one that is bound in the name service. `name`: of a
// switchserver.
OrFailure<std::vector<Daemon>> operated_daemons(orb::NameClient& names, const std::string& daemon,
                                                const std::string& name, const DaemonNames& of);

// Returns ask(operations), or why the daemon did not answer. `ask` returns an OrFailure.
template <class Ask>
auto call_operations(orb::NameClient& names, const Daemon& daemon, const Ask& ask)
    -> decltype(ask(v2::Logged_ptr{})) {
  const auto object = resolved(names, daemon.kind, daemon.path);
  if (!object) return tl::make_unexpected(object.error());
  const CORBA::Object_ptr reference = object->in();
  return call_peer(peer_of(daemon.kind, daemon.path, reference), reference,
                   [&]() -> decltype(ask(v2::Logged_ptr{})) {
                     const v2::Logged_var operations = operations_at(daemon.kind, reference);
                     return ask(operations.in());
                   });
}

}  // namespace xbind::ctl
