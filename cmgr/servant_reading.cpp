#include <string>
#include <vector>

#include "cmgr/servant_metrics.hpp"

namespace xbind::cmgr {

exporter::Reading reading_of(const ConnectionManager& manager, const RemotePeers& peers,
                             const Config& config) {
  exporter::Reading reading{status_of(manager, peers, config), {}, {}};
  manager.call_times().setups().append_histograms("setup", reading.stages);
  manager.call_times().releases().append_histograms("release", reading.stages);
  exporter::Reasons reasons;
  const std::vector<std::string> switches = manager.switch_names();
  if (switches.empty()) reasons.add("it knows no switch: RouteObject has not answered yet");
  for (const std::string& name : switches) {
    if (!manager.reaches(name)) reasons.add(name + ": not attached to its SwitchServer");
  }
  if (const std::size_t unread = manager.recovery().unread(); unread > 0) {
    reasons.add(std::to_string(unread) + " switches have not been read for earlier epochs' calls");
  }
  reading.not_ready = reasons.take();
  return reading;
}

}  // namespace xbind::cmgr
