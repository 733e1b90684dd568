#include "core/traffic_contract.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/check.hpp"

namespace xbind {
namespace {

// Whether a field's value is wrong by itself. Every switch of a call asks for each field.
constexpr bool is_wrong(std::uint32_t value, bool of_category, bool may_be_zero) {
  if (value > TrafficContract::kFieldMax) return true;
  return of_category ? value == 0 && !may_be_zero : value != 0;
}

ContractRefusal refusal_of(std::string_view field, std::uint32_t value, bool of_category) {
  if (value > TrafficContract::kFieldMax) {
    return {ContractFault::kAbove24Bits, field, value, TrafficContract::kFieldMax};
  }
  if (!of_category) return {ContractFault::kNotOfCategory, field, value, 0};
  return {ContractFault::kZero, field, 0, 1};
}

}  // namespace

std::string_view to_string(ServiceCategory category) {
  switch (category) {
    case ServiceCategory::kNone: return "no contract";
    case ServiceCategory::kCbr: return "CBR";
    case ServiceCategory::kRtVbr: return "rt-VBR";
    case ServiceCategory::kNrtVbr: return "nrt-VBR";
    case ServiceCategory::kUbr: return "UBR";
    case ServiceCategory::kGfr: return "GFR";
  }
  return "unknown category";
}

std::string_view to_string(ContractFault fault) {
  switch (fault) {
    case ContractFault::kUnknownCategory: return "unknown";
    case ContractFault::kZero: return "zero";
    case ContractFault::kAbove24Bits: return "above 24 bits";
    case ContractFault::kAbovePcr: return "above the PCR";
    case ContractFault::kBelowFrame: return "below the MFS";
    case ContractFault::kNotOfCategory: return "not of this category";
  }
  return "unknown fault";
}

std::string to_string(const ContractRefusal& refusal) {
  std::string text =
      fmt::format("{} {} is {}", refusal.field, refusal.value, to_string(refusal.fault));
  switch (refusal.fault) {
    case ContractFault::kUnknownCategory:
    case ContractFault::kAbove24Bits:
    case ContractFault::kAbovePcr: text += fmt::format(": at most {}", refusal.bound); break;
    case ContractFault::kBelowFrame: text += fmt::format(": at least {}", refusal.bound); break;
    case ContractFault::kZero:
    case ContractFault::kNotOfCategory: break;
  }
  return text;
}

std::optional<ContractRefusal> check(const TrafficContract& contract) {
  const ServiceCategory category = contract.category;
  if (category > kServiceCategoryLast) {
    return ContractRefusal{ContractFault::kUnknownCategory, "category",
                           static_cast<std::uint64_t>(category),
                           static_cast<std::uint64_t>(kServiceCategoryLast)};
  }
  const bool gfr = category == ServiceCategory::kGfr;
  const bool guaranteed = has_guaranteed_rate(category);
  const bool present = contract.present();
  const std::string_view rate = gfr ? "MCR" : "SCR";
  if (is_wrong(contract.pcr_cells_per_s, present, false)) {
    return refusal_of("PCR", contract.pcr_cells_per_s, present);
  }
  if (is_wrong(contract.cdvt_us, present, true)) {
    return refusal_of("CDVT", contract.cdvt_us, present);
  }
  if (is_wrong(contract.guaranteed_cells_per_s, guaranteed, gfr)) {
    return refusal_of(rate, contract.guaranteed_cells_per_s, guaranteed);
  }
  if (is_wrong(contract.mbs_cells, guaranteed, false)) {
    return refusal_of("MBS", contract.mbs_cells, guaranteed);
  }
  if (is_wrong(contract.mfs_cells, gfr, false)) {
    return refusal_of("MFS", contract.mfs_cells, gfr);
  }
  if (contract.guaranteed_cells_per_s > contract.pcr_cells_per_s) {
    return ContractRefusal{ContractFault::kAbovePcr, rate, contract.guaranteed_cells_per_s,
                           contract.pcr_cells_per_s};
  }
  if (contract.mbs_cells < contract.mfs_cells) {
    return ContractRefusal{ContractFault::kBelowFrame, "MBS", contract.mbs_cells,
                           contract.mfs_cells};
  }
  return std::nullopt;
}

TrafficContract greater(const TrafficContract& had, const TrafficContract& wanted) {
  XB_CHECK(had.category == wanted.category, to_string(had.category), to_string(wanted.category));
  return {had.category,
          std::max(had.pcr_cells_per_s, wanted.pcr_cells_per_s),
          wanted.cdvt_us,
          std::max(had.guaranteed_cells_per_s, wanted.guaranteed_cells_per_s),
          std::max(had.mbs_cells, wanted.mbs_cells),
          std::max(had.mfs_cells, wanted.mfs_cells)};
}

TrafficContract lesser(const TrafficContract& a, const TrafficContract& b) {
  XB_CHECK(a.category == b.category, to_string(a.category), to_string(b.category));
  const std::uint32_t cdvt_us = a.pcr_cells_per_s == b.pcr_cells_per_s
                                    ? std::max(a.cdvt_us, b.cdvt_us)
                                    : (a.pcr_cells_per_s < b.pcr_cells_per_s ? a : b).cdvt_us;
  return {a.category,
          std::min(a.pcr_cells_per_s, b.pcr_cells_per_s),
          cdvt_us,
          std::min(a.guaranteed_cells_per_s, b.guaranteed_cells_per_s),
          std::min(a.mbs_cells, b.mbs_cells),
          std::min(a.mfs_cells, b.mfs_cells)};
}

bool asks_for_more(const TrafficContract& had, const TrafficContract& wanted) {
  TrafficContract both = greater(had, wanted);
  both.cdvt_us = had.cdvt_us;
  return both != had;
}

std::string to_string(const TrafficContract& contract) {
  std::string text{to_string(contract.category)};
  if (!contract.present()) return text;
  text += fmt::format(" pcr {} cdvt {} us", contract.pcr_cells_per_s, contract.cdvt_us);
  if (has_guaranteed_rate(contract.category)) {
    text += fmt::format(" {} {} mbs {}", contract.category == ServiceCategory::kGfr ? "mcr" : "scr",
                        contract.guaranteed_cells_per_s, contract.mbs_cells);
  }
  if (contract.category == ServiceCategory::kGfr) {
    text += fmt::format(" mfs {}", contract.mfs_cells);
  }
  return text;
}

}  // namespace xbind
