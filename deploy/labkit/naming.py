"""Names and addresses: does a name service answer, how do omniORB's tools find it, and which ports
of this host are free."""

import contextlib
import errno
import hashlib
import os
import socket
import struct
import tempfile
import time
from pathlib import Path

from .process import LabError, POLL_S

DEFAULT_NAMES_PORT = 2809  # the corbaloc default, where operators' tools look first
GSMP_PORT = 6068
SYSTEM_OMNIORB_CONFIG = Path("/etc/omniORB.cfg")
OMNIORB_CONFIG_MARK = "# Written by OpenXbind's deploy/lab; `deploy/lab down` takes it away.\n"
UNIX_PATH_MAX = 107  # octets of a socket's address


def name_service_answers(host, port, timeout_s=1.0):
    """Tests with a GIOP LocateRequest whether an object called NameService exists there."""
    key = b"NameService"
    body = struct.pack(">II", 1, len(key)) + key  # request id, object key
    frame = b"GIOP" + struct.pack(">BBBBI", 1, 0, 0, 3, len(body)) + body
    try:
        with socket.create_connection((host, port), timeout_s) as connection:
            connection.settimeout(timeout_s)
            connection.sendall(frame)
            reply = b""
            while len(reply) < 20:
                octets = connection.recv(4096)
                if not octets:
                    return False
                reply += octets
    except OSError:
        return False
    order = "<" if reply[6] & 1 else ">"
    object_here, object_forward = 1, 2
    return (reply[:4] == b"GIOP" and reply[7] == 4
            and struct.unpack_from(order + "I", reply, 16)[0] in (object_here, object_forward))


def wait_for_name_service(process, host, port, deadline):
    """Polls omniNames, which prints no ready line. `process` is the Process that should answer."""
    while not name_service_answers(host, port):
        if not process.alive():
            raise LabError(f"{process.name} ended at its start{process.exit_text()}. The end of "
                           f"{process.log}:\n{process.log_tail()}")
        if time.monotonic() > deadline:
            raise LabError(f"{process.name} does not answer on {host}:{port}. The end of "
                           f"{process.log}:\n{process.log_tail()}")
        time.sleep(POLL_S)


def write_omniorb_config(uri):
    """Lets `nameclt list` work without options: omniORB's tools have no default name service.

    Returns False if there is such a file already or this user may not write one.
    """
    if not os.access(SYSTEM_OMNIORB_CONFIG.parent, os.W_OK):
        return False
    with contextlib.suppress(FileExistsError), open(SYSTEM_OMNIORB_CONFIG, "x") as config:
        try:
            config.write(f"{OMNIORB_CONFIG_MARK}InitRef = NameService={uri}\n")
            config.flush()
        except OSError:  # a full disk; an empty file would keep every later lab from writing one
            SYSTEM_OMNIORB_CONFIG.unlink()
            raise
        return True
    return False


def remove_omniorb_config(uri):
    """Removes the file if a lab has written it for this name service."""
    with contextlib.suppress(OSError):
        text = SYSTEM_OMNIORB_CONFIG.read_text()
        if text.startswith(OMNIORB_CONFIG_MARK) and uri in text:
            SYSTEM_OMNIORB_CONFIG.unlink()


def is_free(host, port, kind=socket.SOCK_STREAM):
    """Whether this TCP address could be listened on now, or this UDP address bound."""
    with socket.socket(socket.AF_INET, kind) as candidate:
        try:
            if kind == socket.SOCK_STREAM:  # ignores TIME_WAIT; UDP must be exclusive
                candidate.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            candidate.bind((host, port))
            if kind == socket.SOCK_STREAM:
                candidate.listen()
        except OSError as error:
            if error.errno in (errno.EADDRINUSE, errno.EADDRNOTAVAIL):
                return False
            raise LabError(f"{host}:{port} cannot be tried: {error.strerror}") from error
    return True


def free_port(host="127.0.0.1", kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_INET, kind) as candidate:
        candidate.bind((host, 0))
        return candidate.getsockname()[1]


def choose_names_port(wanted):
    if wanted == 0:
        return free_port()
    port = wanted or DEFAULT_NAMES_PORT
    if is_free("127.0.0.1", port):
        return port
    if wanted is None:
        return free_port()
    raise LabError(f"port {port} of 127.0.0.1 is taken (another name service?); "
                   f"--names-port 0 takes a free one")


def switch_addresses(net, count):
    """The loopback addresses of a lab's switches: 127.0.1 gives 127.0.1.1, 127.0.1.2, ...

    A net has 254 addresses; more continue in the next net.
    """
    first, second, third = (int(part) for part in net.split("."))
    addresses = []
    for index in range(count):
        if third + index // 254 > 255:
            raise LabError(f"{count} switches do not fit behind {net}.1")
        addresses.append(f"{first}.{second}.{third + index // 254}.{index % 254 + 1}")
    return addresses


def free_loopback_net(count, udp_ports=()):
    """The first of 127.0.1, 127.0.2, ... that has `count` addresses with the port for GSMP free.
    Its k-th address must also have the UDP ports of the k-th set in `udp_ports` free.
    """
    for third in range(1, 255):
        net = f"127.0.{third}"
        addresses = switch_addresses(net, count)
        if all(is_free(address, GSMP_PORT) for address in addresses) and all(
                is_free(address, port, socket.SOCK_DGRAM)
                for address, ports in zip(addresses, udp_ports) for port in sorted(ports)):
            return net
    raise LabError(
        f"no 127.0.N.1 to 127.0.N.{count} with the port {GSMP_PORT} and the UDP ports of cells "
        f"free on all of them")


def control_path(state_dir, number):
    """The Unix socket of the lab's switch process with this number. Where the lab's directory has
    too long a name for a socket, it lies in the directory for temporary files."""
    path = Path(state_dir) / "control" / str(number)
    if len(os.fsencode(path)) <= UNIX_PATH_MAX:
        return str(path)
    short = hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
    return str(Path(tempfile.gettempdir()) / f"xbind-control-{short}")


@contextlib.contextmanager
def choosing_addresses(patience_s=120.0):
    """Lets one lab at a time choose and bind free addresses; others wait here.

    The lock is a name in Linux's abstract socket namespace: it leaves no file, and the kernel
    releases the lock of a killed lab.
    """
    deadline = time.monotonic() + patience_s
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as lock:
        while True:
            try:
                lock.bind("\0openxbind-lab-is-choosing-addresses")
                break
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise
            if time.monotonic() > deadline:
                raise LabError(
                    f"another lab has been starting for {patience_s:g} s; try again later")
            time.sleep(POLL_S)
        yield
