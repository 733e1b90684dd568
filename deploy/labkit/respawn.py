"""The keeper of a lab, `deploy/lab keep`: starts processes again that end (`up --respawn`).

The first start follows FIRST_WAIT_S after the end, and each further one waits twice as long, up to
LONGEST_WAIT_S. A process that stays up for WINDOW_S begins at the first wait again. One that ends
ENDS_MAX times within WINDOW_S is left down, until the operator starts it. Ends by `deploy/lab kill`
do not count.

The keeper changes the lab only under its lock. `deploy/lab down` takes the lock before it ends the
keeper, so no process is being started then.
"""

import collections
import os
import signal
import time

from . import restarts
from .process import Down, LabBusy, LabError, POLL_S, signals_later

KEEPER_POLL_S = 0.2
RECORD_PATIENCE_S = 10.0
FIRST_WAIT_S, LONGEST_WAIT_S = 1.0, 30.0
ENDS_MAX, WINDOW_S = 5, 60.0


class Backoff:
    """Decides when one process is started again. The caller passes the time, in seconds."""

    def __init__(self):
        self.ends = []  # not older than the window
        self.wait_s = FIRST_WAIT_S  # after the next end
        self.last_start = None

    def ended(self, now):
        """Returns how long to wait before the next start, or None: leave it down."""
        self.ends = [end for end in self.ends if now - end < WINDOW_S] + [now]
        stayed_up = self.last_start is None or now - self.last_start >= WINDOW_S
        left_down = len(self.ends) >= ENDS_MAX
        if stayed_up or left_down:
            self.wait_s = FIRST_WAIT_S
        if left_down:
            self.ends = []  # the count begins anew when the operator starts the process
            return None
        wait_s = self.wait_s
        self.wait_s = min(2 * wait_s, LONGEST_WAIT_S)
        self.last_start = now + wait_s
        return wait_s


class Keeper:
    """Watches the processes of a lab. step() is to be called again and again."""

    def __init__(self, lab, environment, report):
        self.lab = lab
        self.environment = environment  # of the processes
        self.report = report  # gets a line for the log
        self.backoffs = collections.defaultdict(Backoff)  # by the name of the process
        self.due = {}  # name of a process that is down -> when to start it, as `now` of step()

    def step(self, now):
        """Notices ends and starts what is due. `now`: seconds on a clock that is never set."""
        if not any(self.needs_action(process, now) for process in self.lab.processes.values()):
            return
        try:
            with self.lab.exclusive():
                self.lab.refresh()
                for process in self.lab.processes.values():
                    if self.needs_action(process, now):
                        self.act(process, now)
                self.lab.save()
        except LabBusy:
            pass  # the next step will do

    def needs_action(self, process, now):
        if process.alive():
            self.due.pop(process.name, None)  # the operator may have been faster
            return False
        if process.name in self.due:
            return now >= self.due[process.name]
        return process.down is None or process.down.by_operator  # otherwise left down

    def act(self, process, now):
        if process.name not in self.due:
            self.plan(process, now, process.down or Down(
                time.time(), f"ended{process.exit_text()}"))
            return
        del self.due[process.name]
        try:
            restarts.start_recorded(self.lab, process, self.environment)
            self.report(f"{process.name} (pid {process.pid}) is started")
        except LabError as error:  # its file may be missing while the programs are built
            self.plan(process, now, Down(time.time(), str(error)))

    def plan(self, process, now, down):
        """Decides when a process that is down starts again."""
        wait_s = FIRST_WAIT_S if down.by_operator else self.backoffs[process.name].ended(now)
        what = f"{process.name} (pid {process.pid}): {down.why}"
        if wait_s is None:
            down.why = f"left down: ended {ENDS_MAX} times within {WINDOW_S:g} s"
            self.report(f"{what}; {down.why}. Start it with: deploy/lab start {process.name}")
        else:
            self.due[process.name] = now + wait_s
            down.next_start = time.time() + wait_s
            self.report(f"{what}; starts again in {wait_s:g} s")
        process.down = down


class Ended(Exception):
    """SIGTERM has arrived."""


def keep(lab, environment, report):
    """Runs the keeper of a lab until SIGTERM, or until the lab has ended without it."""
    def end(*_):
        raise Ended

    # Python functions: SIG_IGN would be inherited by the processes.
    for number in (signal.SIGHUP, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    signal.signal(signal.SIGTERM, end)
    keeper = Keeper(lab, environment, report)
    try:
        wait_to_be_recorded(lab)
        report("ready")
        while is_recorded(lab):
            with signals_later():  # the start of a process and its record belong together
                step(keeper, report)
            time.sleep(KEEPER_POLL_S)
        report("another deploy/lab has ended or replaced this lab; ending")
    except Ended:
        report("ending")


def wait_to_be_recorded(lab):
    """`up` can write the keeper's pid to the state file only after its start."""
    deadline = time.monotonic() + RECORD_PATIENCE_S
    while not is_recorded(lab):
        if time.monotonic() > deadline:
            raise LabError(f"{lab.state_file()} does not name this keeper, pid {os.getpid()}")
        time.sleep(POLL_S)


def is_recorded(lab):
    return lab.refresh() and lab.keeper is not None and lab.keeper.pid == os.getpid()


def step(keeper, report):
    try:
        keeper.step(time.monotonic())
    except (LabError, OSError) as error:  # such as a full disk
        report(str(error))
