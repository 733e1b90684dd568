// Attaching (core/attaching.hpp) to many peers by their names, several at a time: a manager and its
// SwitchServers.
//
// Peers that are due have their turns in the order in which they fell due. A silent peer holds a
// thread of the owner until its attempt times out: one whose last attempt took Limits::silent_after
// or longer, or whose session ended by silence. So at most silent_at_once of the attempts under way
// are made to silent peers: the other places stay free for peers that answer. An attempt to any
// other peer has Limits::silent_after only, so that many peers that stopped together do not hold
// all places.
//
// Bounded by Limits::peers_max. Each step looks at every peer, which is cheap beside an attempt.
// Use it from one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "core/attaching.hpp"
#include "core/result.hpp"

namespace xbind {

class AttachTable {
 public:
  struct Limits {
    std::size_t peers_max = 1;       // 1 or more
    std::size_t at_once = 1;         // attempts under way at a time, 1 or more
    std::size_t silent_at_once = 1;  // of these, attempts to silent peers; 1 to at_once
    Duration silent_after = Attaching::kUnbounded;
  };
  enum class Lost : std::uint8_t {
    kNothing,    // there was no session, or its peer has shown that it runs
    kBySilence,  // the peer did not confirm within its lease
  };
  struct Due {
    std::string name;
    Attaching::Attempt attempt = 0;  // numbered per name
    // Time in which this attempt should end: a peer that is not known as silent either answers soon
    // or is silent.
    Duration patience = Attaching::kUnbounded;
  };

  AttachTable(const Attaching::Policy& policy, const Limits& limits);

  // Requests a session with a peer that is new, was given up, or has lost its session. Changes
  // nothing for a peer that waits for an attempt or for its answer. `jitter`, 0 to 1: shortens each
  // wait of this peer by up to half (core/back_off.hpp); use different values for different peers.
  // kExhausted: the table already has Limits::peers_max peers.
  Result<void> attach(const std::string& name, TimePoint now, double jitter = 0,
                      Lost lost = Lost::kNothing);
  // Stops attempts to the peer until attach(). The peer keeps its place in the table.
  void give_up(const std::string& name);

  // Starts the next attempt that is due and for which a place is free. Attempts whose answers are
  // overdue fail first.
  std::optional<Due> take(TimePoint now);

  // Report the answer to an attempt. False: the answer is late and has changed nothing.
  bool attached(const std::string& name, Attaching::Attempt attempt, TimePoint now);
  bool failed(const std::string& name, Attaching::Attempt attempt, TimePoint now);

  // When take() may return something next; kNever: not before another event.
  TimePoint next_deadline() const;

 private:
  struct Peer {
    explicit Peer(const Attaching::Policy& policy) : attaching(policy) {}
    Attaching attaching;
    double jitter = 0;
    TimePoint began;  // start of the attempt under way
    // The last attempt was slow or its answer overdue, or the session ended by silence.
    bool silent = false;
  };

  bool is_waiting(const Peer& peer) const;
  bool has_place(const Peer& peer) const;
  void place_left(Peer& peer, TimePoint now);

  Attaching::Policy policy_;
  Limits limits_;
  std::map<std::string, Peer, std::less<>> peers_;  // at most limits_.peers_max
  std::size_t under_way_ = 0;
  std::size_t silent_under_way_ = 0;
};

}  // namespace xbind
