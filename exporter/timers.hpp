// The durations of the server for metrics and health.
#pragma once

#include "core/durations.hpp"

namespace xbind::exporter {

inline constexpr Timers kExporterTimers{
    "exporter",
    {
        {"logic-answer", std::chrono::seconds{1},
         "Time in which the logic of a daemon must answer a scrape; later it is not healthy."},
        {"reading-fresh", std::chrono::milliseconds{100},
         "Time for which a reading of the logic also serves further requests."},
        {"http-silence", std::chrono::seconds{2},
         "Time in which an HTTP peer must send its request, and read each part of its answer."},
        {"http-answer", std::chrono::seconds{10},
         "Time in which an HTTP peer must have read its answer."},
        {"accept-retry", std::chrono::milliseconds{100},
         "Pause before further HTTP connections are accepted when the process has no descriptor."},
    }};

}  // namespace xbind::exporter
