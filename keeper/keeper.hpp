// Keeps the connections of a file up: compares the calls that the manager lists under the keeper's
// client name with those that should be there, sets up what is missing and releases what is too
// much.
//
//      file ──▶ want() ┐                                      ┌──▶ look: read the list
//   session ──▶ attached(), detached(), noticed() ├──▶ step() ┤
//      list ──▶ looked() ┘     answered() ◀── outcomes ◀──────┴──▶ setups and releases
//
// The list decides, not the history: a keeper that starts anew, or whose manager did, finds its
// calls in the list. Nothing is set up before a look of the present session. What is lost on the
// way changes nothing: the client library repeats a request without an answer under its number
// until it is answered (decision 0033), and a look finds the call of every other one.
//
// A call that the manager reports as broken stays: the manager moves it to another path as soon as
// there is one, and it keeps its labels. One that is incomplete stays as well: no second one is set
// up until it is whole again, or has been released.
//
// Logs what happens to each call. Threads: one at a time. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "client/answers.hpp"
#include "client/request_batch.hpp"
#include "core/back_off.hpp"
#include "core/call.hpp"
#include "core/clock.hpp"
#include "keeper/looks.hpp"
#include "keeper/timers.hpp"
#include "keeper/turns.hpp"
#include "keeper/wanted_calls.hpp"

namespace xbind::keeper {

struct Limits {
  Duration check = kKeeperTimers["check-ms"];
  BackOff::Bounds retry{kKeeperTimers["retry-min-ms"], kKeeperTimers["retry-max-ms"]};
  std::size_t at_once = 64;  // requests without an answer, at least 1
  Duration unread_patience = kKeeperTimers["unread-patience"];
};

// A call in the manager's list, of the keeper's client name.
struct ListedCall {
  enum class Phase : std::uint8_t {
    kComing,  // being set up
    kThere,
    kGoing,  // being released or undone
  };
  ConnectionId connection;
  RequestId request;  // of its setup
  std::string from;
  std::string to;
  Phase phase = Phase::kThere;
  // kUp, kBroken, kUnknown or kIncomplete, of a call that is there
  CallState state = CallState::kUp;
  std::string lacks{};  // kIncomplete: the switch of which a hop is not known
};

struct KeeperCounters {
  std::uint64_t sessions = 0;  // times attached
  std::uint64_t looks = 0;
  std::uint64_t looks_failed = 0;
  std::uint64_t setups = 0;  // sent
  std::uint64_t setups_connected = 0;
  std::uint64_t setups_refused = 0;     // answered refused or busy
  std::uint64_t setups_unanswered = 0;  // the client gave up
  std::uint64_t releases = 0;           // sent
  std::uint64_t releases_failed = 0;
  std::uint64_t calls_lost = 0;  // were up, and are no longer in the manager's list
};

class Keeper {
 public:
  // `first_attempt`: should differ from those of earlier runs (call_key.hpp), for example the time.
  Keeper(const Limits& limits, std::uint32_t first_attempt);

  // Replaces the connections to keep. Empty: everything is released.
  FileChange want(std::vector<Wanted> tables, TimePoint now);

  // ===== events =====

  void attached(TimePoint now);
  void detached();
  void noticed(const Notice& notice, TimePoint now);
  // The result of Work::look. `unread`: switches whose ledgers the manager has not read since its
  // restart, read before the list; calls may be missing in it.
  void looked(const std::vector<ListedCall>& calls, std::uint64_t unread, TimePoint now);
  void look_failed(TimePoint now);
  // The answer to a request of Work::requests.
  void answered(RequestId request, const client::Answer& answer, TimePoint now);

  // What is due. Call it after every event, and when next_deadline() has come.
  struct Work {
    bool look = false;
    std::vector<client::Request> requests;  // with their numbers
  };
  Work step(TimePoint now);
  TimePoint next_deadline() const;

  // ===== status =====

  const WantedCalls& wanted() const { return wanted_; }
  // Attached, and the list of this session has been read.
  bool informed() const { return looks_.current(); }
  bool attached() const { return looks_.attached(); }
  // Whether setups wait until the manager has read the ledgers.
  bool held_back(TimePoint now) const { return unread_ > 0 && now < patience_ends_; }
  // Nothing is wanted, and the manager lists no call of ours.
  bool nothing_left() const;
  std::uint64_t unread_switches() const { return unread_; }  // of the last look
  const KeeperCounters& counters() const { return counters_; }
  // Changes with every change of what a status shows.
  std::uint64_t revision() const { return revision_; }

 private:
  void match(const std::vector<ListedCall>& calls, TimePoint now);
  void adopt(const ListedCall& listed, TimePoint now);
  void see(CallRef ref, const ListedCall& listed, TimePoint now);
  void lose_unseen(const std::unordered_set<ConnectionId>& seen, TimePoint now);
  void set_up(std::uint32_t entry, Work& work, TimePoint now);
  void set_up_answered(CallRef ref, const client::Answer& answer, TimePoint now);
  void release_answered(ConnectionId connection, const client::Answer& answer, TimePoint now);
  void refuse(CallRef ref, const std::string& why, Duration at_least, TimePoint now);
  // Puts the entry into its place of turns_, or takes it out when nothing of it can be sent.
  void queue(std::uint32_t entry);
  bool room() const { return asked_ + releases_.size() < limits_.at_once; }
  void report_complete();

  Limits limits_;
  std::uint32_t attempt_;
  Looks looks_;
  WantedCalls wanted_;
  Turns turns_;                            // of entries with calls to set up
  std::size_t asked_ = 0;                  // setups without an answer, of orphans, too
  std::unordered_set<RequestId> orphans_;  // setups whose table has gone
  std::vector<ConnectionId> surplus_;      // to release; of the last look
  std::unordered_map<RequestId, ConnectionId> releases_;      // without an answer
  std::unordered_map<ConnectionId, std::uint64_t> released_;  // until a look after that stamp
  std::size_t listed_ = 0;                                    // calls of ours in the last look
  std::uint64_t unread_ = 0;
  TimePoint patience_ends_{};
  bool complete_ = false;  // as last reported
  std::uint64_t revision_ = 0;
  KeeperCounters counters_;
};

}  // namespace xbind::keeper
