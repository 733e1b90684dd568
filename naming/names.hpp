// All names that are bound in the name service.
#pragma once

#include <string>

namespace xbind::naming {

inline constexpr const char* kRoot = "xbind";
inline constexpr const char* kConnectionManagers = "cmgr";
inline constexpr const char* kSwitchServers = "switchserver";
inline constexpr const char* kRouteObjects = "routeobject";
inline constexpr const char* kQosMappers = "qosmapper";

// "xbind/cmgr/default"
inline std::string path_of(const char* kind, const std::string& name) {
  return std::string{kRoot} + "/" + kind + "/" + name;
}

}  // namespace xbind::naming
