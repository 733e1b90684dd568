#include "qosmapper/servant.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "orb/convert.hpp"
#include "orb/peer_faults.hpp"
#include "orb/process.hpp"
#include "orb/raise.hpp"
#include "traffic/mapping.hpp"
#include "traffic/service.hpp"

namespace xbind {
namespace {

// The reading is the number of mappings so far.
constexpr MetricRow<std::uint64_t> kMapperMetrics[] = {
    {"rss_kib", MetricKind::kGauge, "KiB", "Resident memory of the process.",
     [](const std::uint64_t&) { return orb::own_resident_kib(); }, MetricScope::kProcess},
    {"giop_requests", MetricKind::kCounter, "", "Requests to map, two-way and answered.",
     [](const std::uint64_t& mappings) { return mappings; }},
};

v2::VideoFrames to_idl(const VideoSpec& video) {
  v2::VideoFrames out;
  out.frames_per_1000_s = video.frames_per_1000_s;
  out.frame_octets = video.frame_octets;
  return out;
}

void to_idl(const std::optional<std::uint64_t>& number, v2::OptionalNumber& out) {
  out.length(number ? 1 : 0);
  if (number) out[0] = *number;
}

// The IDL bounds the sequence to one element: the ORB refuses more.
std::optional<std::uint64_t> to_core(const v2::OptionalNumber& number) {
  if (number.length() == 0) return std::nullopt;
  return number[0];
}

void to_idl(const NetworkQos& quality, v2::CellQuality& out) {
  to_idl(quality.clr, out.clr);
  to_idl(quality.ctd_us, out.ctd_us);
  to_idl(quality.cdv_us, out.cdv_us);
}

[[noreturn]] void raise(const ServiceRefusal& refusal) {
  if (refusal.cause == Cause::kUnknownService) throw v2::UnknownService(refusal.text.c_str());
  throw v2::BadRequest(refusal.text.c_str());
}

}  // namespace

v2::Demand QosMapperServant::video_to_network(const v2::VideoFrames& video) {
  ++mappings_;
  const auto mapped = to_network({video.frames_per_1000_s, video.frame_octets});
  if (!mapped) orb::raise(mapped.error());
  return orb::to_idl(*mapped);
}

v2::VideoFrames QosMapperServant::network_to_frame_size(CORBA::ULongLong cells_per_s,
                                                        CORBA::ULongLong frames_per_1000_s) {
  ++mappings_;
  const auto mapped = finest_video(cells_per_s, frames_per_1000_s);
  if (!mapped) orb::raise(mapped.error());
  return to_idl(*mapped);
}

v2::VideoFrames QosMapperServant::network_to_frame_rate(CORBA::ULongLong cells_per_s,
                                                        CORBA::ULongLong frame_octets) {
  ++mappings_;
  const auto mapped = fastest_video(cells_per_s, frame_octets);
  if (!mapped) orb::raise(mapped.error());
  return to_idl(*mapped);
}

v2::NetworkService QosMapperServant::service_to_network(const v2::ServiceSpec& service) {
  ++mappings_;
  if (impairments_ != nullptr) impairments_->received(1);
  const auto held = catalogue();
  const auto mapped = xbind::service_to_network(orb::to_core(service), *held);
  if (!mapped) raise(mapped.error());
  if (impairments_ != nullptr) impairments_->sending(1);
  return orb::to_idl(*mapped);
}

v2::ServiceMapping* QosMapperServant::describe_service(const v2::ServiceSpec& service,
                                                       CORBA::Octet hops) {
  ++mappings_;
  const auto held = catalogue();
  const auto mapped = map_service(orb::to_core(service), *held);
  if (!mapped) raise(mapped.error());
  v2::ServiceMapping_var out = new v2::ServiceMapping;
  out->network = orb::to_idl(mapped->network);
  to_idl(mapped->quality, out->whole);
  if (hops == 0) return out._retn();
  const Result<NetworkQos> share = share_of_hop(mapped->quality, hops);
  if (!share) orb::raise(share.error());
  to_idl(*share, out->of_hop);
  return out._retn();
}

v2::FrameQuality* QosMapperServant::network_to_service(const v2::ServiceSpec& service,
                                                       const v2::TrafficContract& contract,
                                                       const v2::CellQualitySeq& hops) {
  ++mappings_;
  std::vector<NetworkQos> qualities;
  qualities.reserve(hops.length());
  for (CORBA::ULong i = 0; i < hops.length(); ++i) {
    qualities.push_back({to_core(hops[i].clr), to_core(hops[i].ctd_us), to_core(hops[i].cdv_us)});
  }
  const auto held = catalogue();
  const auto seen =
      xbind::network_to_service(orb::to_core(service), orb::to_core(contract), qualities, *held);
  if (!seen) raise(seen.error());
  v2::FrameQuality_var out = new v2::FrameQuality;
  to_idl(seen->frame_loss, out->frame_loss);
  to_idl(seen->delay_us, out->delay_us);
  return out._retn();
}

v2::NameSeq* QosMapperServant::services() {
  const auto held = catalogue();
  const std::vector<std::string>& names = held->names();
  v2::NameSeq_var out = new v2::NameSeq;
  out->length(static_cast<CORBA::ULong>(names.size()));
  for (CORBA::ULong i = 0; i < out->length(); ++i) out[i] = names[i].c_str();
  return out._retn();
}

v2::MetricSeq* QosMapperServant::status() {
  Metrics counted = metrics();
  orb::append_peer_faults(counted);
  dispatch().append_metrics(counted);
  return orb::to_metrics(counted);
}

Metrics QosMapperServant::metrics() const {
  Metrics counted;
  append(kMapperMetrics, mappings_.load(), counted);
  return counted;
}

exporter::Part QosMapperServant::exposed_part() {
  return {"QOSMapper",
          {},
          [this](const std::function<void(exporter::Reading)>& done) {
            done({metrics(), {}, {}});
          },
          [this](Metrics& counted) {
            orb::append_peer_faults(counted);
            dispatch().append_metrics(counted);
          }};
}

std::vector<MetricTable> qos_mapper_metrics() {
  return {metric_table("qosmapper", kMapperMetrics), orb::upcall_metrics(), orb::alarm_metrics()};
}

}  // namespace xbind
