// An operators' interface without options, alarms, events and a log of its own: of a daemon that
// stands in for another one, such as the null manager (bench/null).
#pragma once

#include "operations.hh"

namespace xbind::orb {

template <class Skeleton>
class Unsupervised : public Skeleton {
 public:
  void set_log_level(const char*) override { throw v2::BadRequest("this daemon has no log level"); }
  v2::LogLevelSeq* log_levels() override { return new v2::LogLevelSeq; }
  v2::OptionValueSeq* options() override { return new v2::OptionValueSeq; }
  v2::OptionChangeSeq* reload() override { throw v2::BadRequest("this daemon has no options"); }
  v2::OptionChangeSeq* tune(const char*, const char*) override { return reload(); }
  v2::OptionChangeSeq* untune(const char*) override { return reload(); }
  v2::AlarmSeq* alarms(v2::AlarmId, CORBA::ULong, CORBA::Boolean) override {
    return new v2::AlarmSeq;
  }
  void acknowledge(v2::AlarmId id, const char*, const char*) override {
    throw v2::UnknownAlarm(id);
  }
  void unacknowledge(v2::AlarmId id) override { throw v2::UnknownAlarm(id); }
  v2::EventPage* events_since(v2::EventLogCode, CORBA::ULongLong, CORBA::ULongLong,
                              CORBA::ULong) override {
    auto* const page = new v2::EventPage;
    page->incarnation = page->newest = page->lost = 0;
    return page;
  }
};

}  // namespace xbind::orb
