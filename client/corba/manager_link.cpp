#include "client/corba/manager_link.hpp"

#include <future>
#include <utility>

#include "core/steady_now.hpp"
#include "naming/names.hpp"

namespace xbind::client {

ManagerLink::ManagerLink(orb::Runtime& runtime, const std::string& name_service,
                         const Identity& identity, const Limits& limits, Events events)
    : peer_("manager " + identity.manager),
      path_(naming::path_of(naming::kConnectionManagers, identity.manager)),
      events_(std::move(events)),
      names_(runtime.orb(), name_service),
      requester_(identity, limits),
      sender_(peer_),
      serial_([this] { after_drain(); }),
      timer_([this] { serial_.post([] {}); }),
      observer_(runtime, [this](ManagerMessage message) {
        serial_.post([this, message = std::move(message)]() mutable {
          std::move(message).tell(requester_, steady_now());
        });
      }) {
  post([](Requester& requester, TimePoint now) { requester.start(now); });
}

ManagerLink::~ManagerLink() {
  // The attempt under way may still open a session; that session is detached, too.
  run([](Requester& requester, TimePoint now) { requester.end(now); });
  calls_.finish();
  observer_.forget();
  timer_.stop();
}

void ManagerLink::post(std::function<void(Requester&, TimePoint)> job) {
  serial_.post([this, job = std::move(job)] { job(requester_, steady_now()); });
}

void ManagerLink::run(const std::function<void(Requester&, TimePoint)>& job) {
  std::promise<void> over;
  serial_.post([&] {
    const TimePoint now = steady_now();
    job(requester_, now);
    perform(now);  // the caller may rely on the effects of the job
    over.set_value();
  });
  over.get_future().wait();
}

// ===== within the Serial =====

void ManagerLink::after_drain() {
  const TimePoint now = steady_now();
  if (requester_.next_deadline() <= now) requester_.tick(now);
  perform(now);
  timer_.set(requester_.next_deadline());
}

void ManagerLink::perform(TimePoint now) {
  for (bool again = true; again;) {
    requester_.flush(now, actions_);
    again = !transmit(now);
    for (const SessionId session : actions_.detach) {
      calls_.post([this, session] { detach(session); });
    }
    if (actions_.attach) {
      calls_.post([this, wanted = *actions_.attach] { attach(wanted); });
    }
    for (const auto& batch : actions_.deliveries) {
      for (const Outcome& outcome : batch->outcomes) events_.answered(outcome);
      for (const Notice& notice : batch->notices) events_.noticed(notice);
    }
    for (const Failure& failure : actions_.failed) events_.failed(failure);
    for (const SessionChange& change : actions_.changes) events_.changed(change);
    if (actions_.ended) events_.ended(*actions_.ended);
  }
}

bool ManagerLink::transmit(TimePoint now) {
  for (const session::Frame<RequestBatch>& frame : actions_.transmit) {
    if (const auto sent = sender_.send(actions_.session, frame); !sent) {
      requester_.session_failed(actions_.session, sent.error(), now);
      return false;
    }
  }
  return true;
}

// ===== on the thread of the two-way calls =====

void ManagerLink::attach(const Attach& wanted) {
  const Result<Attachment> attachment = attach_now(wanted);
  run([&](Requester& requester, TimePoint now) {
    if (!attachment) {
      requester.attach_failed(wanted.attempt, attachment.error(), now);
      return;
    }
    requester.attached(wanted.attempt, attachment->session, attachment->window, attachment->epoch,
                       now);
    if (requester.session() == attachment->session) sender_.open(attachment->inbox);
  });
}

Result<Attachment> ManagerLink::attach_now(const Attach& wanted) {
  // Resolved for every attempt: a restarted manager has another reference.
  const auto object = names_.resolve(path_);
  if (!object) return tl::make_unexpected(object.error());
  manager_ = v2::ConnectionManager::_unchecked_narrow(*object);
  return client::attach(peer_, manager_, wanted, observer_.reference());
}

void ManagerLink::detach(SessionId session) {
  if (CORBA::is_nil(manager_)) return;
  // If no answer comes, the session ends when its lease expires.
  (void)client::detach(peer_, manager_, session);
}

}  // namespace xbind::client
