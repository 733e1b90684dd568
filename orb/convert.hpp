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
v1::LabelValue to_idl(Label label);
v1::Demand to_idl(Resources resources);
v1::TrafficContract to_idl(const TrafficContract& contract);
v1::NetworkService to_idl(const NetworkService& service);
void to_idl(const std::vector<PortLabels>& ports, v1::PortLabelsSeq& out);
void to_idl(const std::vector<Finding>& findings, v1::AuditFindingSeq& out);
Result<Label> to_core(const v1::LabelValue& label);
Resources to_core(const v1::Demand& demand);
// As they come: who takes a contract checks it.
TrafficContract to_core(const v1::TrafficContract& contract);
NetworkService to_core(const v1::NetworkService& service);
Result<std::vector<PortLabels>> to_core(const v1::PortLabelsSeq& ports);
Result<std::vector<Finding>> to_core(const v1::AuditFindingSeq& findings);

// switch_server.idl
void to_idl(const HopBatch& batch, v1::HopBatch& out);
void to_idl(const HopResultBatch& batch, v1::HopResultBatch& out);
void to_idl(const LedgerHop& hop, v1::LedgerHop& out);
Result<HopBatch> to_core(const v1::HopBatch& batch);
Result<HopResultBatch> to_core(const v1::HopResultBatch& batch);
Result<LedgerHop> to_core(const v1::LedgerHop& hop);

// connection_manager.idl
v1::ServiceSpec to_idl(const ServiceSpec& service);
void to_idl(const ServiceSpec& service, v1::ServiceSpec& out);
void to_idl(const std::optional<ServiceSpec>& service, v1::OptionalServiceSpec& out);
void to_idl(const ConnectRequest& request, v1::ConnectRequest& out);
void to_idl(const RequestBatch& batch, v1::RequestBatch& out);
void to_idl(const Outcome& outcome, v1::Outcome& out);
void to_idl(const OutcomeBatch& batch, v1::OutcomeSeq& outcomes, v1::NoticeSeq& notices);
// An unknown kind stays what it is: the manager refuses the one request, not the batch. A contract and
// terms are only looked at in a service that names some.
ServiceSpec to_core(const v1::ServiceSpec& service);
std::optional<ServiceSpec> to_core(const v1::OptionalServiceSpec& service);
// A priority above kPriorityMax and a hold above kHoldMsMax are refused, the batch with them.
Result<ConnectRequest> to_core(const v1::ConnectRequest& request);
Result<RequestBatch> to_core(const v1::RequestBatch& batch);
Result<Outcome> to_core(const v1::Outcome& outcome);
Result<OutcomeBatch> to_core(const v1::OutcomeSeq& outcomes, const v1::NoticeSeq& notices);

}  // namespace xbind::orb
