"""./quickstart after its first lines: packages, build, lab, calls, audit, end. Its help is there.

Every error in the options is found before the lab starts. Checks that need none of our programs are
made before the build.
"""

import contextlib
import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
# pylint: disable=wrong-import-position
from labkit import bench, hosts, ovs, scheduling, sweep, topology as topologies  # noqa: E402
from labkit.lab import (AGENT, Lab, LabOptions, MANAGERS_MAX, PROGRAMS, ROOT,  # noqa: E402
                        TOOLS, default_state_dir)
from labkit.load import (AGGREGATIONS, ENGINES, LABEL_POLICIES, Load, callgen,  # noqa: E402
                         daemon_options, manager_options, routeobject_options,
                         switchserver_options)
from labkit.output import written  # noqa: E402
from labkit.process import LabError, run_forwarding_signals, words_of  # noqa: E402

BUILD = ROOT / "build"
FAULTS_MAX = 0.5
# The bound of a contract and its reason (core/traffic_contract.hpp, core/contract_bound.hpp).
CELLS_PER_S_MAX = 2**24 - 1
CELLS_PER_S_WHY = "GSMP's traffic fields have 24 bits"
# Seconds in which a manager sends the removals that it owes to a switch that was away and is back.
DEBTS_TIMEOUT_S = 10
CALLGEN_INTERRUPTED = 4  # callgen's exit code, and ours


class Interrupted(Exception):
    """The load generator was interrupted and has shut down; its summary is written."""


class WrongUse(Exception):
    """An invalid option; the text is the whole message. Exit code 2."""


@dataclass
class Options:
    load: Load
    labels_given: bool = False  # the user chose the number of labels, perhaps too few
    keep: bool = False
    bench: bool = False
    sweep: str = ""
    scheduling: str = "other"


def main(words):
    sys.stdout.reconfigure(line_buffering=True)  # keeps the order with the programs' output
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
    try:
        options = parse(words)
        step("packages")
        agents = ([AGENT, "add_rate"] if options.sweep == "ovs"
                  else [AGENT] if options.load.switch == "ovs" else [])
        run_or_fail([ROOT / "deploy" / "install", "build", *(["ovs"] if agents else [])])
        if agents:
            ovs.require()
        step("build")
        build(agents)
        check_options(options)
        scheduling.take(options.scheduling)
        if warning := scheduling.warning(options.scheduling):
            print(f"quickstart: {warning}", file=sys.stderr)
        if options.bench:
            return bench.run(in_own_lab)
        if options.sweep:
            return sweep.run(options.sweep, in_own_lab, options.load.json, options.scheduling)
        return one_run(options)
    except WrongUse as error:
        print(f"quickstart: {error}", file=sys.stderr)
        return 2
    except LabError as error:
        print(f"quickstart: {error}", file=sys.stderr)
        return 1
    except OSError as error:  # such as a full disk
        print(f"quickstart: {words_of(error)}", file=sys.stderr)
        return 1
    except Interrupted:
        print("quickstart: interrupted; the calls were released and everything it started has been "
              "stopped", file=sys.stderr)
        return CALLGEN_INTERRUPTED
    except KeyboardInterrupt:
        print("\nquickstart: interrupted; everything it started has been stopped", file=sys.stderr)
        return 130


def one_run(options):
    with in_own_lab(options.load, options.keep) as lab:
        step("calls")
        code = run_forwarding_signals(callgen(lab, options.load))
        if code == CALLGEN_INTERRUPTED:
            raise Interrupted
        if code > 128:
            number = signal.Signals(code - 128)
            if number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                raise KeyboardInterrupt
            raise LabError(f"xbind-callgen was ended by {number.name}")
    return code


# Packages and build


def build(more=()):
    if not (BUILD / "build.ninja").exists():
        # The tests need GoogleTest, which only ./check installs.
        run_or_fail(["cmake", "--preset", "release", "-DXBIND_TESTS=OFF"], quiet=True)
    run_or_fail(["ninja", *PROGRAMS, *TOOLS, *more], cwd=BUILD)


def run_or_fail(command, cwd=ROOT, quiet=False):
    """Runs a step that explains its own failure; with `quiet` its output is shown only then."""
    done = subprocess.run([str(part) for part in command], cwd=cwd, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE if quiet else None,
                          stderr=subprocess.STDOUT if quiet else None, check=False)
    if done.returncode != 0:
        if quiet:
            sys.stderr.buffer.write(done.stdout)
        raise LabError(f"{Path(command[0]).name} failed with exit code {done.returncode}")


# Lab


@contextlib.contextmanager
def in_own_lab(load, keep=False):
    """A lab for this run, ended when the block ends, for whatever reason; `keep` leaves it up."""
    with own_state_dir(keep) as state_dir:
        step("lab")
        lab = Lab(LabOptions(
            topology=load.topology, state_dir=state_dir, switch=load.switch,
            names_port=None if keep else 0,
            labels_per_port=load.labels_per_port, managers=load.managers,
            nodes_per_process=load.nodes_per_process, omniorb_config=keep,
            more=daemon_options(load)))
        began = time.monotonic()
        lab.up()
        finished = False
        try:
            print(f"  {len(lab.processes)} processes up in {time.monotonic() - began:.1f} s, "
                  f"{len(lab.switches)} switches, name service 127.0.0.1:{lab.names_port}")
            yield lab
            finished = True
        finally:
            if finished and keep:
                print("The lab stays up: deploy/lab status, deploy/lab logs, deploy/lab down\n"
                      "In a browser: deploy/lab console\n"
                      "Tools in this shell find it after: eval \"$(deploy/lab env)\"")
            else:
                end_lab(lab)


def end_lab(lab):
    dead = [process.name for process in lab.processes.values() if not process.alive()]
    troubles = [f"{name} had ended by itself" for name in dead] + lab.down()
    if troubles:
        raise LabError("; ".join(troubles) + f"; logs are in {lab.state_dir / 'logs'}")


@contextlib.contextmanager
def own_state_dir(keep):
    """The state directory of this run's lab. A kept lab becomes the user's, which deploy/lab finds.

    Other labs use build/quickstart, or a directory beside it if another run is using it. First ends
    a lab that a killed run has left there.
    """
    if keep:
        yield default_state_dir()
        return
    usual = BUILD / "quickstart"
    usual.mkdir(parents=True, exist_ok=True)
    with open(usual / "run.lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            beside = BUILD / f"quickstart-{os.getpid()}"
            yield beside
            shutil.rmtree(beside, ignore_errors=True)  # not after an error: the logs are there
            return
        left = Lab.find(usual)
        if left is not None:
            print("  ending the lab that a killed run has left")
            left.down()
        yield usual


# Options


def check_options(options):
    """Checks that need our programs: bounds of callgen and the daemons, topology, load."""
    load = options.load
    ask(callgen(None, load, ["--check-config"]))
    for program, its_options in (("xbind-cmgr", manager_options(load)),
                                 ("xbind-switchserver", switchserver_options(load))):
        words = [f"--{name}={value}" for _, name, value in its_options]
        ask([str(LabOptions.bin_dir / program), "--name", "default", *words, "--check-config"])
    described = topologies.describe(
        LabOptions.bin_dir, load.topology,
        [f"--{name}={value}" for _, name, value in routeobject_options(load)])
    for note in described["notes"]:
        print(f"Topology: {note}.")
    topologies.set_kind(described, load.switch)
    if topologies.ovs_nodes(described["switches"]):
        if load.verify_media:
            raise WrongUse("--verify-media sends cells, and switches of kind \"ovs\" carry frames")
        if load.switch is None:  # otherwise this has been done
            run_or_fail([ROOT / "deploy" / "install", "ovs"])
            ovs.require()
            build([AGENT])
    refusal, note = judge_load(described, load, options.labels_given)
    if refusal:
        raise WrongUse(refusal)
    if note:
        print(f"Some calls will be refused: {note}.")


def judge_load(described, load, labels_given):
    """Returns (a refusal or None, a note or None). Too few labels by --labels-per-port may be an
    experiment: calls that find none are refused and counted, so there is only a note."""
    def refusal(labels):
        return topologies.load_refusal(described, load.rate, load.hold, load.cells_per_s, labels)
    tight = refusal(load.labels_per_port)
    if tight and labels_given and not refusal(topologies.LABELS_MAX):
        return None, tight
    return tight, None


def ask(command):
    answer = subprocess.run(command, capture_output=True, text=True, check=False,
                            env={name: value for name, value in os.environ.items()
                                 if not name.startswith("XBIND_")})
    if answer.returncode == 2:
        raise WrongUse(answer.stderr.strip())
    if answer.returncode != 0:
        raise LabError(
            f"{' '.join(command)} ended with {answer.returncode}: {answer.stderr.strip()}")


def parse(words):
    """Reads the options. WrongUse for one that cannot be parsed or is out of bounds."""
    readers = {
        "calls": whole(1, 10**12), "rate": real(above=0.0), "hold": real(above=None),
        "seed": whole(0, 2**64 - 1), "cells-per-s": whole(1, CELLS_PER_S_MAX, CELLS_PER_S_WHY),
        "threshold": threshold, "engine": one_of(ENGINES), "managers": whole(1, MANAGERS_MAX),
        "label-policy": one_of(LABEL_POLICIES), "topology": existing_file,
        "switch": one_of(topologies.KINDS), "default-rate": real(above=0.0),
        "nodes-per-process": whole(1, hosts.NODES_MAX),
        "labels-per-port": whole(1, topologies.LABELS_MAX),
        "loss": fraction, "duplicate": fraction, "reorder": fraction,
        "json": new_file, "verify-media": None, "capture": capture_file, "keep": None,
        "bench": None, "sweep": one_of(sweep.SWEEPS),
        "scheduling": one_of(list(scheduling.POLICIES)),
    }
    options = Options(Load(debts_timeout=DEBTS_TIMEOUT_S))
    given = set()
    words = list(words)
    while words:
        word = words.pop(0)
        name, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("--") or name not in readers:
            raise WrongUse(f"there is no option '{word}'; ./quickstart --help lists them")
        if name in given:
            raise WrongUse(f"--{name} is given twice")
        given.add(name)
        reader = readers[name]
        if reader is None:
            if equals:
                raise WrongUse(f"--{name} takes no value")
            value = True
        else:
            if not equals and not words:
                raise WrongUse(f"--{name} needs a value")
            value = reader(name, value if equals else words.pop(0))
        field = name.replace("-", "_")
        setattr(options.load if hasattr(options.load, field) else options, field, value)
    options.labels_given = "labels-per-port" in given
    check_together(options, given)
    return options


def check_together(options, given):
    if "capture" in given and "verify-media" not in given:
        raise WrongUse("--capture needs --verify-media: without it callgen sends no cells")
    if options.bench and not given <= {"bench", "scheduling"}:
        raise WrongUse("--bench brings its own load: only --scheduling goes with it")
    if options.sweep and not given <= {"sweep", "json", "scheduling"}:
        raise WrongUse("--sweep brings its own loads: only --json and --scheduling go with it")
    engine, wanted = options.load.engine, options.load.threshold
    if engine in ("sequential", "threaded") and wanted not in ("", "1"):
        raise WrongUse(f"--threshold {wanted}: the engine {engine} waits for the answer to every "
                       f"command, so it sends each alone and takes no threshold but 1")


def whole(low, high, why=None):
    """`why`: the reason for `high`."""
    def read(name, value):
        if not re.fullmatch(r"[0-9]{1,20}", value) or not low <= int(value) <= high:
            reason = f": {why}" if why else ""
            raise WrongUse(
                f"--{name} {value}: a whole number from {low} to {high} is needed{reason}")
        return int(value)
    return read


def real(above):
    def read(name, value):
        plain = re.fullmatch(r"[0-9]+(\.[0-9]*)?|\.[0-9]+", value)
        if not plain or (above is not None and float(value) <= above):
            bound = "0 or more" if above is None else f"above {above:g}"
            raise WrongUse(f"--{name} {value}: a number {bound}, such as 0.5, is needed")
        return float(value)
    return read


def fraction(name, value):
    number = real(above=None)(name, value)
    if number > FAULTS_MAX:
        raise WrongUse(
            f"--{name} {value}: a fraction from 0 to {FAULTS_MAX:g} is needed, 0.05 for 5 %")
    return number


def one_of(words):
    def read(name, value):
        if value not in words:
            raise WrongUse(f"--{name} {value}: it is one of {', '.join(words)}")
        return value
    return read


def threshold(name, value):
    if value in AGGREGATIONS:
        return value
    if not re.fullmatch(r"[0-9]{1,9}", value):
        raise WrongUse(f"--{name} {value}: a whole number or {' or '.join(AGGREGATIONS)} is needed")
    return str(int(value))  # the manager checks its bounds


def existing_file(name, value):
    if not Path(value).is_file():
        raise WrongUse(f"--{name} {value}: there is no such file")
    return Path(value).resolve()


def new_file(name, value):
    path = Path(value).absolute()
    if path.is_dir() or not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise WrongUse(f"--{name} {value}: this file cannot be written")
    return path


def capture_file(name, value):
    if not value.endswith((".erf", ".pcap")):
        raise WrongUse(f"--{name} {value}: its name ends in .erf or .pcap, which says the form")
    return new_file(name, value)


def step(name):
    print(f"[{name}]")


if __name__ == "__main__":
    sys.exit(written("quickstart", main, sys.argv[1:]))
