// Where processes and threads may run, and how much processor time they have used.
#pragma once

#include <sys/types.h>

#include <vector>

#include "core/clock.hpp"
#include "core/result.hpp"

namespace xbind::callgen::null {

// Processor time of all threads of a process; zero when the process has ended.
Duration cpu_time(pid_t pid);
// The same of this process.
Duration own_cpu_time();

// The processors that this process may use, ascending.
std::vector<int> processors();
// Binds all present threads of the process and those that they start. kNotFound: the process has
// ended.
Result<void> bind_process(pid_t pid, const std::vector<int>& to);
void bind_thread(pid_t thread, const std::vector<int>& to);  // 0: the calling one

}  // namespace xbind::callgen::null
