// Who watches the topology, by name, each for a lease that watching again prolongs.
//
// Every watch() has a number of its own, so that the end of one does not end a later one of the same name.
// Pure: the time is handed in. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "core/result.hpp"

namespace xbind {

inline constexpr std::size_t kWatchersMax = 256;

class WatchList {
 public:
  explicit WatchList(Duration lease) : lease_(lease) {}

  // The number of this registration, above all before it. kExhausted: kWatchersMax others watch;
  // kBadInput: what is no name (core/name.hpp).
  Result<std::uint64_t> watch(std::string_view name, TimePoint now);
  // False: it did not watch.
  bool unwatch(std::string_view name);
  // Ends that registration alone; false: it has ended already, or the name has watched anew.
  bool end(std::string_view name, std::uint64_t registration);
  // Ends those whose lease is over at `now`, and names them.
  std::vector<std::string> expire(TimePoint now);
  // When the next lease is over; kNever: nobody watches.
  TimePoint next_expiry() const;
  std::size_t size() const { return watchers_.size(); }

 private:
  struct Watcher {
    std::uint64_t registration = 0;
    TimePoint until;
  };

  const Duration lease_;
  std::map<std::string, Watcher, std::less<>> watchers_;
  std::uint64_t registrations_ = 0;
};

}  // namespace xbind
