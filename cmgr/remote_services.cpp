// RemotePeers: has a QOSMapper map services to cells.
#include <utility>

#include "cmgr/remote_peers.hpp"
#include "core/steady_now.hpp"
#include "naming/names.hpp"
#include "orb/convert.hpp"
#include "orb/remote_error.hpp"

namespace xbind::cmgr {

void RemotePeers::ask_services(std::vector<ServiceSpec> services) {
  jobs_.add([this, services = std::move(services)] { map_now(services); });
}

Result<ServiceReply::Mapped> RemotePeers::map_service(const ServiceSpec& service) {
  using Mapped = ServiceReply::Mapped;
  const auto mapper = qos_mapper();
  if (!mapper) return tl::make_unexpected(mapper.error());
  return orb::remote(
      "qosmapper " + options_.qos_mapper, *mapper,
      [&]() -> Mapped {
        impairments_.sending(1);
        const v2::NetworkService mapped = (*mapper)->service_to_network(orb::to_idl(service));
        impairments_.received(1);
        return orb::to_core(mapped);
      },
      [](const v2::BadRequest& bad) -> Mapped {
        return tl::make_unexpected(Refusal{Cause::kInvalidRequest, {}, 0, 0, bad.reason.in()});
      },
      [](const v2::UnknownService& unknown) -> Mapped {
        return tl::make_unexpected(Refusal{Cause::kUnknownService, unknown.reason.in()});
      });
}

void RemotePeers::map_now(const std::vector<ServiceSpec>& services) {
  const std::string peer = "qosmapper " + options_.qos_mapper;
  std::vector<ServiceReply> replies;
  for (const ServiceSpec& service : services) {
    auto mapped = map_service(service);
    if (mapped) {
      troubles_.well(peer);
      replies.push_back({service, std::move(*mapped)});
      continue;
    }
    troubles_.failed(peer, mapped.error().text);
    replies.push_back({service, tl::make_unexpected(Refusal{Cause::kNoQosMapper, peer})});
    const std::lock_guard lock(references_mutex_);
    qos_mapper_ = v2::QOSMapper::_nil();
  }
  post_([replies = std::move(replies)](ConnectionManager& manager) {
    manager.on_services(replies, steady_now());
  });
}

Result<v2::QOSMapper_var> RemotePeers::qos_mapper() {
  return kept<v2::QOSMapper>(qos_mapper_, naming::kQosMappers, options_.qos_mapper);
}

}  // namespace xbind::cmgr
