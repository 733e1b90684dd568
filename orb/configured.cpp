#include "orb/configured.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "orb/process.hpp"
#include "orb/raise.hpp"

namespace xbind::orb {
namespace {

using Changes = Result<std::vector<config::OptionChange>>;

v2::OptionChangeSeq* told(const Changes& changes) {
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

}  // namespace

v2::OptionChangeSeq* reload(config::Reloadable& options) {
  return told(config::reload_and_log(options, "an operator"));
}

v2::OptionChangeSeq* tune(config::Reloadable& options, const char* name, const char* value) {
  return told(config::tune_and_log(options, {{name, value}}));
}

v2::OptionChangeSeq* untune(config::Reloadable& options, const char* name) {
  return told(config::tune_and_log(options, {{name, std::nullopt}}));
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
  on_hang_up([&options] { (void)config::reload_and_log(options, "SIGHUP"); });
}

ReloadOnHangUp::~ReloadOnHangUp() { on_hang_up({}); }

}  // namespace xbind::orb
