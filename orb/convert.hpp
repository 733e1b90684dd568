// Core values <-> IDL structs. to_idl cannot fail; to_core refuses (kProtocol) what a peer may send and
// we do not understand, naming the value.
//
// Sequences are filled in place, so that a batch is built once; one that is filled again and again keeps its
// memory, that of its strings as well.
#pragma once

#include <optional>
#include <vector>

#include "connection_manager.hh"
#include "core/audit.hpp"
#include "core/call.hpp"
#include "core/hop.hpp"
#include "core/result.hpp"
#include "switch_server.hh"

namespace xbind::orb {

// types.idl
v2::LabelValue to_idl(Label label);
v2::Demand to_idl(Resources resources);
v2::TrafficContract to_idl(const TrafficContract& contract);
v2::NetworkService to_idl(const NetworkService& service);
void to_idl(const std::vector<PortLabels>& ports, v2::PortLabelsSeq& out);
void to_idl(const std::vector<Finding>& findings, v2::AuditFindingSeq& out);
Result<Label> to_core(const v2::LabelValue& label);
Resources to_core(const v2::Demand& demand);
// As they come: who takes a contract checks it.
TrafficContract to_core(const v2::TrafficContract& contract);
NetworkService to_core(const v2::NetworkService& service);
Result<std::vector<PortLabels>> to_core(const v2::PortLabelsSeq& ports);
Result<std::vector<Finding>> to_core(const v2::AuditFindingSeq& findings);

// switch_server.idl
void to_idl(const HopBatch& batch, v2::HopBatch& out);
void to_idl(const HopResultBatch& batch, v2::HopResultBatch& out);
void to_idl(const LedgerHop& hop, v2::LedgerHop& out);
Result<HopBatch> to_core(const v2::HopBatch& batch);
Result<HopResultBatch> to_core(const v2::HopResultBatch& batch);
Result<LedgerHop> to_core(const v2::LedgerHop& hop);

// connection_manager.idl
v2::ServiceSpec to_idl(const ServiceSpec& service);
void to_idl(const ServiceSpec& service, v2::ServiceSpec& out);
void to_idl(const std::optional<ServiceSpec>& service, v2::OptionalServiceSpec& out);
void to_idl(const ConnectRequest& request, v2::ConnectRequest& out);
void to_idl(const RequestBatch& batch, v2::RequestBatch& out);
void to_idl(const Outcome& outcome, v2::Outcome& out);
void to_idl(const OutcomeBatch& batch, v2::OutcomeSeq& outcomes, v2::NoticeSeq& notices);
// An unknown kind stays what it is: the manager refuses the one request, not the batch. A contract and
// terms are only looked at in a service that names some.
ServiceSpec to_core(const v2::ServiceSpec& service);
std::optional<ServiceSpec> to_core(const v2::OptionalServiceSpec& service);
// A priority above kPriorityMax and a hold above kHoldMsMax are refused, the batch with them.
Result<ConnectRequest> to_core(const v2::ConnectRequest& request);
Result<RequestBatch> to_core(const v2::RequestBatch& batch);
Result<Outcome> to_core(const v2::Outcome& outcome);
Result<OutcomeBatch> to_core(const v2::OutcomeSeq& outcomes, const v2::NoticeSeq& notices);

}  // namespace xbind::orb
