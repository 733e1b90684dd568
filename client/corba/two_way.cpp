#include "client/corba/two_way.hpp"

#include <utility>

#include "client/timers.hpp"
#include "core/name.hpp"
#include "naming/names.hpp"
#include "orb/convert.hpp"
#include "orb/remote_error.hpp"

namespace xbind::client {
namespace {

constexpr CORBA::ULong kListPage = 1'000;
constexpr auto kAuditTimeoutMs =
    static_cast<CORBA::ULong>(kClientTimers.ms("audit-answer").count());
constexpr std::size_t kReasonOctetsMax = 1'024;  // the limit of our daemons (orb/raise.cpp)

tl::unexpected<Error> failed(ErrorCode code, const char* reason) {
  return tl::make_unexpected(Error{code, printable(reason, kReasonOctetsMax)});
}

Outcome done(ConnectionId connection, OutcomeKind kind) {
  Outcome outcome;
  outcome.connection = connection;
  outcome.kind = kind;
  return outcome;
}

Outcome done(ConnectionId connection, OutcomeKind kind, const v2::Debt& owed) {
  Outcome outcome = done(connection, kind);
  outcome.owed = orb::to_core(owed);
  return outcome;
}

}  // namespace

template <class Call, class... Answers>
auto TwoWay::ask(const Call& call, const Answers&... answers) const {
  using R = decltype(orb::remote(peer_, manager_, call, answers...));
  return orb::remote(
      peer_, manager_, call, answers...,
      [](const v2::Unavailable& it) -> R { return failed(ErrorCode::kExhausted, it.reason); },
      [](const v2::BadRequest& it) -> R { return failed(ErrorCode::kBadInput, it.reason); });
}

template <class Call>
Answer TwoWay::request(const Call& call) const {
  return ask([&]() -> Answer { return call(); },
             [](const v2::Refused& refused) { return orb::to_core(refused.why); },
             [this](const CORBA::COMM_FAILURE& broken) -> Answer {
               const char* detail = broken.NP_minorString();
               return fail(ErrorCode::kTimeout, "{} did not answer: the connection broke ({})",
                           orb::with_address(peer_, manager_), detail ? detail : broken._name());
             });
}

template <class Call, class... Answers>
auto TwoWay::operate(const Call& call, const Answers&... answers) const {
  return ask(
      [&] {
        const v2::ManagerOperations_var operations = manager_->manager_operations();
        return call(operations.in());
      },
      answers...);
}

Result<TwoWay> TwoWay::find(orb::NameClient& names, const std::string& manager,
                            const std::string& peer) {
  const auto object = names.resolve(naming::path_of(naming::kConnectionManagers, manager));
  if (!object) return tl::make_unexpected(object.error());
  const v2::ConnectionManager_var found = v2::ConnectionManager::_unchecked_narrow(*object);
  return TwoWay(found, peer);
}

TwoWay::TwoWay(v2::ConnectionManager_ptr manager, const std::string& peer)
    : peer_(peer), manager_(v2::ConnectionManager::_duplicate(manager)) {}

std::string TwoWay::address() const { return orb::address_of(manager_); }

Answer TwoWay::connect(const ConnectRequest& wanted) const {
  v2::ConnectRequest wire;
  orb::to_idl(wanted, wire);
  return request([&] {
    const v2::NewConnection_var made = manager_->connect_as(wire);
    return orb::to_core(made.in());
  });
}

Answer TwoWay::commit(ConnectionId connection) const {
  return request([&] {
    const v2::NewConnection_var made = manager_->commit(connection.value());
    return orb::to_core(made.in());
  });
}

Answer TwoWay::modify(ConnectionId connection, const ServiceSpec& service,
                      const std::optional<ServiceSpec>& reverse) const {
  v2::OptionalServiceSpec back;
  orb::to_idl(reverse, back);
  return request([&] {
    manager_->modify(connection.value(), orb::to_idl(service), back);
    return done(connection, OutcomeKind::kModified);
  });
}

Answer TwoWay::add_leaf(ConnectionId connection, const std::string& end) const {
  return request([&]() -> Answer {
    const auto egress = orb::to_core(manager_->add_leaf(connection.value(), end.c_str()));
    if (!egress) return tl::make_unexpected(egress.error());
    Outcome outcome = done(connection, OutcomeKind::kLeafAdded);
    outcome.egress = *egress;
    return outcome;
  });
}

Answer TwoWay::drop_leaf(ConnectionId connection, const std::string& end) const {
  return request([&] {
    const v2::Debt_var owed = manager_->drop_leaf(connection.value(), end.c_str());
    return done(connection, OutcomeKind::kLeafDropped, owed.in());
  });
}

Answer TwoWay::release(ConnectionId connection) const {
  return request([&] {
    const v2::Debt_var owed = manager_->release(connection.value());
    return done(connection, OutcomeKind::kReleased, owed.in());
  });
}

Answer TwoWay::outcome_of(const std::string& client, RequestId number) const {
  return ask(
      [&] {
        const v2::Outcome_var found = manager_->outcome_of(client.c_str(), number.value());
        return orb::to_core(found.in());
      },
      [&](const v2::UnknownRequest&) -> Answer {
        return fail(ErrorCode::kNotFound,
                    "no outcome of request {} of client '{}' is remembered: it is under way, has "
                    "been forgotten, or never came to the manager",
                    number, client);
      });
}

Result<v2::ConnectionState_var> TwoWay::describe(ConnectionId connection) const {
  return ask([&] { return v2::ConnectionState_var(manager_->describe(connection.value())); },
             [&](const v2::UnknownConnection& it) -> Result<v2::ConnectionState_var> {
               return fail(ErrorCode::kNotFound, "connection {} is not known", it.connection);
             });
}

Result<void> TwoWay::for_each_connection(
    const std::optional<std::string>& client,
    const std::function<void(const v2::ConnectionState&)>& look) const {
  std::uint64_t after = 0;
  for (;;) {
    const auto page = ask(
        [&] { return v2::ConnectionStateSeq_var(manager_->list_connections(after, kListPage)); });
    if (!page) return tl::make_unexpected(page.error());
    const v2::ConnectionStateSeq& states = page->in();
    if (states.length() == 0) return {};  // a page may be shorter than requested
    for (CORBA::ULong i = 0; i < states.length(); ++i) {
      if (!client || *client == states[i].client.in()) look(states[i]);
    }
    after = states[states.length() - 1].connection;
  }
}

Result<Metrics> TwoWay::status() const {
  return ask([&] {
    const v2::MetricSeq_var rows = manager_->status();
    Metrics metrics;
    for (CORBA::ULong i = 0; i < rows->length(); ++i) {
      metrics.emplace_back(printable(rows.in()[i].name.in()), rows.in()[i].value);
    }
    return metrics;
  });
}

Result<v2::Aggregation> TwoWay::aggregation() const {
  return operate(
      [](v2::ManagerOperations_ptr operations) { return operations->aggregation_now(); });
}

Result<v2::Aggregation> TwoWay::set_aggregation(const v2::Aggregation& settings) const {
  return operate([&](v2::ManagerOperations_ptr operations) {
    operations->set_aggregation(settings);
    return operations->aggregation_now();
  });
}

Result<v2::CacheStateSeq_var> TwoWay::caches() const {
  return operate([](v2::ManagerOperations_ptr operations) {
    return v2::CacheStateSeq_var(operations->caches());
  });
}

Result<v2::ClientStateSeq_var> TwoWay::clients(const std::string& after,
                                               std::uint32_t limit) const {
  return operate([&](v2::ManagerOperations_ptr operations) {
    return v2::ClientStateSeq_var(operations->clients(after.c_str(), limit));
  });
}

Result<void> TwoWay::prepare(const std::string& from, const std::string& to,
                             const ServiceSpec& service, std::uint32_t count) const {
  return operate(
      [&](v2::ManagerOperations_ptr operations) {
        operations->prepare(from.c_str(), to.c_str(), orb::to_idl(service), count);
      },
      [](const v2::Refused& refused) -> Result<void> {
        const auto outcome = orb::to_core(refused.why);
        if (!outcome) return tl::make_unexpected(outcome.error());
        Error error = refusal(*outcome);
        error.text = fmt::format("{}: {}", to_string(outcome->kind), error.text);
        return tl::make_unexpected(std::move(error));
      });
}

Answer TwoWay::clear(ConnectionId connection) const {
  return request([&] {
    const v2::ManagerOperations_var operations = manager_->manager_operations();
    const v2::Debt_var owed = operations->clear(connection.value());
    return done(connection, OutcomeKind::kReleased, owed.in());
  });
}

namespace {

Result<NetworkAudit> audit_of(const v2::AuditReport& report) {
  auto findings = orb::to_core(report.findings);
  if (!findings) return tl::make_unexpected(findings.error());
  return NetworkAudit{
      {static_cast<bool>(report.clean), report.stray_cross_connects, report.leaked_labels,
       report.leaked_bandwidth_cells_per_s, report.owed, report.unreadable},
      std::move(*findings),
      report.switches,
      report.connections};
}

}  // namespace

Result<NetworkAudit> TwoWay::audit() const {
  return operate([](v2::ManagerOperations_ptr operations) -> Result<NetworkAudit> {
    omniORB::setClientCallTimeout(operations, kAuditTimeoutMs);
    const v2::AuditReport_var report = operations->audit_network();
    return audit_of(report.in());
  });
}

Result<NetworkAudit> TwoWay::repair(const std::vector<Finding>& seen) const {
  v2::AuditFindingSeq findings;
  orb::to_idl(seen, findings);
  return operate([&](v2::ManagerOperations_ptr operations) -> Result<NetworkAudit> {
    omniORB::setClientCallTimeout(operations, kAuditTimeoutMs);
    const v2::AuditReport_var report = operations->repair_network(findings);
    return audit_of(report.in());
  });
}

namespace {

Result<v2::CallCheck_var> unknown(const v2::UnknownConnection& it) {
  return fail(ErrorCode::kNotFound, "connection {} is not known", it.connection);
}

}  // namespace

Result<v2::CallCheck_var> TwoWay::validate(ConnectionId connection) const {
  return operate(
      [&](v2::ManagerOperations_ptr operations) {
        omniORB::setClientCallTimeout(operations, kAuditTimeoutMs);
        return v2::CallCheck_var(operations->validate_call(connection.value()));
      },
      [](const v2::UnknownConnection& it) { return unknown(it); });
}

Result<v2::CallCheck_var> TwoWay::sync(ConnectionId connection,
                                       const v2::HopFindingSeq& seen) const {
  return operate(
      [&](v2::ManagerOperations_ptr operations) {
        omniORB::setClientCallTimeout(operations, kAuditTimeoutMs);
        return v2::CallCheck_var(operations->sync_call(connection.value(), seen));
      },
      [](const v2::UnknownConnection& it) { return unknown(it); },
      [](const v2::Refused& refused) -> Result<v2::CallCheck_var> {
        return failed(ErrorCode::kExhausted, refused.why.reason);
      });
}

}  // namespace xbind::client
