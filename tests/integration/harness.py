"""Shared by the integration tests: a lab of real processes on its own addresses, and our tools.

XBIND_BIN_DIR names the folder of the built programs (default: build/bin).
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "deploy"))
# pylint: disable=wrong-import-position
from labkit import naming, topology  # noqa: E402
from labkit.lab import Lab, LabOptions, PAPER_TOPOLOGY  # noqa: E402
from labkit.load import Load, callgen  # noqa: E402
from labkit.process import end  # noqa: E402

BIN = Path(os.environ.get("XBIND_BIN_DIR", ROOT / "build" / "bin")).resolve()
DAEMONS = ["xbind-cmgr", "xbind-switchserver", "xbind-routeobject", "xbind-qosmapper",
           "xbind-switch"]
# False in a build with sanitizers, whose memory says nothing about the programs'.
MEMORY_COUNTS = "XBIND_TEST_SANITIZED" not in os.environ
# xbindctl keeps the addresses of each name service there. A test must neither find those of an
# earlier lab, nor leave its own in the home of a user, which may also be missing.
_cache = tempfile.TemporaryDirectory(prefix="xbind-cache-")  # pylint: disable=consider-using-with
os.environ["XDG_CACHE_HOME"] = _cache.name
CALLER, MIDDLE, CALLEE = "host-a", "switch-1", "host-b"  # of the paper's topology


def lab_options(state_dir, **changes):
    return LabOptions(**{"state_dir": Path(state_dir), "bin_dir": BIN, "names_port": 0, **changes})


@contextlib.contextmanager
def lab_up(**changes):
    """A lab that is up inside the block. At its end every daemon must exit with 0."""
    with planned_lab(**changes) as lab:
        lab.up()
        yield lab


@contextlib.contextmanager
def planned_lab(**changes):
    """The same, but not started: call lab.up(), or plan() and start() for single processes."""
    with tempfile.TemporaryDirectory(prefix="xbind-test-") as directory:
        lab = Lab(lab_options(directory, **changes))
        try:
            yield lab
        except BaseException:
            for process in lab.processes.values():
                print(f"--- {process.name}\n{process.log_tail(8)}", file=sys.stderr)
            lab.end_all()
            raise
        troubles = lab.end_all()
        if troubles and not MEMORY_COUNTS:
            print_findings(lab)
        assert not troubles, troubles


def print_findings(lab):
    """Prints what a sanitizer has written into the processes' logs."""
    for process in lab.processes.values():
        lines = process.log_tail(400).splitlines()
        begun = [number for number, line in enumerate(lines) if "ERROR: " in line or
                 "WARNING: ThreadSanitizer" in line or "runtime error" in line]
        if begun:
            text = "\n".join(lines[begun[0]:begun[0] + 60])
            print(f"--- {process.name}\n{text}", file=sys.stderr)


@contextlib.contextmanager
def planning(lab):
    """A planned_lab() with the paper's topology. Processes started inside the block hold its
    addresses before another lab looks for free ones."""
    lab.clean()
    described = topology.describe(BIN, PAPER_TOPOLOGY)
    with naming.choosing_addresses():
        lab.plan(described)
        yield


def run(*command, env=None, timeout=60):
    """Runs a program to its end; returns its exit code, standard output and standard error."""
    words = [str(part) for part in command]
    if (BIN / words[0]).exists():
        words[0] = str(BIN / words[0])
    clean = {name: value for name, value in os.environ.items()
             if not name.startswith(("XBIND_", "ORB", "OMNIORB_"))}
    return subprocess.run(words, capture_output=True, text=True, timeout=timeout, check=False,
                          stdin=subprocess.DEVNULL, env={**clean, **(env or {})})


def tool(lab, *command, timeout=60):
    """The same where clients of the lab are, with its name service in the environment."""
    words = [BIN / command[0] if (BIN / str(command[0])).exists() else command[0], *command[1:]]
    return run(*lab.client_command(words), env=lab.client_environment(), timeout=timeout)


# Reasons in callgen's verdict for which the host is to blame.
LATE = re.compile(r"^the generator was late:|calls/s were sent instead of")


def offer(lab, load, *more, timeout=120):
    """A callgen run in the lab: the finished process, and its JSON (None if it wrote none).

    A host that takes the processors away for a moment makes the generator late: exit code 3. That
    does not concern these tests. If this is the verdict's only reason, the exit code counts as 0.
    """
    with tempfile.TemporaryDirectory() as directory:
        load.json = Path(directory) / "run.json"
        done = run(*lab.client_command(callgen(lab, load, more)), timeout=timeout)
        summary = json.loads(load.json.read_text()) if load.json.exists() else None
        if done.returncode == 3 and all(LATE.search(reason)
                                        for reason in summary["verdict"]["reasons"]):
            done.returncode = 0
        return done, summary


def switch_address(lab, node):
    return lab.processes[f"xbind-switch/{node}"].address.rpartition(":")[0]


def control_of(lab, node):
    """Where `xbind-switch tell` reaches the process of the switch."""
    output = lab.process_of("xbind-switch", node).output()
    return re.search(r"^xbind-switch control on (\S+)$", output, re.MULTILINE).group(1)


def wait_until(condition, what, timeout_s=20.0):
    """Polls until `condition()` is true; returns its value. AssertionError with `what` on
    timeout."""
    deadline = time.monotonic() + timeout_s
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"in {timeout_s:g} s it never came to this: {what}")
        time.sleep(0.02)


def processes_of(directory):
    """The processes whose command line names the directory."""
    found = []
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = line.read_bytes().decode(errors="replace").replace("\0", " ")
        except OSError:
            continue
        if str(directory) in words and int(line.parent.name) != os.getpid():
            found.append(words)
    return found


def suspend(pid):
    """Sends SIGSTOP and waits until every thread has stopped.

    Until one thread of the process has run and taken the signal, the others go on: a request that
    is sent right after the signal may be answered.
    """
    os.kill(pid, signal.SIGSTOP)
    tasks = Path(f"/proc/{pid}/task")
    wait_until(lambda: all(state_of(task) in "TXZ" for task in tasks.iterdir()),
               f"process {pid} has stopped")


def state_of(task):
    """The letter of a thread's state; X when the thread is gone."""
    try:
        return (task / "stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "X"


def connection_of(connected):
    """The connection id that `xbindctl connect` printed."""
    return re.match(r"(\d+) connected", connected.stdout).group(1)


def counter(status, name):
    """The number with that name in `xbindctl status`."""
    for line in status.splitlines():
        words = line.split()
        if words and words[0] == name:
            return int(words[1])
    raise AssertionError(f"no {name} in: {status}")


SKIPPED = 77  # CMakeLists.txt gives ctest the same exit code


def main():
    """unittest.main() for files with tests that need a program or a file from elsewhere.

    Exit code SKIPPED when a test was skipped and none failed: ctest says "Skipped". 1 when a test
    failed.
    """
    result = unittest.main(module="__main__", exit=False).result
    if not result.wasSuccessful():
        sys.exit(1)
    sys.exit(SKIPPED if result.skipped else 0)


class InOneLab(unittest.TestCase):
    """Tests that share a lab. `LAB` holds the LabOptions that differ from the usual ones."""

    LAB = {}
    lab = None

    @classmethod
    def setUpClass(cls):
        cls.lab = cls.enterClassContext(lab_up(**cls.LAB))


__all__ = ["BIN", "CALLEE", "CALLER", "DAEMONS", "InOneLab", "Lab", "Load", "MEMORY_COUNTS",
           "MIDDLE", "PAPER_TOPOLOGY", "ROOT", "callgen", "connection_of", "control_of", "counter",
           "end", "lab_options", "lab_up", "main", "offer", "planned_lab", "planning",
           "processes_of", "run", "suspend", "switch_address", "tool", "topology", "unittest",
           "wait_until"]
