"""Where the daemons of a lab serve their metrics, and the configuration of a Prometheus for it.

All use the loopback address of the lab's first switch, with the ports from FIRST_PORT on; that of
the console is left out, whether there is one or not. No other lab has this address, and a process
that is started again has the port that it had.
"""

import json
from pathlib import Path

from . import console

FIRST_PORT = 9470
SCRAPED = ["xbind-cmgr", "xbind-switchserver", "xbind-routeobject", "xbind-qosmapper",
           "xbind-console", "xbind-switch", "xbind-gsmp-ovs", "xbind-keeper",
           "xbind-smds"]
INTERVAL = "5s"
ALERTS = Path(__file__).resolve().parents[1] / "prometheus" / "alerts.yml"


def file_of(state_dir):
    return Path(state_dir) / "prometheus.yml"


def plan(lab, address):
    """Gives each planned daemon its --metrics, and plans the file."""
    targets = []
    for process in lab.processes.values():
        if process.program in SCRAPED:
            target = f"{address}:{port_of(len(targets))}"
            process.command.append(f"--metrics={target}")
            targets.append((process.name, target))
    lab.files[file_of(lab.state_dir)] = configuration(targets)


def port_of(index):
    """The port of the process with this index, from 0, among those that serve metrics."""
    port = FIRST_PORT + index
    return port if port < console.PORT else port + 1


def add(lab, process, address):
    """Gives a process that joins a lab with metrics its --metrics, and plans the file again. A lab
    without metrics stays so."""
    known = targets(lab.state_dir)
    if known is None:
        return
    known[process.name] = f"{address}:{port_of(len(known))}"
    process.command.append(f"--metrics={known[process.name]}")
    lab.files[file_of(lab.state_dir)] = configuration(list(known.items()))


def configuration(targets):
    """Prometheus reads YAML, of which JSON is a part."""
    return json.dumps({
        "global": {"scrape_interval": INTERVAL, "evaluation_interval": INTERVAL},
        "rule_files": [str(ALERTS)],
        "scrape_configs": [{
            "job_name": "openxbind",
            "static_configs": [{"targets": [target], "labels": {"process": name}}
                               for name, target in targets]}]}, indent=2) + "\n"


def targets(state_dir):
    """Process -> HOST:PORT, from the file of a lab that is up; None if it serves no metrics."""
    file = file_of(state_dir)
    if not file.exists():
        return None
    configured = json.loads(file.read_text())
    return {one["labels"]["process"]: one["targets"][0]
            for one in configured["scrape_configs"][0]["static_configs"]}
