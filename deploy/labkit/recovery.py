"""./quickstart --sweep recovery: how long an audit, a repair and the return of a killed daemon take
with 100 000 connections up (docs/performance.md, "Recovery").

Three switches and two managers; all calls are of the first manager, so that a SwitchServer that
returns waits for the claims of two. Load, where there is some, is new calls beside those that stay.
"""

import signal
import tempfile
import time
from pathlib import Path

from . import restarts
from . import speed
from . import speed_figures
from .load import Load
from .process import LabError

UP = 100_000  # connections
LABELS = 4 * 65_504  # of a port: twice as many as connections
ROOM = 3 * UP  # connections and branches
LOAD_RATE = 2_000.0  # calls/s
HOLD_S = 0.05
LOOKS = 5
PATIENCE_S = 120
RING, STOPPED = 8, 5  # SwitchServers of the second lab
UNREADABLE = 5  # exit code of an audit that could not look at everything
MIDDLE = "xbind-switchserver/switch-1"


def measure(in_own_lab):
    load = Load(**{**speed.ROOMY, "labels_per_port": LABELS}, managers=2, more=(
        ("xbind-cmgr", "connections-max", ROOM), ("xbind-switch", "branches-max", ROOM)))
    with in_own_lab(load) as lab:
        name = lab.manager_names()[0]
        with speed.client(lab, load, "--calls", UP, "--rate", speed.UP_RATE, "--hold", 36_000,
                          "--manager", name):
            up = speed.await_connections(lab, UP)
        results = {"up": up, "load_calls_per_s": LOAD_RATE, "idle": looks(lab)}
        with speed.client(lab, load, "--rate", LOAD_RATE, "--duration", 600, "--hold", HOLD_S,
                          "--manager", name):
            time.sleep(2)  # label caches grow with the load
            results["loaded"] = looks(lab)
        results["settled_s"] = seconds_until(clean, lab)  # calls of the killed client end
        results["manager_s"] = returned(lab, "xbind-cmgr", up)
        results["manager_clean_s"] = seconds_until(clean, lab)
        results["switchserver_s"] = returned(lab, MIDDLE, up)
        results["switchserver_clean_s"] = seconds_until(clean, lab)
    results |= silence(in_own_lab)
    return {**results, "goals": speed_figures.goals("recovery", results), "clean": True}


def silence(in_own_lab):
    """With five of eight SwitchServers stopped: seconds until one that was killed is attached
    again, and seconds of an audit, which reports the five as unreadable."""
    with tempfile.TemporaryDirectory() as directory:
        ring = Path(directory) / "ring8.toml"
        ring.write_text(speed.ring_of(RING))
        with in_own_lab(Load(**{**speed.ROOMY, "topology": ring})) as lab:
            servers = [lab.process_of("xbind-switchserver", f"node-{number}")
                       for number in range(1, RING + 1)]
            for process in servers[:STOPPED]:
                process.signal(signal.SIGSTOP)
            try:
                seconds_until(attached, lab, RING - STOPPED)
                restarts.kill(lab, [servers[-1].name], "KILL", PATIENCE_S, quiet)
                seconds_until(attached, lab, RING - STOPPED - 1)
                began = time.monotonic()
                restarts.start(lab, [servers[-1].name], PATIENCE_S, quiet)
                seconds_until(attached, lab, RING - STOPPED)
                attached_s = time.monotonic() - began
                began = time.monotonic()
                lab.ask("xbindctl", "audit", code=UNREADABLE)
                audit_s = time.monotonic() - began
            finally:
                for process in servers[:STOPPED]:
                    process.signal(signal.SIGCONT)
            seconds_until(clean, lab)
    print(f"  {STOPPED} of {RING} are silent: another is attached after {attached_s:.2f} s, "
          f"an audit takes {audit_s:.2f} s")
    return {"attached_s": attached_s, "silent_audit_s": audit_s}


def attached(lab, wanted):
    """LabError: the number of attached SwitchServers is not `wanted`."""
    there = speed.status(lab)["switches_attached"]
    if there != wanted:
        raise LabError(f"{there} SwitchServers are attached, {wanted} expected")


def looks(lab):
    """Seconds of every audit and of every plan of a repair; LabError: something was found."""
    seconds = {"audit": [], "repair --dry-run": []}
    for _ in range(LOOKS):
        for words, taken in seconds.items():
            began = time.monotonic()
            lab.ask("xbindctl", *words.split())
            taken.append(time.monotonic() - began)
    print("  " + ", ".join(f"{words}: {min(taken):.2f} to {max(taken):.2f} s"
                           for words, taken in seconds.items()))
    return seconds


def returned(lab, process, up):
    """Seconds from the start of a killed process until all calls are up and a new one over all
    three switches is connected."""
    restarts.kill(lab, [process], "KILL", PATIENCE_S, quiet)
    began = time.monotonic()
    restarts.start(lab, [process], PATIENCE_S, quiet)
    seconds_until(serves, lab, up)
    took = time.monotonic() - began
    print(f"  {process} serves again after {took:.2f} s")
    return took


def quiet(_sentence):
    """A report of restarts.py that nobody reads."""


def seconds_until(holds, lab, *of):
    """Seconds until holds(lab, ...); LabError: not within PATIENCE_S, with the last reason."""
    began = time.monotonic()
    while True:
        try:
            holds(lab, *of)
            return time.monotonic() - began
        except LabError as error:
            if time.monotonic() - began > PATIENCE_S:
                raise LabError(f"not within {PATIENCE_S} s: {error}") from error


def serves(lab, up):
    """LabError: not all calls are up, or a new one cannot be connected."""
    known = speed.status(lab)["connections"]
    if known < up:
        raise LabError(f"{known} of {up} connections are known")
    lab.ask("xbindctl", "connect", "host-a", "host-b", "--cells-per-s", "1")


def clean(lab):
    """LabError: an audit finds something."""
    lab.ask("xbindctl", "audit")
