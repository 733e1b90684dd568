#include "orb/convert.hpp"

namespace xbind::orb {

v1::ServiceSpec to_idl(const ServiceSpec& service) {
  v1::ServiceSpec out;
  out.service_kind = static_cast<CORBA::Octet>(service.kind);
  out.cells_per_s = service.cells_per_s;
  out.buffer_cells = service.buffer_cells;
  out.frames_per_1000_s = service.frames_per_1000_s;
  out.frame_octets = service.frame_octets;
  return out;
}

// An unknown kind stays what it is: the manager refuses the one request, not the batch.
ServiceSpec to_core(const v1::ServiceSpec& service) {
  return {static_cast<ServiceKind>(service.service_kind), service.cells_per_s, service.buffer_cells,
          service.frames_per_1000_s, service.frame_octets};
}

void to_idl(const RequestBatch& batch, v1::RequestBatch& out) {
  out.connects.length(static_cast<CORBA::ULong>(batch.connects.size()));
  for (CORBA::ULong i = 0; i < out.connects.length(); ++i) {
    const ConnectRequest& from = batch.connects[i];
    out.connects[i].request = from.request.value();
    out.connects[i].from_end = from.from.c_str();
    out.connects[i].to_end = from.to.c_str();
    out.connects[i].service = to_idl(from.service);
  }
  out.releases.length(static_cast<CORBA::ULong>(batch.releases.size()));
  for (CORBA::ULong i = 0; i < out.releases.length(); ++i) {
    out.releases[i].request = batch.releases[i].request.value();
    out.releases[i].connection = batch.releases[i].connection.value();
  }
}

RequestBatch to_core(const v1::RequestBatch& batch) {
  RequestBatch out;
  out.connects.reserve(batch.connects.length());
  for (CORBA::ULong i = 0; i < batch.connects.length(); ++i) {
    const v1::ConnectRequest& from = batch.connects[i];
    out.connects.push_back(
        {RequestId{from.request}, from.from_end.in(), from.to_end.in(), to_core(from.service)});
  }
  out.releases.reserve(batch.releases.length());
  for (CORBA::ULong i = 0; i < batch.releases.length(); ++i) {
    out.releases.push_back(
        {RequestId{batch.releases[i].request}, ConnectionId{batch.releases[i].connection}});
  }
  return out;
}

void to_idl(const Outcome& outcome, v1::Outcome& out) {
  out.request = outcome.request.value();
  out.outcome_kind = static_cast<CORBA::Octet>(outcome.kind);
  out.connection = outcome.connection.value();
  out.ingress = to_idl(outcome.ingress);
  out.egress = to_idl(outcome.egress);
  out.cause = static_cast<CORBA::Octet>(outcome.cause);
  out.element = outcome.element.c_str();
  out.asked = outcome.asked;
  out.free = outcome.free;
}

void to_idl(const OutcomeBatch& batch, v1::OutcomeSeq& out) {
  out.length(static_cast<CORBA::ULong>(batch.outcomes.size()));
  for (CORBA::ULong i = 0; i < out.length(); ++i) to_idl(batch.outcomes[i], out[i]);
}

Result<Outcome> to_core(const v1::Outcome& outcome) {
  if (outcome.outcome_kind > static_cast<CORBA::Octet>(OutcomeKind::kBusy)) {
    return fail(ErrorCode::kProtocol, "outcome kind {} is unknown", outcome.outcome_kind);
  }
  const auto cause = cause_from(outcome.cause);
  if (!cause) return fail(ErrorCode::kProtocol, "cause code {} is unknown", outcome.cause);
  auto ingress = to_core(outcome.ingress);
  if (!ingress) return tl::make_unexpected(ingress.error());
  auto egress = to_core(outcome.egress);
  if (!egress) return tl::make_unexpected(egress.error());
  return Outcome{RequestId{outcome.request},
                 static_cast<OutcomeKind>(outcome.outcome_kind),
                 ConnectionId{outcome.connection},
                 *ingress,
                 *egress,
                 *cause,
                 outcome.element.in(),
                 outcome.asked,
                 outcome.free};
}

Result<OutcomeBatch> to_core(const v1::OutcomeSeq& outcomes) {
  OutcomeBatch out;
  out.outcomes.reserve(outcomes.length());
  for (CORBA::ULong i = 0; i < outcomes.length(); ++i) {
    auto outcome = to_core(outcomes[i]);
    if (!outcome) return tl::make_unexpected(outcome.error());
    out.outcomes.push_back(std::move(*outcome));
  }
  return out;
}

}  // namespace xbind::orb
