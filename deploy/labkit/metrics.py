"""Where the daemons of a lab serve their metrics, and the configuration of a Prometheus for it.

All use the loopback address of the lab's first switch, with the ports from FIRST_PORT on. No other
lab has this address, and a process that is started again has the port that it had.
"""

import json
from pathlib import Path

FIRST_PORT = 9470
SCRAPED = ["xbind-cmgr", "xbind-switchserver", "xbind-routeobject", "xbind-qosmapper",
           "xbind-console", "xbind-switch", "xbind-gsmp-ovs", "xbind-keeper"]
INTERVAL = "5s"
ALERTS = Path(__file__).resolve().parents[1] / "prometheus" / "alerts.yml"


def file_of(state_dir):
    return Path(state_dir) / "prometheus.yml"


def plan(lab, address):
    """Gives each planned daemon its --metrics, and plans the file."""
    targets = []
    for process in lab.processes.values():
        if process.program in SCRAPED:
            target = f"{address}:{FIRST_PORT + len(targets)}"
            process.command.append(f"--metrics={target}")
            targets.append((process.name, target))
    lab.files[file_of(lab.state_dir)] = configuration(targets)


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
    """Process -> HOST:PORT, from the file of a lab that is up."""
    configured = json.loads(file_of(state_dir).read_text())
    return {one["labels"]["process"]: one["targets"][0]
            for one in configured["scrape_configs"][0]["static_configs"]}
