// The null switch as a process.
#include <cstdio>
#include <future>
#include <memory>
#include <utility>
#include <vector>

#include "callgen/floor/null_switch.hpp"
#include "callgen/null/daemon.hpp"
#include "callgen/null/standard_input.hpp"
#include "core/log.hpp"
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

class Daemon {
 public:
  Daemon() : serial_([this] { after_drain(); }), timer_([this] { serial_.post([] {}); }) {}
  ~Daemon() { timer_.stop(); }
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

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
  // Within the Serial.
  void know(v1::HopObserver_ptr manager) { manager_ = v1::HopObserver::_duplicate(manager); }

 private:
  void after_drain() {
    static const HopResultBatch kNothing;
    out_.clear();
    logic_.finish_step(steady_now(), out_);
    const SessionId session = logic_.manager();
    for (const NullSwitch::ToManager& frame : out_) {
      v1::HopResultBatch batch;
      orb::to_idl(frame.batch ? *frame.batch : kNothing, batch);
      const auto sent = orb::remote("the null manager", [&] {
        manager_->completed(session.value(), frame.seq.value(), frame.confirmed.value(), batch);
      });
      if (sent) continue;
      log::warn("{}", sent.error().text);
      logic_.detach(session);
      break;
    }
    timer_.set(logic_.next_deadline());
  }

  // Within the Serial.
  NullSwitch logic_;
  v1::HopObserver_var manager_;
  std::vector<NullSwitch::ToManager> out_;
  Serial serial_;
  orb::TimerThread timer_;
};

class InboxServant : public POA_xbind::v1::HopInbox {
 public:
  explicit InboxServant(Daemon& daemon) : daemon_(daemon) {}
  void submit(v1::SessionId session, v1::BatchSeq seq, v1::BatchSeq confirmed,
              const v1::HopBatch& batch) override {
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
  Daemon& daemon_;
};

[[noreturn]] void not_here() { throw v1::Unavailable("a null switch takes batches alone"); }

class SwitchServant : public POA_xbind::v1::SwitchServer {
 public:
  SwitchServant(Daemon& daemon, v1::HopInbox_ptr inbox)
      : daemon_(daemon), inbox_(v1::HopInbox::_duplicate(inbox)) {}

  v1::HopAttachment* attach(const char*, v1::Epoch, CORBA::ULong version,
                            v1::HopObserver_ptr observer) override {
    orb::check_version(version);
    if (CORBA::is_nil(observer)) throw v1::BadRequest("attach needs an observer");
    auto out = std::make_unique<v1::HopAttachment>();
    out->inbox = v1::HopInbox::_duplicate(inbox_);
    out->hops_held = 0;
    daemon_.ask([&](NullSwitch& logic) {
      out->session = logic.attach(steady_now()).value();
      out->batches_in_flight = logic.window();
      daemon_.know(observer);
      return true;
    });
    return out.release();
  }
  void detach(v1::SessionId session) override {
    daemon_.ask([&](NullSwitch& logic) {
      logic.detach(SessionId{session});
      return true;
    });
  }
  v1::MetricSeq* status() override {
    return orb::to_metrics(daemon_.ask([](NullSwitch& logic) {
      return std::vector<std::pair<std::string, std::uint64_t>>{
          {"rss_kib", orb::own_resident_kib()}, {"giop_requests", logic.frames()}};
    }));
  }
  CORBA::ULong forget_manager(const char*) override {
    throw v1::BadRequest("a null switch remembers no manager");
  }
  v1::LedgerPage* audit_more(CORBA::ULongLong) override {
    throw v1::BadRequest("a null switch has no audit");
  }

  v1::PortGrant* grant(v1::SessionId, v1::PortNumber, CORBA::ULong, const v1::Demand&) override {
    not_here();
  }
  void give_back(v1::SessionId, v1::PortNumber, const v1::LabelSeq&, const v1::Demand&) override {
    not_here();
  }
  v1::HopResultBatch* execute(v1::SessionId, const v1::HopBatch&) override { not_here(); }
  v1::LedgerPage* audit(const char*) override { not_here(); }
  v1::PortReportSeq* ports() override { not_here(); }
  v1::CellCounters count_cells(v1::PortNumber, const v1::LabelValue&) override { not_here(); }

 private:
  Daemon& daemon_;
  v1::HopInbox_var inbox_;
};

}  // namespace

int serve_switch(orb::Runtime& runtime) {
  Daemon daemon;
  const PortableServer::Servant_var<InboxServant> inbox = new InboxServant(daemon);
  const CORBA::Object_var inbox_object = runtime.activate_apart(inbox.in(), "hop_inbox");
  const v1::HopInbox_var inbox_reference = v1::HopInbox::_unchecked_narrow(inbox_object);
  const PortableServer::Servant_var<SwitchServant> servant =
      new SwitchServant(daemon, inbox_reference);
  const CORBA::Object_var object = runtime.activate(servant.in());
  const CORBA::String_var reference = runtime.orb()->object_to_string(object);
  std::printf("%s\n", reference.in());
  std::fflush(stdout);
  wait_for_end();
  runtime.shutdown();  // no upcall any more, before the daemon goes
  return 0;
}

}  // namespace xbind::callgen::null
