#include "switchserver/drivers/gsmp_service.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "core/planted.hpp"

namespace xbind {
namespace {

struct Form {
  ServiceCategory category;
  gsmp::ServiceId service;
  std::uint8_t priority;
  bool police;
  bool frames;  // promised to whole frames: a switch that can discards frames, not cells
};
constexpr Form kForms[] = {
    {ServiceCategory::kCbr, gsmp::ServiceId::kCbr1, 0, true, false},
    {ServiceCategory::kRtVbr, gsmp::ServiceId::kRtVbr1, 1, true, false},
    {ServiceCategory::kNrtVbr, gsmp::ServiceId::kNrtVbr1, 2, true, false},
    {ServiceCategory::kUbr, gsmp::ServiceId::kUbr1, 3, false, true},
    {ServiceCategory::kGfr, gsmp::ServiceId::kGfr1, 3, true, true},
};

const Form* form_of(ServiceCategory category) {
  const auto* const found = std::ranges::find(kForms, category, &Form::category);
  return found == std::end(kForms) ? nullptr : found;
}

const Form* form_of(gsmp::ServiceId service) {
  const auto* const found = std::ranges::find(kForms, service, &Form::service);
  return found == std::end(kForms) ? nullptr : found;
}

gsmp::TrafficParameters parameters_of(const TrafficContract& contract) {
  switch (contract.category) {
    case ServiceCategory::kRtVbr:
    case ServiceCategory::kNrtVbr:
      return gsmp::VariableRate{contract.pcr_cells_per_s, contract.cdvt_us,
                                contract.guaranteed_cells_per_s,
                                planted(Bug::kBurstForgotten) ? 1 : contract.mbs_cells};
    case ServiceCategory::kGfr:
      return gsmp::GuaranteedFrameRate{contract.pcr_cells_per_s, contract.cdvt_us,
                                       contract.guaranteed_cells_per_s, contract.mbs_cells,
                                       contract.mfs_cells};
    case ServiceCategory::kNone:
    case ServiceCategory::kCbr:
    case ServiceCategory::kUbr: break;
  }
  return gsmp::CellRate{contract.pcr_cells_per_s, contract.cdvt_us};
}

}  // namespace

ServiceSet services_of(const gsmp::PortRecord& record) {
  ServiceSet services = 0;
  if (!record.services) return services;
  for (const gsmp::ServiceSpec& spec : *record.services) {
    const Form* const form = form_of(static_cast<gsmp::ServiceId>(spec.service));
    if (form != nullptr && spec.capability_set == kCapabilitySet) {
      services |= service_bit(form->category);
    }
  }
  return services;
}

TcFlags tc_flags_of(const gsmp::ServiceConfiguration& configuration) {
  TcFlags flags{};
  for (const gsmp::ServiceRecord& record : configuration.services) {
    const Form* const form = form_of(record.service);
    if (form == nullptr) continue;
    std::uint8_t& wanted = flags[static_cast<std::size_t>(form->category)];
    for (const gsmp::CapabilitySet& set : record.sets) {
      if (set.id != kCapabilitySet) continue;
      const auto each = gsmp::TrafficControl::kPerConnection;
      if (form->police && set.policing == each) wanted |= gsmp::kTcPolicing;
      if (form->frames && set.packet_discard == each) wanted |= gsmp::kTcPacketDiscard;
    }
  }
  return flags;
}

void set_service(gsmp::QosFields& fields, const TrafficContract& contract, const TcFlags& flags) {
  const Form* const form = form_of(contract.category);
  XB_CHECK(form != nullptr, to_string(contract.category));
  gsmp::set_service(fields, form->service, kCapabilitySet,
                    {flags[static_cast<std::size_t>(contract.category)], parameters_of(contract)});
}

void set_priorities(gsmp::QosFields& fields, ServiceCategory category,
                    std::uint8_t input_priorities, std::uint8_t output_priorities) {
  const Form* const form = form_of(category);
  const std::uint8_t wanted =
      form == nullptr || planted(Bug::kPriorityIgnored) ? 0 : form->priority;
  const auto within = [&](std::uint8_t priorities) -> std::uint32_t {
    return std::min<std::uint8_t>(wanted,
                                  static_cast<std::uint8_t>(std::max<int>(priorities, 1) - 1));
  };
  fields.input_selector = within(input_priorities);
  fields.output_selector = within(output_priorities);
}

}  // namespace xbind
