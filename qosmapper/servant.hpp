// The CORBA face of the QOSMapper: convert, call, convert. The mapping is pure, upcalls run beside each
// other.
#pragma once

#include <atomic>

#include "qos_mapper.hh"

namespace xbind {

class QosMapperServant : public POA_xbind::v1::QOSMapper {
 public:
  v1::Demand video_to_network(const v1::VideoQos& video) override;
  v1::VideoQos network_to_frame_size(CORBA::ULongLong cells_per_s,
                                     CORBA::ULongLong frames_per_1000_s) override;
  v1::VideoQos network_to_frame_rate(CORBA::ULongLong cells_per_s,
                                     CORBA::ULongLong frame_octets) override;
  v1::NetworkService service_to_network(const v1::ServiceSpec& service) override;
  v1::MetricSeq* status() override;

 private:
  std::atomic<std::uint64_t> mappings_{0};
};

}  // namespace xbind
