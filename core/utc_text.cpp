#include "core/utc_text.hpp"

#include <fmt/format.h>
#include <time.h>

#include <cstdint>
#include <string_view>

namespace xbind {
namespace {

struct Form {
  char between;  // date and time
  std::string_view zone;
};
constexpr Form kForPeople{' ', " UTC"};
constexpr Form kForPrograms{'T', "Z"};

// `decimals`: ".123", or empty.
std::string text_of(std::chrono::seconds whole, const std::string& decimals, const Form& form) {
  const std::time_t since_1970 = whole.count();
  std::tm at{};
  // The year does not fit into an int.
  if (::gmtime_r(&since_1970, &at) == nullptr) {
    return fmt::format("{}{} s since 1970{}", since_1970, decimals, form.zone);
  }
  return fmt::format("{:04}-{:02}-{:02}{}{:02}:{:02}:{:02}{}{}", std::int64_t{at.tm_year} + 1900,
                     at.tm_mon + 1, at.tm_mday, form.between, at.tm_hour, at.tm_min, at.tm_sec,
                     decimals, form.zone);
}

template <class Unit>
std::string text_of(Unit time, int places, const Form& form) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(time);
  return text_of(whole, fmt::format(".{:0{}}", (time - whole).count(), places), form);
}

}  // namespace

std::string utc_text(std::chrono::seconds time) { return text_of(time, "", kForPeople); }
std::string utc_text(std::chrono::milliseconds time) { return text_of(time, 3, kForPeople); }
std::string utc_text(std::chrono::microseconds time) { return text_of(time, 6, kForPeople); }
std::string utc_iso(std::chrono::seconds time) { return text_of(time, "", kForPrograms); }
std::string utc_iso(std::chrono::milliseconds time) { return text_of(time, 3, kForPrograms); }

std::string utc_date(std::chrono::seconds time) {
  const std::string whole = utc_iso(time);
  return whole.substr(0, whole.find(kForPrograms.between));
}

}  // namespace xbind
