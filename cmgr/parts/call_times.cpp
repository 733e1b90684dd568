#include "cmgr/parts/call_times.hpp"

namespace xbind::cmgr {

TimesIndex CallTimes::open_setup(const RequestTimes& request, TimePoint mapped) {
  return open(request, mapped, false);
}

TimesIndex CallTimes::open_release(const RequestTimes& request) {
  return open(request, request.begun, true);
}

TimesIndex CallTimes::open(const RequestTimes& request, TimePoint mapped, bool release) {
  if (vacant_.empty()) {
    vacant_.push_back(TimesIndex{static_cast<TimesIndex::rep>(entries_.size())});
    entries_.emplace_back();
  }
  const TimesIndex call = vacant_.back();
  vacant_.pop_back();
  Entry& entry = entries_[call.value()];
  entry.marks.fill(mapped);
  entry.marks[kArrived] = request.arrived;
  entry.marks[kBegun] = request.begun;
  entry.release = release;
  entry.open = true;
  return call;
}

TimesIndex CallTimes::try_again(TimesIndex call, TimePoint now) {
  if (call == kNotTimed) return call;
  if (entries_[call.value()].queued == 0) {
    mark<kTried>(call, now);
    return call;
  }
  const auto marks = entries_[call.value()].marks;
  close(call);
  const TimesIndex again = open({marks[kArrived], marks[kBegun]}, marks[kMapped], false);
  mark<kTried>(again, now);
  return again;
}

void CallTimes::handed_over(TimesIndex call, TimePoint now) {
  if (call == kNotTimed) return;
  const Entry& entry = entries_[call.value()];
  const auto& marks = entry.marks;
  if (entry.release) {
    releases_.add(ReleaseStage::kAdmission, marks[kBegun] - marks[kArrived]);
    releases_.add(ReleaseStage::kQueue, marks[kLeft] - marks[kBegun]);
    releases_.add(ReleaseStage::kSwitches, marks[kAnswered] - marks[kLeft]);
    releases_.add(ReleaseStage::kAnswer, now - marks[kAnswered]);
    releases_.add(ReleaseStage::kTotal, now - marks[kArrived]);
  } else {
    for (std::size_t i = 0; i + 1 < kMarks; ++i) {
      setups_.add(static_cast<SetupStage>(i), marks[i + 1] - marks[i]);
    }
    setups_.add(SetupStage::kAnswer, now - marks[kAnswered]);
    setups_.add(SetupStage::kTotal, now - marks[kArrived]);
  }
  close(call);
}

void CallTimes::close(TimesIndex call) {
  if (call == kNotTimed) return;
  entries_[call.value()].open = false;
  vacate_if_done(call);
}

}  // namespace xbind::cmgr
