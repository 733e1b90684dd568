"""A whole lab from a topology file: omniNames, an emulated switch and a SwitchServer per node,
RouteObject, QOSMapper and one or several managers. In a large lab one process has many nodes
(hosts.py).

Each process must print its ready line. If one does not, all started processes are ended and the
error shows the end of its log. STATE_DIR/lab.json describes the running lab, so that another
process can inspect it, end it, or end and start single processes of it (restarts.py).

  STATE_DIR/lab.json   processes, addresses, ports; how cells travel, and where hosts meet them
  STATE_DIR/environment.json  the environment of the daemons (state.py)
  STATE_DIR/logs/      one file per process
  STATE_DIR/config/    the switches of each process that has several
  STATE_DIR/prometheus.yml  what Prometheus scrapes; with --metrics (metrics.py)
  STATE_DIR/names/     omniNames' own data, fresh at each up
  STATE_DIR/ovs/       database and sockets of Open vSwitch (ovs.py)
  STATE_DIR/connections.json  what xbind-keeper reports; with --connections
  STATE_DIR/smds/      the status of the SMDS servers; with --smds (smds.py)
  STATE_DIR/routeobject/, switchserver/, qosmapper/, cmgr/  --state-dir of these daemons, fresh at
                       each up; with --no-state they have none
"""

import os
import shutil
import sys
import time
from pathlib import Path

from . import console
from . import hosts
from . import media
from . import metrics
from . import naming
from . import options as wanted
from . import ovs
from . import scheduling
from . import sites
from . import smds
from . import state as states
from . import topology as topologies
# The names that other modules take from here.
from .options import (AGENT, BUFFER_CELLS_MAX, DAEMONS, KEEPER, LabOptions,  # noqa: F401
                      MANAGERS_MAX, PAPER_TOPOLOGY, PROGRAMS, ROOT, TOOLS, WAN,
                      default_state_dir, manager_names, state_dir_words)
from .network import inside
from .process import LabError, Process, end, uninterrupted
from .reaching import Reachable

# How long a command waits for another one that changes the lab. The keeper needs milliseconds.
LOCK_PATIENCE_S = 5.0


class Lab(Reachable):
    """One lab, started here or found by its state file. Not thread-safe."""

    def __init__(self, options):
        self.options = options
        self.state_dir = Path(options.state_dir).resolve()
        self.processes = {}  # name -> Process, in order of starting
        self.names_port = 0
        self.topology_name = ""
        self.topology_notes = []  # from describe(); only of a lab that this object has started
        self.switches = []  # from describe()
        self.endpoints = {}  # endpoint -> SPEC of the host's side of its line (media.py)
        self.lines = []  # [the joined ends, how cells travel], as text
        self.smds = None  # what the tools of the SMDS servers need to find them (smds.py)
        self.links = []  # [[switch, port], [switch, port]], or one end with a host behind it
        self.network = None  # network.Network of the hosts; ovs.Network if a node is a bridge
        self.files = {}  # the processes' files: path -> text; written before they start
        self.wrote_omniorb_config = False
        self.scheduling = None  # the daemons' policy, by its name in scheduling.py
        self.keeper = None  # Process; only with --respawn
        self.state_seen = None  # which lab.json this object has read or written last

    # Starting

    def up(self, progress=lambda text: None):
        """Starts everything. After any failure, Ctrl-C included, nothing keeps running."""
        with self.exclusive():
            self.refuse_second_up()
            self.clean()
            described = topologies.describe(
                self.options.bin_dir, self.options.topology,
                self.options.arguments("xbind-routeobject", "default"))
            topologies.set_kind(described, self.options.switch)
            if self.options.hosts:
                topologies.set_hosts(described)
            try:
                with naming.choosing_addresses():
                    self.plan(described)
                    self.start_all(progress)
                self.write_omniorb_config()
                if self.options.respawn:
                    self.start_keeper()
                self.save()
            except BaseException:
                self.end_all()
                raise

    def plan(self, described):
        """Decides names, addresses and command lines; starts nothing."""
        options = self.options
        self.topology_name = described["name"]
        self.topology_notes = described.get("notes", [])
        self.switches = described["switches"]
        wanted.refuse_unknown_targets(options, self.switches)
        options.more = wanted.with_one_buffer(options.more, self.switches)
        self.network = sites.plan(self, described)
        addresses = self.choose_addresses(described)
        names = self.names_address()
        ovs_nodes = set(topologies.ovs_nodes(self.switches))
        groups = self.groups(ovs_nodes)
        lines = media.plan(described, addresses, {
            name: group.first for group in groups for name in group.names})
        self.endpoints = {node: spec for node, spec in media.endpoints(lines).items()
                          if not self.sites
                          or self.sites.site_of_node(node) is self.sites.clients()}
        self.network = self.network or ovs.plan(described, self.state_dir)
        self.lines = [line.words() for line in lines]
        self.lines += self.network.described_lines() if self.network else []
        self.links = [media.ends_of(link) for link in described.get("links", [])]
        self.links += [((switch["name"], 1),) for switch in self.switches if switch.get("endpoint")]

        if self.sites:
            control = naming.control_path(self.state_dir, "wan")
            self.add(WAN, sites.command(self, control), "", f"^{WAN} ready, .*$")
        for name, command, ready in self.network.daemons() if self.network else []:
            self.add(name, command, "", ready)
        data = self.state_dir / "names"
        # -always: the same command starts it again, with the names in `data`. Without it omniNames
        # refuses -start where there are data, and has no port where there are none.
        self.add("omniNames", ["omniNames", "-start", self.names_port, "-always", "-datadir", data,
                               "-ORBendPoint", f"giop:tcp:{names}"], address=names, ready=None)
        gsmp = {name: f"{address}:{naming.GSMP_PORT}"
                for name, address in zip(self.node_names(), addresses)}
        switch_of = {switch["name"]: switch for switch in self.switches}
        mpls_ports = media.mpls_ports(described)
        for group in groups:
            if group.names[0] in ovs_nodes:
                name, = group.names
                self.add_host(AGENT, group, [], {
                    name: {"listen": gsmp[name], **wanted.ovs_options(
                        switch_of[name], self.network.openflow(name), mpls_ports[name],
                        options.labels_per_port)}}, [gsmp[name]], "listening on")
                continue
            self.add_host("xbind-switch", group, self.control_words(group.first), {
                name: {"listen": gsmp[name], **wanted.emulated_options(
                    switch_of[name], self.links_of(lines, name), mpls_ports[name],
                    options.labels_per_port, topologies.delays(described, name))}
                for name in group.names}, [gsmp[name] for name in group.names], "listening on")
        for group in self.groups():
            self.add_host("xbind-switchserver", group,
                          ["--name-service", names, *self.state_words("xbind-switchserver")],
                          {name: {"switch": gsmp[name]} for name in group.names}, [], "ready")
        self.add_program("xbind-routeobject", None,
                         ["--topology", Path(options.begin_with or options.topology).resolve(),
                          "--name-service", names, *self.state_words("xbind-routeobject")])
        self.add_program("xbind-qosmapper", None,
                         ["--name-service", names, *self.state_words("xbind-qosmapper")])
        for name in manager_names(options.managers):
            self.add_program("xbind-cmgr", None if name == "default" else name,
                             ["--name-service", names, *self.state_words("xbind-cmgr")])
        if options.console:
            console.plan(self, addresses[0])
        if options.connections:
            self.add(KEEPER, [options.bin_dir / KEEPER, "--name-service", names, "--connections",
                              Path(options.connections).resolve(), "--status-file",
                              self.state_dir / "connections.json"],
                     address="", ready="^xbind-keeper keeper ready.*$")
        if options.smds:
            smds.plan(self, addresses)
        if options.metrics:
            metrics.plan(self, addresses[0])
        if self.sites:
            sites.refuse_unknown_programs(self.sites, options.sites, self.processes)
            for process in self.processes.values():
                self.sites.place(process)

    @property
    def sites(self):
        """The sites.Sites of a lab that has sites; else None."""
        return self.network if isinstance(self.network, sites.Sites) else None

    def choose_addresses(self, described):
        """Chooses the name service's port, and returns the switches' addresses."""
        if self.sites:  # their namespaces belong to this lab alone
            self.names_port = self.options.names_port or naming.DEFAULT_NAMES_PORT
            return [self.sites.address_of_node(node) for node in self.node_names()]
        self.names_port = naming.choose_names_port(self.options.names_port)
        net = self.options.loopback_net or naming.free_loopback_net(len(self.switches),
                                                                    media.udp_ports(described))
        return naming.switch_addresses(net, len(self.switches))

    def groups(self, alone=()):
        site_of = self.sites.site_of_node if self.sites else None
        return hosts.groups(self.node_names(), self.options.nodes_per_process, alone,
                            lambda name: site_of and site_of(name)["name"])

    def links_of(self, lines, switch):
        """{port: SPEC} of an emulated switch."""
        return {**media.switch_links(lines, switch),
                **(self.network.links(switch) if self.network else {})}

    def control_words(self, number):
        """Where a switch process takes commands: a Unix socket with a fixed path, so that a
        restarted one is found there."""
        if any(option == "control" for _, option, _ in self.options.more.get("xbind-switch", [])):
            return []
        return ["--control", naming.control_path(self.state_dir, number)]

    def state_words(self, program):
        """Where a daemon keeps what must survive its end; empty with --no-state."""
        if not self.options.keep_state:
            return []
        return ["--state-dir", self.state_dir / program.removeprefix("xbind-")]

    def add_host(self, program, group, common, node_options, addresses, ready):
        """Adds the process of a group, which has several switches or one."""
        if not group.several:
            (node, options), = node_options.items()
            words = [word for option, value in options.items() for word in (f"--{option}", value)]
            self.add_program(program, node, [*words, *common], "".join(addresses), ready)
            return
        name = group.process(program)
        words, more = hosts.divide(program, group, self.options.more.get(program, []))
        file = self.state_dir / "config" / (name.replace("/", "-") + ".toml")
        for node, options in more.items():
            for option, value in options.items():
                said = node_options[node].get(option)
                node_options[node][option] = value if said is None else f"{said},{value}"
        self.files[file] = hosts.tables({"name": node, **options}
                                        for node, options in node_options.items())
        self.add(name, [self.options.bin_dir / program, "--switches", file, *common, *words],
                 address=f"{addresses[0]} to {addresses[-1]}" if addresses else "",
                 ready=f"^{program} \\S+ {ready}.*$", nodes=group.names)

    def add_program(self, program, node, arguments, address="", ready="ready"):
        name = node or "default"
        self.add(f"{program}/{node}" if node else program,
                 [self.options.bin_dir / program, "--name", name, *arguments,
                  *self.options.arguments(program, name)],
                 address=address, ready=f"^{program} {name} {ready}.*$",
             nodes=[node] if program in (*hosts.HOSTS, AGENT) else [])

    def add(self, name, command, address, ready, nodes=()):
        self.processes[name] = Process(
            name=name, command=[str(part) for part in command],
            log=self.state_dir / "logs" / (name.replace("/", "-") + ".log"), address=address,
            ready=ready, nodes=list(nodes))

    def node_names(self):
        return [switch["name"] for switch in self.switches]

    def process_of(self, program, node):
        """The xbind-switch or xbind-switchserver process of a node."""
        for process in self.processes.values():
            if process.program == program and node in process.nodes:
                return process
        raise LabError(f"no {program} of this lab has {node}")

    def first_address(self):
        """The loopback address of the first switch, which no other lab has."""
        for process in self.processes.values():
            if process.program in ("xbind-switch", AGENT):
                return process.address.partition(" ")[0].rpartition(":")[0]
        raise LabError("this lab has no switch")

    def write_files(self):
        for file, text in self.files.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    def start_all(self, progress):
        """Starts rank by rank, all processes of a rank at once; a rank is ready before the next."""
        self.write_files()
        self.scheduling = scheduling.current()
        states.write(self.environment_file(), self.daemon_environment(), 0o600)
        if self.network:
            progress(self.network.what)
            self.network.make(self.save)
        for rank in self.ranks():
            progress(", ".join(process.name for process in rank))
            deadline = time.monotonic() + self.options.start_timeout_s
            for process in rank:
                process.start(self.daemon_environment())
                self.save()  # before the wait, so that an interrupted lab can be found and ended
            for process in rank:
                self.wait_ready(process, deadline)
            if rank[0].program == ovs.SWITCHES:
                self.network.add_bridges()

    def start(self, *names):
        """Starts planned processes that are not up; does not wait."""
        self.write_files()
        for name in names:
            self.processes[name].start(self.daemon_environment())
        self.save()

    def start_keeper(self):
        """Starts `deploy/lab keep`, which starts processes again that end."""
        self.keeper = Process(
            "keeper", [sys.executable, "-B", str(ROOT / "deploy" / "lab"), "keep", "--state-dir",
                       str(self.state_dir)],
            log=self.state_dir / "logs" / "keeper.log", ready="keeper: ready$")
        self.keeper.start(dict(os.environ))
        self.save()
        self.keeper.wait_ready(time.monotonic() + self.options.start_timeout_s)

    def wait_ready(self, process, deadline=None):
        deadline = deadline or time.monotonic() + self.options.start_timeout_s
        if process.ready is None:
            def wait():
                naming.wait_for_name_service(process, self.names_host(), self.names_port, deadline)
            if self.sites:
                inside(self.sites.site_of(process)["namespace"], wait)
            else:
                wait()
        else:
            process.wait_ready(deadline)

    def ranks(self, processes=None):
        """The processes, by default all, in starting order: each rank needs the ranks before it."""
        order = [WAN, ovs.DATABASE, ovs.SWITCHES, "omniNames", *DAEMONS, KEEPER, smds.PROGRAM,
                 console.PROGRAM]
        by_program = {program: [] for program in order}
        for process in self.processes.values() if processes is None else processes:
            by_program[process.program].append(process)
        servants = [p for program in PROGRAMS[1:-1] for p in by_program[program]]
        ranks = [by_program[WAN], by_program[ovs.DATABASE], by_program[ovs.SWITCHES],
                 by_program["omniNames"] + by_program["xbind-switch"] + by_program[AGENT],
                 servants, by_program["xbind-cmgr"], by_program[KEEPER],
                 by_program[smds.PROGRAM], by_program[console.PROGRAM]]
        return [rank for rank in ranks if rank]

    def manager_names(self):
        """The managers' names under xbind/cmgr/, in the order of the processes."""
        managers = [name for name, process in self.processes.items()
                    if process.program == "xbind-cmgr"]
        return [name.partition("/")[2] or "default" for name in managers]

    # Ending

    def down(self):
        """Ends all processes and removes the state. Returns sentences about irregular ends, and
        about processes that this user may not end; the state then stays."""
        with self.exclusive(LOCK_PATIENCE_S):
            self.refresh()
            return self.end_all()

    def end_all(self):
        troubles = []
        with uninterrupted():
            troubles += end([self.keeper] if self.keeper else [])  # it would start the others again
            for rank in reversed(self.ranks()):
                troubles += end(rank)
            if any(process.alive() for process in self.processes.values()):
                return troubles  # another user's lab, which stays
            self.remove_omniorb_config()
            left = self.network.remove() if self.network else []
            if not left:  # otherwise another `down` tries again
                self.state_file().unlink(missing_ok=True)
            troubles += left
            self.environment_file().unlink(missing_ok=True)
        return troubles

    def clean(self):
        """Removes the leftovers of an earlier lab; its logs stay until the next one starts."""
        for leftover in ("logs", "names", "config", "control", "routeobject", "switchserver",
                         "qosmapper", "cmgr", "ovs", "smds"):
            shutil.rmtree(self.state_dir / leftover, ignore_errors=True)
        metrics.file_of(self.state_dir).unlink(missing_ok=True)
        (self.state_dir / "connections.json").unlink(missing_ok=True)
        (self.state_dir / "names").mkdir(parents=True)
        (self.state_dir / "logs").mkdir()
        (self.state_dir / "control").mkdir(mode=0o700)

    # State

    def state_file(self):
        return self.state_dir / "lab.json"

    def environment_file(self):
        return self.state_dir / "environment.json"

    def save(self):
        states.write(self.state_file(), {
            "format": states.FORMAT,
            "topology": str(Path(self.options.topology).resolve()), "name": self.topology_name,
            "names_port": self.names_port, "wrote_omniorb_config": self.wrote_omniorb_config,
            "switches": self.switches, "endpoints": self.endpoints, "lines": self.lines,
            "links": self.links,
            "smds": self.smds,
            "network": self.network.record() if self.network else None,
            "bin_dir": str(self.options.bin_dir),
            "scheduling": self.scheduling,
            "keeper": self.keeper.record() if self.keeper and self.keeper.pid else None,
            "processes": [p.record() for p in self.processes.values() if p.pid],
        })
        self.state_seen = self.state_version()

    @staticmethod
    def find(state_dir):
        """The lab in this directory's state file, or None if there is no such file."""
        lab = Lab(LabOptions(state_dir=Path(state_dir)))
        state = states.read(lab.state_file())
        if state is None:
            return None
        lab.options.topology = Path(state["topology"])
        lab.options.bin_dir = Path(state["bin_dir"])
        lab.names_port = state["names_port"]
        lab.topology_name = state["name"]
        lab.switches = state["switches"]
        lab.endpoints = state.get("endpoints", {})  # missing in an earlier version's state file
        lab.lines = state.get("lines", [])
        lab.links = [tuple(tuple(end) for end in ends) for ends in state.get("links", [])]
        lab.smds = state.get("smds")
        lab.network = sites.from_record(state.get("network"))
        lab.wrote_omniorb_config = state["wrote_omniorb_config"]
        lab.scheduling = state.get("scheduling")
        lab.take_processes(state)
        return lab

    def refresh(self):
        """Takes the processes that other programs have started or taken out since this object last
        read or wrote the state file. Returns False if there is no such file any more."""
        version = self.state_version()
        if version != self.state_seen:
            state = states.read(self.state_file())
            if state is not None:
                self.take_processes(state)
            self.state_seen = version
        return version is not None

    def state_version(self):
        try:
            file = self.state_file().stat()
        except FileNotFoundError:
            return None
        return file.st_ino, file.st_mtime_ns

    def take_processes(self, state):
        try:
            read = [Process.from_record(record) for record in state["processes"]]
            keeper = Process.from_record(state["keeper"]) if state.get("keeper") else None
        except (KeyError, TypeError) as error:
            raise LabError(f"{self.state_file()} cannot be read: {error}") from error
        recorded = {process.name for process in read}
        for name in [name for name, mine in self.processes.items()
                     if mine.pid and name not in recorded]:
            del self.processes[name]  # such as a console that did not become ready
        for process in read:
            mine = self.processes.get(process.name)
            if mine is None or (mine.pid, mine.started) != (process.pid, process.started):
                self.processes[process.name] = process
            else:  # it may be our own child
                mine.restarts, mine.down = process.restarts, process.down
        if self.keeper is None or keeper is None or self.keeper.pid != keeper.pid:
            self.keeper = keeper

    def refuse_second_up(self):
        earlier = Lab.find(self.state_dir)
        if earlier is None:
            return
        alive = [process for process in earlier.processes.values() if process.alive()]
        if alive or (earlier.keeper and earlier.keeper.alive()):
            raise LabError(
                f"a lab is up already in {self.state_dir} ({len(alive)} of "
                f"{len(earlier.processes)} processes, topology {earlier.options.topology}). "
                f"End it with `deploy/lab down{state_dir_words(self.state_dir)}`"
                + (f", or add a console to it with `deploy/lab console"
                   f"{state_dir_words(self.state_dir)}`" if self.options.console else ""))
        earlier.remove_omniorb_config()
        if earlier.network and (troubles := earlier.network.remove()):
            raise LabError("; ".join(troubles))

    def exclusive(self, patience_s=0.0):
        """A block in which no other program changes this lab; see states.locked()."""
        return states.locked(self.state_dir, patience_s)
