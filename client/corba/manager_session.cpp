#include "client/corba/manager_session.hpp"

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "core/name.hpp"
#include "core/overloaded.hpp"
#include "core/session/session_end.hpp"
#include "core/steady_now.hpp"
#include "orb/convert.hpp"
#include "orb/oneway.hpp"
#include "orb/remote_error.hpp"

namespace xbind::client {

// ===== messages from the manager =====

void ManagerMessage::tell(Requester& requester, TimePoint now) && {
  std::visit(Overloaded{
                 [&](session::Frame<OutcomeBatch>& frame) {
                   requester.receive(session, std::move(frame), now);
                 },
                 [&](const Error& why) { requester.session_failed(session, why, now); },
                 [&](const std::string& why) { requester.session_ended(session, why, now); },
             },
             content);
}

class Observer::Servant : public POA_xbind::v2::OutcomeObserver {
 public:
  explicit Servant(std::function<void(ManagerMessage)> on_message)
      : on_message_(std::move(on_message)) {}

  void forget() {
    const std::unique_lock lock(mutex_);
    on_message_ = nullptr;
  }

  void deliver_outcomes(v2::SessionId session, v2::BatchSeq seq, v2::BatchSeq confirmed,
                        const v2::OutcomeSeq& outcomes, const v2::NoticeSeq& notices) override {
    if (session == 0) return;  // it opens the connection
    const TimePoint arrived = steady_now();
    session::Frame<OutcomeBatch> frame{BatchSeq{seq}, BatchSeq{confirmed}, nullptr};
    if (seq != 0) {
      auto converted = orb::to_core(outcomes, notices);
      if (!converted) {
        pass_on({SessionId{session}, arrived, converted.error()});
        return;
      }
      frame.batch = std::make_shared<const OutcomeBatch>(std::move(*converted));
    }
    pass_on({SessionId{session}, arrived, std::move(frame)});
  }

  void client_session_ended(v2::SessionId session, v2::SessionEnd why,
                            const char* reason) override {
    // The reaction is the same for every reason: attach again. The sentence is for people.
    std::string sentence = printable(reason, 400);
    if (sentence.empty()) sentence = to_string(static_cast<SessionEnd>(why));
    pass_on({SessionId{session}, steady_now(), std::move(sentence)});
  }

 private:
  void pass_on(ManagerMessage message) {
    const std::shared_lock lock(mutex_);
    if (on_message_) on_message_(std::move(message));
  }

  // Shared: while one upcall runs queued jobs, the next one can queue its job and return.
  std::shared_mutex mutex_;
  std::function<void(ManagerMessage)> on_message_;
};

Observer::Observer(orb::Runtime& runtime, std::function<void(ManagerMessage)> on_message)
    : servant_(new Servant(std::move(on_message))) {
  const CORBA::Object_var object = runtime.activate(servant_);
  reference_ = v2::OutcomeObserver::_unchecked_narrow(object);
}

Observer::~Observer() {
  forget();
  // If the POA is destroyed already, there is nothing to deactivate.
  (void)orb::remote("this program", [this] {
    const PortableServer::POA_var poa = servant_->_default_POA();
    const PortableServer::ObjectId_var id = poa->servant_to_id(servant_);
    poa->deactivate_object(id);
  });
  servant_->_remove_ref();
}

void Observer::forget() { servant_->forget(); }

// ===== two-way calls =====

Result<Attachment> attach(const std::string& peer, v2::ConnectionManager_ptr manager,
                          const Attach& wanted, v2::OutcomeObserver_ptr observer) {
  return orb::remote(peer, manager, [&] {
    Attachment attachment;
    attachment.epoch = wanted.epoch;
    if (wanted.epoch == Epoch{}) {
      attachment.epoch = Epoch{manager->new_client_epoch(wanted.client.c_str())};
    }
    const v2::ClientAttachment_var answer = manager->attach_client(
        wanted.client.c_str(), attachment.epoch.value(), v2::protocol_version, observer);
    attachment.session = SessionId{answer->session};
    attachment.inbox = v2::RequestInbox::_duplicate(answer->inbox);
    attachment.window = answer->batches_in_flight;
    attachment.inbox->submit_requests(answer->session, 0, 0, v2::RequestBatch{});
    return attachment;
  });
}

Result<void> detach(const std::string& peer, v2::ConnectionManager_ptr manager, SessionId session) {
  return orb::remote(peer, manager, [&] { manager->detach_client(session.value()); });
}

// ===== messages to the manager =====

Result<void> RequestSender::send(SessionId session, const session::Frame<RequestBatch>& frame) {
  static const RequestBatch kNothing;
  orb::to_idl(frame.batch ? *frame.batch : kNothing, on_the_wire_);
  return orb::send_oneway(peer_, inbox_, [&] {
    inbox_->submit_requests(session.value(), frame.seq.value(), frame.confirmed.value(),
                            on_the_wire_);
  });
}

}  // namespace xbind::client
