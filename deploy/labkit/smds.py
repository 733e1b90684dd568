"""The SMDS servers of a lab: an xbind-smds for each [[server]] of the file of `up --smds`
(smds/network_file.hpp), with the lines that the file leaves to the lab.

A server has the host's side of the line at its endpoint. A subscriber with adaptation "udp" has a
line of datagrams to its server: both ends use the loopback address of the server's switch, the
server the port FIRST_PORT + 2 n and the host the next one, where n counts the subscribers of the
server from 0.
"""

import tomllib

from .options import SMDS as PROGRAM
from .process import LabError

FIRST_PORT = 17000


def plan(lab, addresses):
    """Plans the processes. `addresses`: of the switches, in the topology's order."""
    file = lab.options.smds.resolve()
    network = read(file)
    address_of = dict(zip(lab.node_names(), addresses))
    servers = {server["name"]: server for server in network.get("server", [])}
    for only, option, _ in lab.options.more.get(PROGRAM, []):
        if only is not None and only not in servers:
            raise LabError(f"--{option} of {PROGRAM} {only}: {file} has no server of that name")
    lines = []
    counts = dict.fromkeys(servers, 0)
    for subscriber in network.get("subscriber", []):
        server = servers.get(subscriber.get("server"))
        if subscriber.get("adaptation") != "udp" or server is None:
            continue
        port = FIRST_PORT + 2 * counts[server["name"]]
        counts[server["name"]] += 1
        address = address_of.get(server["endpoint"], addresses[0])
        lines.append(f"{subscriber['name']}={address}:{port}/{address}:{port + 1}")
    lab.smds = {"network": str(file), "status_dir": str(lab.state_dir / "smds"),
                "udp_lines": ",".join(lines)}
    for name, server in servers.items():
        endpoint = server.get("endpoint")
        if endpoint not in lab.endpoints:
            raise LabError(f"{file}: server {name} is at {endpoint}, where the topology has no "
                           f"line to a host")
        lab.add(f"{PROGRAM}/{name}",
                [lab.options.bin_dir / PROGRAM, "--name", name, "--network", file,
                 "--name-service", lab.names_address(),
                 "--host-lines", f"{endpoint}={lab.endpoints[endpoint]}",
                 *(["--udp-lines", lab.smds["udp_lines"]] if lines else []),
                 "--status-dir", lab.smds["status_dir"],
                 *lab.options.arguments(PROGRAM, name)],
                address="", ready=f"^{PROGRAM} {name} ready.*$")


def read(file):
    """The tables of the file. xbind-smds itself checks everything else."""
    try:
        network = tomllib.loads(file.read_text())
    except (OSError, ValueError) as error:
        raise LabError(f"{file}: {error}") from error
    for server in network.get("server", []):
        if not {"name", "endpoint"} <= server.keys():
            raise LabError(f"{file}: each [[server]] has a name and an endpoint")
    return network


def environment(smds):
    """The variables with which `xbind-smds status` and `xbind-smds host` find the lab's servers."""
    if not smds:
        return {}
    variables = {"XBIND_NETWORK": smds["network"], "XBIND_STATUS_DIR": smds["status_dir"]}
    if smds["udp_lines"]:
        variables["XBIND_UDP_LINES"] = smds["udp_lines"]
    return variables
