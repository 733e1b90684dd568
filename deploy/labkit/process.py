"""One daemon of a lab: start it, wait for its ready line, end it; since when it is up or down.

A process is identified by its pid and its start time in the kernel, so that a pid which the kernel
has reused is never taken for ours, let alone killed.
"""

import contextlib
import os
import re
import signal
import subprocess
import threading
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

POLL_S = 0.01
# Programs of others: a closed terminal would end them, and they end by SIGTERM itself. Our daemons
# log SIGHUP and exit with 0 at SIGTERM.
OTHERS = ("omniNames", "ovsdb-server", "ovs-vswitchd")


class LabError(Exception):
    """An error for the operator; the text is the whole message."""


class LabBusy(LabError):
    """Another program is changing the lab."""


@dataclass
class Down:
    """How a process came to be down. Times are Unix times in seconds."""

    at: float  # when its end was caused or noticed
    why: str
    by_operator: bool = False  # `deploy/lab kill` ended it
    next_start: float | None = None  # None: only the operator starts it


@dataclass
class Process:
    """A daemon as in the state file. Only the process that started it has `popen`."""

    name: str  # "xbind-switch/atm"; unique in a lab
    command: list
    log: Path
    ready: str | None = None  # pattern of its ready line; None: see lab.py
    address: str = ""  # where it listens, if that is fixed in advance
    nodes: list = field(default_factory=list)  # the switches that it emulates or serves
    pid: int = 0
    started: int = 0  # /proc/PID/stat field 22, clock ticks after boot
    restarts: int = 0  # starts after the first
    down: Down | None = None  # None: it is up, or it ended and no program of ours noticed
    popen: subprocess.Popen | None = None

    @property
    def program(self):
        return self.name.partition("/")[0]

    def start(self, environment):
        """Starts it in its own process group, so that a Ctrl-C in the terminal does not reach it.
        It gets no session of its own, since that would have its own scheduling group
        (docs/decisions/0027)."""
        with self.opened_log() as log:
            try:
                with signals_later():
                    self.popen = subprocess.Popen(
                        self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                        process_group=0, env=environment, cwd="/",
                        preexec_fn=ignore_hangup if self.program in OTHERS else None)
                    self.restarts += self.pid > 0
                    self.pid = self.popen.pid
                    self.started = start_ticks(self.pid) or 0
                    self.down = None
            except OSError as error:
                raise LabError(f"{self.name} cannot be started: {self.command[0]}: "
                               f"{error.strerror}") from error

    def opened_log(self):
        """The log, unbuffered, with the command in it. LabError without it: the ready line would
        be lost."""
        try:
            self.log.parent.mkdir(parents=True, exist_ok=True)
            log = open(self.log, "ab", buffering=0)
        except OSError as error:
            raise LabError(f"{self.name} cannot be started: {words_of(error)}") from error
        line = f"--- {' '.join(self.command)}\n".encode()
        try:
            written = log.write(line)
        except OSError as error:
            log.close()
            raise LabError(
                f"{self.name} cannot be started: {self.log}: {error.strerror}") from error
        if written < len(line):  # a disk with room for a part of it
            log.close()
            raise LabError(f"{self.name} cannot be started: {self.log}: no room for its output")
        return log

    def alive(self):
        if self.popen is not None:
            return self.popen.poll() is None
        return self.pid > 0 and start_ticks(self.pid) == self.started

    def wait_ready(self, deadline):
        """Waits for the ready line, or one for each of several nodes, until `deadline`
        (time.monotonic()). Returns the last one.

        LabError, with the end of the log, if the process ends or the line does not come.
        """
        pattern = re.compile(self.ready, re.MULTILINE)
        while True:
            alive = self.alive()  # before the log, so that its last output is read below
            found = pattern.findall(self.output())
            if len(found) >= max(1, len(self.nodes)):
                return found[-1]
            if not alive:
                raise LabError(f"{self.name} ended at its start{self.exit_text()}. "
                               f"The end of {self.log}:\n{self.log_tail()}")
            if time.monotonic() > deadline:
                raise LabError(f"{self.name} did not report ready in time. "
                               f"The end of {self.log}:\n{self.log_tail()}")
            time.sleep(POLL_S)

    def output(self):
        """The output of the latest start; the same log has earlier starts."""
        text = self.log.read_text(errors="replace") if self.log.exists() else ""
        return text[text.rfind("--- " + self.command[0]):]

    def log_tail(self, lines=15):
        return "\n".join("  " + line for line in self.output().splitlines()[-lines:])

    def exit_text(self):
        code = self.popen.returncode if self.popen is not None else None
        if code is None:
            return ""
        return f" by signal {signal.Signals(-code).name}" if code < 0 else f" with exit code {code}"

    def signal(self, number):
        """Returns why the process cannot get the signal, or None. One that has ended needs none."""
        if self.alive():
            try:
                os.kill(self.pid, number)
            except ProcessLookupError:
                pass
            except PermissionError:
                return (f"{self.name} (pid {self.pid}) is another user's process: this user may "
                        f"not end it")
        return None

    def rss_mb(self):
        """Resident memory in MB, or None if the process is gone."""
        try:
            pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        except (OSError, IndexError):
            return None
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6 if self.alive() else None

    def since(self):
        """Unix time: since when a living process is up, or an ended one is down. None: its end
        was not noticed."""
        if self.alive():
            boot = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
            return boot + self.started / os.sysconf("SC_CLK_TCK")
        return self.down.at if self.down else None

    def last_output(self):
        """Unix time of the last output, or None without any. A process ended after it."""
        try:
            return self.log.stat().st_mtime
        except OSError:
            return None

    def record(self):
        return {"name": self.name, "command": self.command, "log": str(self.log),
                "address": self.address, "nodes": self.nodes, "ready": self.ready, "pid": self.pid,
                "started": self.started, "restarts": self.restarts,
                "down": None if self.down is None else asdict(self.down)}

    @staticmethod
    def from_record(record):
        down = record.get("down")
        return Process(**{**record, "log": Path(record["log"]),
                          "down": None if down is None else Down(**down)})


def words_of(error):
    """An OSError for the operator: the file, if it is known, and the reason."""
    return ": ".join(str(part) for part in (error.filename, error.strerror or error) if part)


@contextlib.contextmanager
def signals_later():
    """Delays signals inside the block until its end. Otherwise a Ctrl-C between the start of a
    process and the recording of its pid would leave it running."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread receives signals
        return
    seen = []
    before = {number: signal.getsignal(number)
              for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    before = {number: handler for number, handler in before.items()
              if handler not in (signal.SIG_IGN, None)}
    for number in before:
        signal.signal(number, lambda number, _: seen.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in seen:
            signal.raise_signal(number)


@contextlib.contextmanager
def uninterrupted():
    """Ignores Ctrl-C, so that no lab is left half ended: ending takes a bounded time."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may handle signals
        return
    kept = {number: signal.signal(number, signal.SIG_IGN)
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)


def ignore_hangup():
    """Runs in the child before it becomes one of OTHERS."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


def run_forwarding_signals(command, environment=None):
    """Runs a command to its end. Returns its exit code, or 128 plus the signal that ended it.

    Meanwhile SIGINT, SIGTERM and SIGHUP are passed on to the command, and this process waits for
    its end. A Ctrl-C in a terminal reaches the command twice; xbind-callgen counts both as one.
    """
    child = None
    early = []

    def pass_on(number, _frame):
        if child is None:
            early.append(number)
        else:
            child.send_signal(number)

    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, pass_on) for number in signals}
    try:
        child = subprocess.Popen([str(word) for word in command], env=environment)
        for number in early:
            child.send_signal(number)
        code = child.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return 128 - code if code < 0 else code


def end(processes, patience_s=10.0):
    """Sends SIGTERM to all, and SIGKILL to those still alive after `patience_s`.

    Returns sentences about irregular ends: killed, an exit code other than 0 (known only for our
    own children), or not ended because this user may not end it. Empty: all shut down when asked.
    """
    asked, troubles = [], []
    for process in processes:
        if process.alive():
            refusal = process.signal(signal.SIGTERM)
            (troubles if refusal else asked).append(refusal or process)
    deadline = time.monotonic() + patience_s
    waiting = list(asked)
    while waiting and time.monotonic() < deadline:
        time.sleep(POLL_S)
        waiting = [process for process in waiting if process.alive()]
    for process in waiting:
        process.signal(signal.SIGKILL)
        troubles.append(
            f"{process.name} (pid {process.pid}) did not end within {patience_s:g} s of "
            f"SIGTERM and was killed")
    while any(process.alive() for process in waiting):
        time.sleep(POLL_S)
    for process in asked:
        code = process.popen.returncode if process.popen is not None else 0
        by_the_signal = process.program in OTHERS and code == -signal.SIGTERM
        if process not in waiting and code != 0 and not by_the_signal:
            troubles.append(f"{process.name} ended{process.exit_text()} at SIGTERM")
    return troubles


def start_ticks(pid):
    """When the kernel started `pid`, or None if there is no such process (or only a zombie).

    After SIGKILL the first thread can be a zombie while others still hold the sockets. Such a
    process has not ended.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    fields = stat[stat.rindex(")") + 2:].split()  # the name in parentheses may contain anything
    threads = int(fields[17])
    return None if fields[0] in "ZX" and threads <= 1 else int(fields[19])
