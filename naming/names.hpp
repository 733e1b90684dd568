// All names that are bound in the name service.
#pragma once

#include <string>

#include "orb/watched_names.hpp"

namespace xbind::naming {

inline constexpr const char* kRoot = "xbind";
inline constexpr const char* kConnectionManagers = "cmgr";
inline constexpr const char* kSwitchServers = "switchserver";
inline constexpr const char* kRouteObjects = "routeobject";
inline constexpr const char* kQosMappers = "qosmapper";
inline constexpr const char* kKeepers = "keeper";

// "xbind/cmgr/default"
inline std::string path_of(const char* kind, const std::string& name) {
  return std::string{kRoot} + "/" + kind + "/" + name;
}

// The daemons that watch each other, for that supervision: those with the least to do first.
inline orb::Watching watching(orb::Supervision& supervision) {
  const std::string root = std::string{kRoot} + "/";
  return {&supervision,
          {{root + kRouteObjects, root + kQosMappers, root + kConnectionManagers,
            root + kSwitchServers},
           root + kKeepers}};
}

}  // namespace xbind::naming
