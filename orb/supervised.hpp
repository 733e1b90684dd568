// The operators' interface of every daemon: its options, the levels of the log, alarms and events
// (orb/supervision.hpp). A servant derives from it instead of Dispatched:
//
//   class RouteOperationsServant : public orb::Supervised<POA_xbind::v2::RouteOperations> {
#pragma once

#include <cstdint>

#include "core/events/event.hpp"
#include "operations.hh"
#include "orb/configured.hpp"
#include "orb/dispatch.hpp"
#include "orb/log_level.hpp"
#include "orb/supervision.hpp"

namespace xbind::orb {

// A page of the part's raised alarms, and those that were cleared. Throws BadRequest.
v2::AlarmSeq* alarms_of(Supervision& supervision, v2::AlarmId after, CORBA::ULong limit,
                        bool cleared_too);
// Throw UnknownAlarm and BadRequest.
void acknowledge(Supervision& supervision, v2::AlarmId id, const char* who, const char* note);
void unacknowledge(Supervision& supervision, v2::AlarmId id);

// Where a reader of events continues.
struct EventPosition {
  std::uint64_t after = 0;
  std::size_t limit = 0;
};
// Throws BadRequest: no such log, or the limit is out of range. A position of another incarnation
// is the beginning.
EventPosition event_position(const Supervision& supervision, v2::EventLogCode log,
                             std::uint64_t incarnation, std::uint64_t after, CORBA::ULong limit);
// As many events of the page as fit into a reply.
v2::EventPage* to_idl(const EventPage& page, std::uint64_t incarnation);

template <class Skeleton>
class Supervised : public Dispatched<Skeleton> {
 public:
  void set_log_level(const char* level) override { orb::set_log_level(level); }
  v2::LogLevelSeq* log_levels() override { return orb::log_levels(); }
  v2::OptionValueSeq* options() override { return values_of(options_); }
  v2::OptionChangeSeq* reload() override { return orb::reload(options_); }
  v2::OptionChangeSeq* tune(const char* name, const char* value) override {
    return orb::tune(options_, name, value);
  }
  v2::OptionChangeSeq* untune(const char* name) override { return orb::untune(options_, name); }
  v2::AlarmSeq* alarms(v2::AlarmId after, CORBA::ULong limit, CORBA::Boolean cleared_too) override {
    return alarms_of(supervision_, after, limit, cleared_too);
  }
  void acknowledge(v2::AlarmId id, const char* who, const char* note) override {
    orb::acknowledge(supervision_, id, who, note);
  }
  void unacknowledge(v2::AlarmId id) override { orb::unacknowledge(supervision_, id); }
  v2::EventPage* events_since(v2::EventLogCode log, CORBA::ULongLong incarnation,
                              CORBA::ULongLong after, CORBA::ULong limit) override {
    const EventPosition from = event_position(supervision_, log, incarnation, after, limit);
    return to_idl(log == v2::event_log_calls ? calls_after(from)
                                             : supervision_.events().page(from.after, from.limit),
                  supervision_.incarnation());
  }

 protected:
  // All must outlive the servant.
  Supervised(Dispatch& dispatch, Supervision& supervision, config::Reloadable& options)
      : Dispatched<Skeleton>(dispatch), supervision_(supervision), options_(options) {}

  // The log of calls; only managers have one.
  virtual EventPage calls_after(const EventPosition& /*from*/) { return {}; }

 private:
  Supervision& supervision_;
  config::Reloadable& options_;
};

}  // namespace xbind::orb
