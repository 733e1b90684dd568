#include "cmgr/parts/service.hpp"

#include <utility>

#include "traffic/service.hpp"

namespace xbind::cmgr {

tl::expected<NetworkService, Refusal> network_of(const ServiceSpec& service,
                                                 const Catalogue& catalogue) {
  auto mapped = service_to_network(service, catalogue);
  if (mapped) return *mapped;
  ServiceRefusal& refusal = mapped.error();
  // the text is a complete sentence by itself
  if (refusal.element == refusal.text) refusal.element.clear();
  return tl::make_unexpected(Refusal{refusal.cause, std::move(refusal.element), refusal.asked,
                                     refusal.free, std::move(refusal.text)});
}

}  // namespace xbind::cmgr
