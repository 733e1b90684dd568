// A TwoWay and a manager with preset answers: which answers are values, and which are Errors.
#include "client/corba/two_way.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "naming/names.hpp"
#include "peers_world.hpp"
#include "preset_manager.hpp"

namespace xbind::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr ConnectionId kCall{7};

class TwoWayTest : public orb::Behind {
 protected:
  TwoWayTest()
      : servant_(new PresetManager),
        operations_(new PresetOperations(*servant_.in())),
        names_client_(world().runtime.orb(), world().service) {
    const CORBA::Object_var operations = world().runtime.activate(operations_.in());
    reported().operations = v2::ManagerOperations::_unchecked_narrow(operations);
    names().put(naming::path_of(naming::kConnectionManagers, "east"),
                world().runtime.activate(servant_.in()));
  }
  PresetManager& reported() { return *servant_.in(); }
  TwoWay manager() { return TwoWay::find(names_client_, "east").value(); }

  // How TwoWay's functions convert an exception that their operations declare. The ORB turns an
  // undeclared one into UNKNOWN, so each test calls the functions whose contract declares it.
  std::vector<Error> errors_of_requests(const std::function<void()>& trouble) {
    reported().trouble = trouble;
    return {manager().connect({}).error(),
            manager().commit(kCall).error(),
            manager().modify(kCall, {}).error(),
            manager().add_leaf(kCall, "host-c").error(),
            manager().drop_leaf(kCall, "host-c").error(),
            manager().release(kCall).error()};
  }
  std::vector<Error> errors_of_questions(const std::function<void()>& trouble) {
    reported().trouble = trouble;
    return {manager().outcome_of("mia", RequestId{5}).error(),
            manager().describe(kCall).error(),
            manager().for_each_connection({}, [](const v2::ConnectionState&) {}).error(),
            manager().aggregation().error(),
            manager().set_aggregation({}).error(),
            manager().caches().error(),
            manager().prepare("host-a", "host-b", {}, 1).error(),
            manager().audit().error()};
  }

  PortableServer::Servant_var<PresetManager> servant_;
  PortableServer::Servant_var<PresetOperations> operations_;
  orb::NameClient names_client_;
};

TEST_F(TwoWayTest, IsFoundByItsManagersName) {
  EXPECT_EQ(TwoWay::find(names_client_, "another").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(TwoWay::find(names_client_, "").error().code, ErrorCode::kBadInput);
  EXPECT_TRUE(manager().status().has_value());
}

TEST_F(TwoWayTest, ARefusalIsAnOutcomeOfEveryRequest) {
  reported().answer.kind = OutcomeKind::kBusy;
  reported().answer.cause = Cause::kBusy;
  reported().answer.retry_after_ms = 20;
  for (const Answer& answer :
       {manager().connect({}), manager().commit(kCall), manager().modify(kCall, {}),
        manager().add_leaf(kCall, "host-c"), manager().drop_leaf(kCall, "host-c"),
        manager().release(kCall), manager().outcome_of("mia", RequestId{5})}) {
    ASSERT_TRUE(answer.has_value()) << answer.error().text;
    EXPECT_EQ(answer->kind, OutcomeKind::kBusy);
    EXPECT_EQ(answer->retry_after_ms, 20U);
    EXPECT_EQ(connected(answer).error().code, ErrorCode::kExhausted);
  }
  const auto prepared = manager().prepare("host-a", "host-b", {}, 1);
  EXPECT_EQ(prepared.error().code, ErrorCode::kExhausted);
  EXPECT_THAT(prepared.error().text, StartsWith("busy: "));
}

TEST_F(TwoWayTest, WhatTheManagerDoesIsAnOutcomeToo) {
  reported().answer.connection = kCall;
  reported().answer.egress = atm_label(0, 33);
  const auto call = connected(manager().connect({{}, "host-a", "host-b", {}}));
  ASSERT_TRUE(call.has_value()) << call.error().text;
  EXPECT_EQ(call->connection, kCall);
  EXPECT_EQ(call->egress, atm_label(0, 33));
  EXPECT_EQ(manager().add_leaf(kCall, "host-c")->egress, atm_label(0, 33));
  EXPECT_TRUE(done(OutcomeKind::kModified, manager().modify(kCall, {})).has_value());
  reported().answer.owed = {3, "switch-1"};
  const Answer released = manager().release(kCall);
  EXPECT_TRUE(done(OutcomeKind::kReleased, released).has_value());
  EXPECT_EQ(released->owed.removals, 3U);
  reported().answer.kind = OutcomeKind::kHeld;
  EXPECT_EQ(held(manager().connect({})).value(), kCall);
}

TEST_F(TwoWayTest, ARequestThatWasCutOffIsATimeoutSinceItsOutcomeIsUnknown) {
  for (const Error& error : errors_of_requests([] { throw CORBA::COMM_FAILURE(); })) {
    EXPECT_EQ(error.code, ErrorCode::kTimeout);
    EXPECT_THAT(error.text, StartsWith("the manager at 127.0.0.1:"));
    EXPECT_THAT(error.text, HasSubstr("did not answer: the connection broke (COMM_FAILURE)"));
  }
  for (const Error& error : errors_of_requests([] { throw CORBA::TIMEOUT(); })) {
    EXPECT_EQ(error.code, ErrorCode::kTimeout);
  }
  for (const Error& error : errors_of_requests([] { throw CORBA::TRANSIENT(); })) {
    EXPECT_EQ(error.code, ErrorCode::kUnreachable);
  }
  for (const Error& error : errors_of_questions([] { throw CORBA::COMM_FAILURE(); })) {
    EXPECT_EQ(error.code, ErrorCode::kUnreachable) << "a question has no outcome";
  }
}

TEST_F(TwoWayTest, TheContractsExceptionsAreErrorsInTheManagersOwnWords) {
  const auto busy = [] { throw v2::Unavailable("too\nbusy"); };
  for (const Error& error : errors_of_requests(busy)) {
    EXPECT_EQ(error, (Error{ErrorCode::kExhausted, "too\\nbusy"}));
  }
  for (const Error& error : errors_of_questions(busy)) {
    EXPECT_EQ(error, (Error{ErrorCode::kExhausted, "too\\nbusy"}));
  }
  reported().trouble = [] { throw v2::BadRequest("no such mode"); };
  const Error no_such_mode{ErrorCode::kBadInput, "no such mode"};
  EXPECT_EQ(manager().set_aggregation({}).error(), no_such_mode);
  EXPECT_EQ(manager().for_each_connection({}, [](const v2::ConnectionState&) {}).error(),
            no_such_mode);
}

TEST_F(TwoWayTest, WhatIsNotKnownIsNotFound) {
  reported().remembers = false;
  EXPECT_EQ(manager().outcome_of("mia", RequestId{5}).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(manager().describe(ConnectionId{8}).error(),
            (Error{ErrorCode::kNotFound, "connection 8 is not known"}));
}

TEST_F(TwoWayTest, ConnectionsAreSeenPageByPage) {
  const auto add = [&](std::uint64_t id, const char* client) {
    v2::ConnectionState& state = reported().more.emplace_back();
    state.connection = id;
    state.client = client;
  };
  reported().state.connection = 0;
  add(11, "mia");
  add(12, "leo");
  add(13, "mia");
  std::vector<std::uint64_t> seen;
  const auto look = [&](const v2::ConnectionState& state) { seen.push_back(state.connection); };
  EXPECT_TRUE(manager().for_each_connection({}, look).has_value());
  EXPECT_THAT(seen, ElementsAre(11, 12, 13));
  seen.clear();
  EXPECT_TRUE(manager().for_each_connection("mia", look).has_value());
  EXPECT_THAT(seen, ElementsAre(11, 13));
}

TEST_F(TwoWayTest, AnAuditIsInNumbersAndFindings) {
  reported().report.clean = false;
  reported().report.switches = 3;
  reported().report.connections = 2;
  reported().report.owed = 1;
  reported().report.findings.length(1);
  reported().report.findings[0] = {static_cast<CORBA::Octet>(FindingKind::kOwed), "switch-1", "x",
                                   1, "account"};
  const auto audit = manager().audit();
  ASSERT_TRUE(audit.has_value()) << audit.error().text;
  EXPECT_FALSE(audit->totals.clean);
  EXPECT_EQ(audit->totals.owed, 1U);
  EXPECT_EQ(audit->switches, 3U);
  EXPECT_EQ(audit->connections, 2U);
  EXPECT_THAT(audit->findings,
              ElementsAre(Finding{FindingKind::kOwed, "switch-1", "x", 1, "account"}));
  reported().report.findings[0].finding = 200;
  EXPECT_EQ(manager().audit().error().code, ErrorCode::kProtocol);
}

}  // namespace
}  // namespace xbind::client
