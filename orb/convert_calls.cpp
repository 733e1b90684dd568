#include "orb/convert.hpp"

#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "core/check.hpp"
#include "core/name.hpp"

namespace xbind::orb {

namespace {

// Like `out = in.c_str()`, but reuses the memory of `out` when it suffices; an empty string has
// none.
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
  switch (service.kind) {
    case ServiceKind::kCells:
      return out.cells(to_idl(Resources{service.cells_per_s, service.buffer_cells}));
    case ServiceKind::kVideo: {
      v2::VideoFrames video;
      video.frames_per_1000_s = service.frames_per_1000_s;
      video.frame_octets = service.frame_octets;
      return out.video(video);
    }
    case ServiceKind::kContract: return out.contract(to_idl(service.contract));
    case ServiceKind::kClass: {
      v2::ServiceTerms terms;
      to_idl(service.terms.value_or(ServiceTerms{}), terms);
      return out.terms(terms);
    }
  }
  XB_CHECK(false, static_cast<int>(service.kind));
}

ServiceSpec to_core(const v2::ServiceSpec& service) {
  ServiceSpec out;
  switch (service._d()) {
    case v2::service_cells:
      out.kind = ServiceKind::kCells;
      out.cells_per_s = service.cells().cells_per_s;
      out.buffer_cells = service.cells().buffer_cells;
      break;
    case v2::service_video:
      out.kind = ServiceKind::kVideo;
      out.frames_per_1000_s = service.video().frames_per_1000_s;
      out.frame_octets = service.video().frame_octets;
      break;
    case v2::service_contract:
      out.kind = ServiceKind::kContract;
      out.contract = to_core(service.contract());
      break;
    case v2::service_class:
      out.kind = ServiceKind::kClass;
      out.terms = to_core(service.terms());
      break;
  }
  return out;
}

void to_idl(const std::optional<ServiceSpec>& service, v2::OptionalServiceSpec& out) {
  out.length(service ? 1 : 0);
  if (service) to_idl(*service, out[0]);
}

// The contract limits the sequence to one element: the ORB refuses more.
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
  out.attachments.length(0);
  const auto attach = [&](const std::string& end, const std::optional<FrameTraffic>& frames) {
    if (!frames) return;
    const CORBA::ULong at = out.attachments.length();
    out.attachments.length(at + 1);
    out.attachments[at].endpoint = end.c_str();
    out.attachments[at].kind = v2::attachment_frames;
    out.attachments[at].traffic = frames->text().c_str();
  };
  attach(request.from, request.from_frames);
  attach(request.to, request.to_frames);
}

namespace {

// Reads one attachment into the request, or says which rule it breaks. If the request has one
// endpoint twice, its first attachment is at from_end.
std::string take(const v2::Attachment& attachment, std::array<bool, 2>& named,
                 ConnectRequest& request) {
  const std::string_view end = attachment.endpoint.in();
  const bool is_from = end == request.from;
  const bool is_to = end == request.to;
  if (!is_from && !is_to) {
    return fmt::format("the attachment at '{}' is at neither end", printable(end));
  }
  const bool at_from = is_from && !(is_to && named[0]);
  if (std::exchange(named[at_from ? 0 : 1], true)) {
    return fmt::format("two attachments are at '{}'", printable(end));
  }
  const std::string_view traffic = attachment.traffic.in();
  if (attachment.kind == v2::attachment_cells) {
    if (traffic.empty()) return {};
    return fmt::format("cells enter at '{}', and not the traffic '{}'", printable(end),
                       printable(traffic));
  }
  if (attachment.kind != v2::attachment_frames) {
    return fmt::format("no switch at '{}' serves attachment kind {}", printable(end),
                       attachment.kind);
  }
  const Result<FrameTraffic> frames = FrameTraffic::parse(traffic);
  if (!frames) return fmt::format("at '{}': {}", printable(end), frames.error().text);
  (at_from ? request.from_frames : request.to_frames) = *frames;
  return {};
}

}  // namespace

ConnectRequest to_core(const v2::ConnectRequest& request) {
  ConnectRequest out{RequestId{request.request},
                     request.from_end.in(),
                     request.to_end.in(),
                     to_core(request.service),
                     to_core(request.reverse),
                     request.priority,
                     request.hold_ms};
  std::array<bool, 2> named{};
  for (CORBA::ULong i = 0; i < request.attachments.length() && out.broken_rule.empty(); ++i) {
    out.broken_rule = take(request.attachments[i], named, out);
  }
  return out;
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

RequestBatch to_core(const v2::RequestBatch& batch) {
  RequestBatch out;
  out.connects.reserve(batch.connects.length());
  for (CORBA::ULong i = 0; i < batch.connects.length(); ++i) {
    out.connects.push_back(to_core(batch.connects[i]));
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

v2::Debt to_idl(const Debt& debt) {
  v2::Debt out;
  out.removals = debt.removals;
  out.element = debt.element.c_str();
  return out;
}

Debt to_core(const v2::Debt& debt) { return {debt.removals, debt.element.in()}; }

v2::Refusal refusal_of(const Outcome& outcome) {
  v2::Refusal why;
  why.cause = static_cast<v2::CauseCode>(outcome.cause);
  why.element = outcome.element.c_str();
  why.asked = outcome.asked;
  why.free = outcome.free;
  why.reason = outcome.reason.empty() ? explain(outcome).c_str() : outcome.reason.c_str();
  why.retry_after_ms = outcome.retry_after_ms;
  why.owed = to_idl(outcome.owed);
  return why;
}

v2::ConnectionLabels labels_of(const Outcome& outcome) {
  v2::ConnectionLabels labels;
  labels.forward.ingress = to_idl(outcome.ingress);
  labels.forward.egress = to_idl(outcome.egress);
  if (outcome.reverse_ingress.present() || outcome.reverse_egress.present()) {
    labels.back.length(1);
    labels.back[0].ingress = to_idl(outcome.reverse_ingress);
    labels.back[0].egress = to_idl(outcome.reverse_egress);
  }
  return labels;
}

void to_idl(const Outcome& outcome, v2::Outcome& out) {
  out.request = outcome.request.value();
  out.connection = outcome.connection.value();
  switch (outcome.kind) {
    case OutcomeKind::kConnected: return out.body.labels(labels_of(outcome));
    case OutcomeKind::kLeafAdded: return out.body.leaf_egress(to_idl(outcome.egress));
    case OutcomeKind::kRefused: return out.body.why(refusal_of(outcome));
    case OutcomeKind::kBusy: return out.body.try_later(refusal_of(outcome));
    case OutcomeKind::kReleased: return out.body.owed(to_idl(outcome.owed));
    case OutcomeKind::kLeafDropped: return out.body.owed_of_leaf(to_idl(outcome.owed));
    case OutcomeKind::kHeld:
    case OutcomeKind::kModified:
      out.body._default();
      return out.body._d(static_cast<v2::OutcomeKind>(outcome.kind));
  }
}

namespace {

v2::Refusal refusal_of_notice(const Notice& notice) {
  Outcome as_refused;
  as_refused.kind = OutcomeKind::kRefused;
  as_refused.cause = notice.cause;
  as_refused.element = notice.element;
  as_refused.asked = notice.asked;
  as_refused.free = notice.free;
  return refusal_of(as_refused);
}

}  // namespace

void to_idl(const Notice& notice, v2::Notice& out) {
  out.connection = notice.connection.value();
  switch (notice.kind) {
    case NoticeKind::kBroken: return out.body.why(refusal_of_notice(notice));
    case NoticeKind::kIncomplete: return out.body.missing(refusal_of_notice(notice));
    case NoticeKind::kRerouted: return out.body.left_element(notice.element.c_str());
    case NoticeKind::kUnknown: return out.body.unknown_switch(notice.element.c_str());
    case NoticeKind::kMended: return out.body._default();
  }
}

void to_idl(const OutcomeBatch& batch, v2::OutcomeSeq& outcomes, v2::NoticeSeq& notices) {
  outcomes.length(static_cast<CORBA::ULong>(batch.outcomes.size()));
  for (CORBA::ULong i = 0; i < outcomes.length(); ++i) to_idl(batch.outcomes[i], outcomes[i]);
  notices.length(static_cast<CORBA::ULong>(batch.notices.size()));
  for (CORBA::ULong i = 0; i < notices.length(); ++i) to_idl(batch.notices[i], notices[i]);
}

namespace {

// Stores the error of the first label that could not be converted.
struct LabelReader {
  std::optional<Error> error{};

  Label operator()(const v2::LabelValue& label) {
    const auto converted = orb::to_core(label);
    if (converted) return *converted;
    if (!error) error = converted.error();
    return {};
  }
};

void take_labels(const v2::ConnectionLabels& labels, LabelReader& label, Outcome& out) {
  out.ingress = label(labels.forward.ingress);
  out.egress = label(labels.forward.egress);
  if (labels.back.length() == 0) return;
  out.reverse_ingress = label(labels.back[0].ingress);
  out.reverse_egress = label(labels.back[0].egress);
}

Result<void> take_refusal(const v2::Refusal& why, Outcome& out) {
  const auto cause = cause_from(why.cause);
  if (!cause) return fail(ErrorCode::kProtocol, "cause code {} is unknown", why.cause);
  out.cause = *cause;
  out.element = why.element.in();
  out.asked = why.asked;
  out.free = why.free;
  out.reason = why.reason.in();
  out.retry_after_ms = why.retry_after_ms;
  out.owed = orb::to_core(why.owed);
  return {};
}

}  // namespace

Result<Outcome> to_core(const v2::Refusal& why) {
  Outcome out;
  if (auto taken = take_refusal(why, out); !taken) return tl::make_unexpected(taken.error());
  out.kind = out.cause == Cause::kBusy ? OutcomeKind::kBusy : OutcomeKind::kRefused;
  return out;
}

Result<Outcome> to_core(const v2::NewConnection& made) {
  Outcome out;
  out.connection = ConnectionId{made.connection};
  out.kind = made.held ? OutcomeKind::kHeld : OutcomeKind::kConnected;
  LabelReader label;
  take_labels(made.labels, label, out);
  if (label.error) return tl::make_unexpected(*label.error);
  return out;
}

// The kinds have the same numbers as those of core (contract_test.cpp).
Result<Outcome> to_core(const v2::Outcome& outcome) {
  Outcome out;
  out.request = RequestId{outcome.request};
  out.connection = ConnectionId{outcome.connection};
  out.kind = static_cast<OutcomeKind>(outcome.body._d());
  LabelReader label;
  Result<void> taken;
  switch (outcome.body._d()) {
    case v2::outcome_connected: take_labels(outcome.body.labels(), label, out); break;
    case v2::outcome_leaf_added: out.egress = label(outcome.body.leaf_egress()); break;
    case v2::outcome_refused: taken = take_refusal(outcome.body.why(), out); break;
    case v2::outcome_busy: taken = take_refusal(outcome.body.try_later(), out); break;
    case v2::outcome_released: out.owed = to_core(outcome.body.owed()); break;
    case v2::outcome_leaf_dropped: out.owed = to_core(outcome.body.owed_of_leaf()); break;
    case v2::outcome_held:
    case v2::outcome_modified: break;
  }
  if (label.error) return tl::make_unexpected(*label.error);
  if (!taken) return tl::make_unexpected(taken.error());
  return out;
}

Result<Notice> to_core(const v2::Notice& notice) {
  Notice out{ConnectionId{notice.connection}, static_cast<NoticeKind>(notice.body._d())};
  const v2::Refusal* why = nullptr;
  switch (notice.body._d()) {
    case v2::notice_broken: why = &notice.body.why(); break;
    case v2::notice_incomplete: why = &notice.body.missing(); break;
    case v2::notice_rerouted: out.element = notice.body.left_element(); return out;
    case v2::notice_unknown: out.element = notice.body.unknown_switch(); return out;
    case v2::notice_mended: return out;
  }
  Outcome refused;
  if (auto taken = take_refusal(*why, refused); !taken) {
    return tl::make_unexpected(taken.error());
  }
  out.cause = refused.cause;
  out.element = std::move(refused.element);
  out.asked = refused.asked;
  out.free = refused.free;
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
    auto notice = to_core(notices[i]);
    if (!notice) return tl::make_unexpected(notice.error());
    out.notices.push_back(std::move(*notice));
  }
  return out;
}

}  // namespace xbind::orb
