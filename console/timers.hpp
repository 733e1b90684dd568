// The durations of the console.
#pragma once

#include "core/durations.hpp"

namespace xbind::console {

inline constexpr Timers kConsoleTimers{
    "console",
    {
        {"interval-ms", std::chrono::seconds{1}, "Milliseconds between two readings of a daemon.",
         TimerSource::kOption},
        {"daemon-answer", std::chrono::seconds{1},
         "Time in which a daemon must answer a reading; later it is shown as silent."},
        {"change-answer", std::chrono::seconds{15},
         "Time in which a manager must answer a request that sets up or releases a call."},
        {"names-again", std::chrono::seconds{10},
         "Time after which the name of a daemon that answers is looked up again."},
        {"gone-shown", std::chrono::minutes{10},
         "Time for which a daemon whose name is no longer bound is still listed."},
        {"alarms-again", std::chrono::seconds{2},
         "Shortest pause between two readings of the alarms of all daemons."},
        {"hurry-again", std::chrono::milliseconds{100},
         "Shortest pause between readings that browsers have asked for."},
        {"calls-wanted", std::chrono::seconds{10},
         "Time for which calls are read after a browser has asked for them."},
        {"services-fresh", std::chrono::seconds{10},
         "Time for which the catalogue of the QOSMapper is kept."},
        {"accept-retry", std::chrono::milliseconds{100},
         "Pause before further HTTP connections are accepted when the process has no descriptor."},
        {"http-request", std::chrono::seconds{5},
         "Time in which an HTTP peer must have sent its whole request."},
        {"http-idle", std::chrono::seconds{30},
         "Time after which an HTTP connection without a request is closed."},
        {"http-write", std::chrono::seconds{5},
         "Time in which an HTTP peer must read what was written to it, or it is cut off."},
        {"http-linger", std::chrono::seconds{1},
         "Time for which octets of a refused HTTP peer are still read, so that it gets the "
         "answer."},
        {"stream-beat", std::chrono::seconds{10},
         "Pause after which an event stream without news gets a comment."},
    }};

}  // namespace xbind::console
