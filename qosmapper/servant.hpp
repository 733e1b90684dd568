// The CORBA servant of the QOSMapper: it converts, calls and converts back. The mapping is pure,
// and a call keeps the catalogue that it began with, so upcalls run concurrently.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "core/config/reload.hpp"
#include "core/impairments/impairments.hpp"
#include "core/metrics/metric_table.hpp"
#include "exporter/reading.hpp"
#include "orb/supervised.hpp"
#include "qos_mapper.hh"
#include "traffic/catalogue.hpp"

namespace xbind {

// The operators' interface of the QOSMapper.
class QosOperationsServant : public orb::Supervised<POA_xbind::v2::QosOperations> {
 public:
  // All must outlive this object.
  QosOperationsServant(orb::Dispatch& dispatch, orb::Supervision& supervision,
                       config::Reloadable& options)
      : Supervised(dispatch, supervision, options) {}
};

class QosMapperServant : public orb::Dispatched<POA_xbind::v2::QOSMapper> {
 public:
  // `dispatch` and `impairments` must outlive this object. With a pace, every query of a manager
  // takes the paced time. `operations`: what qos_operations() returns.
  QosMapperServant(orb::Dispatch& dispatch, std::shared_ptr<const Catalogue> catalogue,
                   v2::QosOperations_ptr operations, Impairments* impairments = nullptr)
      : Dispatched(dispatch),
        catalogue_(std::move(catalogue)),
        operations_(v2::QosOperations::_duplicate(operations)),
        impairments_(impairments) {}

  v2::Demand video_to_network(const v2::VideoFrames& video) override;
  v2::VideoFrames network_to_frame_size(CORBA::ULongLong cells_per_s,
                                        CORBA::ULongLong frames_per_1000_s) override;
  v2::VideoFrames network_to_frame_rate(CORBA::ULongLong cells_per_s,
                                        CORBA::ULongLong frame_octets) override;
  v2::NetworkService service_to_network(const v2::ServiceSpec& service) override;
  v2::ServiceMapping* describe_service(const v2::ServiceSpec& service, CORBA::Octet hops) override;
  v2::FrameQuality* network_to_service(const v2::ServiceSpec& service,
                                       const v2::TrafficContract& contract,
                                       const v2::CellQualitySeq& hops) override;
  v2::NameSeq* services() override;
  v2::QosOperations_ptr qos_operations() override {
    return v2::QosOperations::_duplicate(operations_);
  }
  v2::MetricSeq* status() override;

  // Later calls use this catalogue. Any thread.
  void set_catalogue(std::shared_ptr<const Catalogue> catalogue) {
    const std::lock_guard lock(mutex_);
    catalogue_ = std::move(catalogue);
  }

  // What the daemon exposes over HTTP. It must not be asked after this object has ended.
  exporter::Part exposed_part();

 private:
  Metrics metrics() const;  // without those of orb/
  std::shared_ptr<const Catalogue> catalogue() const {
    const std::lock_guard lock(mutex_);
    return catalogue_;
  }

  mutable std::mutex mutex_;
  std::shared_ptr<const Catalogue> catalogue_;
  const v2::QosOperations_var operations_;
  Impairments* const impairments_;
  std::atomic<std::uint64_t> mappings_{0};
};

// The metrics of its status; --print-metrics lists them.
std::vector<MetricTable> qos_mapper_metrics();

}  // namespace xbind
