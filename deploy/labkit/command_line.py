"""The command line of deploy/lab: its commands, their options, and the checks of single values."""

import argparse
from pathlib import Path

from . import console, hosts, respawn, restarts, scheduling, smds, topology
from .lab import (BUFFER_CELLS_MAX, DAEMONS, LabOptions, MANAGERS_MAX, PAPER_TOPOLOGY,
                  default_state_dir)
from .load import ENGINES, LABEL_POLICIES
from .naming import SYSTEM_OMNIORB_CONFIG
from .options import LAB_DIR_VARIABLE


def daemon_option(text):
    """[NODE:]NAME=VALUE"""
    option, equals, value = text.partition("=")
    node, colon, name = option.rpartition(":")
    if not equals or not name.strip("-") or (colon and not node):
        raise argparse.ArgumentTypeError(f"'{text}' is not [NODE:]NAME=VALUE")
    return (node or None, name.lstrip("-"), value)


def bounded(low, high):
    def number(text):
        if not text.isdigit() or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(f"'{text}' is no whole number from {low} to {high}")
        return int(text)
    return number


def signal_name(text):
    name = text.upper().removeprefix("SIG")
    if name not in restarts.SIGNALS:
        raise argparse.ArgumentTypeError(
            f"'{text}' is no signal that ends a daemon: {', '.join(restarts.SIGNALS)}")
    return name


def loopback_net(text):
    parts = text.split(".")
    if len(parts) != 3 or parts[0] != "127" or not all(
            part.isdigit() and int(part) <= 255 for part in parts):
        raise argparse.ArgumentTypeError(f"'{text}' is not of the form 127.X.Y")
    return text


def console_option(command):
    command.add_argument("--console-option", dest=console.PROGRAM, type=daemon_option,
                         action="append", default=[], metavar="NAME=VALUE",
                         help="an option of xbind-console; writable=true lets it set up calls")


def parser(functions, description):
    """`functions`: {command: what runs it, which gets the arguments}."""
    lab = argparse.ArgumentParser(prog="deploy/lab", description=description, allow_abbrev=False)
    commands = lab.add_subparsers(dest="command_name", metavar="COMMAND", required=True)

    def plain_command(name, text):
        shown = {"help": text} if name != "keep" else {}
        made = commands.add_parser(name, **shown, description=text, allow_abbrev=False)
        made.set_defaults(run=functions[name])
        return made

    def command(name, text):
        made = plain_command(name, text)
        made.add_argument("--state-dir", type=lambda p: Path(p).resolve(), metavar="DIR",
                          default=default_state_dir(),
                          help=f"where the lab keeps its state and logs (default: "
                               f"{LAB_DIR_VARIABLE}, else build/lab)")
        return made

    started = command("up", "start a lab and leave it up")
    started.add_argument("topology", type=Path, nargs="?", metavar="TOPOLOGY",
                         default=PAPER_TOPOLOGY,
                         help="topology file: our TOML, SNDlib's native format or GraphML "
                              "(default: the paper's three switches, deploy/topologies/paper.toml)")
    started.add_argument("--default-rate", metavar="MBITS",
                         help="Mbit/s of a link of a GraphML file that states no rate (default: "
                              "RouteObject's own, 155)")
    started.add_argument("--begin-with", type=Path, metavar="FILE",
                         help="what RouteObject begins with, instead of TOPOLOGY: a part of it, to "
                              "which `xbindctl network` adds later")
    started.add_argument("--switch", choices=topology.KINDS,
                         help="the kind of every switch: emulated, or ovs, a bridge of Open "
                              "vSwitch, which needs root (default: as the topology says, else "
                              "emulated)")
    started.add_argument("--hosts", action="store_true",
                         help="give every endpoint a host in a network namespace, whose Ethernet "
                              "frames its calls carry; needs root (default: as the topology says)")
    started.add_argument("--sites", type=lambda p: Path(p).resolve(), metavar="FILE",
                         help="put each node, and every other process, into the network namespace "
                              "of its site, and join the sites by xbind-wan (docs/wan.md); needs "
                              "root")
    started.add_argument("--names-port", type=bounded(0, 65535), metavar="PORT",
                         help="the name service's port; 0: a free one (default: 2809, or a free "
                              "one when that is taken)")
    started.add_argument("--loopback-net", type=loopback_net, metavar="127.X.Y",
                         help="the switches listen on 127.X.Y.1:6068, 127.X.Y.2:6068, ... "
                              "(default: the first free of 127.0.1, 127.0.2, ...)")
    started.add_argument("--labels-per-port", type=bounded(1, topology.LABELS_MAX), metavar="N",
                         default=topology.LABELS_DEFAULT,
                         help="VCI 32..32+N-1 on VPI 0; above 65504 whole further VPIs; of an MPLS "
                              "port labels 16..16+N-1 "
                              "(default: %(default)s)")
    started.add_argument("--buffer-cells", type=bounded(1, BUFFER_CELLS_MAX), metavar="N",
                         help="the buffer of every output port: what an xbind-switch has and its "
                              "SwitchServer promises (default: the programs' own, the same of "
                              "both)")
    started.add_argument("--scheduling", choices=list(scheduling.POLICIES), default="other",
                         help="how the kernel gives the daemons their turns (sched(7)); rr, before "
                              "all other programs, needs root or CAP_SYS_NICE "
                              "(default: %(default)s)")
    started.add_argument("--nodes-per-process", type=bounded(1, hosts.NODES_MAX), metavar="N",
                         help=f"how many switches one xbind-switch has, and one xbind-switchserver "
                              f"is in front of (default: 1 up to {hosts.ONE_EACH_MAX} nodes, else "
                              f"as many as make {hosts.GROUPS} processes of each)")
    started.add_argument("--managers", type=bounded(1, MANAGERS_MAX), metavar="N", default=1,
                         help=f"how many managers, named default, manager-2, ...; at most "
                              f"{MANAGERS_MAX} (default: %(default)s). What follows goes to all "
                              f"of them")
    started.add_argument("--engine", help="how calls are processed: " + ", ".join(ENGINES))
    started.add_argument("--threads", metavar="N", help="of the engine threaded")
    started.add_argument("--threshold", metavar="T",
                         help="commands in one message to a switch: a number; regions, by the rate "
                              "of calls; or adaptive (the default)")
    started.add_argument("--flush-timeout-ms", metavar="X",
                         help="how long a command waits for others")
    started.add_argument("--label-policy", choices=LABEL_POLICIES,
                         help="how labels are cached; cooperative makes the SwitchServers share "
                              "the labels of a port among the managers, too")
    for fault in ("loss", "duplicate", "reorder", "fault-seed"):
        started.add_argument(f"--{fault}", help=f"the manager's and the SwitchServers' --{fault}, "
                                                f"for tests; callgen has its own")
    started.add_argument("--log-level", help="the --log-level of every daemon")
    for program in DAEMONS:
        started.add_argument(f"--{program.removeprefix('xbind-')}-option", dest=program,
                             type=daemon_option, action="append", default=[],
                             metavar="[NODE:]NAME=VALUE",
                             help=f"an option of {program}, of all or of one node's")
    started.add_argument("--metrics", action="store_true",
                         help="every daemon serves metrics and health over HTTP; "
                              "STATE_DIR/prometheus.yml lists the addresses for Prometheus")
    started.add_argument("--console", action="store_true",
                         help="start an xbind-console and print its address, for a browser")
    console_option(started)
    started.add_argument("--connections", type=lambda p: Path(p).resolve(), metavar="FILE",
                         help="permanent connections, which an xbind-keeper keeps up: a table "
                              "[[connection]] for each; STATE_DIR/connections.json shows them")
    started.add_argument("--smds", type=lambda p: Path(p).resolve(), metavar="FILE",
                         help="servers of SMDS: an xbind-smds for each [[server]] of the file")
    started.add_argument("--smds-option", dest=smds.PROGRAM, type=daemon_option, action="append",
                         default=[], metavar="[SERVER:]NAME=VALUE",
                         help="an option of xbind-smds, of all or of one server")
    started.add_argument("--no-state", dest="keep_state", action="store_false",
                         help="start the daemons without --state-dir: what they would store "
                              "there ends with each of them")
    started.add_argument("--respawn", action="store_true",
                         help=f"start a process again that ends: after {respawn.FIRST_WAIT_S:g} s, "
                              f"then after twice as long each time, at most "
                              f"{respawn.LONGEST_WAIT_S:g} s. One that ends {respawn.ENDS_MAX} "
                              f"times within {respawn.WINDOW_S:g} s is left down")
    started.add_argument("--timeout", type=bounded(1, 3600), metavar="S", default=30,
                         help="seconds a daemon may take to be ready (default: %(default)s)")
    started.add_argument("--bin-dir", type=lambda p: Path(p).resolve(), metavar="DIR",
                         default=LabOptions.bin_dir, help="the programs (default: build/bin)")
    started.add_argument("--no-omniorb-config", dest="omniorb_config", action="store_false",
                         help=f"leave {SYSTEM_OMNIORB_CONFIG} alone; otherwise it is written, "
                              f"until down, when there is none and this user may")

    command("down", "end the lab: SIGTERM, and SIGKILL to what has not ended in 10 s")
    shown = command("status", "say what is up; exit code 0 all, 1 some are gone, 3 no lab")
    shown.add_argument("--json", action="store_true", help="the same as JSON")
    shown_to_browsers = command("console", "start an xbind-console in the lab that is up, as "
                                           "`up --console` does, and print its address")
    console_option(shown_to_browsers)
    shown_to_browsers.add_argument("--timeout", type=bounded(1, 3600), metavar="S", default=30,
                                   help="seconds it may take to be ready (default: %(default)s)")
    logs = command("logs", "print the ends of the logs, of all processes or of one")
    logs.add_argument("name", nargs="?", metavar="NAME",
                      help="xbind-cmgr, xbind-switch/atm, ...; the node may be one of several in a "
                           "process")
    logs.add_argument("-n", "--lines", type=bounded(1, 10**6), default=20, metavar="N",
                      help="how many lines of each (default: %(default)s)")
    logs.add_argument("-f", "--follow", action="store_true", help="go on printing (with NAME)")
    ended = command("kill", "send a signal to processes of the lab and wait for their end")
    ended.add_argument("--signal", type=signal_name, default="KILL", metavar="SIGNAL",
                       help=f"{', '.join(restarts.SIGNALS)} (default: %(default)s)")
    again = command("start", "start processes that are down, as `up` started them, and wait until "
                             "they are ready")
    for changed, timeout, what in ((ended, 10, "a process may take to end"),
                                   (again, 30, "a process may take to be ready")):
        changed.add_argument("names", nargs="+", metavar="NAME",
                             help="omniNames, xbind-cmgr, xbind-switch/atm, ..., as `status` shows "
                                  "it")
        changed.add_argument("--timeout", type=bounded(1, 3600), metavar="S", default=timeout,
                             help=f"seconds {what} (default: %(default)s)")
    command("keep", "start processes again that end; `up --respawn` runs this")
    for name, text in (
            ("cut", "take the line at this port down, at both ends: its switches report it, and no "
                    "cell passes"),
            ("mend", "bring the line at this port up again, at both ends")):
        changed = command(name, text)
        changed.add_argument("switch", metavar="SWITCH",
                             help="a node's name, as in the topology; or SWITCH:PORT")
        changed.add_argument("port", type=bounded(1, 65535), nargs="?", metavar="PORT",
                             help="its port; `status` lists what is joined")
    entered = command("host", "run a command at the host behind port 1 of an endpoint, which an "
                              "Open vSwitch has, and with `up --hosts` every endpoint: "
                              "deploy/lab host node-1 -- ping -c 3 10.77.0.2")
    entered.add_argument("node", metavar="NODE", help="an endpoint; `status` lists the hosts")
    entered.add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND ...")
    command("env", "print the environment in which our tools, omniORB's and deploy/lab find this "
                   "lab")
    made = plain_command("convert",
                         "print a topology file of any known format in our own TOML")
    made.add_argument("file", type=Path, metavar="FILE",
                      help="our TOML, SNDlib's native format or GraphML")
    made.add_argument("--without-demands", action="store_true",
                      help="leave the demands out: every pair is then equally likely")
    made.add_argument("--default-rate", metavar="MBITS",
                      help="Mbit/s of a link of a GraphML file that states no rate")
    made.add_argument("--bin-dir", type=lambda p: Path(p).resolve(), metavar="DIR",
                      default=LabOptions.bin_dir, help="the programs (default: build/bin)")
    ran = command("run", "run a command in that environment: deploy/lab run -- nameclt list")
    ran.add_argument("--site", metavar="SITE",
                     help="of a lab with sites: where it runs (default: where its clients are)")
    ran.add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND ...")
    return lab
