// A daemon as the name service has it.
#pragma once

#include <omniORB4/CORBA.h>

#include <string>

#include "xbindctl/failure.hpp"

namespace xbind::console {

struct Daemon {
  std::string path;  // "xbind/cmgr/default"
  std::string kind;  // "cmgr"
  std::string name;  // "default"
  std::string address;
  CORBA::Object_var object;
};

ctl::PeerKind kind_of(const std::string& kind);
ctl::Peer peer_of(const Daemon& daemon);

}  // namespace xbind::console
