// The levels of a log: one for the whole process, and others for single subsystems. As text:
//
//     info                       everything from "info" on
//     calls=debug,info           calls from "debug" on, everything else from "info" on
//     gsmp=off                   nothing about GSMP; the rest as it was
//     gsmp=default               as the subsystems without a level of their own
//     default                    as the process was started
//
// Pure.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace xbind::log {

enum class Level : unsigned char { kDebug, kInfo, kWarn, kError, kOff };

// What a line is about. docs/operating.md describes them.
enum class Subsystem : unsigned char {
  kNone,      // the process: its start and end, its options
  kCalls,     // connections and what is done with them
  kRoutes,    // topology, paths, ports, drains
  kLabels,    // labels and quotas
  kSessions,  // clients, managers, SwitchServers: who is attached
  kGsmp,      // the control channel of switches
  kOrb,       // the ORB, names, strangers
  kAudit,     // audits and repairs
};
inline constexpr std::size_t kSubsystems = static_cast<std::size_t>(Subsystem::kAudit) + 1;

// "calls", in the order of Subsystem; that of kNone is empty.
const std::vector<std::string>& subsystem_names();
std::optional<Subsystem> subsystem_of(std::string_view text);  // none for the empty text
// "debug", "info", "warn", "error", "off", in the order of Level.
const std::vector<std::string>& level_names();
// nullopt: the text is none of level_names().
std::optional<Level> level_of(std::string_view text);
const std::string& to_string(Level level);

class Levels {
 public:
  Levels(Level all) : all_(all) {}  // NOLINT: a level stands for levels

  // The least severe level that is written.
  Level of(Subsystem subsystem) const {
    return own_[static_cast<std::size_t>(subsystem)].value_or(all_);
  }
  // Of the subsystems without a level of their own.
  Level all() const { return all_; }
  std::optional<Level> own(Subsystem subsystem) const {
    return own_[static_cast<std::size_t>(subsystem)];
  }
  // The same in the form above.
  std::string text() const;

  // These levels after a change. `started`: those of "default". kBadInput: the text is wrong; the
  // error names its part and what would be right.
  Result<Levels> changed(std::string_view text, const Levels& started) const;

  friend bool operator==(const Levels&, const Levels&) = default;

 private:
  Level all_;
  std::array<std::optional<Level>, kSubsystems> own_{};
};

}  // namespace xbind::log
