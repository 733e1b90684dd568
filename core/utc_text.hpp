// The time of day, as every program of OpenXbind shows it: UTC, with its zone
// (docs/decisions/0096-what-a-command-prints.md). Pure.
#pragma once

#include <chrono>
#include <string>

namespace xbind {

// Each function takes the time since 1970-01-01 UTC. The unit of the argument decides the number of
// decimals: seconds none, milliseconds three, microseconds six. Any value is valid, because times
// come from peers.

// For people: "2026-03-01 12:00:00 UTC", "2026-03-01 12:00:00.123456 UTC".
std::string utc_text(std::chrono::seconds time);
std::string utc_text(std::chrono::milliseconds time);
std::string utc_text(std::chrono::microseconds time);

// For programs, by ISO 8601: "2026-03-01T12:00:00Z", "2026-03-01T12:00:00.123Z".
std::string utc_iso(std::chrono::seconds time);
std::string utc_iso(std::chrono::milliseconds time);

// "2026-03-01"
std::string utc_date(std::chrono::seconds time);

}  // namespace xbind
