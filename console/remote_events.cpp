#include "console/remote_events.hpp"

#include <fmt/format.h>
#include <omniORB4/omniORB.h>

#include <utility>
#include <vector>

#include "console/remote_failure.hpp"
#include "console/timers.hpp"
#include "naming/names.hpp"
#include "xbindctl/fleet.hpp"

namespace xbind::console {
namespace {

constexpr const char* kOwner = "all";  // of the rows: they stay when their daemon has ended

// "cmgr/default"
std::string name_of(const Daemon& daemon) { return daemon.kind + "/" + daemon.name; }

std::vector<v2::EventLogCode> logs_of(const Daemon& daemon) {
  if (daemon.kind != naming::kConnectionManagers) return {v2::event_log_network};
  return {v2::event_log_calls, v2::event_log_network};
}

BookedEvent booked(const std::string& daemon, const v2::Event& event) {
  return {.at_ms = event.at_ms,
          .daemon = daemon,
          .subject = std::string{to_string(ctl::subject_of(event))},
          .connection = event.connection == 0 ? "" : fmt::format("{}", event.connection),
          .json = text_of(ctl::json_of(daemon, event))};
}

}  // namespace

std::optional<ctl::Failure> RemoteEvents::read(const Daemon& daemon) {
  // A daemon that was started again may have another reference for its operators.
  for (const bool again : {false, true}) {
    const auto events = events_of(daemon);
    if (!events) return events.error();
    std::optional<ctl::Failure> failure;
    for (const v2::EventLogCode log : logs_of(daemon)) {
      const auto done = read_log(daemon, log, *events);
      if (done) continue;
      failure = done.error();
      break;
    }
    if (!failure) return std::nullopt;
    {
      const std::lock_guard lock(mutex_);
      readers_[daemon.path].events = v2::Recorded::_nil();
    }
    if (again || failure->name == to_string(ErrorCode::kTimeout)) return failure;
  }
  return std::nullopt;
}

ctl::OrFailure<v2::Recorded_var> RemoteEvents::events_of(const Daemon& daemon) {
  {
    const std::lock_guard lock(mutex_);
    if (!readers_.contains(daemon.path)) make_room();
    Reader& reader = readers_[daemon.path];
    reader.gone = false;
    if (!CORBA::is_nil(reader.events) && reader.daemon->_is_equivalent(daemon.object)) {
      return reader.events;
    }
  }
  auto asked =
      ctl::call_peer(peer_of(daemon), daemon.object, [&]() -> ctl::OrFailure<v2::Recorded_var> {
        const v2::Logged_var operations = ctl::operations_at(kind_of(daemon.kind), daemon.object);
        v2::Recorded_var events = v2::Recorded::_unchecked_narrow(operations);
        omniORB::setClientCallTimeout(
            events, static_cast<CORBA::ULong>(kConsoleTimers.ms("daemon-answer").count()));
        return events;
      });
  if (!asked) return asked;
  const std::lock_guard lock(mutex_);
  Reader& reader = readers_[daemon.path];
  reader.daemon = daemon.object;
  reader.events = *asked;
  return asked;
}

ctl::OrFailure<bool> RemoteEvents::read_log(const Daemon& daemon, v2::EventLogCode log,
                                            v2::Recorded_ptr events) {
  ctl::EventPosition from;
  {
    const std::lock_guard lock(mutex_);
    from = readers_[daemon.path].logs[log].position;
  }
  return ctl::call_peer(peer_of(daemon), events, [&]() -> ctl::OrFailure<bool> {
    take(daemon, log, ctl::read_newest_events(events, log, from, kEventsAtOnce));
    return true;
  });
}

void RemoteEvents::take(const Daemon& daemon, v2::EventLogCode log, const ctl::ReadEvents& read) {
  const std::string name = name_of(daemon);
  std::vector<BookedEvent> events;
  events.reserve(read.events.size());
  for (const v2::Event& event : read.events) events.push_back(booked(name, event));
  // Published under the lock, so that the changes of two daemons keep the order of the ids.
  const std::lock_guard lock(mutex_);
  Log& known = readers_[daemon.path].logs[log];
  known.position = read.position;
  const std::string source = fmt::format("{} {}", name, ctl::log_name(log));
  if (read.lost > 0) {
    known.left_out += read.lost;
    board_.amend(
        "event_logs", kOwner,
        {{source,
          text_of({{"daemon", name}, {"log", ctl::log_name(log)}, {"left_out", known.left_out}})}},
        {});
  }
  if (events.empty()) return;
  EventBook::Change change = book_.add(source, std::move(events));
  board_.amend("events", kOwner, std::move(change.set), change.gone);
}

void RemoteEvents::forget(const Daemon& daemon) {
  const std::lock_guard lock(mutex_);
  const auto found = readers_.find(daemon.path);
  if (found == readers_.end()) return;
  found->second.gone = true;
  found->second.events = v2::Recorded::_nil();
}

void RemoteEvents::make_room() {
  if (readers_.size() < kEventReadersMax) return;
  std::vector<std::string> rows;
  std::erase_if(readers_, [&](const auto& reader) {
    if (!reader.second.gone) return false;
    const std::string name = reader.first.substr(reader.first.find('/') + 1);
    for (const auto& [log, known] : reader.second.logs) {
      rows.push_back(fmt::format("{} {}", name, ctl::log_name(log)));
    }
    return true;
  });
  board_.amend("event_logs", kOwner, {}, rows);
}

std::string RemoteEvents::document(const EventFilter& filter) const {
  const std::lock_guard lock(mutex_);
  return fmt::format(R"({{"events":{},"newest":"{}","event_logs":{}}})", book_.array_of(filter),
                     book_.last_id(), board_.array_of("event_logs"));
}

}  // namespace xbind::console
