#include "client/corba/manager_link.hpp"

#include <future>
#include <mutex>
#include <utility>

#include "core/name.hpp"
#include "core/session/session_end.hpp"
#include "core/steady_now.hpp"
#include "naming/names.hpp"
#include "orb/convert.hpp"
#include "orb/remote_error.hpp"

namespace xbind::client {

// Upcalls come on the ORB's threads.
class ManagerLink::Observer : public POA_xbind::v2::OutcomeObserver {
 public:
  explicit Observer(ManagerLink& link) : link_(&link) {}

  // Waits for the upcalls that run. No later one reaches the link.
  void forget() {
    const std::unique_lock lock(mutex_);
    link_ = nullptr;
  }

  void deliver_outcomes(v2::SessionId session, v2::BatchSeq seq, v2::BatchSeq confirmed,
                        const v2::OutcomeSeq& outcomes, const v2::NoticeSeq& notices) override {
    session::Frame<OutcomeBatch> frame{BatchSeq{seq}, BatchSeq{confirmed}, nullptr};
    if (seq != 0) {
      auto converted = orb::to_core(outcomes, notices);
      if (!converted) {
        // It would be sent again and again.
        post([session, error = converted.error()](Requester& requester, TimePoint now) {
          requester.session_failed(SessionId{session}, error, now);
        });
        return;
      }
      frame.batch = std::make_shared<const OutcomeBatch>(std::move(*converted));
    }
    post([session, frame = std::move(frame)](Requester& requester, TimePoint now) {
      requester.receive(SessionId{session}, frame, now);
    });
  }

  void client_session_ended(v2::SessionId session, v2::SessionEnd why,
                            const char* reason) override {
    // Whatever the reason, the answer is to attach again; the sentence says it to people.
    std::string sentence = printable(reason, 400);
    if (sentence.empty()) sentence = to_string(static_cast<SessionEnd>(why));
    post([session, sentence = std::move(sentence)](Requester& requester, TimePoint now) {
      requester.session_ended(SessionId{session}, sentence, now);
    });
  }

 private:
  void post(std::function<void(Requester&, TimePoint)> job) {
    const std::shared_lock lock(mutex_);
    if (link_ != nullptr) link_->post(std::move(job));
  }

  // Shared: while one upcall runs what is queued, the next one queues and returns.
  std::shared_mutex mutex_;
  ManagerLink* link_;
};

ManagerLink::ManagerLink(orb::Runtime& runtime, const std::string& name_service,
                         const Identity& identity, const Limits& limits, Events events)
    : peer_("manager " + identity.manager),
      path_(naming::path_of(naming::kConnectionManagers, identity.manager)),
      events_(std::move(events)),
      names_(runtime.orb(), name_service),
      observer_(new Observer(*this)),
      requester_(identity, limits),
      serial_([this] { after_drain(); }),
      timer_([this] { serial_.post([] {}); }) {
  const CORBA::Object_var reference = runtime.activate(observer_);
  observer_reference_ = v2::OutcomeObserver::_unchecked_narrow(reference);
  post([](Requester& requester, TimePoint now) { requester.start(now); });
}

ManagerLink::~ManagerLink() {
  // The attempt that is under way may still open a session: it is detached, too.
  run([](Requester& requester, TimePoint now) { requester.end(now); });
  calls_.finish();
  observer_->forget();
  timer_.stop();
  // The POA may have gone already: then there is nothing to do.
  (void)orb::remote("this program", [this] {
    const PortableServer::POA_var poa = observer_->_default_POA();
    const PortableServer::ObjectId_var id = poa->servant_to_id(observer_);
    poa->deactivate_object(id);
  });
  observer_->_remove_ref();
}

void ManagerLink::post(std::function<void(Requester&, TimePoint)> job) {
  serial_.post([this, job = std::move(job)] { job(requester_, steady_now()); });
}

void ManagerLink::run(const std::function<void(Requester&, TimePoint)>& job) {
  std::promise<void> over;
  serial_.post([&] {
    const TimePoint now = steady_now();
    job(requester_, now);
    perform(now);  // the caller may rely on what follows from the job
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
    for (const auto& batch : actions_.told) {
      for (const Outcome& outcome : batch->outcomes) events_.answered(outcome);
      for (const Notice& notice : batch->notices) events_.noticed(notice);
    }
    for (const Failure& failure : actions_.failed) events_.failed(failure);
    for (const SessionChange& change : actions_.changes) events_.changed(change);
    if (actions_.ended) events_.ended(*actions_.ended);
  }
}

bool ManagerLink::transmit(TimePoint now) {
  static const RequestBatch kNothing;
  for (const session::Frame<RequestBatch>& frame : actions_.transmit) {
    orb::to_idl(frame.batch ? *frame.batch : kNothing, on_the_wire_);
    const auto sent = orb::remote(peer_, inbox_, [&] {
      inbox_->submit_requests(actions_.session.value(), frame.seq.value(), frame.confirmed.value(),
                              on_the_wire_);
    });
    if (!sent) {
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
    requester.attached(wanted.attempt, attachment->session, attachment->window, now);
    if (requester.session() == attachment->session) inbox_ = attachment->inbox;
  });
}

Result<ManagerLink::Attachment> ManagerLink::attach_now(const Attach& wanted) {
  // Looked up for every attempt: a manager that was started anew has another reference.
  const auto object = names_.resolve(path_);
  if (!object) return tl::make_unexpected(object.error());
  manager_ = v2::ConnectionManager::_unchecked_narrow(*object);
  return orb::remote(peer_, manager_, [&] {
    const v2::ClientAttachment_var answer = manager_->attach_client(
        wanted.client.c_str(), wanted.epoch.value(), v2::protocol_version, observer_reference_);
    Attachment attachment;
    attachment.session = SessionId{answer->session};
    attachment.inbox = v2::RequestInbox::_duplicate(answer->inbox);
    attachment.window = answer->batches_in_flight;
    // Opens the connection for batches here, where a thread may wait for it.
    attachment.inbox->submit_requests(answer->session, 0, 0, v2::RequestBatch{});
    return attachment;
  });
}

void ManagerLink::detach(SessionId session) {
  if (CORBA::is_nil(manager_)) return;
  // Without an answer the session ends when its lease is over.
  (void)orb::remote(peer_, manager_, [&] { manager_->detach_client(session.value()); });
}

}  // namespace xbind::client
