#include "orb/convert.hpp"

#include <cstring>
#include <utility>

namespace xbind::orb {

namespace {

// As `out = in.c_str()`, in the memory that `out` has when that is enough; an empty string has none.
void assign(const std::string& in, CORBA::String_member& out) {
  char* const has = out.inout();
  const std::size_t room = std::strlen(has);
  if (in.size() > room) {
    out = in.c_str();
  } else if (room > 0) {
    std::memcpy(has, in.c_str(), in.size() + 1);
  }
}

void to_idl(const ServiceTerms& terms, v2::ServiceTerms& out) {
  out.name = terms.name.c_str();
  out.frames_per_1000_s = terms.frames_per_1000_s;
  out.frame_octets = terms.frame_octets;
  out.peak_to_mean = terms.peak_to_mean;
  out.burst_frames = terms.burst_frames;
  out.bits_per_s = terms.bits_per_s;
  out.peak_bits_per_s = terms.peak_bits_per_s;
  out.frame_loss = terms.frame_loss;
  out.delay_us = terms.delay_us;
}

ServiceTerms to_core(const v2::ServiceTerms& terms) {
  return {terms.name.in(),       terms.frames_per_1000_s, terms.frame_octets,
          terms.peak_to_mean,    terms.burst_frames,      terms.bits_per_s,
          terms.peak_bits_per_s, terms.frame_loss,        terms.delay_us};
}

}  // namespace

v2::ServiceSpec to_idl(const ServiceSpec& service) {
  v2::ServiceSpec out;
  to_idl(service, out);
  return out;
}

void to_idl(const ServiceSpec& service, v2::ServiceSpec& out) {
  out.service_kind = static_cast<CORBA::Octet>(service.kind);
  out.cells_per_s = service.cells_per_s;
  out.buffer_cells = service.buffer_cells;
  out.frames_per_1000_s = service.frames_per_1000_s;
  out.frame_octets = service.frame_octets;
  out.contract = to_idl(service.contract);
  out.terms.length(service.terms ? 1 : 0);
  if (service.terms) to_idl(*service.terms, out.terms[0]);
}

// The contract bounds the terms to one: the ORB refuses more.
ServiceSpec to_core(const v2::ServiceSpec& service) {
  const auto kind = static_cast<ServiceKind>(service.service_kind);
  ServiceSpec out{kind,
                  service.cells_per_s,
                  service.buffer_cells,
                  service.frames_per_1000_s,
                  service.frame_octets,
                  kind == ServiceKind::kContract ? to_core(service.contract) : TrafficContract{}};
  if (kind == ServiceKind::kClass && service.terms.length() == 1) {
    out.terms = to_core(service.terms[0]);
  }
  return out;
}

void to_idl(const std::optional<ServiceSpec>& service, v2::OptionalServiceSpec& out) {
  out.length(service ? 1 : 0);
  if (service) to_idl(*service, out[0]);
}

// The contract bounds the sequence to one: the ORB refuses more.
std::optional<ServiceSpec> to_core(const v2::OptionalServiceSpec& service) {
  if (service.length() == 0) return std::nullopt;
  return to_core(service[0]);
}

void to_idl(const ConnectRequest& request, v2::ConnectRequest& out) {
  out.request = request.request.value();
  assign(request.from, out.from_end);
  assign(request.to, out.to_end);
  to_idl(request.service, out.service);
  to_idl(request.reverse, out.reverse);
  out.priority = request.priority;
  out.hold_ms = request.hold_ms;
}

Result<ConnectRequest> to_core(const v2::ConnectRequest& request) {
  if (request.priority > kPriorityMax) {
    return fail(ErrorCode::kProtocol, "priority {} of request {} is above {}", request.priority,
                request.request, kPriorityMax);
  }
  if (request.hold_ms > kHoldMsMax) {
    return fail(ErrorCode::kProtocol, "a hold of {} ms in request {} is above {} ms",
                request.hold_ms, request.request, kHoldMsMax);
  }
  return ConnectRequest{RequestId{request.request},
                        request.from_end.in(),
                        request.to_end.in(),
                        to_core(request.service),
                        to_core(request.reverse),
                        request.priority,
                        request.hold_ms};
}

void to_idl(const RequestBatch& batch, v2::RequestBatch& out) {
  out.connects.length(static_cast<CORBA::ULong>(batch.connects.size()));
  for (CORBA::ULong i = 0; i < out.connects.length(); ++i) {
    to_idl(batch.connects[i], out.connects[i]);
  }
  out.releases.length(static_cast<CORBA::ULong>(batch.releases.size()));
  for (CORBA::ULong i = 0; i < out.releases.length(); ++i) {
    out.releases[i].request = batch.releases[i].request.value();
    out.releases[i].connection = batch.releases[i].connection.value();
  }
  out.modifies.length(static_cast<CORBA::ULong>(batch.modifies.size()));
  for (CORBA::ULong i = 0; i < out.modifies.length(); ++i) {
    const ModifyRequest& from = batch.modifies[i];
    out.modifies[i].request = from.request.value();
    out.modifies[i].connection = from.connection.value();
    to_idl(from.service, out.modifies[i].service);
    to_idl(from.reverse, out.modifies[i].reverse);
  }
  out.leaves.length(static_cast<CORBA::ULong>(batch.leaves.size()));
  for (CORBA::ULong i = 0; i < out.leaves.length(); ++i) {
    const LeafRequest& from = batch.leaves[i];
    out.leaves[i].request = from.request.value();
    out.leaves[i].connection = from.connection.value();
    assign(from.end, out.leaves[i].leaf_end);
    out.leaves[i].drop = from.drop;
  }
  out.commits.length(static_cast<CORBA::ULong>(batch.commits.size()));
  for (CORBA::ULong i = 0; i < out.commits.length(); ++i) {
    out.commits[i].request = batch.commits[i].request.value();
    out.commits[i].connection = batch.commits[i].connection.value();
  }
}

Result<RequestBatch> to_core(const v2::RequestBatch& batch) {
  RequestBatch out;
  out.connects.reserve(batch.connects.length());
  for (CORBA::ULong i = 0; i < batch.connects.length(); ++i) {
    auto request = to_core(batch.connects[i]);
    if (!request) return tl::make_unexpected(request.error());
    out.connects.push_back(std::move(*request));
  }
  out.releases.reserve(batch.releases.length());
  for (CORBA::ULong i = 0; i < batch.releases.length(); ++i) {
    const v2::ReleaseRequest& from = batch.releases[i];
    out.releases.push_back({RequestId{from.request}, ConnectionId{from.connection}});
  }
  out.modifies.reserve(batch.modifies.length());
  for (CORBA::ULong i = 0; i < batch.modifies.length(); ++i) {
    const v2::ModifyRequest& from = batch.modifies[i];
    out.modifies.push_back({RequestId{from.request}, ConnectionId{from.connection},
                            to_core(from.service), to_core(from.reverse)});
  }
  out.leaves.reserve(batch.leaves.length());
  for (CORBA::ULong i = 0; i < batch.leaves.length(); ++i) {
    const v2::LeafRequest& from = batch.leaves[i];
    out.leaves.push_back(
        {RequestId{from.request}, ConnectionId{from.connection}, from.leaf_end.in(), from.drop});
  }
  out.commits.reserve(batch.commits.length());
  for (CORBA::ULong i = 0; i < batch.commits.length(); ++i) {
    const v2::CommitRequest& from = batch.commits[i];
    out.commits.push_back({RequestId{from.request}, ConnectionId{from.connection}});
  }
  return out;
}

void to_idl(const Outcome& outcome, v2::Outcome& out) {
  out.request = outcome.request.value();
  out.outcome_kind = static_cast<CORBA::Octet>(outcome.kind);
  out.connection = outcome.connection.value();
  out.ingress = to_idl(outcome.ingress);
  out.egress = to_idl(outcome.egress);
  out.cause = static_cast<CORBA::Octet>(outcome.cause);
  assign(outcome.element, out.element);
  out.asked = outcome.asked;
  out.free = outcome.free;
  out.reverse_ingress = to_idl(outcome.reverse_ingress);
  out.reverse_egress = to_idl(outcome.reverse_egress);
}

void to_idl(const OutcomeBatch& batch, v2::OutcomeSeq& outcomes, v2::NoticeSeq& notices) {
  outcomes.length(static_cast<CORBA::ULong>(batch.outcomes.size()));
  for (CORBA::ULong i = 0; i < outcomes.length(); ++i) to_idl(batch.outcomes[i], outcomes[i]);
  notices.length(static_cast<CORBA::ULong>(batch.notices.size()));
  for (CORBA::ULong i = 0; i < notices.length(); ++i) {
    const Notice& from = batch.notices[i];
    v2::Notice& to = notices[i];
    to.connection = from.connection.value();
    to.notice_kind = static_cast<CORBA::Octet>(from.kind);
    to.cause = static_cast<CORBA::Octet>(from.cause);
    assign(from.element, to.element);
    to.asked = from.asked;
    to.free = from.free;
  }
}

Result<Outcome> to_core(const v2::Outcome& outcome) {
  if (outcome.outcome_kind > static_cast<CORBA::Octet>(kOutcomeKindLast)) {
    return fail(ErrorCode::kProtocol, "outcome kind {} is unknown", outcome.outcome_kind);
  }
  const auto cause = cause_from(outcome.cause);
  if (!cause) return fail(ErrorCode::kProtocol, "cause code {} is unknown", outcome.cause);
  Outcome out{RequestId{outcome.request},
              static_cast<OutcomeKind>(outcome.outcome_kind),
              ConnectionId{outcome.connection},
              {},
              {},
              *cause,
              outcome.element.in(),
              outcome.asked,
              outcome.free};
  for (const auto& [label, into] : {std::pair{&outcome.ingress, &out.ingress},
                                    {&outcome.egress, &out.egress},
                                    {&outcome.reverse_ingress, &out.reverse_ingress},
                                    {&outcome.reverse_egress, &out.reverse_egress}}) {
    const auto converted = to_core(*label);
    if (!converted) return tl::make_unexpected(converted.error());
    *into = *converted;
  }
  return out;
}

Result<OutcomeBatch> to_core(const v2::OutcomeSeq& outcomes, const v2::NoticeSeq& notices) {
  OutcomeBatch out;
  out.outcomes.reserve(outcomes.length());
  for (CORBA::ULong i = 0; i < outcomes.length(); ++i) {
    auto outcome = to_core(outcomes[i]);
    if (!outcome) return tl::make_unexpected(outcome.error());
    out.outcomes.push_back(std::move(*outcome));
  }
  out.notices.reserve(notices.length());
  for (CORBA::ULong i = 0; i < notices.length(); ++i) {
    const v2::Notice& from = notices[i];
    if (from.notice_kind > static_cast<CORBA::Octet>(kNoticeKindLast)) {
      return fail(ErrorCode::kProtocol, "notice kind {} is unknown", from.notice_kind);
    }
    const auto cause = cause_from(from.cause);
    if (!cause) return fail(ErrorCode::kProtocol, "cause code {} is unknown", from.cause);
    out.notices.push_back({ConnectionId{from.connection}, static_cast<NoticeKind>(from.notice_kind),
                           *cause, from.element.in(), from.asked, from.free});
  }
  return out;
}

}  // namespace xbind::orb
