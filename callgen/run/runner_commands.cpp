// What an operator asks of a Runner; runner.cpp has the rest.
#include "callgen/run/runner.hpp"

#include "core/check.hpp"
#include "core/duration_numbers.hpp"

namespace xbind::callgen {

Result<std::string> Runner::perform(const RunCommand& command, TimePoint now) {
  XB_CHECK(started_);
  now = clamp_to_latest(now);
  if (finished_) return fail(ErrorCode::kBadInput, "the run is over");
  const OfferView before = offer_.view(now);
  Result<void> done;
  switch (command.what) {
    case RunCommand::What::kRate: done = offer_.change_rate(command.value, now); break;
    case RunCommand::What::kFaster:
      done = offer_.change_rate(before.rate.value_or(0) + command.value, now);
      break;
    case RunCommand::What::kPause: done = offer_.pause(now); break;
    case RunCommand::What::kResume: done = offer_.resume(now); break;
    case RunCommand::What::kPauseOrResume:
      done = before.paused ? offer_.resume(now) : offer_.pause(now);
      break;
    case RunCommand::What::kQuit: done = quit(now); break;
    case RunCommand::What::kStatus: break;
  }
  if (!done) return tl::make_unexpected(done.error());
  finish_if_over(now);
  return sentence_of(offer_.view(now));
}

// First the offer ends, and calls live on; then they end, too.
Result<void> Runner::quit(TimePoint now) {
  if (!offer_.over()) {
    figures_.interrupted = true;
    return offer_.end(now);
  }
  if (stop_by_) return fail(ErrorCode::kBadInput, "quit: all calls are being released");
  stop(now);
  return {};
}

// The offer as it was in the end.
void Runner::note_offer() {
  figures_.changes = offer_.changes();
  figures_.planned_calls = offer_.planned_calls();
  figures_.asked_per_s = offer_.asked_mean(started_at_ + figures_.sent_span);
  figures_.asked_peak_per_s = offer_.asked_peak();
}

}  // namespace xbind::callgen
