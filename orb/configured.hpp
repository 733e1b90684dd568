// A daemon's options while it runs: the operations of `interface Configured`, and SIGHUP.
#pragma once

#include "core/config/reload.hpp"
#include "operations.hh"

namespace xbind::orb {

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
