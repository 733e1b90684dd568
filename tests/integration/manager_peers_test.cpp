// Nothing behind the names that a ConnectionManager looks up can end the manager. RouteObject and
// SwitchServers are servants of this process: their exceptions arrive as thrown, whether the
// contract declares them or not.
#include <gmock/gmock.h>

#include <atomic>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "cmgr/daemon.hpp"
#include "core/steady_now.hpp"
#include "orb/raise.hpp"
#include "orb/unsupervised.hpp"
#include "peers_world.hpp"
#include "route_object.hh"
#include "switch_server.hh"

namespace xbind::cmgr {
namespace {

using namespace std::chrono_literals;
using orb::Behind;
using orb::Context;

class Inbox : public POA_xbind::v2::HopInbox {
 public:
  void submit_hops(v2::SessionId, v2::BatchSeq, v2::BatchSeq, const v2::HopBatch&) override {}
};

// Runs `first` in its first attach, when its hops are first read, and in every operation that
// attaching does not need; later attachments succeed and have no hops.
class BadSwitch : public POA_xbind::v2::SwitchServer {
 public:
  using Answer = std::function<void(v2::HopAttachment&)>;
  BadSwitch(Answer first, v2::HopInbox_ptr inbox, v2::SessionId session)
      : first_(std::move(first)), inbox_(v2::HopInbox::_duplicate(inbox)), session_(session) {}

  v2::HopAttachment* attach_manager(const char*, v2::Epoch, CORBA::ULong,
                                    v2::HopObserver_ptr) override {
    v2::HopAttachment_var attachment = new v2::HopAttachment();
    attachment->session = session_;
    attachment->inbox = v2::HopInbox::_duplicate(inbox_);
    attachment->batches_in_flight = 8;
    if (attached_++ == 0) first_(attachment.inout());
    return attachment._retn();
  }
  int attached() const { return attached_; }

  v2::ManagerEpochs* epochs_of(const char*) override {
    v2::ManagerEpochs_var none = new v2::ManagerEpochs();
    none->newest = 0;
    none->renewals = 0;
    return none._retn();
  }
  v2::HopPage* held_hops(v2::SessionId, CORBA::ULongLong) override {
    if (read_++ == 0) {
      v2::HopAttachment attachment;
      first_(attachment);
    }
    v2::HopPage_var page = new v2::HopPage();
    page->next = 0;
    return page._retn();
  }
  v2::ClaimsTaken* claim_hops(v2::SessionId, const v2::HopPage&, const v2::PortLabelsSeq&,
                              CORBA::Boolean) override {
    return trouble<v2::ClaimsTaken>();
  }
  void detach_manager(v2::SessionId) override { trouble(); }
  v2::PortGrant* grant(v2::SessionId, v2::PortNumber, CORBA::ULong, const v2::Demand&) override {
    return trouble<v2::PortGrant>();
  }
  void give_back(v2::SessionId, v2::PortNumber, const v2::LabelSeq&, const v2::Demand&) override {
    trouble();
  }
  v2::HopResultBatch* execute(v2::SessionId, const v2::HopBatch&) override {
    return trouble<v2::HopResultBatch>();
  }
  v2::SwitchOperations_ptr switch_operations() override {
    return *trouble<v2::SwitchOperations_ptr>();
  }
  v2::LedgerPage* audit_switch(const char*) override { return trouble<v2::LedgerPage>(); }
  v2::LedgerPage* audit_page(CORBA::ULongLong) override { return trouble<v2::LedgerPage>(); }
  v2::CallAtSwitch* look_at_call(const char*, v2::ConnectionId, const v2::LegSeq&,
                                 const v2::TableEntrySeq&) override {
    return trouble<v2::CallAtSwitch>();
  }
  v2::MetricSeq* status() override { return orb::to_metrics({}); }

 private:
  template <class T = void>
  T* trouble() {
    v2::HopAttachment attachment;
    first_(attachment);
    throw CORBA::NO_IMPLEMENT();
  }

  Answer first_;
  v2::HopInbox_var inbox_;
  v2::SessionId session_;
  std::atomic<int> attached_ = 0;
  std::atomic<int> read_ = 0;
};

class NoLinks : public orb::Unsupervised<POA_xbind::v2::RouteOperations> {
 public:
  void drain(const v2::RouteElement&, CORBA::Boolean) override {}
  v2::LinkStateSeq* links(CORBA::ULong, CORBA::ULong) override { return new v2::LinkStateSeq(); }
  v2::NetworkDifference* plan_network(const v2::NetworkEdit&) override {
    throw v2::BadRequest("no changes here");
  }
  v2::NetworkDifference* change_network(const v2::NetworkEdit&, CORBA::ULongLong,
                                        CORBA::Boolean) override {
    throw v2::BadRequest("no changes here");
  }
  v2::NetworkText* network_text(CORBA::ULongLong) override { return new v2::NetworkText(); }
};

// Gives another answer to each call; some are valid.
class BadRoutes : public POA_xbind::v2::RouteObject {
 public:
  explicit BadRoutes(std::vector<std::string> names)
      : names_(std::move(names)), operations_(new NoLinks) {}

  v2::RouteAnswers* find_paths(const v2::RouteQuerySeq& queries) override {
    trouble();
    v2::RouteAnswers_var answers = new v2::RouteAnswers();
    answers->topology_version = 1;
    answers->validity_ms = 0;
    // Too many answers, without hops, and with an unknown cause.
    answers->answers.length(queries.length() + 7);
    v2::Refusal why;
    why.cause = 250;
    why.asked = why.free = 0;
    why.retry_after_ms = why.owed.removals = 0;
    for (CORBA::ULong i = 0; i < answers->answers.length(); ++i) answers->answers[i].why(why);
    v2::RouteFound nowhere;
    nowhere.free_cells_per_s = nowhere.delay_us = 0;
    answers->answers[0].found(nowhere);
    return answers._retn();
  }
  v2::RouteAnswers* find_alternates(const v2::RouteQuery&, CORBA::ULong) override {
    throw CORBA::NO_IMPLEMENT();
  }
  v2::ReportAnswer* report_ports(const char*, v2::Epoch, CORBA::ULongLong,
                                 const v2::PortNewsSeq&) override {
    return new v2::ReportAnswer();
  }
  v2::TopologyState* watch(const char*, v2::TopologyObserver_ptr) override {
    trouble();
    v2::TopologyState_var state = new v2::TopologyState();
    state->topology_version = 0;
    state->validity_ms = 0;
    state->unusable.length(1);
    state->unusable[0].element.switch_name = "";
    state->unusable[0].element.output_port = 0;
    state->unusable[0].why = 200;
    state->unusable_count = 70;  // no page lists them
    return state._retn();
  }
  void unwatch(const char*) override { throw Context::NotFound(); }
  v2::TopologyState* unusable_elements(CORBA::ULong, CORBA::ULong) override {
    trouble();
    v2::TopologyState_var none = new v2::TopologyState();
    none->topology_version = none->validity_ms = none->unusable_count = 0;
    return none._retn();
  }
  v2::RouteOperations_ptr route_operations() override { return operations_->_this(); }
  v2::NameSeq* switches(CORBA::ULong first, CORBA::ULong) override {
    trouble();
    v2::NameSeq_var all = new v2::NameSeq();
    if (first != 0) return all._retn();
    all->length(static_cast<CORBA::ULong>(names_.size()));
    for (CORBA::ULong i = 0; i < all->length(); ++i) all[i] = names_[i].c_str();
    return all._retn();
  }
  v2::NameSeq* endpoints(CORBA::ULong, CORBA::ULong) override {
    trouble();
    return new v2::NameSeq();
  }
  v2::TrafficDemandSeq* demands(CORBA::ULong, CORBA::ULong) override {
    throw CORBA::NO_IMPLEMENT();
  }
  v2::MetricSeq* status() override { return orb::to_metrics({}); }
  int calls() const { return calls_; }

 private:
  void trouble() {
    switch (calls_++ % 9) {  // five good answers in a row: a whole network
      case 0: throw v2::BadRequest("no");
      case 1: throw Context::CannotProceed();
      case 2: throw v2::Unavailable("no");
      case 3: throw CORBA::MARSHAL();
      default: return;
    }
  }

  std::vector<std::string> names_;
  PortableServer::Servant_var<NoLinks> operations_;
  std::atomic<int> calls_ = 0;
};

class Observers : public POA_xbind::v2::HopObserver {
 public:
  void manager_session_ended(v2::SessionId, v2::SessionEnd, const char*) override {}
  void deliver_results(v2::SessionId, v2::BatchSeq, v2::BatchSeq,
                       const v2::HopResultBatch&) override {}
};
class Topologies : public POA_xbind::v2::TopologyObserver {
 public:
  void topology_changed(const v2::TopologyState&) override {}
};

class Outcomes : public POA_xbind::v2::OutcomeObserver {
 public:
  void client_session_ended(v2::SessionId, v2::SessionEnd, const char*) override {}
  void deliver_outcomes(v2::SessionId, v2::BatchSeq, v2::BatchSeq, const v2::OutcomeSeq&,
                        const v2::NoticeSeq&) override {}
};

class BehindManager : public Behind {
 protected:
  BehindManager() {
    inbox_ = v2::HopInbox::_unchecked_narrow(activate(new Inbox));
    observer_ = v2::HopObserver::_unchecked_narrow(activate(new Observers));
    topology_ = v2::TopologyObserver::_unchecked_narrow(activate(new Topologies));
  }
  static CORBA::Object_var activate(PortableServer::ServantBase* servant) {
    const PortableServer::ServantBase_var owner = servant;
    return world().runtime.activate(servant);
  }
  std::unique_ptr<ManagerDaemon> manager(std::function<void(const std::string&)> fenced) {
    Config config;
    config.epoch = 7;
    RemotePeers::Options options;
    options.manager = "default";
    options.epoch = Epoch{7};
    options.route_object = "default";
    options.qos_mapper = "default";
    options.name_service = world().service;
    options.fenced = std::move(fenced);
    auto daemon = std::make_unique<ManagerDaemon>(world().runtime.orb(), config, options);
    daemon->start(observer_, topology_);
    return daemon;
  }

  v2::HopInbox_var inbox_;
  v2::HopObserver_var observer_;
  v2::TopologyObserver_var topology_;
};

TEST_F(BehindManager, it_outlives_all_that_its_peers_raise_and_attaches_in_the_end) {
  using Attachment = v2::HopAttachment;
  const std::vector<std::pair<std::string, BadSwitch::Answer>> bad{
      {"refuses", [](Attachment&) { throw v2::BadRequest("no\nforged line"); }},
      {"unavailable", [](Attachment&) { throw v2::Unavailable("no"); }},
      {"version", [](Attachment&) { throw v2::VersionMismatch(4, 5); }},
      {"user", [](Attachment&) { throw Context::NotFound(); }},
      {"unknown-service", [](Attachment&) { throw Context::AlreadyBound(); }},
      {"system", [](Attachment&) { throw CORBA::INTERNAL(); }},
      {"nil-inbox", [](Attachment& it) { it.inbox = v2::HopInbox::_nil(); }},
      {"session-0", [](Attachment& it) { it.session = 0; }},
      {"no-window", [](Attachment& it) { it.batches_in_flight = 0; }},
      {"odd-labels", [](Attachment& it) {
         it.quarantined.length(1);
         it.quarantined[0].labels.length(1);
         it.quarantined[0].labels[0].kind = 99;
         throw CORBA::MARSHAL();
       }}};
  std::vector<std::string> switches;
  v2::SessionId session = 1;
  for (const auto& [name, answer] : bad) {
    switches.push_back(name);
    names().put("xbind/switchserver/" + name, activate(new BadSwitch(answer, inbox_, session++)));
  }
  auto* const routes = new BadRoutes(switches);
  names().put("xbind/routeobject/default", activate(routes));
  names().put("xbind/qosmapper/default", inbox_);  // an object of another interface

  const auto daemon = manager([](const std::string& why) { FAIL() << why; });
  ASSERT_TRUE(names().wait_for([&] { return daemon->may_serve(1h); }));
  for (int i = 0; i < 12; ++i) {
    daemon->ask([&](ConnectionManager&) {
      daemon->peers().ask_routes({RouteQuery{"host-a", "host-b", 100, {}}});
      daemon->peers().ask_services({ServiceSpec{ServiceKind::kCells, 100}});
      return true;
    });
  }
  const int before = routes->calls();
  ASSERT_TRUE(names().wait_for([&] { return routes->calls() >= before + 6; }));
  const AuditSummary audit = daemon->audit();
  EXPECT_EQ(audit.switches, bad.size());
  EXPECT_FALSE(daemon->metrics().empty());
  daemon->stop();
}

// After a session ends because its client broke the protocol, no reference to the client remains,
// although nothing is sent to it any more.
TEST_F(BehindManager, of_a_session_that_ends_no_reference_is_left) {
  const auto daemon = manager({});
  const auto references = [&] {
    std::uint64_t count = 99;
    for (const auto& [name, value] : daemon->metrics()) {
      if (name == "client_references") count = value;
    }
    return count;
  };
  const v2::OutcomeObserver_var observer =
      v2::OutcomeObserver::_unchecked_narrow(activate(new Outcomes));
  const SessionId session = daemon->ask([&](ConnectionManager& manager) {
    const auto attached = manager.attach_client("mia", Epoch{1}, steady_now());
    daemon->peers().register_client(attached.value().session, observer);
    return attached.value().session;
  });
  EXPECT_EQ(references(), 1U);
  daemon->ask([&](ConnectionManager& manager) {
    manager.on_requests(session, {BatchSeq{}, BatchSeq{7}, nullptr}, steady_now());
    return true;
  });
  EXPECT_EQ(references(), 0U);
  daemon->stop();
}

// A thread that finds the logic idle runs it, including the code that answers its own two-way call.
TEST_F(BehindManager, what_nobody_waits_for_is_released_without_waiting_for_oneself) {
  const auto daemon = manager({});
  daemon->release_unclaimed(ConnectionId{7});  // unknown: answered in the same step
  const auto refused = daemon->call(ReleaseRequest{{}, ConnectionId{7}}, 1h);
  ASSERT_TRUE(refused) << refused.error().text;
  EXPECT_EQ(refused->cause, Cause::kUnknownConnection);
  daemon->stop();
}

// The logic stands still until the caller has given up. The request is processed all the same, with
// the connection that the caller named.
TEST_F(BehindManager, a_call_that_timed_out_before_its_step_is_still_processed) {
  const auto daemon = manager({});
  std::promise<void> standing, go_on;
  std::thread logic{[&] {
    daemon->ask([&](ConnectionManager&) {
      standing.set_value();
      go_on.get_future().wait();
      return true;
    });
  }};
  standing.get_future().wait();
  const auto late =
      daemon->call(ReleaseRequest{{}, ConnectionId{7}}, Duration::zero(), RequestId{5});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::kTimeout);
  go_on.set_value();
  logic.join();
  daemon->ask([](ConnectionManager&) { return true; });  // behind the release
  const auto outcome = daemon->outcome_of_call(RequestId{5});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->connection, ConnectionId{7});
  EXPECT_EQ(outcome->cause, Cause::kUnknownConnection);
  daemon->stop();
}

// A SwitchServer that accepts the call and does not answer delays its own attachment, but no other.
TEST_F(BehindManager, it_attaches_to_others_while_some_are_silent) {
  std::promise<void> answer;
  const auto silent = [until = answer.get_future().share()](v2::HopAttachment&) { until.wait(); };
  std::vector<std::string> switches;
  for (v2::SessionId number = 1; number < kSwitchAttachLimits.at_once; ++number) {
    switches.push_back("silent-" + std::to_string(number));
    names().put("xbind/switchserver/" + switches.back(),
                activate(new BadSwitch(silent, inbox_, number)));
  }
  switches.emplace_back("well");  // attached last
  auto* const well = new BadSwitch([](v2::HopAttachment&) {}, inbox_, 100);
  names().put("xbind/switchserver/well", activate(well));
  names().put("xbind/routeobject/default", activate(new BadRoutes(switches)));
  const auto daemon = manager([](const std::string& why) { FAIL() << why; });
  const auto attached = [&] {
    daemon->may_serve(1h);  // learns the names
    return daemon->ask(
        [](ConnectionManager& manager) { return manager.gauges().switches_attached; });
  };
  EXPECT_TRUE(names().wait_for([&] { return attached() == 1; }));
  EXPECT_EQ(well->attached(), 1);
  answer.set_value();
  EXPECT_TRUE(names().wait_for([&] { return attached() == switches.size(); }));
  daemon->stop();
}

TEST_F(BehindManager, fenced_it_says_so) {
  const auto fenced = [](v2::HopAttachment&) { throw v2::Fenced(7, 8, "epoch 8 is known"); };
  names().put("xbind/switchserver/one", activate(new BadSwitch(fenced, inbox_, 1)));
  names().put("xbind/routeobject/default", activate(new BadRoutes({"one"})));
  std::promise<std::string> said;
  std::atomic<bool> once = false;
  const auto daemon = manager([&](const std::string& why) {
    if (!once.exchange(true)) said.set_value(why);
  });
  auto why = said.get_future();
  ASSERT_TRUE(names().wait_for([&] {
    daemon->may_serve(1h);
    return why.wait_for(0s) == std::future_status::ready;
  }));
  EXPECT_THAT(why.get(), testing::HasSubstr("epoch 8 is known"));
}

}  // namespace
}  // namespace xbind::cmgr
