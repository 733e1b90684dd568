// A manager that gives preset answers to two-way calls.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "connection_manager.hh"
#include "orb/convert.hpp"

namespace xbind {

// Stores the last request in words and returns the preset answers. Not thread-safe: the test must
// change it on the thread that makes the calls.
class PresetManager : public POA_xbind::v2::ConnectionManager {
 public:
  std::string asked;
  Outcome answer;
  bool remembers = true;
  v2::ConnectionState state;
  std::vector<v2::ConnectionState> more;  // ascending, above `state`
  std::vector<std::uint64_t> released;
  std::uint64_t ended = 0;  // the connection that ends before it is released
  v2::Aggregation settings{v2::aggregation_adaptive, 3, 5};
  v2::CacheStateSeq cache_states;
  v2::AuditReport report{true, {}, 0, 0, 0, 0, 0, 0, 0};
  v2::MetricSeq metrics;
  v2::ManagerOperations_var operations;
  std::function<void()> trouble;  // runs at the start of every operation and may throw anything

  void begin() const {
    if (trouble) trouble();
  }

  v2::ManagerOperations_ptr manager_operations() override {
    return v2::ManagerOperations::_duplicate(operations);
  }
  v2::NewConnection* connect_as(const v2::ConnectRequest& request) override {
    const ConnectRequest core = orb::to_core(request);
    asked = fmt::format("{} {} {}", core.from, core.to, core.service.cells_per_s);
    if (core.reverse) asked += fmt::format(" back {}", core.reverse->cells_per_s);
    asked += fmt::format(" priority {} hold {}", core.priority, core.hold_ms);
    return made();
  }
  v2::NewConnection* commit(v2::ConnectionId connection) override {
    asked = fmt::format("commit {}", connection);
    return made();
  }
  void modify(v2::ConnectionId connection, const v2::ServiceSpec& service,
              const v2::OptionalServiceSpec& reverse) override {
    asked = fmt::format("modify {} {} reverse {}", connection, service.cells().cells_per_s,
                        reverse.length() == 0 ? 0 : reverse[0].cells().cells_per_s);
    refuse_if_told();
  }
  v2::LabelValue add_leaf(v2::ConnectionId connection, const char* end) override {
    asked = fmt::format("add {} {}", connection, end);
    refuse_if_told();
    return orb::to_idl(answer.egress);
  }
  v2::Debt* drop_leaf(v2::ConnectionId connection, const char* end) override {
    asked = fmt::format("drop {} {}", connection, end);
    return owed();
  }
  v2::Debt* release(v2::ConnectionId connection) override {
    asked = fmt::format("release {}", connection);
    released.push_back(connection);
    if (connection != ended) return owed();
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
  // A page has one connection.
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
  // Operations that TwoWay does not use.
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
  void refuse_if_told() const {
    begin();
    if (answer.cause != Cause::kNone) throw v2::Refused(orb::refusal_of(answer));
  }
  v2::NewConnection* made() const {
    refuse_if_told();
    auto out = std::make_unique<v2::NewConnection>();
    out->connection = answer.connection.value();
    out->held = answer.kind == OutcomeKind::kHeld;
    out->labels = orb::labels_of(answer);
    return out.release();
  }
  v2::Debt* owed() const {
    refuse_if_told();
    return new v2::Debt(orb::to_idl(answer.owed));
  }
};

// Its operator interface.
class PresetOperations : public POA_xbind::v2::ManagerOperations {
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
  void prepare(const char* from, const char* to, const v2::ServiceSpec& service,
               CORBA::ULong count) override {
    manager_.begin();
    if (manager_.answer.cause != Cause::kNone) {
      throw v2::Refused(orb::refusal_of(manager_.answer));
    }
    manager_.asked =
        fmt::format("prepare {} {} {} {}", from, to, service.cells().cells_per_s, count);
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
