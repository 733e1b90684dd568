#include "orb/configured.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>
#include <vector>

#include "core/log.hpp"
#include "orb/process.hpp"
#include "orb/raise.hpp"

namespace xbind::orb {

Result<std::vector<config::OptionChange>> reload_and_log(config::Reloadable& options,
                                                         std::string_view who) {
  auto changes = options.reload();
  if (!changes) {
    log::error("{}: the options are not reloaded: {}", who, changes.error().text);
    return changes;
  }
  std::vector<std::string> lines;
  lines.reserve(changes->size());
  for (const config::OptionChange& change : *changes) lines.push_back(config::to_string(change));
  log::info("{}: the options are reloaded: {}", who,
            lines.empty() ? "all as they were" : fmt::format("{}", fmt::join(lines, ", ")));
  return changes;
}

v2::OptionChangeSeq* reload(config::Reloadable& options) {
  const auto changes = reload_and_log(options, "an operator");
  if (!changes) raise(changes.error());
  auto out = std::make_unique<v2::OptionChangeSeq>();
  out->length(static_cast<CORBA::ULong>(changes->size()));
  for (CORBA::ULong i = 0; i < out->length(); ++i) {
    const config::OptionChange& change = (*changes)[i];
    (*out)[i].name = change.name.c_str();
    (*out)[i].before = change.before.c_str();
    (*out)[i].after = change.after.c_str();
    (*out)[i].source = change.source.c_str();
  }
  return out.release();
}

v2::OptionValueSeq* values_of(config::Reloadable& options) {
  const std::vector<config::OptionValue> values = options.values();
  auto out = std::make_unique<v2::OptionValueSeq>();
  out->length(static_cast<CORBA::ULong>(values.size()));
  for (CORBA::ULong i = 0; i < out->length(); ++i) {
    const config::OptionValue& value = values[i];
    (*out)[i].name = value.name.c_str();
    (*out)[i].value = value.text.c_str();
    (*out)[i].source = value.source.c_str();
    (*out)[i].live = value.live;
  }
  return out.release();
}

ReloadOnHangUp::ReloadOnHangUp(config::Reloadable& options) {
  on_hang_up([&options] { (void)reload_and_log(options, "SIGHUP"); });
}

ReloadOnHangUp::~ReloadOnHangUp() { on_hang_up({}); }

}  // namespace xbind::orb
