"""Ends and starts single processes of a running lab, and describes their state in words.

A process is started as `up` started it: command line, environment, log file, working directory and
scheduling policy come from the state directory. Every address that another process must know is on
the command line, or in the name service, where the process binds itself again.
"""

import signal
import time

from . import scheduling
from . import state as states
from .lab import LOCK_PATIENCE_S
from .process import Down, LabError, POLL_S, end, words_of

# Signals that end a daemon. HUP is missing: the daemons log it and continue.
SIGNALS = ("KILL", "TERM", "INT", "QUIT", "ABRT", "SEGV", "BUS", "FPE", "ILL")


def kill(lab, names, signal_name, patience_s, report):
    """Sends the signal to the processes and waits for their end; `report` gets a sentence for each.

    LabError, before any signal is sent, for a name that the lab does not have and for a process
    that is down; and at the end for processes that have not ended after `patience_s`, that this
    user may not end, and for a record of the ends that could not be written.
    """
    troubles = []
    with lab.exclusive(LOCK_PATIENCE_S):
        lab.refresh()
        chosen = processes_of(lab, names)
        refuse([process.name for process in chosen if not process.alive()], "down already")
        for process in chosen:  # before the signal, so that the keeper knows who has ended it
            process.down = Down(time.time(), f"SIG{signal_name} by deploy/lab kill",
                                by_operator=True)
        troubles += unsaved(lab)
        refusals = {process.name: process.signal(signal.Signals[f"SIG{signal_name}"])
                    for process in chosen}
    troubles += [refusal for refusal in refusals.values() if refusal]
    waiting = signalled = [process for process in chosen if not refusals[process.name]]
    try:  # without the lock, so that the keeper can start others meanwhile
        waiting = wait_for_ends(signalled, patience_s)
    finally:
        if any(process.alive() for process in chosen):
            forget_kill(lab, chosen)
    again = "; the keeper starts it again" if lab.keeper and lab.keeper.alive() else ""
    for process in signalled:
        if process not in waiting:
            report(f"{process.name} (pid {process.pid}) has ended by SIG{signal_name}{again}")
    troubles += [f"{process.name} (pid {process.pid}) has not ended within {patience_s:g} s of "
                 f"SIG{signal_name}" for process in waiting]
    if troubles:
        raise LabError("; ".join(troubles))


def unsaved(lab):
    """Writes the state file. Returns [why it cannot be written], or []. A full disk must not keep
    the operator from ending a process."""
    try:
        lab.save()
    except OSError as error:
        return [f"not recorded, so that `status` does not show it: {words_of(error)}"]
    return []


def forget_kill(lab, processes):
    """A process that has survived the signal may end later, by itself."""
    with lab.exclusive(LOCK_PATIENCE_S):
        lab.refresh()
        for process in processes:
            if process.alive():
                process.down = None
        unsaved(lab)  # what could not be recorded needs no correction


def start(lab, names, patience_s, report):
    """Starts processes that are down and waits until they are ready, at most `patience_s` for each
    rank of the starting order; `report` gets a sentence for each.

    LabError, before any is started, for a name that the lab does not have and for a process that
    runs; and for processes that do not become ready. Those still alive stay so.
    """
    lab.refresh()
    chosen = processes_of(lab, names)
    refuse([process.name for process in chosen if process.alive()], "up already")
    environment = states.read_environment(lab.environment_file())
    if lab.scheduling is not None:
        scheduling.take(lab.scheduling)
    troubles = []
    for rank in lab.ranks(chosen):
        started = start_rank(lab, [process.name for process in rank], environment)
        deadline = time.monotonic() + patience_s
        for process in started:  # without the lock: they may need a process that the keeper starts
            try:
                lab.wait_ready(process, deadline)
                report(f"{process.name} (pid {process.pid}) is ready")
            except LabError as error:
                troubles.append(str(error))
    if troubles:
        if "omniNames" not in names and not lab.processes["omniNames"].alive():
            troubles.append("omniNames is down, and the daemons wait for it")
        raise LabError("\n".join(troubles))


def start_rank(lab, names, environment):
    with lab.exclusive(LOCK_PATIENCE_S):
        if not lab.refresh():
            raise LabError(f"the lab in {lab.state_dir} has been ended meanwhile")
        processes = [lab.processes[name] for name in names]
        for process in processes:
            if not process.alive():  # the keeper may have been faster
                start_recorded(lab, process, environment)
        return processes


def start_recorded(lab, process, environment):
    """Starts a process and writes it to the state file; without the record it does not stay up,
    because no command would find it. The caller has the lock."""
    process.start(environment)
    try:
        lab.save()
    except OSError as error:
        end([process])
        raise LabError(f"{process.name} cannot be started: {words_of(error)}") from error


def processes_of(lab, names):
    """The processes with these names, each once. LabError names the others."""
    unknown = [name for name in names if name not in lab.processes]
    if unknown:
        raise LabError(f"no process of this lab is named {', '.join(unknown)}; it has "
                       f"{', '.join(lab.processes)}")
    return [lab.processes[name] for name in dict.fromkeys(names)]


def refuse(names, state):
    if names:
        raise LabError(f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} {state}")


def wait_for_ends(processes, patience_s):
    """Returns the processes that are still alive after `patience_s`."""
    deadline = time.monotonic() + patience_s
    while True:
        waiting = [process for process in processes if process.alive()]
        if not waiting or time.monotonic() > deadline:
            return waiting
        time.sleep(POLL_S)


# State in words


def row(process):
    """What `status` says of a process, as JSON."""
    return {**process.record(), "alive": process.alive(), "rss_mb": process.rss_mb(),
            "since": iso(process.since()), "last_output": iso(process.last_output())}


def line(process):
    """The same as a line of text."""
    if process.alive():
        rss_mb = process.rss_mb()
        memory = "      -" if rss_mb is None else f"{rss_mb:7.1f}"
        state = f"up    since {clock(process.since())}  {memory} MB"
    elif process.since() is None:  # it ended after its last output
        state = f"GONE  after {clock(process.last_output()) or '?':<23}  {'':10}"
    else:
        state = f"GONE  since {clock(process.since())}  {'':10}"
    many = f"  {len(process.nodes)} switches" if len(process.nodes) > 1 else ""
    restarts = f"{process.restarts} restart{'' if process.restarts == 1 else 's'}"
    last = f"{process.address}{many}" if process.alive() else why_down(process.down)
    return f"{process.name:<36} {process.pid:>7}  {state}  {restarts:<11}  {last}".rstrip()


def why_down(down):
    if down is None:
        return ""
    return down.why + (f"; starts again at {clock(down.next_start)}" if down.next_start else "")


def clock(unix_time, places=0):
    """As the programs show times (core/utc_text.hpp): "2026-11-25 11:03:22 UTC", with 3 places
    "2026-11-25 11:03:22.456 UTC"; None stays None."""
    if unix_time is None:
        return None
    decimals = f".{int(unix_time % 1 * 10 ** places):0{places}}" if places else ""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(unix_time)) + f"{decimals} UTC"


def iso(unix_time):
    """The same for programs: "2026-11-25T11:03:22Z"."""
    return None if unix_time is None else time.strftime("%Y-%m-%dT%H:%M:%SZ",
                                                        time.gmtime(unix_time))
