#include "orb/log_level.hpp"

#include <fmt/format.h>

#include <memory>

#include "core/log_output.hpp"
#include "core/name.hpp"

namespace xbind::orb {

void set_log_level(const char* level) {
  const auto wanted = log::levels().changed(level, log::started_levels());
  if (!wanted) throw v2::BadRequest(wanted.error().text.c_str());
  // The change is logged where either level shows it.
  log::info("an operator sets the log level to {}", level);
  const bool shown = log::enabled(log::Level::kInfo);
  log::set_levels(*wanted);
  if (!shown) log::info("an operator has set the log level to {}", level);
}

v2::LogLevelSeq* log_levels() {
  const log::Levels levels = log::levels();
  auto out = std::make_unique<v2::LogLevelSeq>();
  out->length(static_cast<CORBA::ULong>(log::kSubsystems));
  for (CORBA::ULong i = 0; i < out->length(); ++i) {
    const auto subsystem = static_cast<log::Subsystem>(i);
    (*out)[i].subsystem = log::subsystem_names()[i].c_str();
    (*out)[i].level = log::to_string(i == 0 ? levels.all() : levels.of(subsystem)).c_str();
  }
  return out.release();
}

}  // namespace xbind::orb
