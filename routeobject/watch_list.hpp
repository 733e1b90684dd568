// The watchers of the topology, by name. Each has a lease that watching again extends.
//
// Every watch() has its own number, so that the end of one does not end a later one of the same
// name. Pure: the caller passes the time. Not thread-safe.
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

  // Returns the number of this registration, which is above all earlier ones. kExhausted:
  // kWatchersMax others watch; kBadInput: an invalid name (core/name.hpp).
  Result<std::uint64_t> watch(std::string_view name, TimePoint now);
  // Returns false if it did not watch.
  bool unwatch(std::string_view name);
  // Ends only that registration. Returns false if it has ended already, or if the name has watched
  // anew.
  bool end(std::string_view name, std::uint64_t registration);
  // Ends the registrations whose lease has expired at `now`, and returns their names.
  std::vector<std::string> expire(TimePoint now);
  // When the next lease expires; kNever: there are no watchers.
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
