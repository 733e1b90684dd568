// Throws errors of the logic as exceptions of the contracts (types.idl).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/ids.hpp"
#include "core/metrics/metric_table.hpp"
#include "core/result.hpp"
#include "types.hh"

namespace xbind::orb {

// Throws VersionMismatch if `version` is not our protocol version.
void check_version(CORBA::ULong version);

// kFenced becomes Fenced, kBadInput, kNotFound and kProtocol become BadRequest, everything else
// Unavailable. `offered`: the caller's epoch, for Fenced.
[[noreturn]] void raise(const Error& error, Epoch offered = {});

v2::MetricSeq* to_metrics(const Metrics& metrics);

}  // namespace xbind::orb
