"""The console of a lab: where it is served.

It uses the loopback address of the lab's first switch, as the metrics do (metrics.py): no other lab
has this address, and a console that is started again is found at the same one.
"""

from .options import CONSOLE as PROGRAM

PORT = 9480


def plan(lab, address):
    """Plans the process; its further options are those of `more` for PROGRAM."""
    lab.add(PROGRAM, [lab.options.bin_dir / PROGRAM, "--name-service", lab.names_address(),
                      "--http", f"{address}:{PORT}",
                      *lab.options.arguments(PROGRAM, "default")],
            address=f"{address}:{PORT}", ready=f"^{PROGRAM} ready on .*$")


def url(lab):
    """Where a browser finds it; None: the lab has no console."""
    process = lab.processes.get(PROGRAM)
    return process and f"http://{process.address}/"
