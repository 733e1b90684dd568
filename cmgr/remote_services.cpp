// RemotePeers: has services mapped to cells by a QOSMapper.
#include <utility>

#include "cmgr/remote_peers.hpp"
#include "core/steady_now.hpp"
#include "naming/names.hpp"
#include "orb/convert.hpp"
#include "orb/remote_error.hpp"

namespace xbind::cmgr {

void RemotePeers::ask_services(std::vector<ServiceSpec> services) {
  hand_over([this, services = std::move(services)] { map_now(services); });
}

void RemotePeers::map_now(const std::vector<ServiceSpec>& services) {
  std::vector<ServiceReply> replies;
  for (const ServiceSpec& service : services) {
    ServiceReply reply{service, tl::make_unexpected(Refusal{Cause::kNoQosMapper,
                                                            "qosmapper " + options_.qos_mapper})};
    const std::string peer = "qosmapper " + options_.qos_mapper;
    const auto mapper = qos_mapper();
    Result<void> asked = fail(ErrorCode::kUnreachable, "not asked");
    if (!mapper) {
      asked = tl::make_unexpected(mapper.error());
    } else {
      asked = orb::remote(peer, *mapper, [&] {
        try {
          pace_.send(1);
          const v2::NetworkService mapped = (*mapper)->service_to_network(orb::to_idl(service));
          pace_.take(1);
          reply.mapped = orb::to_core(mapped);
        } catch (const v2::BadRequest& refused) {
          reply.mapped =
              tl::make_unexpected(Refusal{Cause::kInvalidRequest, {}, 0, 0, refused.reason.in()});
        } catch (const v2::UnknownService& unknown) {
          reply.mapped = tl::make_unexpected(Refusal{Cause::kUnknownService, unknown.reason.in()});
        }
      });
    }
    if (asked) {
      troubles_.well(peer);
    } else {
      troubles_.failed(peer, asked.error().text);
      const std::lock_guard lock(references_mutex_);
      qos_mapper_ = v2::QOSMapper::_nil();
    }
    replies.push_back(std::move(reply));
  }
  post_([replies = std::move(replies)](ConnectionManager& manager) {
    manager.on_services(replies, steady_now());
  });
}

Result<v2::QOSMapper_var> RemotePeers::qos_mapper() {
  return kept<v2::QOSMapper>(qos_mapper_, naming::kQosMappers, options_.qos_mapper);
}

}  // namespace xbind::cmgr
