#include "orb/raise.hpp"

#include <memory>

#include "core/name.hpp"

namespace xbind::orb {
namespace {

constexpr std::size_t kReasonOctetsMax = 1'024;

}  // namespace

void check_version(CORBA::ULong version) {
  if (version != v2::protocol_version) throw v2::VersionMismatch(version, v2::protocol_version);
}

void raise(const Error& error, Epoch offered) {
  // The text may contain a value of the caller's, so it is cut.
  const std::string text = printable(error.text, kReasonOctetsMax);
  switch (error.code) {
    case ErrorCode::kFenced: throw v2::Fenced(offered.value(), error.newest, text.c_str());
    case ErrorCode::kBadInput:
    case ErrorCode::kNotFound:
    case ErrorCode::kProtocol: throw v2::BadRequest(text.c_str());
    case ErrorCode::kExhausted:
    case ErrorCode::kUnreachable:
    case ErrorCode::kTimeout:
    case ErrorCode::kVersion:
    case ErrorCode::kSystem: break;
  }
  throw v2::Unavailable(text.c_str());
}

v2::MetricSeq* to_metrics(const Metrics& metrics) {
  auto out = std::make_unique<v2::MetricSeq>();
  out->length(static_cast<CORBA::ULong>(metrics.size()));
  for (CORBA::ULong i = 0; i < out->length(); ++i) {
    (*out)[i].name = metrics[i].first.c_str();
    (*out)[i].value = metrics[i].second;
  }
  return out.release();
}

}  // namespace xbind::orb
