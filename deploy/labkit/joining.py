"""A console that joins a lab which is up, such as one that `./quickstart --keep` has left."""

import time

from . import console, metrics, restarts
from . import state as states
from .lab import LOCK_PATIENCE_S
from .process import LabError, end


def add_console(lab, patience_s, report):
    """Makes sure that the lab has a console, and that it is up; `report` gets a sentence about what
    was started.

    LabError for a console that does not become ready. A new one then leaves no trace. LabError also
    for options when there is a console: it keeps those of its first start.
    """
    lab.refresh()
    process = lab.processes.get(console.PROGRAM)
    if process is None:
        start_new(lab, patience_s, report)
    elif lab.options.more.get(console.PROGRAM):
        raise LabError(f"this lab has a console, {console.url(lab)}, which keeps the options that "
                       f"it was first started with")
    elif not process.alive():
        restarts.start(lab, [console.PROGRAM], patience_s, report)


def start_new(lab, patience_s, report):
    if lab.sites:
        raise LabError("a console has an address of this host, which no site reaches")
    environment = states.read_environment(lab.environment_file())
    with lab.exclusive(LOCK_PATIENCE_S):
        if not lab.refresh():
            raise LabError(f"the lab in {lab.state_dir} has been ended meanwhile")
        if console.PROGRAM in lab.processes:
            raise LabError("another command starts a console in this lab; try again")
        address = lab.first_address()
        console.plan(lab, address)
        process = lab.processes[console.PROGRAM]
        try:
            metrics.add(lab, process, address)
            restarts.start_recorded(lab, process, environment)
        except LabError:
            del lab.processes[console.PROGRAM]
            raise
    try:
        lab.wait_ready(process, time.monotonic() + patience_s)
        lab.write_files()
    except BaseException:
        with lab.exclusive(LOCK_PATIENCE_S):
            there = lab.refresh()  # otherwise the whole lab has been ended meanwhile
            end([process])
            lab.processes.pop(console.PROGRAM, None)
            if there:
                lab.save()
        raise
    report(f"{process.name} (pid {process.pid}) is ready")
