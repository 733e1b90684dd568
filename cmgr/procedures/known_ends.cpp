#include "cmgr/procedures/known_ends.hpp"

#include "cmgr/parts/route_desk.hpp"

namespace xbind::cmgr {

EndsAt known_ends(const Context& context) {
  return [&context](const std::string& endpoint) -> std::optional<SwitchIndex> {
    const auto end = context.routes.network().end(endpoint);
    return end ? context.switches.find(end->switch_name) : std::nullopt;
  };
}

}  // namespace xbind::cmgr
