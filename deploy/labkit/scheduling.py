"""The kernel's scheduling policy for the processes we start (sched(7)).

  other  the default policy
  batch  a process is not preempted when another one wakes up
  rr     round robin, ahead of all programs without a real-time policy: a process runs until it has
         nothing to do. Needs root or CAP_SYS_NICE, and a host without other work. Unless sysctl
         kernel.sched_rt_runtime_us is -1, the kernel stops these processes for a twentieth of each
         second, in one piece
"""

import os
from pathlib import Path

from .process import LabError

RT_RUNTIME = Path("/proc/sys/kernel/sched_rt_runtime_us")
POLICIES = {"other": os.SCHED_OTHER, "batch": os.SCHED_BATCH, "rr": os.SCHED_RR}
# The lowest real-time priority: important kernel threads are above it.
RR_PRIORITY = 1


def take(name):
    """Sets the policy of this process and of all descendants it starts from now on. LabError if the
    kernel does not permit it."""
    priority = RR_PRIORITY if name == "rr" else 0
    try:
        os.sched_setscheduler(0, POLICIES[name], os.sched_param(priority))
    except PermissionError as error:
        raise LabError(
            f"--scheduling {name}: the kernel does not permit priority {priority}; it needs root "
            "or CAP_SYS_NICE (ulimit -r)") from error


def current():
    """The name of this process's policy, or None for a policy that take() cannot set."""
    policy = os.sched_getscheduler(0)
    return next((name for name, number in POLICIES.items() if number == policy), None)


def warning(name, rt_runtime=RT_RUNTIME):
    """A warning about this host for the user who chose the policy, or None."""
    if name != "rr" or not rt_runtime.exists():
        return None
    allowed = rt_runtime.read_text().strip()
    if allowed == "-1":
        return None
    return (f"--scheduling rr: kernel.sched_rt_runtime_us is {allowed}, so the kernel may stop "
            "real-time processes for the "
            "rest of each second, at once; `sysctl "
            "kernel.sched_rt_runtime_us=-1` removes the limit")
