// A Client over a real ORB, with a name service and a manager that behave as each test sets them.
// Everything runs in this process. tests/unit/client tests how the client's logic handles sessions.
#include "client/corba/client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "client/corba/worker.hpp"
#include "core/steady_now.hpp"
#include "naming/names.hpp"
#include "orb/convert.hpp"
#include "peers_world.hpp"

namespace xbind::client {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const auto* const kEnvironment = testing::AddGlobalTestEnvironment(new orb::OrbEnvironment);

// The manager's end of one session. It has a thread of its own, like another process.
class PresetManager : public POA_xbind::v2::ConnectionManager {
 public:
  using Link = session::Session<OutcomeBatch, RequestBatch>;

  class Inbox : public POA_xbind::v2::RequestInbox {
   public:
    explicit Inbox(PresetManager& manager) : manager_(manager) {}
    void submit_requests(v2::SessionId session, v2::BatchSeq seq, v2::BatchSeq confirmed,
                         const v2::RequestBatch& batch) override {
      session::Frame<RequestBatch> frame{BatchSeq{seq}, BatchSeq{confirmed}, nullptr};
      if (seq != 0) frame.batch = std::make_shared<const RequestBatch>(orb::to_core(batch));
      manager_.thread_.post([this, session, frame] { manager_.take(session, frame); });
    }

   private:
    PresetManager& manager_;
  };

  explicit PresetManager(orb::Runtime& runtime) : inbox_(new Inbox(*this)) {
    const CORBA::Object_var reference = runtime.activate(inbox_.in());
    inbox_reference_ = v2::RequestInbox::_unchecked_narrow(reference);
  }

  // The outcome of a request, or nothing while it has none.
  std::function<std::optional<Outcome>(const Request&)> answer;
  std::function<void()> before_attach;

  void finish() { thread_.finish(); }
  void notify(const Notice& notice) {
    run([this, notice] { say(OutcomeBatch{{}, {notice}}); });
  }
  void end_session(const std::string& reason) {
    run([this, reason] {
      link_.reset();
      observer_->client_session_ended(session_, v2::ended_replaced, reason.c_str());
    });
  }
  std::vector<std::string> happened() {
    std::vector<std::string> copy;
    run([&] { copy = happened_; });
    return copy;
  }

  v2::Epoch new_client_epoch(const char*) override { return ++given_out_; }
  v2::ClientAttachment* attach_client(const char* client, v2::Epoch epoch, CORBA::ULong version,
                                      v2::OutcomeObserver_ptr observer) override {
    EXPECT_EQ(version, v2::protocol_version);
    if (before_attach) before_attach();
    auto out = std::make_unique<v2::ClientAttachment>();
    run([&] {
      happened_.push_back(fmt::format("attach {} {}", client, epoch));
      observer_ = v2::OutcomeObserver::_duplicate(observer);
      link_ = std::make_unique<Link>(session::Limits{}, steady_now());
      out->session = ++session_;
    });
    out->inbox = v2::RequestInbox::_duplicate(inbox_reference_);
    out->batches_in_flight = 256;
    return out.release();
  }
  void detach_client(v2::SessionId session) override {
    run([&] { happened_.push_back(fmt::format("detach {}", session)); });
  }

  v2::MetricSeq* status() override { throw CORBA::NO_IMPLEMENT(); }
  v2::NewConnection* connect(const char*, const char*, const v2::ServiceSpec&) override {
    throw CORBA::NO_IMPLEMENT();
  }
  v2::NewConnection* connect_as(const v2::ConnectRequest&) override { throw CORBA::NO_IMPLEMENT(); }
  v2::NewConnection* commit(v2::ConnectionId) override { throw CORBA::NO_IMPLEMENT(); }
  void modify(v2::ConnectionId, const v2::ServiceSpec&, const v2::OptionalServiceSpec&) override {}
  v2::LabelValue add_leaf(v2::ConnectionId, const char*) override { throw CORBA::NO_IMPLEMENT(); }
  v2::Debt* drop_leaf(v2::ConnectionId, const char*) override { throw CORBA::NO_IMPLEMENT(); }
  v2::Debt* release(v2::ConnectionId) override { throw CORBA::NO_IMPLEMENT(); }
  v2::Outcome* outcome_of(const char*, v2::RequestId) override { throw CORBA::NO_IMPLEMENT(); }
  v2::ConnectionState* describe(v2::ConnectionId) override { throw CORBA::NO_IMPLEMENT(); }
  v2::ConnectionStateSeq* list_connections(v2::ConnectionId, CORBA::ULong) override {
    throw CORBA::NO_IMPLEMENT();
  }
  v2::ManagerOperations_ptr manager_operations() override { return v2::ManagerOperations::_nil(); }

 private:
  void run(const std::function<void()>& job) {
    std::promise<void> over;
    thread_.post([&] {
      job();
      over.set_value();
    });
    over.get_future().wait();
  }
  void take(v2::SessionId session, const session::Frame<RequestBatch>& frame) {
    if (!link_ || session != session_) return;
    std::vector<std::shared_ptr<const RequestBatch>> batches;
    ASSERT_TRUE(link_->receive(frame, steady_now(), batches).has_value());
    for (const auto& batch : batches) {
      for (const ConnectRequest& request : batch->connects) take(request);
      for (const ReleaseRequest& request : batch->releases) take(request);
      for (const LeafRequest& request : batch->leaves) take(request);
    }
  }
  template <class Body>
  void take(const Body& request) {
    happened_.push_back(fmt::format("request {}", request.request));
    if (auto outcome = answer(request)) {
      outcome->request = request.request;
      say(OutcomeBatch{{*outcome}, {}});
    }
  }
  void say(OutcomeBatch batch) {
    const auto frame = link_->send(std::move(batch), 100, steady_now());
    v2::OutcomeSeq outcomes;
    v2::NoticeSeq notices;
    orb::to_idl(*frame.batch, outcomes, notices);
    observer_->deliver_outcomes(session_, frame.seq.value(), frame.confirmed.value(), outcomes,
                                notices);
  }

  PortableServer::Servant_var<Inbox> inbox_;
  v2::RequestInbox_var inbox_reference_;
  v2::OutcomeObserver_var observer_;
  v2::SessionId session_ = 0;
  std::unique_ptr<Link> link_;
  std::atomic<v2::Epoch> given_out_ = 0;
  std::vector<std::string> happened_;
  Worker thread_;
};

Outcome up(std::uint64_t connection) {
  Outcome outcome;
  outcome.kind = OutcomeKind::kConnected;
  outcome.connection = ConnectionId{connection};
  outcome.ingress = atm_label(0, 32);
  outcome.egress = atm_label(0, 33);
  return outcome;
}

class ClientTest : public orb::Behind {
 protected:
  ClientTest() : manager_(new PresetManager(world().runtime)) {
    manager().answer = [](const Request& request) -> std::optional<Outcome> {
      if (std::holds_alternative<ConnectRequest>(request)) return up(77);
      Outcome released;
      released.kind = OutcomeKind::kReleased;
      return released;
    };
    options_.manager = "east";
    options_.client = "mia";
    options_.epoch = 5;
    options_.name_service = world().service;
  }
  ~ClientTest() override {
    client_.reset();
    manager().finish();
  }

  PresetManager& manager() { return *manager_.in(); }
  void bind() {
    if (CORBA::is_nil(reference_)) reference_ = world().runtime.activate(manager_.in());
    names().put(naming::path_of(naming::kConnectionManagers, "east"), reference_);
  }
  Client& start() {
    client_ = std::make_unique<Client>(world().runtime, options_);
    return *client_;
  }
  // Starts the client and waits until it has a session.
  Client& started() {
    bind();
    start();
    EXPECT_TRUE(client_->wait_until_attached(20s).has_value());
    return *client_;
  }

  PortableServer::Servant_var<PresetManager> manager_;
  CORBA::Object_var reference_;
  Options options_;
  std::unique_ptr<Client> client_;
};

TEST_F(ClientTest, ConnectsAndReleasesAndDetachesAtItsEnd) {
  Client& client = started();
  const auto call = client.connect("host-a", "host-b", {});
  ASSERT_TRUE(call.has_value()) << call.error().text;
  EXPECT_EQ(call->connection, ConnectionId{77});
  EXPECT_EQ(call->egress, atm_label(0, 33));
  EXPECT_TRUE(client.release(call->connection).has_value());
  EXPECT_EQ(client.status().counters.answered, 2U);
  client_.reset();
  EXPECT_THAT(manager().happened(),
              ElementsAre("attach mia 5", "request 1", "request 2", "detach 1"));
}

TEST_F(ClientTest, AProgramMayNumberItsRequestsOnceEach) {
  options_.own_numbers = true;
  Client& client = started();
  manager().answer = [](const Request& request) -> std::optional<Outcome> {
    const bool first = std::get<ConnectRequest>(request).request == RequestId{0x7'0000'0001};
    return first ? std::nullopt : std::optional{up(78)};
  };
  ConnectRequest request;
  request.request = RequestId{0x7'0000'0001};
  auto first = client.submit(request);
  EXPECT_THAT(client.submit(request).get().error().text, HasSubstr("30064771073 has no answer"));
  request.request = RequestId{0x3'0000'0002};
  EXPECT_TRUE(connected(client.submit(request).get()).has_value());
  EXPECT_THAT(manager().happened(),
              ElementsAre("attach mia 5", "request 30064771073", "request 12884901890"));
  client_.reset();
  EXPECT_EQ(first.get().error().code, ErrorCode::kTimeout);
}

TEST_F(ClientTest, WaitsForAManagerThatIsNotThereYet) {
  Client& client = start();
  auto answer = client.submit(ConnectRequest{});
  EXPECT_EQ(client.wait_until_attached(1ms).error().code, ErrorCode::kTimeout);
  EXPECT_TRUE(names().wait_for([&] { return client.status().counters.attach_failures > 0; }));
  EXPECT_THAT(client.wait_until_attached(1ms).error().text,
              HasSubstr("was not attached to manager east within 1 ms: xbind/cmgr/east"))
      << "the cause: the name is not bound";
  bind();
  EXPECT_TRUE(connected(answer.get()).has_value());
}

TEST_F(ClientTest, ARefusalNamesItsCauseAndNumbers) {
  Client& client = started();
  manager().answer = [](const Request&) {
    Outcome no;
    no.kind = OutcomeKind::kRefused;
    no.cause = Cause::kNoBandwidth;
    no.element = "switch-1 port 2";
    no.asked = 12'000;
    no.free = 9'700;
    return no;
  };
  const auto call = client.connect("host-a", "host-b", {});
  ASSERT_FALSE(call.has_value());
  EXPECT_EQ(call.error().code, ErrorCode::kExhausted);
  EXPECT_THAT(call.error().text, HasSubstr("switch-1 port 2"));
}

TEST_F(ClientTest, CallbacksMayUseTheClientAndWait) {
  Client& client = started();
  std::promise<bool> over;
  client.submit(ConnectRequest{}, [&](const Answer& answer) {
    over.set_value(answer && client.release(answer->connection).has_value());
  });
  EXPECT_TRUE(over.get_future().get());
}

TEST_F(ClientTest, NoticesAndSessionsAreReported) {
  Client& client = started();
  std::promise<Notice> noticed;
  client.on_notice([&](const Notice& notice) { noticed.set_value(notice); });
  Notice notice;
  notice.connection = ConnectionId{77};
  notice.kind = NoticeKind::kRerouted;
  notice.element = "switch-1 port 2";
  manager().notify(notice);
  EXPECT_EQ(noticed.get_future().get(), notice);

  std::promise<std::string> lost;
  std::promise<void> again;
  client.on_session([&](const Result<void>& session) {
    if (session) {
      again.set_value();
    } else if (session.error().code == ErrorCode::kUnreachable) {
      lost.set_value(session.error().text);
    }
  });
  manager().end_session("the name has attached again");
  EXPECT_THAT(lost.get_future().get(), HasSubstr("the name has attached again"));
  again.get_future().wait();
}

TEST_F(ClientTest, WhatHasNoOutcomeIsRepeatedInTheNextSession) {
  Client& client = started();
  std::atomic<int> asked = 0;
  manager().answer = [&](const Request&) -> std::optional<Outcome> {
    if (++asked == 1) return {};
    return up(78);
  };
  auto answer = client.submit(ConnectRequest{});
  ASSERT_TRUE(names().wait_for([&] { return asked == 1; }));
  manager().end_session("a test");
  EXPECT_EQ(answer.get()->connection, ConnectionId{78});
  EXPECT_THAT(manager().happened(),
              ElementsAre("attach mia 5", "request 1", "attach mia 5", "request 1"));
}

TEST_F(ClientTest, ANewerEpochIsTheEnd) {
  manager().before_attach = [] { throw v2::Fenced(5, 6, "client mia is fenced off by epoch 6"); };
  bind();
  Client& client = start();
  EXPECT_EQ(client.wait_until_attached(20s).error().code, ErrorCode::kFenced);
  EXPECT_EQ(client.connect("host-a", "host-b", {}).error().code, ErrorCode::kFenced);
}

TEST_F(ClientTest, AtItsEndWhatIsOpenIsAnswered) {
  Client& client = started();
  manager().answer = [](const Request&) { return std::optional<Outcome>{}; };
  auto answer = client.submit(ConnectRequest{});
  std::promise<Answer> called;
  client.submit(ConnectRequest{}, [&](const Answer& it) {
    // Each answer causes a new request; the destructor returns nevertheless.
    client.submit(ConnectRequest{}, [](const Answer&) { ADD_FAILURE(); });
    called.set_value(it);
  });
  ASSERT_TRUE(names().wait_for([&] { return manager().happened().size() == 3; }));
  client_.reset();
  const Answer it = answer.get();
  ASSERT_FALSE(it.has_value());
  EXPECT_EQ(it.error().code, ErrorCode::kTimeout);
  EXPECT_THAT(it.error().text, HasSubstr("the outcome is not known"));
  EXPECT_FALSE(called.get_future().get().has_value());
}

TEST_F(ClientTest, AConnectionThatComesTooLateIsReleased) {
  options_.answer_within = 50ms;
  Client& client = started();
  std::promise<void> go;
  const auto gone = go.get_future().share();
  manager().answer = [gone](const Request& request) -> std::optional<Outcome> {
    if (std::holds_alternative<ConnectRequest>(request)) gone.wait();
    return up(79);
  };
  const auto call = client.connect("host-a", "host-b", {});
  EXPECT_EQ(call.error().code, ErrorCode::kTimeout);
  go.set_value();
  EXPECT_TRUE(names().wait_for([&] { return manager().happened().size() == 3; }))
      << "the release of 79";
}

TEST_F(ClientTest, AHoldIsNoConnection) {
  Client& client = start();
  ConnectRequest request;
  EXPECT_EQ(client.hold(request).error().code, ErrorCode::kBadInput);
  request.hold_ms = 100;
  EXPECT_EQ(client.connect(request).error().code, ErrorCode::kBadInput);
}

TEST_F(ClientTest, GoesWhileTheManagerIsAway) {
  start().submit(ConnectRequest{});
  client_.reset();
  EXPECT_THAT(manager().happened(), IsEmpty());
}

}  // namespace
}  // namespace xbind::client
