// Servants of ConnectionManager and ManagerOperations with preset answers, for tests of TwoWay and
// xbindctl. They have no sessions, no network and no table.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "connection_manager.hh"
#include "orb/convert.hpp"
#include "orb/unsupervised.hpp"

namespace xbind {

// The test sets the answers, makes a call, and reads what the servant was asked. Not thread-safe:
// the test must use it on the thread that makes the calls.
class PresetManager : public POA_xbind::v2::ConnectionManager {
 public:
  // The last request of an operation that makes or changes something (and outcome_of, prepare), in
  // words: "commit 7".
  std::string asked;
  std::string reload_refused;  // why; empty: it is not
  // The answer of every such operation. outcome_of() returns it; the others throw it as Refused if
  // its cause is not kNone.
  Outcome answer;
  bool remembers = true;                  // false: outcome_of() throws UnknownRequest
  v2::ConnectionState state{};            // the only one that describe() knows
  std::vector<v2::ConnectionState> more;  // listed after `state`; ascending, above it
  std::vector<std::uint64_t> released;    // the ids of all release() calls, also refused ones
  // release() refuses this connection as unknown, as if it had ended just before; 0: none.
  std::uint64_t ended = 0;
  v2::Aggregation settings{v2::aggregation_adaptive, 3, 5};
  v2::CacheStateSeq cache_states;
  // audit_network() throws Unavailable while report.switches is 0, as at the beginning.
  v2::AuditReport report{true, {}, 0, 0, 0, 0, 0, 0, 0};
  v2::CallCheck check{};  // validate_call() knows this connection alone
  v2::MetricSeq metrics;
  v2::LogLevelSeq log_levels;
  v2::TracePart trace{};
  v2::TracedOperationSeq traced;
  v2::ManagerOperations_var operations;  // set it to the reference of a PresetOperations
  std::function<void()> trouble;         // see begin(); may throw anything

  // Every operation that TwoWay uses, except manager_operations(), calls it before it answers. Runs
  // `trouble`.
  void begin() const {
    if (trouble) trouble();
  }

  // The preset answer, for operations that return a debt.
  v2::Debt* preset_debt() const {
    throw_preset_refusal();
    return new v2::Debt(orb::to_idl(answer.owed));
  }

  v2::ManagerOperations_ptr manager_operations() override {
    return v2::ManagerOperations::_duplicate(operations);
  }
  v2::NewConnection* connect_as(const v2::ConnectRequest& request) override {
    const ConnectRequest core = orb::to_core(request);
    asked = fmt::format("{} {} {}", core.from, core.to, core.service.cells_per_s);
    if (core.reverse) asked += fmt::format(" back {}", core.reverse->cells_per_s);
    asked += fmt::format(" priority {} hold {}", core.priority, core.hold_ms);
    return preset_connection();
  }
  v2::NewConnection* commit(v2::ConnectionId connection) override {
    asked = fmt::format("commit {}", connection);
    return preset_connection();
  }
  void modify(v2::ConnectionId connection, const v2::ServiceSpec& service,
              const v2::OptionalServiceSpec& reverse) override {
    asked = fmt::format("modify {} {} reverse {}", connection, service.cells().cells_per_s,
                        reverse.length() == 0 ? 0 : reverse[0].cells().cells_per_s);
    throw_preset_refusal();
  }
  v2::LabelValue add_leaf(v2::ConnectionId connection, const char* end) override {
    asked = fmt::format("add {} {}", connection, end);
    throw_preset_refusal();
    return orb::to_idl(answer.egress);
  }
  v2::Debt* drop_leaf(v2::ConnectionId connection, const char* end) override {
    asked = fmt::format("drop {} {}", connection, end);
    return preset_debt();
  }
  v2::Debt* release(v2::ConnectionId connection) override {
    asked = fmt::format("release {}", connection);
    released.push_back(connection);
    if (connection != ended) return preset_debt();
    Outcome refused;
    refused.kind = OutcomeKind::kRefused;
    refused.cause = Cause::kUnknownConnection;
    refused.asked = connection;
    throw v2::Refused(orb::refusal_of(refused));
  }
  v2::Outcome* outcome_of(const char* client, v2::RequestId request) override {
    asked = fmt::format("outcome {} {}", client, request);
    begin();
    if (!remembers) throw v2::UnknownRequest(client, request);
    auto out = std::make_unique<v2::Outcome>();
    orb::to_idl(answer, *out);
    return out.release();
  }
  v2::ConnectionState* describe(v2::ConnectionId connection) override {
    begin();
    if (connection != state.connection) throw v2::UnknownConnection(connection);
    return new v2::ConnectionState(state);
  }
  // Every page has one connection, the next one after `after`, so that callers have to page.
  v2::ConnectionStateSeq* list_connections(v2::ConnectionId after, CORBA::ULong) override {
    begin();
    auto out = std::make_unique<v2::ConnectionStateSeq>();
    const auto add = [&](const v2::ConnectionState& one) {
      if (out->length() != 0 || after >= one.connection) return;
      out->length(1);
      (*out)[0] = one;
    };
    add(state);
    for (const v2::ConnectionState& one : more) add(one);
    return out.release();
  }
  // TwoWay does not use the next four operations.
  v2::Epoch new_client_epoch(const char*) override { return 1; }
  v2::ClientAttachment* attach_client(const char*, v2::Epoch, CORBA::ULong,
                                      v2::OutcomeObserver_ptr) override {
    throw v2::Unavailable("no sessions here");
  }
  void detach_client(v2::SessionId) override {}
  v2::NewConnection* connect(const char*, const char*, const v2::ServiceSpec&) override {
    throw v2::Unavailable("connect_as is what is asked");
  }
  v2::MetricSeq* status() override {
    begin();
    return new v2::MetricSeq(metrics);
  }

 private:
  void throw_preset_refusal() const {
    begin();
    if (answer.cause != Cause::kNone) throw v2::Refused(orb::refusal_of(answer));
  }
  v2::NewConnection* preset_connection() const {
    throw_preset_refusal();
    auto out = std::make_unique<v2::NewConnection>();
    out->connection = answer.connection.value();
    out->held = answer.kind == OutcomeKind::kHeld;
    out->labels = orb::labels_of(answer);
    return out.release();
  }
};

// The operator interface of `manager`, which must outlive it.
class PresetOperations : public orb::Unsupervised<POA_xbind::v2::ManagerOperations> {
 public:
  explicit PresetOperations(PresetManager& manager) : manager_(manager) {}

  void set_aggregation(const v2::Aggregation& wanted) override {
    manager_.begin();
    if (wanted.flush_timeout_ms > 100) throw v2::BadRequest("a flush timeout of more than 100 ms");
    manager_.settings = wanted;
  }
  v2::Aggregation aggregation_now() override {
    manager_.begin();
    return manager_.settings;
  }
  v2::CacheStateSeq* caches() override {
    manager_.begin();
    return new v2::CacheStateSeq(manager_.cache_states);
  }
  v2::ClientStateSeq* clients(const char* after, CORBA::ULong limit) override {
    manager_.begin();
    manager_.asked = fmt::format("clients above '{}', {}", after, limit);
    return new v2::ClientStateSeq;
  }
  void prepare(const char* from, const char* to, const v2::ServiceSpec& service,
               CORBA::ULong count) override {
    manager_.begin();
    if (manager_.answer.cause != Cause::kNone) {
      throw v2::Refused(orb::refusal_of(manager_.answer));
    }
    manager_.asked =
        fmt::format("prepare {} {} {} {}", from, to, service.cells().cells_per_s, count);
  }

  v2::Debt* clear(v2::ConnectionId connection) override {
    manager_.asked = fmt::format("clear {}", connection);
    return manager_.preset_debt();
  }
  void set_log_level(const char* level) override {
    manager_.asked = fmt::format("level {}", level);
  }
  v2::LogLevelSeq* log_levels() override { return new v2::LogLevelSeq(manager_.log_levels); }
  v2::TracePart* spans_of(const char*, v2::ConnectionId connection) override {
    manager_.asked = fmt::format("spans {}", connection);
    return new v2::TracePart(manager_.trace);
  }
  v2::TracedOperationSeq* traced_operations(CORBA::ULong limit) override {
    manager_.asked = fmt::format("operations {}", limit);
    return new v2::TracedOperationSeq(manager_.traced);
  }
  v2::OptionValueSeq* options() override {
    auto out = std::make_unique<v2::OptionValueSeq>();
    out->length(2);
    (*out)[0].name = "hop-timer-ms";
    (*out)[0].value = "2000";
    (*out)[0].source = "cm1.toml line 3";
    (*out)[0].live = true;
    (*out)[1].name = "name";
    (*out)[1].value = "default";
    (*out)[1].source = "";
    (*out)[1].live = false;
    return out.release();
  }
  v2::OptionChangeSeq* tune(const char* name, const char* value) override {
    auto* const changes = reload();
    manager_.asked = fmt::format("tune {} {}", name, value);
    return changes;
  }
  v2::OptionChangeSeq* untune(const char* name) override {
    auto* const changes = reload();
    manager_.asked = fmt::format("untune {}", name);
    return changes;
  }
  v2::OptionChangeSeq* reload() override {
    manager_.asked = "reload";
    if (!manager_.reload_refused.empty()) throw v2::BadRequest(manager_.reload_refused.c_str());
    auto out = std::make_unique<v2::OptionChangeSeq>();
    out->length(1);
    (*out)[0].name = "hop-timer-ms";
    (*out)[0].before = "3000";
    (*out)[0].after = "2000";
    (*out)[0].source = "cm1.toml line 3";
    return out.release();
  }
  v2::AuditReport* repair_network(const v2::AuditFindingSeq& seen) override {
    manager_.asked = fmt::format("repair {}", seen.length());
    return audit_network();
  }
  v2::CallCheck* validate_call(v2::ConnectionId connection) override {
    manager_.begin();
    manager_.asked = fmt::format("validate {}", connection);
    if (manager_.check.call.connection != connection) throw v2::UnknownConnection(connection);
    return new v2::CallCheck(manager_.check);
  }
  // The call agrees afterwards.
  v2::CallCheck* sync_call(v2::ConnectionId connection, const v2::HopFindingSeq& seen) override {
    v2::CallCheck_var after = validate_call(connection);
    manager_.asked = fmt::format("sync {} {}", connection, seen.length());
    if (!after->settled) throw v2::Refused(orb::refusal_of(manager_.answer));
    for (CORBA::ULong i = 0; i < after->switches.length(); ++i) {
      after->switches[i].findings.length(0);
    }
    return after._retn();
  }
  v2::AuditReport* audit_network() override {
    manager_.begin();
    if (manager_.report.switches == 0) throw v2::Unavailable("no audit now");
    return new v2::AuditReport(manager_.report);
  }

 private:
  PresetManager& manager_;
};

}  // namespace xbind
