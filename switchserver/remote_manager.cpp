#include "switchserver/remote_manager.hpp"

#include <utility>

#include "orb/convert.hpp"
#include "orb/remote_error.hpp"

namespace xbind {

void RemoteManagers::know(SessionId session, v2::HopObserver_ptr observer) {
  observers_[session] = v2::HopObserver::_duplicate(observer);
}

void RemoteManagers::send_collected(TimePoint now) {
  static const HopResultBatch kNothing;
  std::vector<Outgoing> ready = std::exchange(outbox_, {});
  faults_.pass(
      ready, [](const Outgoing& outgoing) { return outgoing.session.value(); }, now);
  for (const Outgoing& outgoing : ready) {
    const auto observer = observers_.find(outgoing.session);
    if (observer == observers_.end()) continue;
    const HopResultBatch& results = outgoing.frame.batch ? *outgoing.frame.batch : kNothing;
    orb::to_idl(results, results_);
    if (outgoing.frame.batch) pace_.send(results.results.size());
    const auto sent = orb::remote("the manager", observer->second, [&] {
      observer->second->deliver_results(outgoing.session.value(), outgoing.frame.seq.value(),
                                        outgoing.frame.confirmed.value(), results_);
    });
    ++requests_sent_;
    if (!sent) {
      observers_.erase(observer);
      on_lost_(outgoing.session, sent.error().text);
    }
  }
  for (const SessionId session : std::exchange(over_, {})) observers_.erase(session);
}

}  // namespace xbind
