// The calls that should be up: the tables of the file, each with its calls and what is known of
// them. Calls of one key (call_key.hpp) are interchangeable, also between tables.
//
// Pure; owned by a Keeper.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/back_off.hpp"
#include "core/clock.hpp"
#include "core/ids.hpp"
#include "keeper/call_key.hpp"
#include "keeper/connection_file.hpp"

namespace xbind::keeper {

enum class CallState : std::uint8_t {
  kWaiting,    // not there: its setup waits for a look, for room or for the end of a back-off
  kSettingUp,  // requested, or the manager lists it as not yet up
  kUp,
  kBroken,      // its path is down and there is no other one; the manager tries again
  kUnknown,     // a switch of its path is in an unknown state
  kIncomplete,  // the manager has started anew and does not know all hops of the call
};
std::string_view to_string(CallState state);

struct Call {
  CallState state = CallState::kWaiting;
  ConnectionId connection;  // 0: not known
  RequestId request;        // the setup without an answer; 0: none
  TimePoint since{};        // of the state
  std::uint64_t stamp = 0;  // Looks::stamp() of the last event
  std::string lacks{};      // kIncomplete: the switch of which a hop is not known
};

// A table of the file.
struct Entry {
  Entry(Wanted table, BackOff::Bounds retry);

  Wanted wanted;
  CallKey key;
  std::vector<Call> calls;        // wanted.count
  std::size_t missing = 0;        // calls in state kWaiting
  std::size_t first_missing = 0;  // no call before it is in state kWaiting
  std::size_t asked = 0;          // setups without an answer
  BackOff back_off;
  // After a refusal, until a setup succeeds: one setup at a time, and none before next_try.
  bool refused = false;
  TimePoint next_try{};
  std::uint64_t refusals = 0;
  std::string last_refusal;  // empty: none
  TimePoint refused_at{};
};

// Position of a call: its table and its place there.
struct CallRef {
  std::uint32_t entry = 0;
  std::uint32_t at = 0;
};

// The difference between two files, by the names of their tables.
struct FileChange {
  std::vector<std::string> added;
  std::vector<std::string> removed;
  std::vector<std::string> changed;  // another service, ends, count or priority
  std::size_t kept = 0;

  bool any() const { return !added.empty() || !removed.empty() || !changed.empty(); }
};

class WantedCalls {
 public:
  explicit WantedCalls(BackOff::Bounds retry) : retry_(retry) {}

  // Replaces the tables. A call that is there, or requested, serves a call of the same key in the
  // new tables, of the same name first. Those without such a call are forgotten; of them,
  // `orphans` receives the numbers of setups without an answer.
  FileChange replace(std::vector<Wanted> tables, std::vector<RequestId>& orphans);

  const std::vector<Entry>& entries() const { return entries_; }
  Entry& entry(std::uint32_t index) { return entries_[index]; }
  const Call& call(CallRef ref) const { return entries_[ref.entry].calls[ref.at]; }
  // "trunk-east", or "trunk-east/2" where the table has several calls.
  std::string name(CallRef ref) const;

  std::optional<CallRef> of(ConnectionId connection) const;
  std::optional<CallRef> asked_by(RequestId request) const;
  // A call in state kWaiting; nullopt: there is none.
  std::optional<CallRef> missing_of(const CallKey& key);
  std::optional<CallRef> missing_of(std::uint32_t entry);

  // Each sets a call's state, also if it is the same.
  void ask(CallRef ref, RequestId request, TimePoint now, std::uint64_t stamp);
  void bind(CallRef ref, ConnectionId connection, CallState state, TimePoint now,
            std::uint64_t stamp, std::string lacks = {});
  void lose(CallRef ref, TimePoint now, std::uint64_t stamp);

  std::size_t count(CallState state) const { return counts_[static_cast<std::size_t>(state)]; }
  std::size_t size() const;

 private:
  void put(CallRef ref, const Call& call);
  // Moves what is known of the calls of `from` into entry `index`; the rest stays in `from`.
  void take_over(std::vector<Call>& from, std::uint32_t index);

  BackOff::Bounds retry_;
  std::vector<Entry> entries_;
  std::unordered_map<CallKey, std::vector<std::uint32_t>> by_key_;  // indices of entries
  std::unordered_map<ConnectionId, CallRef> bound_;
  std::unordered_map<RequestId, CallRef> asked_;
  std::size_t counts_[6] = {};
};

}  // namespace xbind::keeper
