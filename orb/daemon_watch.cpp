#include "orb/daemon_watch.hpp"

#include <omniORB4/omniORB.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include "orb/remote_error.hpp"
#include "orb/timers.hpp"

namespace xbind::orb {
namespace {

constexpr std::size_t kAtOnce = 16;  // daemons
// Of more daemons only one of each process is asked.
constexpr std::size_t kEachMax = 64;
// All names are listed at every so many looks while the first daemon of the last list lives: with
// hundreds of processes, their lists are the load of the name service.
constexpr std::size_t kLooksOfAList = 15;
constexpr auto kAnswer = kOrbTimers.ms("daemon-watch-answer");

bool below(const std::string& path, const std::string& context) {
  return path.size() > context.size() && path.starts_with(context) && path[context.size()] == '/' &&
         path.find('/', context.size() + 1) == std::string::npos;
}

// "xbind/cmgr" -> "xbind"
std::string root_of(const WatchedNames& names) {
  return names.keepers.substr(0, names.keepers.find('/'));
}

// The contracts' repository ids begin with it (#pragma prefix in idl/).
constexpr std::string_view kContracts = "IDL:openxbind/";

// "xbind/switchserver/node-2" -> "switchserver/node-2"
std::string shown(const std::string& path) { return path.substr(path.find('/') + 1); }

}  // namespace

std::vector<std::string> in_watching_order(const WatchedNames& names,
                                           const std::vector<std::string>& bound) {
  std::vector<std::string> order;
  const auto take = [&](const std::string& context) {
    const auto first = static_cast<std::ptrdiff_t>(order.size());
    std::ranges::copy_if(bound, std::back_inserter(order),
                         [&](const std::string& path) { return below(path, context); });
    std::sort(order.begin() + first, order.end());
  };
  for (const std::string& context : names.watchers) take(context);
  take(names.keepers);
  return order;
}

std::optional<std::vector<AlarmCondition>> conditions_of_silence(
    const WatchedNames& names, const std::vector<std::string>& order,
    const std::set<std::string>& own, const AskDaemons& ask) {
  std::vector<AlarmCondition> conditions;
  const auto note = [&](const std::string& path, const Result<void>& answer) {
    if (answer) return;
    const bool keeper = below(path, names.keepers);
    conditions.push_back({keeper ? AlarmKind::kKeeperSilent : AlarmKind::kDaemonSilent, shown(path),
                          answer.error().text});
  };
  const auto end_of_earlier = std::find_if(order.begin(), order.end(), [&](const auto& path) {
    return own.contains(path) || below(path, names.keepers);
  });
  auto next = order.begin();
  // One first: it lives as a rule. Then more at a time: each that is silent costs a wait.
  for (std::ptrdiff_t count = 1; next != end_of_earlier; count *= 2) {
    const std::vector<std::string> some(next, next + std::min(count, end_of_earlier - next));
    const std::vector<Result<void>> answers = ask(some);
    if (std::ranges::any_of(answers, [](const auto& one) { return one.has_value(); })) {
      return std::nullopt;
    }
    for (std::size_t i = 0; i < some.size(); ++i) note(some[i], answers[i]);
    next += std::ssize(some);
  }
  std::vector<std::string> rest;
  std::copy_if(next, order.end(), std::back_inserter(rest),
               [&](const std::string& path) { return !own.contains(path); });
  const std::vector<Result<void>> answers = ask(rest);
  for (std::size_t i = 0; i < rest.size(); ++i) note(rest[i], answers[i]);
  return conditions;
}

// ===== the processes of one look =====

void ProcessAnswers::note_answer(const std::string& address) {
  if (!address.empty()) answered_.insert(address);
}

void ProcessAnswers::note_silence(const std::string& address, const Error& why) {
  if (!address.empty()) silent_.emplace(address, why);
}

const Error* ProcessAnswers::silence_of(const std::string& address) const {
  const auto found = silent_.find(address);
  return found == silent_.end() ? nullptr : &found->second;
}

// ===== the watch =====

DaemonWatch::DaemonWatch(CORBA::ORB_ptr orb, const std::string& name_service, WatchedNames names,
                         std::set<std::string> own, Supervision& supervision)
    : names_(orb, name_service),
      watched_(std::move(names)),
      own_(std::move(own)),
      supervision_(supervision),
      thread_([this] { run(); }) {}

DaemonWatch::~DaemonWatch() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void DaemonWatch::run() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, kOrbTimers["daemon-watch"], [this] { return stop_; })) {
    lock.unlock();
    look();
    lock.lock();
  }
}

void DaemonWatch::look() {
  {
    const std::lock_guard lock(mutex_);
    processes_ = {};
  }
  if (first_lives()) return supervision_.set_observed({});
  const auto listed = names_.list(root_of(watched_));
  if (listed) order_ = in_watching_order(watched_, *listed);
  if (order_.size() > kDaemonsMax) order_.resize(kDaemonsMax);
  {
    const std::lock_guard lock(mutex_);
    const std::set<std::string> present(order_.begin(), order_.end());
    std::erase_if(references_, [&](const auto& one) { return !present.contains(one.first); });
  }
  for (const std::string& own : own_) {  // misbound() compares their addresses
    if (std::ranges::find(order_, own) != order_.end()) (void)reference(own, false);
  }
  auto conditions = conditions_of_silence(
      watched_, order_, own_, [this](const std::vector<std::string>& paths) { return ask(paths); });
  if (is_ending()) return;  // not all were asked
  if (conditions && !listed) {
    conditions->push_back({AlarmKind::kNameServiceUnreachable,
                           "name service at " + names_.service(), listed.error().text});
  }
  supervision_.set_observed(conditions ? std::move(*conditions) : std::vector<AlarmCondition>{});
}

bool DaemonWatch::first_lives() {
  if (++looks_ % kLooksOfAList == 0 || order_.empty()) return false;
  const std::string& first = order_.front();
  if (own_.contains(first) || below(first, watched_.keepers)) return false;
  return ask_one(first).has_value();
}

std::vector<Result<void>> DaemonWatch::ask(const std::vector<std::string>& paths) {
  std::vector<Result<void>> answers(paths.size());
  if (paths.size() == 1) {
    answers.front() = ask_one(paths.front());
    return answers;
  }
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < paths.size(); i = next++) answers[i] = ask_one(paths[i]);
  };
  std::vector<std::thread> threads;
  try {
    for (std::size_t i = 1; i < std::min(paths.size(), kAtOnce); ++i) threads.emplace_back(work);
  } catch (const std::system_error&) {
    // No further thread can be had: those that are there ask all.
  }
  work();
  for (std::thread& thread : threads) thread.join();
  return answers;
}

bool DaemonWatch::is_ending() {
  const std::lock_guard lock(mutex_);
  return stop_;
}

Result<CORBA::Object_var> DaemonWatch::reference(const std::string& path, bool again) {
  if (!again) {
    const std::lock_guard lock(mutex_);
    const auto known = references_.find(path);
    if (known != references_.end()) return known->second;
  }
  auto found = names_.resolve(path);
  if (!found) return found;
  omniORB::setClientCallTimeout(*found, static_cast<CORBA::ULong>(kAnswer.count()));
  const std::lock_guard lock(mutex_);
  references_[path] = *found;
  return found;
}

// A name at the place of a daemon that is bound to something else must not pass for a daemon that
// lives, and watches: nobody would watch then.
Result<void> DaemonWatch::misbound(CORBA::Object_ptr object, const std::string& address) {
  const std::string_view type = object->_PR_getobj()->_mostDerivedRepoId();
  if (!type.starts_with(kContracts)) {
    return fail(ErrorCode::kNotFound, "its name is bound to an object of another kind, {}", type);
  }
  if (address.empty()) return {};  // not known, and so not known to be this process's
  const std::lock_guard lock(mutex_);
  for (const std::string& own : own_) {
    const auto known = references_.find(own);
    if (known == references_.end() || address_of(known->second) != address) continue;
    return fail(ErrorCode::kNotFound, "its name is bound to the process of {} at {}", shown(own),
                address);
  }
  return {};
}

Result<void> DaemonWatch::ask_one(const std::string& path) {
  // The end of this process waits for those questions only that are open.
  if (is_ending()) return {};
  Result<void> answer;
  // A daemon that was started again has another reference.
  for (const bool again : {false, true}) {
    const auto object = reference(path, again);
    // Without a reference nothing is known of the daemon.
    if (!object) return again ? answer : Result<void>{};
    const std::string address = address_of(*object);
    if (const auto own = misbound(*object, address); !own) {
      answer = own;
      continue;
    }
    {
      const std::lock_guard lock(mutex_);
      if (const Error* const silence = processes_.silence_of(address)) {
        answer = tl::make_unexpected(*silence);
        continue;
      }
      if (order_.size() > kEachMax && processes_.has_answered(address)) return {};
    }
    const auto gone =
        remote("its process", *object, [&] { return bool{(*object)->_non_existent()}; });
    const std::lock_guard lock(mutex_);
    if (gone && !*gone) {
      processes_.note_answer(address);
      return {};
    }
    if (gone) {
      answer = fail(ErrorCode::kNotFound, "its process at {} has no such object", address);
    } else {
      answer = tl::make_unexpected(gone.error());
      processes_.note_silence(address, gone.error());
    }
  }
  return answer;
}

}  // namespace xbind::orb
