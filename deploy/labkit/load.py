"""One run of callgen against a lab: the offered load and its command line."""

from dataclasses import dataclass
from pathlib import Path

from . import media
from . import topology as topologies
from .lab import LabOptions, PAPER_TOPOLOGY, manager_names
from .process import LabError

ENGINES = ["sequential", "threaded", "xbind"]
AGGREGATIONS = ["regions", "adaptive"]  # modes that control the threshold themselves
LABEL_POLICIES = ["fixed", "competitive", "cooperative"]


@dataclass
class Load:
    """Names and defaults are those of the help text in ./quickstart."""

    calls: int = 2000
    rate: float = 200.0  # calls per second
    hold: float = 0.1  # seconds
    seed: int = 1
    cells_per_s: int = 100
    threshold: str = ""  # the manager's, or one of AGGREGATIONS; empty: the manager's default
    engine: str = ""
    label_policy: str = ""
    managers: int = 1
    topology: Path = PAPER_TOPOLOGY
    switch: str | None = None  # the kind of every switch; None: as the topology says
    default_rate: float | None = None  # Mbit/s of links without a rate; None: RouteObject's default
    nodes_per_process: int | None = None
    labels_per_port: int = topologies.LABELS_DEFAULT
    loss: float = 0.0  # these three: fractions of session messages, in every process
    duplicate: float = 0.0
    reorder: float = 0.0
    verify_media: bool = False
    capture: Path | None = None
    json: Path | None = None
    debts_timeout: float = 0  # seconds that the audit waits for removals that managers still owe
    more: tuple = ()  # further options of daemons: (program, option, value)


def callgen(lab, load, more=()):
    """The command line of a run in `lab` (None: only to have the options checked)."""
    bin_dir = lab.options.bin_dir if lab is not None else LabOptions.bin_dir
    managers = lab.manager_names() if lab is not None else manager_names(load.managers)
    command = [bin_dir / "xbind-callgen", "run", "--manager", ",".join(managers),
               "--calls", load.calls, "--rate", f"{load.rate:.10g}",
               "--hold", f"{load.hold:.10g}", "--seed", load.seed,
               "--cells-per-s", load.cells_per_s,
               *(f"--{name}={value}" for _, name, value in fault_options(load))]
    if load.verify_media:
        command += media_options(lab)
    if load.capture:
        command += ["--capture", load.capture]
    if load.json:
        command += ["--json", load.json]
    if load.debts_timeout:
        command += ["--debts-timeout", f"{load.debts_timeout:g}"]
    if lab is not None:
        command += ["--name-service", lab.names_address()]
        if lab.sites:
            command += ["--listen-address", lab.sites.clients()["addresses"][0]]
        for process in lab.processes.values():
            command += ["--watch-pid", f"{process.name}={process.pid}"]
    return [str(part) for part in [*command, *more]]


def media_options(lab):
    """LabError: no line carries cells to a host. Without a lab a dummy line serves, unopened."""
    if lab is None:
        return ["--verify-media", "--endpoints", "any=mpls:127.0.0.1:1/127.0.0.1:2/16"]
    if not lab.endpoints:
        raise LabError(
            "no endpoint of this topology has a line for cells: --verify-media cannot be")
    return ["--verify-media", "--endpoints", media.option_of(lab.endpoints)]


def daemon_options(load):
    """The daemons' part of a load, in the form of LabOptions.more."""
    options = {"xbind-cmgr": manager_options(load),
               "xbind-switchserver": switchserver_options(load),
               "xbind-routeobject": routeobject_options(load)}
    for program, option, value in load.more:
        options.setdefault(program, []).append((None, option, value))
    return options


def manager_options(load):
    engine = [(None, "engine", load.engine)] if load.engine else []
    return (engine + aggregation_options(load.threshold)
            + label_options(load.label_policy)["xbind-cmgr"] + fault_options(load))


def switchserver_options(load):
    return label_options(load.label_policy)["xbind-switchserver"] + fault_options(load)


def routeobject_options(load):
    rate = load.default_rate
    return [] if rate is None else [(None, "default-rate", f"{rate:.10g}")]


def aggregation_options(threshold):
    """The manager's part of `--threshold T|regions|adaptive`; empty if that is empty."""
    if threshold in AGGREGATIONS:
        return [(None, "aggregation", threshold)]
    return [(None, "threshold", threshold)] if threshold else []


def label_options(policy):
    """The daemons' part of `--label-policy P`: cooperative managers need sharing SwitchServers."""
    return {"xbind-cmgr": [(None, "label-policy", policy)] if policy else [],
            "xbind-switchserver":
                [(None, "label-sharing", "cooperative")] if policy == "cooperative" else []}


def fault_options(load):
    """The common options of manager, SwitchServers and callgen; empty if no fault is requested.

    The load's seed determines the faults.
    """
    faults = [(None, name, f"{value:.10g}") for name, value in
              (("loss", load.loss), ("duplicate", load.duplicate), ("reorder", load.reorder))
              if value]
    return faults + [(None, "fault-seed", str(load.seed))] if faults else []
