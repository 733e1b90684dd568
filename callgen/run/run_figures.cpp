#include "callgen/run/run_figures.hpp"

#include "core/name.hpp"

namespace xbind::callgen {
namespace {

constexpr std::size_t kReasonOctetsMax = 256;

}  // namespace

void CauseCounts::count(const Outcome& outcome) {
  const std::string cause(outcome.kind == OutcomeKind::kBusy ? to_string(OutcomeKind::kBusy)
                                                             : to_string(outcome.cause));
  ++by_cause_[cause];
  std::string place = outcome.element.empty() ? cause : cause + " at " + outcome.element;
  // What is wrong with a request, and the bound that it breaks, is in the reason.
  if (outcome.cause == Cause::kInvalidRequest && !outcome.reason.empty())
    place += ": " + printable(outcome.reason, kReasonOctetsMax);
  if (by_place_.size() >= kMostPlaces && !by_place_.contains(place)) place = cause + " elsewhere";
  ++by_place_[place];
}

void CauseCounts::merge(const CauseCounts& other) {
  for (const auto& [cause, count] : other.by_cause_) by_cause_[cause] += count;
  for (const auto& [place, count] : other.by_place_) {
    const bool room = by_place_.size() < kMostPlaces || by_place_.contains(place);
    by_place_[room ? place : place.substr(0, place.find(" at ")) + " elsewhere"] += count;
  }
}

CauseCounts CauseCounts::from(std::map<std::string, std::uint64_t> by_cause,
                              std::map<std::string, std::uint64_t> by_place) {
  CauseCounts made;
  made.by_cause_ = std::move(by_cause);
  made.by_place_ = std::move(by_place);
  return made;
}

}  // namespace xbind::callgen
