// Which names a daemon watches for the others (orb/daemon_watch.hpp).
#pragma once

#include <string>
#include <vector>

namespace xbind::orb {

class Supervision;

struct WatchedNames {
  // Contexts of the name service, "xbind/routeobject". In this order the first daemon that lives
  // watches all of them; within a context it is the order of the names.
  std::vector<std::string> watchers;
  // The context of those that are watched and do not watch: keepers.
  std::string keepers;
};

// Who watches them: the supervision gets the alarms about those that do not answer.
struct Watching {
  Supervision* supervision = nullptr;  // nullptr: nobody watches
  WatchedNames names = {};
};

}  // namespace xbind::orb
