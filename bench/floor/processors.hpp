// Where processes and threads may run, and how much processor time they have had.
#pragma once

#include <sys/types.h>

#include <vector>

#include "core/clock.hpp"
#include "core/result.hpp"

namespace xbind::callgen::null {

// Processor time so far, of all threads of a process; zero when it is gone.
Duration cpu_time(pid_t pid);
// Of this process.
Duration own_cpu_time();

// The processors that this process may use, ascending.
std::vector<int> processors();
// Binds every thread that the process has now, and those that they start. kNotFound: it is gone.
Result<void> bind_process(pid_t pid, const std::vector<int>& to);
void bind_thread(pid_t thread, const std::vector<int>& to);  // 0: the calling one

}  // namespace xbind::callgen::null
