// A daemon's options while it runs: the operations of `interface Configured`, and SIGHUP.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/reload.hpp"
#include "core/result.hpp"
#include "operations.hh"

namespace xbind::orb {

// Reloads, and logs what has changed or why nothing has. `who`: "an operator", "SIGHUP". Any
// thread; waits for a reload that is under way.
Result<std::vector<config::OptionChange>> reload_and_log(config::Reloadable& options,
                                                         std::string_view who);

// The same for one option that an operator sets, or no longer sets.
Result<std::vector<config::OptionChange>> tune_and_log(config::Reloadable& options,
                                                       const std::string& name,
                                                       const std::optional<std::string>& value);

// The operations; the caller frees the result. Throws BadRequest or Unavailable.
v2::OptionChangeSeq* reload(config::Reloadable& options);
v2::OptionChangeSeq* tune(config::Reloadable& options, const char* name, const char* value);
v2::OptionChangeSeq* untune(config::Reloadable& options, const char* name);
v2::OptionValueSeq* values_of(config::Reloadable& options);

// Has SIGHUP reload while it lives (process.hpp). One per process.
class ReloadOnHangUp {
 public:
  // `options` outlives this object.
  explicit ReloadOnHangUp(config::Reloadable& options);
  ~ReloadOnHangUp();
  ReloadOnHangUp(const ReloadOnHangUp&) = delete;
  ReloadOnHangUp& operator=(const ReloadOnHangUp&) = delete;
};

}  // namespace xbind::orb
