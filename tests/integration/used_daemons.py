"""Whether a load has used each daemon of a lab, by the daemons' own counters.

Most calls of a load need no QOSMapper and no name service: answers are cached, sessions stand. So
small requests beside it ask for a service that nobody has asked for before, to an end that does not
exist: the name service, a manager, the QOSMapper and RouteObject answer, and nothing stays behind.
The lab needs metrics, and managers with --qos remote.
"""

import itertools
import subprocess
import threading
import urllib.error
from collections import Counter
from contextlib import contextmanager

from harness import tool, wait_until
from labkit import metrics
from scraping import Scrape, get

# Requests that a daemon has served. Looks of other daemons whether it lives are none.
SERVED = {"xbind-switch": "xbind_emulator_requests_total",
          "xbind-switchserver": "xbind_switchserver_batches_total",
          "xbind-routeobject": "xbind_routeobject_queries_total",
          "xbind-qosmapper": "xbind_qosmapper_giop_requests_total",
          "xbind-cmgr": "xbind_cmgr_setups_total"}
OWED = "xbind_cmgr_owed"
NAMES = "omniNames"  # has no counters: counts the answers of managers whose names it has resolved
FIRST_RATE = 10_000  # cells a second; no call of the load has these
PAUSE_S = 0.25
USED_WITHIN_S = 10.0
ANSWERS_WITHIN_S = 60.0


class UsedDaemons:

    def __init__(self, lab):
        self.lab = lab
        self.targets = metrics.targets(lab.state_dir)
        self.rates = itertools.count(FIRST_RATE)
        self.answers = Counter()  # by manager
        self.before = {}

    def served(self, name):
        """How many requests the process of this name has served since its start."""
        if name == NAMES:
            return self.answers.total()
        found = Scrape(get(self.targets[name], "/metrics")[2]).of(
            SERVED[self.lab.processes[name].program])
        return sum(found.values())

    def owed(self, manager):
        """The removals that the manager owes to SwitchServers."""
        return int(sum(Scrape(get(self.targets[manager], "/metrics")[2]).of(OWED).values()))

    @contextmanager
    def asking(self):
        """Requests go on during the block. At its end every manager answers them again."""
        self.before = {name: self.served(name) for name in [NAMES, *self.targets]}
        over = threading.Event()
        thread = threading.Thread(target=self.ask, args=(over,))
        thread.start()
        try:
            yield
            answers = Counter(self.answers)
            for manager in self.lab.manager_names():
                wait_until(lambda manager=manager: self.answers[manager] > answers[manager],
                           f"{manager} has a new service mapped again", ANSWERS_WITHIN_S)
        finally:
            over.set()
            thread.join()

    def ask(self, over):
        ends = itertools.cycle(self.lab.node_names())
        for manager in itertools.cycle(self.lab.manager_names()):
            try:
                done = tool(self.lab, "xbindctl", "connect", next(ends), "nobody", "--manager",
                            manager, "--cells-per-s", next(self.rates), "--call-timeout-ms", "1000")
            except subprocess.TimeoutExpired:
                continue
            # With the name service away, xbindctl says so, and uses the address of before.
            if "unknown endpoint" in done.stderr and "name service" not in done.stderr:
                self.answers[manager] += 1
            if over.wait(PAUSE_S):
                return

    def wait_for(self, name):
        """Waits until the process has served a request of this block."""
        def used():
            try:
                return self.served(name) > self.before[name]
            except (urllib.error.URLError, OSError):
                return False
        wait_until(used, f"the load uses {name}", USED_WITHIN_S)
