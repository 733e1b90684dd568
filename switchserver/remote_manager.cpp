#include "switchserver/remote_manager.hpp"

#include <utility>

#include "core/log.hpp"
#include "core/name.hpp"
#include "orb/convert.hpp"
#include "orb/oneway.hpp"

namespace xbind {

void RemoteManagers::know(SessionId session, v2::HopObserver_ptr observer) {
  observers_[session] = v2::HopObserver::_duplicate(observer);
}

void RemoteManagers::send_collected(TimePoint now) {
  static const HopResultBatch kNothing;
  outbox_.send(now, [this](const Outgoing& outgoing) {
    const auto observer = observers_.find(outgoing.session);
    if (observer == observers_.end()) return;
    const HopResultBatch& results = outgoing.frame.batch ? *outgoing.frame.batch : kNothing;
    orb::to_idl(results, results_);
    const auto sent = orb::send_oneway("the manager", observer->second, [&] {
      observer->second->deliver_results(outgoing.session.value(), outgoing.frame.seq.value(),
                                        outgoing.frame.confirmed.value(), results_);
    });
    ++requests_sent_;
    if (!sent) {
      observers_.erase(observer);
      on_lost_(outgoing.session, sent.error().text);
    }
  });
  for (const auto& [session, ending] : std::exchange(over_, {})) {
    auto known = observers_.extract(session);
    if (!known.empty()) send_session_end(session, known.mapped(), ending);
  }
}

void RemoteManagers::send_session_end(SessionId session, const v2::HopObserver_var& observer,
                                      const SessionEnding& ending) {
  if (ending.why > kSessionEndReportedLast) return;
  const auto notified = orb::send_oneway("the manager", observer, [&] {
    observer->manager_session_ended(session.value(), static_cast<v2::SessionEnd>(ending.why),
                                    printable(ending.reason).c_str());
  });
  if (!notified)
    log::sessions.info("session {}: the notice of its end was not delivered: {}", session,
                       notified.error().text);
}

}  // namespace xbind
