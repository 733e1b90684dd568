// Converts core values to IDL structs and back. to_idl cannot fail. to_core refuses (kProtocol)
// values that a peer may send and we do not understand; the error names the value.
//
// Sequences are filled in place, so that a batch is built once. A sequence that is reused keeps its
// memory, also that of its strings.
#pragma once

#include <optional>
#include <vector>

#include "connection_manager.hh"
#include "core/audit.hpp"
#include "core/call.hpp"
#include "core/hop.hpp"
#include "core/hop_room.hpp"
#include "core/manager_epochs.hpp"
#include "core/result.hpp"
#include "orb/reply.hpp"
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
// Without a check: the code that uses the contract checks it.
TrafficContract to_core(const v2::TrafficContract& contract);
NetworkService to_core(const v2::NetworkService& service);
Result<std::vector<PortLabels>> to_core(const v2::PortLabelsSeq& ports);
Result<std::vector<Finding>> to_core(const v2::AuditFindingSeq& findings);

// switch_server.idl
// Calls and services that hops of a batch share are sent once; hops refer to them by index.
void to_idl(const HopBatch& batch, v2::HopBatch& out);
void to_idl(const HopResultBatch& batch, v2::HopResultBatch& out);
// Converts a page of hops. `owners` are those of the report that has the hops; the page lists each
// of its owners once.
void to_idl(const LedgerHop* hops, std::size_t count, const std::vector<HopOwner>& owners,
            v2::LedgerPage& out);
// The first `count` hops; sets all members but `next`.
void to_idl(const HeldHops& held, std::size_t count, v2::HopPage& out);
// Returns how many of the hops from `first` on, at most `most`, fit into the rest of one reply
// together with their owners.
std::size_t hops_that_fit(const std::vector<LedgerHop>& hops, const std::vector<HopOwner>& owners,
                          std::size_t first, std::size_t most, ReplyRoom& room);
Result<HopBatch> to_core(const v2::HopBatch& batch);
Result<HopResultBatch> to_core(const v2::HopResultBatch& batch);
// Adds a page's hops and owners to the report.
Result<void> add_hops(const v2::LedgerPage& page, LedgerReport& report);
Result<HeldHops> to_core(const v2::HopPage& page);
// Claims travel as a page of hops, with their resting labels beside it.
void to_idl(const HopClaims& claims, v2::HopPage& out);
Result<HopClaims> to_core(const v2::HopPage& claimed, const v2::PortLabelsSeq& resting, bool all);
void to_idl(const ManagerEpochs& epochs, v2::ManagerEpochs& out);
ManagerEpochs to_core(const v2::ManagerEpochs& epochs);
void to_idl(const ClaimsTaken& taken, v2::ClaimsTaken& out);
Result<ClaimsTaken> to_core(const v2::ClaimsTaken& taken);

// Without a check of the contracts: the ledger refuses them.
std::vector<HopQuestion> to_core(const v2::HopQuestionSeq& hops);
void to_idl(const std::vector<HopQuestion>& hops, v2::HopQuestionSeq& out);
void to_idl(const std::vector<HopRoom>& rooms, v2::HopRoomSeq& out);
Result<std::vector<HopRoom>> to_core(const v2::HopRoomSeq& rooms);

void to_idl(const CallAtSwitch& there, v2::CallAtSwitch& out);
Result<CallAtSwitch> to_core(const v2::CallAtSwitch& there);

// connection_manager.idl
v2::ServiceSpec to_idl(const ServiceSpec& service);
void to_idl(const ServiceSpec& service, v2::ServiceSpec& out);
void to_idl(const std::optional<ServiceSpec>& service, v2::OptionalServiceSpec& out);
void to_idl(const ConnectRequest& request, v2::ConnectRequest& out);
void to_idl(const RequestBatch& batch, v2::RequestBatch& out);
v2::Debt to_idl(const Debt& debt);
// For a refused or a busy outcome.
v2::Refusal refusal_of(const Outcome& outcome);
v2::ConnectionLabels labels_of(const Outcome& outcome);
void to_idl(const Outcome& outcome, v2::Outcome& out);
void to_idl(const Notice& notice, v2::Notice& out);
void to_idl(const OutcomeBatch& batch, v2::OutcomeSeq& outcomes, v2::NoticeSeq& notices);
ServiceSpec to_core(const v2::ServiceSpec& service);
std::optional<ServiceSpec> to_core(const v2::OptionalServiceSpec& service);
// A request that breaks a rule of the contract gets a broken_rule: that request is refused, not its
// batch.
ConnectRequest to_core(const v2::ConnectRequest& request);
RequestBatch to_core(const v2::RequestBatch& batch);
Debt to_core(const v2::Debt& debt);
Result<Outcome> to_core(const v2::Outcome& outcome);
Result<Notice> to_core(const v2::Notice& notice);
// Converts the answer of a two-way call to the corresponding outcome; its request has no number.
Result<Outcome> to_core(const v2::Refusal& why);
Result<Outcome> to_core(const v2::NewConnection& made);
Result<OutcomeBatch> to_core(const v2::OutcomeSeq& outcomes, const v2::NoticeSeq& notices);

}  // namespace xbind::orb
