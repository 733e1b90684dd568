// The durations of a program, each with a name, a value and the wait that it guards.
//
// A room (core, orb, cmgr, ...) has one table in its timers.hpp. Its code obtains every duration
// from that table by name, so the table is complete:
//
//   inline constexpr Timers kManagerTimers{
//       "cmgr",
//       {{"debt-retry", seconds{1}, "Pause before removals that are owed are sent again."},
//        {"hop-timer-ms", seconds{3}, "Milliseconds that ...", TimerSource::kOption}}};
//   static constexpr Duration kDebtRetry = kManagerTimers["debt-retry"];
//
// A name that is not in the table does not compile. An entry that is an option has the option's
// name and help; config::add_timer() declares the option from it. Programs pass their tables to
// config::OptionSet::add_timers(), which prints them in --help and for docs/timers.md. tests/tidy
// refuses durations outside the tables, and entries that no code uses.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/clock.hpp"

namespace xbind {

enum class TimerSource : std::uint8_t { kFixed, kOption };

struct NamedDuration {
  std::string_view name;  // lower-case words with hyphens; an option's name ends in its unit
  Duration value;         // default value if it is an option
  std::string_view guards;
  TimerSource source = TimerSource::kFixed;
};

// A table of any size, for printing. The rows live as long as the program.
struct TimerTable {
  std::string_view room;
  std::span<const NamedDuration> rows;
};

template <std::size_t N>
class Timers {
 public:
  // The names must differ, and what each row guards must be a sentence.
  consteval Timers(std::string_view room, const NamedDuration (&rows)[N]) : room_(room), rows_{} {
    for (std::size_t at = 0; at < N; ++at) {
      if (rows[at].guards.empty() || rows[at].guards.back() != '.') throw "not a sentence";
      for (std::size_t before = 0; before < at; ++before) {
        if (rows[before].name == rows[at].name) throw "two rows have one name";
      }
      rows_[at] = rows[at];
    }
  }

  consteval NamedDuration row(std::string_view name) const { return find(name); }
  consteval Duration operator[](std::string_view name) const { return find(name).value; }
  // Whole milliseconds.
  consteval std::chrono::milliseconds ms(std::string_view name) const {
    const auto whole = std::chrono::duration_cast<std::chrono::milliseconds>(find(name).value);
    if (whole != find(name).value) throw "the duration is no whole number of milliseconds";
    return whole;
  }

  constexpr operator TimerTable() const { return {room_, rows_}; }

 private:
  constexpr const NamedDuration& find(std::string_view name) const {
    for (const NamedDuration& row : rows_) {
      if (row.name == name) return row;
    }
    throw "the table has no row of this name";
  }

  std::string_view room_;
  std::array<NamedDuration, N> rows_;
};

// "3 s", "250 ms", "10 min": in the largest unit that gives a whole number.
std::string duration_text(Duration duration);

}  // namespace xbind
