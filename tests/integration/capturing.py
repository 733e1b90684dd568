"""Captures traffic of the loopback interface with tshark."""

import contextlib
import shutil
import signal
import socket
import subprocess
import unittest

from harness import wait_until


@contextlib.contextmanager
def capture(file, matching, last_to, options=()):
    """Captures the packets on lo that match while the block runs. Afterwards the file is complete.

    last_to: a matching (address, port) where nobody listens and to which nobody else sends.
    """
    if shutil.which("tshark") is None:
        raise unittest.SkipTest("NOT TESTED: tshark is not installed (./check installs it)")
    log = file.with_name("tshark.log")
    with open(log, "w", encoding="utf-8") as errors:
        tshark = subprocess.Popen(["tshark", "-Q", "-i", "lo", *options, "-f", matching,
                                   "-w", str(file)],
                                  stdout=errors, stderr=errors, start_new_session=True)
    try:
        # tshark writes the file's header once it captures.
        wait_until(lambda: tshark.poll() is not None
                   or (file.exists() and file.stat().st_size > 0), "tshark captures")
        if tshark.poll() is not None:
            raise unittest.SkipTest("NOT TESTED: tshark cannot capture on lo here: "
                                    + log.read_text(encoding="utf-8").strip())
        yield file
        # Packets still in the kernel when tshark stops would be lost, so first wait until the last
        # packet is in the file.
        with contextlib.suppress(ConnectionRefusedError):
            socket.create_connection(last_to, timeout=5).close()
        wait_until(lambda: socket.inet_aton(last_to[0]) in file.read_bytes(), "all is captured")
    finally:
        if tshark.poll() is None:
            tshark.send_signal(signal.SIGINT)
        tshark.wait(timeout=20)
