// The commands of xbindctl, each a function: what it prints goes to standard output, why it failed to
// standard error; the exit code tells the truth.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "connection_manager.hh"
#include "core/call.hpp"

namespace xbind::ctl {

// 0: done. 1: refused, or the manager could not be asked.
int connect(v1::ConnectionManager_ptr manager, const std::string& from, const std::string& to,
            const ServiceSpec& service);
int release(v1::ConnectionManager_ptr manager, std::uint64_t connection);
int describe(v1::ConnectionManager_ptr manager, std::uint64_t connection);
int list(v1::ConnectionManager_ptr manager);
int status(v1::ConnectionManager_ptr manager);
// 0 only if the audit is clean.
int audit(v1::ConnectionManager_ptr manager);

}  // namespace xbind::ctl
