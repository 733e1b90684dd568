// The null manager as a process.
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "bench/null/daemon.hpp"
#include "bench/null/null_manager.hpp"
#include "bench/null/standard_input.hpp"
#include "connection_manager.hh"
#include "core/log.hpp"
#include "core/output.hpp"
#include "core/serial.hpp"
#include "core/steady_now.hpp"
#include "orb/convert.hpp"
#include "orb/process.hpp"
#include "orb/raise.hpp"
#include "orb/remote_error.hpp"
#include "orb/timer_thread.hpp"
#include "orb/unsupervised.hpp"
#include "switch_server.hh"

namespace xbind::callgen::null {
namespace {

constexpr std::size_t kJobsPerStep =
    32;  // as the real manager (cmgr/daemon.cpp), whose steps have a bound on their items too

struct AttachedSwitch {
  SessionId session;
  v2::HopInbox_var inbox;
};

class Daemon {
 public:
  Daemon(const Gathering& rule, const std::vector<std::uint32_t>& windows,
         std::vector<AttachedSwitch> switches)
      : rule_(rule),
        switches_(std::move(switches)),
        manager_(rule, windows, steady_now()),
        serial_([this] { after_drain(); }, {.jobs = kJobsPerStep}),
        timer_([this] { serial_.post([] {}); }) {}
  ~Daemon() { timer_.stop(); }
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  template <class Job>
  void post(Job job) {
    serial_.post([this, job = std::move(job)] { job(manager_); });
  }
  template <class Question>
  auto ask(Question question) {
    std::promise<decltype(question(manager_))> answer;
    serial_.post([&] { answer.set_value(question(manager_)); });
    return answer.get_future().get();
  }

  v2::ClientAttachment* attach(const char* name, v2::OutcomeObserver_ptr observer,
                               v2::RequestInbox_ptr inbox) {
    const SessionId session = ask([&](NullManager& manager) {
      client_ = v2::OutcomeObserver::_duplicate(observer);
      return manager.attach_client(name, steady_now());
    });
    auto out = std::make_unique<v2::ClientAttachment>();
    out->session = session.value();
    out->inbox = v2::RequestInbox::_duplicate(inbox);
    out->batches_in_flight = manager_.client_window();
    return out.release();
  }

  void on_results(std::size_t at, session::Frame<HopResultBatch> frame) {
    post([this, at, frame = std::move(frame)](NullManager& manager) {
      if (const auto taken = manager.on_results(at, frame, steady_now()); !taken) {
        fail_with(at, taken.error().text);
      }
    });
  }
  SessionId session_of(std::size_t at) const { return switches_[at].session; }
  const Gathering& rule() const { return rule_; }
  bool failed() const { return failed_; }

 private:
  void after_drain() {
    if (failed_) return;
    const TimePoint now = steady_now();
    to_client_.clear();
    to_switches_.clear();
    if (const auto finished = manager_.finish_step(now, to_client_, to_switches_); !finished) {
      fail_with(0, finished.error().text);
      return;
    }
    for (const NullManager::ToSwitch& outgoing : to_switches_) send(outgoing);
    for (const NullManager::ToClient& outgoing : to_client_) send(outgoing);
    timer_.set(manager_.next_deadline());
  }

  void send(const NullManager::ToSwitch& outgoing) {
    static const HopBatch kNothing;
    AttachedSwitch& at = switches_[outgoing.at];
    v2::HopBatch batch;
    orb::to_idl(outgoing.frame.batch ? *outgoing.frame.batch : kNothing, batch);
    const auto sent = orb::remote("a null switch", [&] {
      at.inbox->submit_hops(at.session.value(), outgoing.frame.seq.value(),
                            outgoing.frame.confirmed.value(), batch);
    });
    if (!sent) fail_with(outgoing.at, sent.error().text);
  }

  void send(const NullManager::ToClient& outgoing) {
    static const OutcomeBatch kNothing;
    v2::OutcomeSeq outcomes;
    v2::NoticeSeq notices;
    orb::to_idl(outgoing.batch ? *outgoing.batch : kNothing, outcomes, notices);
    const SessionId session = manager_.client();
    const auto sent = orb::remote("the client", [&] {
      client_->deliver_outcomes(session.value(), outgoing.seq.value(), outgoing.confirmed.value(),
                                outcomes, notices);
    });
    if (sent) return;
    log::warn("{}", sent.error().text);
    manager_.detach_client(session);
  }

  // Without all of its switches nothing can be answered: end the process.
  void fail_with(std::size_t at, const std::string& reason) {
    if (failed_.exchange(true)) return;
    log::error("null switch {} is lost: {}", at, reason);
    kill(getpid(), SIGTERM);
  }

  Gathering rule_;
  std::vector<AttachedSwitch> switches_;
  // Runs within the Serial.
  NullManager manager_;
  v2::OutcomeObserver_var client_;
  std::vector<NullManager::ToClient> to_client_;
  std::vector<NullManager::ToSwitch> to_switches_;
  std::atomic<bool> failed_ = false;
  Serial serial_;
  orb::TimerThread timer_;
};

// --- CORBA interfaces ---

// Decodes the frame of an incoming batch. Nothing when it cannot be decoded: the sender repeats it.
template <class Batch, class Convert>
std::optional<session::Frame<Batch>> frame_of(v2::BatchSeq seq, v2::BatchSeq confirmed,
                                              Convert&& convert) {
  session::Frame<Batch> frame{BatchSeq{seq}, BatchSeq{confirmed}, nullptr};
  if (seq == 0) return frame;
  Result<Batch> converted = convert();
  if (!converted) {
    log::error("batch {} is not understood: {}", seq, converted.error().text);
    return std::nullopt;
  }
  frame.batch = std::make_shared<const Batch>(std::move(*converted));
  return frame;
}

class InboxServant : public POA_xbind::v2::RequestInbox {
 public:
  explicit InboxServant(Daemon& daemon) : daemon_(daemon) {}
  void submit_requests(v2::SessionId session, v2::BatchSeq seq, v2::BatchSeq confirmed,
                       const v2::RequestBatch& batch) override {
    auto frame = frame_of<RequestBatch>(seq, confirmed,
                                        [&] { return Result<RequestBatch>(orb::to_core(batch)); });
    if (!frame) return;
    daemon_.post([id = SessionId{session}, frame = std::move(*frame)](NullManager& manager) {
      manager.on_requests(id, frame, steady_now());
    });
  }

 private:
  Daemon& daemon_;
};

// One for each switch. Results that arrive before the daemon exists answer no command, because it
// has sent none.
class ResultsServant : public POA_xbind::v2::HopObserver {
 public:
  explicit ResultsServant(std::size_t at) : at_(at) {}
  void serve(Daemon* daemon) {
    const std::lock_guard lock(mutex_);
    daemon_ = daemon;
  }
  // Without its switches it is no floor: callgen would see calls without answers.
  void manager_session_ended(v2::SessionId, v2::SessionEnd, const char*) override {}
  void deliver_results(v2::SessionId session, v2::BatchSeq seq, v2::BatchSeq confirmed,
                       const v2::HopResultBatch& batch) override {
    auto frame = frame_of<HopResultBatch>(seq, confirmed, [&] { return orb::to_core(batch); });
    const std::lock_guard lock(mutex_);
    if (!frame || daemon_ == nullptr || daemon_->session_of(at_) != SessionId{session}) return;
    daemon_->on_results(at_, std::move(*frame));
  }

 private:
  std::mutex mutex_;
  Daemon* daemon_ = nullptr;
  std::size_t at_;
};

[[noreturn]] void not_here() { throw v2::Unavailable("a null manager takes batches alone"); }

class OperationsServant : public orb::Unsupervised<POA_xbind::v2::ManagerOperations> {
 public:
  explicit OperationsServant(Daemon& daemon) : daemon_(daemon) {}

  v2::Aggregation aggregation_now() override {
    const Gathering& rule = daemon_.rule();
    v2::Aggregation out;
    out.mode = rule.adaptive ? v2::aggregation_adaptive : v2::aggregation_fixed;
    out.threshold = rule.adaptive ? 1 : static_cast<CORBA::ULong>(rule.threshold);
    out.flush_timeout_ms = std::chrono::duration<double, std::milli>(rule.flush_timeout).count();
    return out;
  }
  // Only a request without its answer can be left behind.
  v2::AuditReport* audit_network() override {
    const std::size_t left = daemon_.ask([](NullManager& manager) { return manager.under_way(); });
    auto report = std::make_unique<v2::AuditReport>();
    report->clean = left == 0;
    report->stray_cross_connects = 0;
    report->leaked_labels = 0;
    report->leaked_bandwidth_cells_per_s = 0;
    report->owed = static_cast<CORBA::ULong>(left);
    report->unreadable = 0;
    report->switches = 0;
    report->connections = 0;
    return report.release();
  }
  void set_aggregation(const v2::Aggregation&) override { not_here(); }
  v2::CacheStateSeq* caches() override { not_here(); }
  v2::ClientStateSeq* clients(const char*, CORBA::ULong) override { not_here(); }
  v2::Debt* clear(v2::ConnectionId) override { not_here(); }
  v2::AuditReport* repair_network(const v2::AuditFindingSeq&) override { not_here(); }
  v2::CallCheck* validate_call(v2::ConnectionId) override { not_here(); }
  v2::CallCheck* sync_call(v2::ConnectionId, const v2::HopFindingSeq&) override { not_here(); }
  void prepare(const char*, const char*, const v2::ServiceSpec&, CORBA::ULong) override {
    not_here();
  }
  v2::TracePart* spans_of(const char*, v2::ConnectionId) override { not_here(); }
  v2::TracedOperationSeq* traced_operations(CORBA::ULong) override { not_here(); }

 private:
  Daemon& daemon_;
};

class ManagerServant : public POA_xbind::v2::ConnectionManager {
 public:
  ManagerServant(Daemon& daemon, v2::RequestInbox_ptr inbox, v2::ManagerOperations_ptr operations)
      : daemon_(daemon),
        inbox_(v2::RequestInbox::_duplicate(inbox)),
        operations_(v2::ManagerOperations::_duplicate(operations)) {}

  v2::Epoch new_client_epoch(const char*) override { return 1; }
  v2::ClientAttachment* attach_client(const char* client, v2::Epoch, CORBA::ULong version,
                                      v2::OutcomeObserver_ptr observer) override {
    orb::check_version(version);
    if (CORBA::is_nil(observer)) throw v2::BadRequest("attach needs an observer");
    return daemon_.attach(client, observer, inbox_);
  }
  void detach_client(v2::SessionId session) override {
    daemon_.ask([&](NullManager& manager) {
      manager.detach_client(SessionId{session});
      return true;
    });
  }
  v2::MetricSeq* status() override {
    return orb::to_metrics(daemon_.ask([this](NullManager& manager) {
      const Gathering& rule = daemon_.rule();
      return std::vector<std::pair<std::string, std::uint64_t>>{
          {"rss_kib", orb::own_resident_kib()},
          {"giop_requests", manager.frames()},
          {"switches", manager.switches()},
          {"commands", manager.commands()},
          {"aggregation_mode", rule.adaptive ? v2::aggregation_adaptive : v2::aggregation_fixed},
          {"threshold", rule.adaptive ? 1 : rule.threshold},
      };
    }));
  }

  v2::ManagerOperations_ptr manager_operations() override {
    return v2::ManagerOperations::_duplicate(operations_);
  }

  v2::NewConnection* connect(const char*, const char*, const v2::ServiceSpec&) override {
    not_here();
  }
  v2::NewConnection* connect_as(const v2::ConnectRequest&) override { not_here(); }
  v2::NewConnection* commit(v2::ConnectionId) override { not_here(); }
  void modify(v2::ConnectionId, const v2::ServiceSpec&, const v2::OptionalServiceSpec&) override {
    not_here();
  }
  v2::LabelValue add_leaf(v2::ConnectionId, const char*) override { not_here(); }
  v2::Debt* drop_leaf(v2::ConnectionId, const char*) override { not_here(); }
  v2::Debt* release(v2::ConnectionId) override { not_here(); }
  v2::Outcome* outcome_of(const char*, v2::RequestId) override { not_here(); }
  v2::ConnectionState* describe(v2::ConnectionId) override { not_here(); }
  v2::ConnectionStateSeq* list_connections(v2::ConnectionId, CORBA::ULong) override { not_here(); }

 private:
  Daemon& daemon_;
  v2::RequestInbox_var inbox_;
  v2::ManagerOperations_var operations_;
};

// --- the process ---

struct Attached {
  std::vector<AttachedSwitch> switches;
  std::vector<std::uint32_t> windows;
};

Result<Attached> attach_all(orb::Runtime& runtime,
                            const std::vector<PortableServer::Servant_var<ResultsServant>>& all) {
  Attached attached;
  for (const auto& results : all) {
    const auto reference = read_line();
    if (!reference) {
      return fail(ErrorCode::kBadInput, "standard input has {} references, {} are needed",
                  attached.switches.size(), all.size());
    }
    const CORBA::Object_var observer = runtime.activate(results.in());
    const auto attach = orb::remote("a null switch", [&] {
      const CORBA::Object_var object = runtime.orb()->string_to_object(reference->c_str());
      const v2::SwitchServer_var server = v2::SwitchServer::_unchecked_narrow(object);
      const v2::HopObserver_var observer_reference = v2::HopObserver::_unchecked_narrow(observer);
      const v2::HopAttachment_var attachment =
          server->attach_manager("null", 1, v2::protocol_version, observer_reference);
      attachment->inbox->submit_hops(attachment->session, 0, 0,
                                     v2::HopBatch{});  // opens the connection
      attached.windows.push_back(attachment->batches_in_flight);
      attached.switches.push_back(
          {SessionId{attachment->session}, v2::HopInbox::_duplicate(attachment->inbox)});
    });
    if (!attach) return tl::make_unexpected(attach.error());
  }
  return attached;
}

}  // namespace

int serve_manager(orb::Runtime& runtime, const Gathering& rule, std::size_t switches) {
  std::vector<PortableServer::Servant_var<ResultsServant>> results;
  for (std::size_t at = 0; at < switches; ++at) results.emplace_back(new ResultsServant(at));
  auto attached = attach_all(runtime, results);
  if (!attached) {
    std::fprintf(stderr, "null-manager: %s\n", attached.error().text.c_str());
    return 1;
  }
  Daemon daemon(rule, attached->windows, std::move(attached->switches));
  for (auto& one : results) one->serve(&daemon);
  const PortableServer::Servant_var<InboxServant> inbox = new InboxServant(daemon);
  const CORBA::Object_var inbox_object = runtime.activate_apart(inbox.in(), "request_inbox");
  const v2::RequestInbox_var inbox_reference = v2::RequestInbox::_unchecked_narrow(inbox_object);
  const PortableServer::Servant_var<OperationsServant> operations = new OperationsServant(daemon);
  const CORBA::Object_var operations_object = runtime.activate(operations.in());
  const v2::ManagerOperations_var operations_reference =
      v2::ManagerOperations::_unchecked_narrow(operations_object);
  const PortableServer::Servant_var<ManagerServant> servant =
      new ManagerServant(daemon, inbox_reference, operations_reference);
  const CORBA::Object_var object = runtime.activate(servant.in());
  const CORBA::String_var reference = runtime.orb()->object_to_string(object);
  announce(reference.in());
  wait_for_end();
  for (auto& one : results) one->serve(nullptr);
  runtime.shutdown();  // no further upcall before the daemon is destroyed
  return daemon.failed() ? 1 : 0;
}

}  // namespace xbind::callgen::null
