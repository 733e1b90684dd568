// All daemons of the name service, asked side by side: one that does not answer delays nobody
// beyond its time limit.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "operations.hh"
#include "orb/name_client.hpp"
#include "xbindctl/failure.hpp"

namespace xbind::ctl {

struct Daemon {
  PeerKind kind = PeerKind::kManager;
  std::string path;  // in the name service, "xbind/switchserver/node-2"

  // "switchserver/node-2"
  std::string name() const { return path.substr(path.find('/') + 1); }
};

inline constexpr std::size_t kDaemonsAtOnce = 16;

// Every daemon with an operators' interface, in the order of their paths.
OrFailure<std::vector<Daemon>> daemons(orb::NameClient& names);
// The daemon of that name; kNotFound: no such word or no name.
OrFailure<Daemon> daemon_named(const std::string& name);

// The operators' interface of a daemon, which has Logged, Configured, Alarmed and Recorded. Throws
// what the call throws; the caller releases the result.
v2::Logged_ptr operations_at(PeerKind kind, CORBA::Object_ptr object);

// Both parts of a daemon's operators' interface that concern its supervision.
struct Operators {
  v2::Alarmed_var alarms;
  v2::Recorded_var events;
};
// Waits at most twice the time limit of a daemon's answer ("daemon-answer").
OrFailure<Operators> operators_of(orb::NameClient& names, const Daemon& daemon);

// Calls `ask(operators)` for one daemon; it returns an OrFailure. An exception is a failure, unless
// one of `answers` takes it (call_peer()).
template <class Ask, class... Answers>
auto ask_one(orb::NameClient& names, const Daemon& daemon, const Ask& ask,
             const Answers&... answers) -> std::invoke_result_t<Ask, const Operators&> {
  const auto found = operators_of(names, daemon);
  if (!found) return tl::make_unexpected(found.error());
  return call_peer(
      peer_of(daemon.kind, daemon.path, found->alarms), found->alarms, [&] { return ask(*found); },
      answers...);
}

// The answers of all daemons, in their order: `ask(number of the daemon, operators)`. Several
// threads call it at a time.
template <class Ask>
auto ask_each(orb::NameClient& names, const std::vector<Daemon>& daemons, const Ask& ask) {
  using Answer = std::invoke_result_t<Ask, std::size_t, const Operators&>;
  std::vector<Answer> answers(daemons.size(), Answer{});
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < daemons.size(); i = next++) {
      answers[i] =
          ask_one(names, daemons[i], [&](const Operators& operators) { return ask(i, operators); });
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < std::min(daemons.size(), kDaemonsAtOnce); ++i) {
    threads.emplace_back(work);
  }
  for (std::thread& thread : threads) thread.join();
  return answers;
}

// "2026-11-26 06:28:48 UTC"; "-" for 0.
std::string time_of_alarm(std::uint64_t utc_ms);

}  // namespace xbind::ctl
