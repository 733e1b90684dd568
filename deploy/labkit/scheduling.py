"""How the kernel gives turns to what we start (sched(7)).

  other  as every program
  batch  nobody is interrupted because another has something to do
  rr     in turn, before every program that is not of this kind: a process goes on until it has nothing to do.
         Needs root or CAP_SYS_NICE, and a host that has nothing else to do. Where sysctl
         kernel.sched_rt_runtime_us is not -1 the kernel stops them for a twentieth of each second, at once
"""

import os
from pathlib import Path

from .process import LabError

RT_RUNTIME = Path("/proc/sys/kernel/sched_rt_runtime_us")
POLICIES = {"other": os.SCHED_OTHER, "batch": os.SCHED_BATCH, "rr": os.SCHED_RR}
# The least of the real-time kind: kernel threads that matter are above it.
RR_PRIORITY = 1


def take(name):
    """For this process and all that it starts from now on, and that these start. LabError: it may not."""
    priority = RR_PRIORITY if name == "rr" else 0
    try:
        os.sched_setscheduler(0, POLICIES[name], os.sched_param(priority))
    except PermissionError as error:
        raise LabError(f"--scheduling {name}: the kernel does not permit priority {priority}; it needs root or "
                       "CAP_SYS_NICE (ulimit -r)") from error


def warning(name, rt_runtime=RT_RUNTIME):
    """What the one who starts it should know of this host, or None."""
    if name != "rr" or not rt_runtime.exists():
        return None
    allowed = rt_runtime.read_text().strip()
    if allowed == "-1":
        return None
    return (f"--scheduling rr: kernel.sched_rt_runtime_us is {allowed}, so the kernel may stop real-time processes for the "
            "rest of each second, at once; `sysctl kernel.sched_rt_runtime_us=-1` takes the limit away")
