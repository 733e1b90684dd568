// Follows the events of all daemons: each frame prints those that have happened since the one
// before. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/events/event.hpp"
#include "orb/name_client.hpp"
#include "xbindctl/event_reading.hpp"
#include "xbindctl/fleet.hpp"

namespace xbind::ctl {

// Which events are shown.
struct EventWish {
  std::vector<std::string> subjects;  // of event_subjects(); empty: all
  std::uint64_t since_s = 0;          // the first frame: of the last seconds; 0: all that are kept
  std::size_t limit = 0;              // the first frame: at most the last ones; 0: all
  bool json = false;                  // a document a line
};

// "calls", "links", "switches", "sessions", "alarms": --kind.
const std::vector<std::string>& event_subjects();

class EventFollower {
 public:
  EventFollower(orb::NameClient& names, EventWish wish) : names_(names), wish_(std::move(wish)) {}

  // Prints the events since the last frame, and how many of them each daemon had dropped before
  // they were read. Exit code 1: a daemon, or the name service, did not answer.
  int frame();

 private:
  using ReadLogs = std::vector<std::pair<v2::EventLogCode, ReadEvents>>;
  struct Shown {
    const std::string* daemon;
    const v2::Event* event;
  };

  bool wants(v2::EventLogCode log) const;
  std::vector<Shown> chosen(const std::vector<std::string>& daemons,
                            const std::vector<OrFailure<ReadLogs>>& answers) const;
  void print(const Shown& shown) const;
  void print_lost(const std::string& daemon, v2::EventLogCode log, std::uint64_t lost) const;
  int print_failure(const Failure& failure) const;

  orb::NameClient& names_;
  const EventWish wish_;
  bool first_ = true;
  // By daemon and log. Daemons that were known and are gone keep theirs: they may come back.
  std::map<std::string, EventPosition> positions_;
};

}  // namespace xbind::ctl
