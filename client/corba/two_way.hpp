// Makes one request to a ConnectionManager at a time and returns its outcome: for tools and tests
// that do one thing and end.
//
//   orb::NameClient names(runtime.orb(), "127.0.0.1:2809");
//   const auto manager = client::TwoWay::find(names, "default");
//   if (!manager) return report(manager.error());
//   const auto call = client::connected(manager->connect({{}, "host-a", "host-b", service}));
//
// A program that makes many calls should use Client (client.hpp), which sends requests in batches,
// repeats requests without an outcome, and receives notices of broken connections. A TwoWay has no
// session: one round trip per request, no repeats, no notices. A session would only delay a
// one-shot tool: it costs two more round trips and an object that the manager calls back.
// Connections that a TwoWay sets up belong to the client "(two-way)" (kTwoWayClient).
//
// Threads and time
//   Any thread, also several at once. Every function waits for the manager, at most the ORB's call
//   timeout (orb::RuntimeOptions::call_timeout_ms) per page or request; audit(), repair(),
//   validate() and sync() up to 120 s. Never call one from an upcall or within a Serial.
//
// Answers and errors
//   A refusal by the manager is an Outcome of kind kRefused or kBusy, not an Error. connected(),
//   held() and done() of client/answers.hpp convert refusals to Errors. No function throws. Codes:
//     kTimeout      no answer: the call timed out, or the connection broke during a request. The
//                   manager may have done it; check with outcome_of() or describe()
//     kUnreachable  the manager was not reached, or its ORB failed the call
//     kExhausted    the manager cannot serve now, or had no outcome within its --call-timeout
//     kNotFound     the connection or the request is unknown
//     kBadInput     the manager refuses a number that is out of range
//     kProtocol     the manager's answer has a value that this version does not define
//     kVersion      the object is no ConnectionManager of this version
//   If the manager itself states a reason, that is the whole text of the Error. Every other text of
//   a failed call begins with the manager's name and the address that was tried.
//
// Values that orb/convert.hpp converts are those of core/. The others are those of the contract
// (idl/connection_manager.idl has their units and ranges).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "client/answers.hpp"
#include "connection_manager.hh"
#include "core/audit.hpp"
#include "core/call.hpp"
#include "core/metrics/stage_times.hpp"
#include "core/result.hpp"
#include "orb/name_client.hpp"

namespace xbind::client {

// The result of an audit of every switch that the manager can reach.
struct NetworkAudit {
  AuditTotals totals;             // complete
  std::vector<Finding> findings;  // at most 1000
  std::uint64_t switches = 0;     // number of switches queried
  std::uint64_t connections = 0;  // in the manager's table
};

class TwoWay {
 public:
  // Resolves xbind/cmgr/MANAGER. Errors are those of NameClient::resolve(). `peer`: the manager's
  // name in errors.
  static Result<TwoWay> find(orb::NameClient& names, const std::string& manager,
                             const std::string& peer = "the manager");
  // Duplicates the reference; makes no remote call.
  explicit TwoWay(v2::ConnectionManager_ptr manager, const std::string& peer = "the manager");

  // The manager's name in errors, and its address as the reference has it, "127.0.0.1:41234"; no
  // remote call.
  const std::string& peer() const { return peer_; }
  std::string address() const;

  // ===== requests: one outcome each =====

  // Returns when the connection is up, or held if request.hold_ms is above 0. A request number
  // other than 0 must be unique among all two-way callers of the manager. After a timeout,
  // outcome_of(kTwoWayClient, number) returns the outcome.
  Answer connect(const ConnectRequest& request) const;
  // Turns a hold into a connection.
  Answer commit(ConnectionId connection) const;
  // Changes the contract. If it is refused, the old one remains. `reverse`: for a bidirectional
  // connection.
  Answer modify(ConnectionId connection, const ServiceSpec& service,
                const std::optional<ServiceSpec>& reverse = {}) const;
  // Adds a destination; the outcome has its egress label.
  Answer add_leaf(ConnectionId connection, const std::string& end) const;
  Answer drop_leaf(ConnectionId connection, const std::string& end) const;
  Answer release(ConnectionId connection) const;
  // Returns the outcome of an earlier request of `client`; kNotFound when the manager has forgotten
  // it or never had it.
  Answer outcome_of(const std::string& client, RequestId request) const;

  // ===== the manager's view =====

  Result<v2::ConnectionState_var> describe(ConnectionId connection) const;
  // Calls `look` with every connection of `client`, or of all clients, in ascending order of ids.
  // Reads page by page, so connections set up meanwhile with a higher id are included.
  Result<void> for_each_connection(
      const std::optional<std::string>& client,
      const std::function<void(const v2::ConnectionState&)>& look) const;
  // Returns the manager's counters, in its order. Names are printable.
  Result<Metrics> status() const;

  // ===== for operators =====

  Result<v2::Aggregation> aggregation() const;
  // Returns the settings in force afterwards.
  Result<v2::Aggregation> set_aggregation(const v2::Aggregation& settings) const;
  Result<v2::CacheStateSeq_var> caches() const;
  // Clients in the order of their names, from the first one above `after`.
  Result<v2::ClientStateSeq_var> clients(const std::string& after, std::uint32_t limit) const;
  // Keeps `count` (0..1000) connections ready for a pair and service. A refusal is an Error.
  Result<void> prepare(const std::string& from, const std::string& to, const ServiceSpec& service,
                       std::uint32_t count) const;
  // Ends the connection in whatever state it is, and releases it.
  Answer clear(ConnectionId connection) const;
  // Compares every switch's table, every ledger and the manager's table.
  Result<NetworkAudit> audit() const;
  // Compares what the manager, the ledgers and the switches of the path have of one connection.
  Result<v2::CallCheck_var> validate(ConnectionId connection) const;
  // Looks again, and repairs what is among these findings of validate() and found again. Returns
  // what is there afterwards. kExhausted: the connection is changing.
  Result<v2::CallCheck_var> sync(ConnectionId connection, const v2::HopFindingSeq& seen) const;
  // Looks again, repairs what is among these findings of an audit, and audits the result.
  Result<NetworkAudit> repair(const std::vector<Finding>& seen) const;

 private:
  // orb::remote() to the manager. The text of an Unavailable or BadRequest is the reason only.
  template <class Call, class... Answers>
  auto ask(const Call& call, const Answers&... answers) const;
  // Like ask(), for a request: a refusal is an Outcome, and a broken connection is kTimeout.
  template <class Call>
  Answer request(const Call& call) const;
  // Like ask(), for the manager's operator interface; `call` takes its reference.
  template <class Call, class... Answers>
  auto operate(const Call& call, const Answers&... answers) const;

  std::string peer_;
  v2::ConnectionManager_var manager_;
};

}  // namespace xbind::client
