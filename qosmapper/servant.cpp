#include "qosmapper/servant.hpp"

#include "orb/convert.hpp"
#include "orb/process.hpp"
#include "orb/raise.hpp"
#include "qosmapper/mapping.hpp"
#include "qosmapper/service.hpp"

namespace xbind {
namespace {

v1::VideoQos to_idl(const VideoSpec& video) {
  v1::VideoQos out;
  out.frames_per_1000_s = video.frames_per_1000_s;
  out.frame_octets = video.frame_octets;
  return out;
}

}  // namespace

v1::Demand QosMapperServant::video_to_network(const v1::VideoQos& video) {
  ++mappings_;
  const auto mapped = to_network({video.frames_per_1000_s, video.frame_octets});
  if (!mapped) orb::raise(mapped.error());
  return orb::to_idl(*mapped);
}

v1::VideoQos QosMapperServant::network_to_frame_size(CORBA::ULongLong cells_per_s,
                                                     CORBA::ULongLong frames_per_1000_s) {
  ++mappings_;
  const auto mapped = finest_video(cells_per_s, frames_per_1000_s);
  if (!mapped) orb::raise(mapped.error());
  return to_idl(*mapped);
}

v1::VideoQos QosMapperServant::network_to_frame_rate(CORBA::ULongLong cells_per_s,
                                                     CORBA::ULongLong frame_octets) {
  ++mappings_;
  const auto mapped = fastest_video(cells_per_s, frame_octets);
  if (!mapped) orb::raise(mapped.error());
  return to_idl(*mapped);
}

v1::NetworkService QosMapperServant::service_to_network(const v1::ServiceSpec& service) {
  ++mappings_;
  const auto mapped = xbind::service_to_network(orb::to_core(service));
  if (!mapped) throw v1::BadRequest(mapped.error().text.c_str());
  return orb::to_idl(*mapped);
}

v1::MetricSeq* QosMapperServant::status() {
  return orb::to_metrics(
      {{"rss_kib", orb::own_resident_kib()}, {"giop_requests", mappings_.load()}});
}

}  // namespace xbind
