// The traffic contract of a connection as the switches receive it: the service category and its
// parameters (RFC 3292 section 10.4). The QOSMapper derives one from every service. It travels with
// each hop beside the resources, which the ledgers count.
//
// Parameters of each category; the others are 0:
//
//   category  PCR  CDVT  SCR  MCR  MBS  MFS
//   CBR        x    x
//   rt-VBR     x    x     x          x
//   nrt-VBR    x    x     x          x
//   UBR        x    x
//   GFR        x    x          x     x    x
//
// All are whole numbers of 24 bits on GSMP's wire: rates of up to 16777215 cells a second.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/resources.hpp"

namespace xbind {

// The numbers are those of the IDL.
enum class ServiceCategory : std::uint8_t {
  kNone = 0,  // no contract: the switch treats the cells by priority alone
  kCbr = 1,
  kRtVbr = 2,
  kNrtVbr = 3,
  kUbr = 4,
  kGfr = 5,
};
inline constexpr ServiceCategory kServiceCategoryLast = ServiceCategory::kGfr;

std::string_view to_string(ServiceCategory category);  // "CBR", "nrt-VBR"; "no contract"

struct TrafficContract {
  static constexpr std::uint32_t kFieldMax = 0xff'ffff;

  ServiceCategory category = ServiceCategory::kNone;
  std::uint32_t pcr_cells_per_s = 0;         // peak cell rate, from 1
  std::uint32_t cdvt_us = 0;                 // cell delay variation tolerance, microseconds
  std::uint32_t guaranteed_cells_per_s = 0;  // SCR of VBR, from 1; MCR of GFR, from 0; at most PCR
  std::uint32_t mbs_cells = 0;               // maximum burst size, cells, from 1
  std::uint32_t mfs_cells = 0;  // maximum frame size, cells, from 1; at most MBS, so that the burst
                                // which GFR guarantees holds a frame

  bool present() const { return category != ServiceCategory::kNone; }
  friend auto operator<=>(const TrafficContract&, const TrafficContract&) = default;
};
static_assert(sizeof(TrafficContract) <= 24);

inline constexpr bool has_guaranteed_rate(ServiceCategory category) {
  return category == ServiceCategory::kRtVbr || category == ServiceCategory::kNrtVbr ||
         category == ServiceCategory::kGfr;
}

// Why a contract is invalid.
enum class ContractFault : std::uint8_t {
  kUnknownCategory,  // value: its number; bound: the highest
  kZero,             // the field is 0 and must not be
  kAbove24Bits,      // bound: kFieldMax
  kAbovePcr,         // SCR or MCR; bound: the PCR
  kBelowFrame,       // MBS; bound: the MFS
  kNotOfCategory,    // the category has no such field, and it is not 0; bound: 0
};

struct ContractRefusal {
  ContractFault fault = ContractFault::kUnknownCategory;
  std::string_view field;  // "PCR", "SCR", "category"; of static storage
  std::uint64_t value = 0;
  std::uint64_t bound = 0;

  friend bool operator==(const ContractRefusal&, const ContractRefusal&) = default;
};

std::string_view to_string(ContractFault fault);  // "above 24 bits"
std::string to_string(const ContractRefusal& refusal);
// "PCR 16777216 is above 24 bits: at most 16777215"

// Returns nullopt for a valid contract, else its first fault in the order of the fields. No
// contract (kNone) is valid when every field is 0.
std::optional<ContractRefusal> check(const TrafficContract& contract);

// Returns the greater of the two in every parameter except CDVT, which is that of `wanted`. Both
// must have the same category. If both are valid, so is the result.
TrafficContract greater(const TrafficContract& had, const TrafficContract& wanted);
// Returns the lesser of the two in every parameter, with the CDVT of the one with the lower PCR, or
// the greater CDVT of equals: it exceeds neither in any parameter except CDVT. Both must have the
// same category. If both are valid, so is the result.
TrafficContract lesser(const TrafficContract& a, const TrafficContract& b);
// Whether `wanted` exceeds `had` in some parameter. CDVT does not count: it falls as the rate
// grows.
bool asks_for_more(const TrafficContract& had, const TrafficContract& wanted);

// "nrt-VBR pcr 353207 cdvt 3 us scr 4700 mbs 188"; "no contract".
std::string to_string(const TrafficContract& contract);

// The QOSMapper's result for a service: what the ledgers count and what the switches receive.
struct NetworkService {
  Resources resources;
  TrafficContract contract{};

  friend bool operator==(const NetworkService&, const NetworkService&) = default;
};

}  // namespace xbind
