// Watches whether the other daemons of the name service answer, and raises the alarms about those
// that do not (decision 0089). One daemon watches for all: the first in the order of WatchedNames
// that lives. Every other daemon asks those before it until one answers, and reports nothing.
//
//   routeobject/default ──▶ asks every daemon, and raises daemon-silent, keeper-silent
//   cmgr/default        ──▶ asks routeobject/default: it lives
//   switchserver/node-1 ──▶ asks routeobject/default: it lives
//
// While the name service is away, the names that it had last are watched, and that is an alarm too.
#pragma once

#include <omniORB4/CORBA.h>

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "core/alarms/alarm.hpp"
#include "core/result.hpp"
#include "orb/name_client.hpp"
#include "orb/supervision.hpp"
#include "orb/watched_names.hpp"

namespace xbind::orb {

// The paths that are watched, in the order in which their daemons watch; keepers come last.
std::vector<std::string> in_watching_order(const WatchedNames& names,
                                           const std::vector<std::string>& bound);

// One look. `order`: of in_watching_order(); `own`: the names of this process, which are not asked.
// Those before them are asked in groups, each twice as large as the one before it. `ask` returns an
// error for each path whose daemon does not answer. nullopt: a daemon before this one answers, and
// watches.
using AskDaemons = std::function<std::vector<Result<void>>(const std::vector<std::string>& paths)>;
std::optional<std::vector<AlarmCondition>> conditions_of_silence(
    const WatchedNames& names, const std::vector<std::string>& order,
    const std::set<std::string>& own, const AskDaemons& ask);

// What one look has learnt of processes, by their addresses, so that a stopped process of many
// daemons costs one wait. An empty address is unknown (orb/remote_error.hpp): the daemons that have
// one are different processes, and nothing is noted for them. Not thread-safe.
class ProcessAnswers {
 public:
  void note_answer(const std::string& address);
  void note_silence(const std::string& address, const Error& why);
  bool has_answered(const std::string& address) const { return answered_.contains(address); }
  // Null: it is not known to be silent. Valid until the next note.
  const Error* silence_of(const std::string& address) const;

 private:
  std::map<std::string, Error> silent_;
  std::set<std::string> answered_;
};

class DaemonWatch {
 public:
  // Names beyond this number are not watched.
  static constexpr std::size_t kDaemonsMax = 4'096;

  // Begins to watch. `own`: the names that this process binds. `supervision` must outlive it.
  DaemonWatch(CORBA::ORB_ptr orb, const std::string& name_service, WatchedNames names,
              std::set<std::string> own, Supervision& supervision);
  ~DaemonWatch();
  DaemonWatch(const DaemonWatch&) = delete;
  DaemonWatch& operator=(const DaemonWatch&) = delete;

 private:
  void run();
  void look();
  // Whether the first daemon of the last list is another one and answers; false also if the names
  // are to be listed again.
  bool first_lives();
  bool is_ending();
  std::vector<Result<void>> ask(const std::vector<std::string>& paths);
  Result<void> ask_one(const std::string& path);
  // kNotFound: the object is none of the contracts', or one of this process under a further name.
  Result<void> misbound(CORBA::Object_ptr object, const std::string& address);
  // The reference of the name, as resolved earlier unless `again`.
  Result<CORBA::Object_var> reference(const std::string& path, bool again);

  NameClient names_;
  const WatchedNames watched_;
  const std::set<std::string> own_;
  Supervision& supervision_;
  std::vector<std::string> order_;  // as of the last answer of the name service
  std::size_t looks_ = 0;

  std::mutex mutex_;  // for the members below
  std::condition_variable wake_;
  bool stop_ = false;
  std::map<std::string, CORBA::Object_var> references_;
  ProcessAnswers processes_;  // of this look

  std::thread thread_;  // last: it uses the others
};

}  // namespace xbind::orb
