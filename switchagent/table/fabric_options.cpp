#include "switchagent/table/fabric_options.hpp"

namespace xbind::switchagent {

std::vector<gsmp::ServiceRecord> default_services() {
  using gsmp::ServiceId;
  using gsmp::TrafficControl;
  gsmp::CapabilitySet hard;  // for delay-sensitive services
  hard.id = 1;
  hard.policing = TrafficControl::kPerConnection;
  hard.egress_peak_shaping = TrafficControl::kAlways;
  hard.clr = 9;
  hard.ctd_us = 500;
  hard.cdv_us = 100;
  gsmp::CapabilitySet soft = hard;  // for loss-sensitive services
  soft.egress_peak_shaping = TrafficControl::kNo;
  soft.clr = 6;
  soft.ctd_us = soft.cdv_us = 0;
  gsmp::CapabilitySet frames;  // for services that tolerate delay and loss
  frames.id = 1;
  frames.packet_discard = TrafficControl::kPerConnection;
  frames.vc_merge = TrafficControl::kPerConnection;
  return {{ServiceId::kCbr1, {hard}},
          {ServiceId::kRtVbr1, {hard}},
          {ServiceId::kNrtVbr1, {soft}},
          {ServiceId::kUbr1, {frames}},
          {ServiceId::kGfr1, {frames}}};
}

}  // namespace xbind::switchagent
