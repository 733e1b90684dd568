// The null switch as a process.
#include <future>
#include <memory>
#include <utility>
#include <vector>

#include "bench/null/daemon.hpp"
#include "bench/null/null_switch.hpp"
#include "bench/null/standard_input.hpp"
#include "core/log.hpp"
#include "core/output.hpp"
#include "core/serial.hpp"
#include "core/steady_now.hpp"
#include "orb/convert.hpp"
#include "orb/process.hpp"
#include "orb/raise.hpp"
#include "orb/remote_error.hpp"
#include "orb/timer_thread.hpp"
#include "switch_server.hh"

namespace xbind::callgen::null {
namespace {

class SwitchDaemon {
 public:
  SwitchDaemon() : serial_([this] { after_drain(); }), timer_([this] { serial_.post([] {}); }) {}
  ~SwitchDaemon() { timer_.stop(); }
  SwitchDaemon(const SwitchDaemon&) = delete;
  SwitchDaemon& operator=(const SwitchDaemon&) = delete;

  template <class Job>
  void post(Job job) {
    serial_.post([this, job = std::move(job)] { job(logic_); });
  }
  template <class Question>
  auto ask(Question question) {
    std::promise<decltype(question(logic_))> answer;
    serial_.post([&] { answer.set_value(question(logic_)); });
    return answer.get_future().get();
  }
  // Runs within the Serial.
  void know(v2::HopObserver_ptr manager) { manager_ = v2::HopObserver::_duplicate(manager); }

 private:
  void after_drain() {
    static const HopResultBatch kNothing;
    out_.clear();
    logic_.finish_step(steady_now(), out_);
    const SessionId session = logic_.manager();
    for (const NullSwitch::ToManager& frame : out_) {
      v2::HopResultBatch batch;
      orb::to_idl(frame.batch ? *frame.batch : kNothing, batch);
      const auto sent = orb::remote("the null manager", [&] {
        manager_->deliver_results(session.value(), frame.seq.value(), frame.confirmed.value(),
                                  batch);
      });
      if (sent) continue;
      log::warn("{}", sent.error().text);
      logic_.detach(session);
      break;
    }
    timer_.set(logic_.next_deadline());
  }

  // Runs within the Serial.
  NullSwitch logic_;
  v2::HopObserver_var manager_;
  std::vector<NullSwitch::ToManager> out_;
  Serial serial_;
  orb::TimerThread timer_;
};

class SwitchInboxServant : public POA_xbind::v2::HopInbox {
 public:
  explicit SwitchInboxServant(SwitchDaemon& daemon) : daemon_(daemon) {}
  void submit_hops(v2::SessionId session, v2::BatchSeq seq, v2::BatchSeq confirmed,
                   const v2::HopBatch& batch) override {
    session::Frame<HopBatch> frame{BatchSeq{seq}, BatchSeq{confirmed}, nullptr};
    if (seq != 0) {
      auto converted = orb::to_core(batch);
      if (!converted) {
        log::error("batch {} is not understood: {}", seq, converted.error().text);
        return;
      }
      frame.batch = std::make_shared<const HopBatch>(std::move(*converted));
    }
    daemon_.post([id = SessionId{session}, frame = std::move(frame)](NullSwitch& logic) {
      logic.on_commands(id, frame, steady_now());
    });
  }

 private:
  SwitchDaemon& daemon_;
};

[[noreturn]] void batches_only() { throw v2::Unavailable("a null switch takes batches alone"); }

class SwitchServant : public POA_xbind::v2::SwitchServer {
 public:
  SwitchServant(SwitchDaemon& daemon, v2::HopInbox_ptr inbox)
      : daemon_(daemon), inbox_(v2::HopInbox::_duplicate(inbox)) {}

  v2::HopAttachment* attach_manager(const char*, v2::Epoch, CORBA::ULong version,
                                    v2::HopObserver_ptr observer) override {
    orb::check_version(version);
    if (CORBA::is_nil(observer)) throw v2::BadRequest("attach needs an observer");
    auto out = std::make_unique<v2::HopAttachment>();
    out->inbox = v2::HopInbox::_duplicate(inbox_);
    out->hops_held = 0;
    out->books = 0;  // the number that a manager knows before it has attached: it claims nothing
    daemon_.ask([&](NullSwitch& logic) {
      out->session = logic.attach(steady_now()).value();
      out->batches_in_flight = logic.window();
      daemon_.know(observer);
      return true;
    });
    return out.release();
  }
  v2::ManagerEpochs* epochs_of(const char*) override {
    auto none = std::make_unique<v2::ManagerEpochs>();
    none->newest = 0;
    none->renewals = 0;
    return none.release();
  }
  v2::HopPage* held_hops(v2::SessionId, CORBA::ULongLong) override {
    return std::make_unique<v2::HopPage>().release();
  }
  v2::ClaimsTaken* claim_hops(v2::SessionId, const v2::HopPage&, const v2::PortLabelsSeq&,
                              CORBA::Boolean) override {
    batches_only();
  }
  void detach_manager(v2::SessionId session) override {
    daemon_.ask([&](NullSwitch& logic) {
      logic.detach(SessionId{session});
      return true;
    });
  }
  v2::MetricSeq* status() override {
    return orb::to_metrics(daemon_.ask([](NullSwitch& logic) {
      return std::vector<std::pair<std::string, std::uint64_t>>{
          {"rss_kib", orb::own_resident_kib()}, {"giop_requests", logic.frames()}};
    }));
  }
  v2::SwitchOperations_ptr switch_operations() override { batches_only(); }
  v2::LedgerPage* audit_page(CORBA::ULongLong) override {
    throw v2::BadRequest("a null switch has no audit");
  }

  v2::PortGrant* grant(v2::SessionId, v2::PortNumber, CORBA::ULong, const v2::Demand&) override {
    batches_only();
  }
  void give_back(v2::SessionId, v2::PortNumber, const v2::LabelSeq&, const v2::Demand&) override {
    batches_only();
  }
  v2::HopResultBatch* execute(v2::SessionId, const v2::HopBatch&) override { batches_only(); }
  v2::LedgerPage* audit_switch(const char*) override { batches_only(); }
  v2::CallAtSwitch* look_at_call(const char*, v2::ConnectionId, const v2::LegSeq&,
                                 const v2::TableEntrySeq&) override {
    batches_only();
  }

 private:
  SwitchDaemon& daemon_;
  v2::HopInbox_var inbox_;
};

}  // namespace

int serve_switch(orb::Runtime& runtime) {
  SwitchDaemon daemon;
  const PortableServer::Servant_var<SwitchInboxServant> inbox = new SwitchInboxServant(daemon);
  const CORBA::Object_var inbox_object = runtime.activate_apart(inbox.in(), "hop_inbox");
  const v2::HopInbox_var inbox_reference = v2::HopInbox::_unchecked_narrow(inbox_object);
  const PortableServer::Servant_var<SwitchServant> servant =
      new SwitchServant(daemon, inbox_reference);
  const CORBA::Object_var object = runtime.activate(servant.in());
  const CORBA::String_var reference = runtime.orb()->object_to_string(object);
  announce(reference.in());
  wait_for_end();
  runtime.shutdown();  // no further upcall before the daemon is destroyed
  return 0;
}

}  // namespace xbind::callgen::null
