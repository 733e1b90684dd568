"""./quickstart --sweep sip: SIPp through three stateful Kamailio proxies on this machine, the call
set-up benchmark that operators know, beside our three switches.

A call is INVITE, 180, 200, ACK, BYE, 200 over UDP, without media: two operations, a set-up and a
release. Each proxy has one worker (more of them reorder answers) and large buffers. A rate is kept
when no call failed and no message was retransmitted; `xbind-callgen search` returns the next rate.
Compare rates, not latencies: SIPp's clock has a resolution of a millisecond.
"""

import contextlib
import csv
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from . import naming
from .lab import ROOT
from .process import LabError

SEARCH = ("--rates", "250,500,1000", "--lowest-rate", "250", "--growth", "1.5",
          "--precision", "10%")
SECONDS = 8
CALLGEN = ROOT / "build" / "bin" / "xbind-callgen"
PACKAGES = ["sip-tester", "kamailio"]  # level compare of packages.txt
MODULES = "/usr/lib/x86_64-linux-gnu/kamailio/modules/"

PROXY = """#!KAMAILIO
debug=0
log_stderror=yes
children=1
listen=udp:127.0.0.1:{port}
disable_tcp=yes
auto_aliases=no
dns=no
rev_dns=no
maxbuffer=8388608
mpath="{modules}"
loadmodule "tm.so"
loadmodule "sl.so"
loadmodule "rr.so"
loadmodule "pv.so"
loadmodule "maxfwd.so"
loadmodule "siputils.so"
loadmodule "textops.so"
modparam("tm", "fr_timer", 5000)
request_route {{
  if (!mf_process_maxfwd_header("10")) {{ sl_send_reply("483", "Too Many Hops"); exit; }}
  $du = "sip:127.0.0.1:{to}";
  if (is_method("INVITE")) record_route();
  if (is_method("ACK") && !has_totag()) {{ t_relay(); exit; }}
  if (!t_relay()) sl_reply_error();
  exit;
}}
"""


def measure():
    missing = [name for name, program in zip(PACKAGES, ("sipp", "kamailio"))
               if not shutil.which(program)]
    if missing:
        raise LabError(f"--sweep sip needs {' and '.join(missing)}, which nothing else does: "
                       "deploy/install compare")
    with tempfile.TemporaryDirectory() as directory, chain(Path(directory)) as entry:
        points = []
        while (search := next_step(points))["next"] is not None:
            points.append(offer(Path(directory), entry, round(search["next"])))
            print("  " + line(points[-1]))
    best = search["kept"]
    return {"points": points, "highest_calls_per_s": best, "highest_operations_per_s": 2 * best,
            "clean": True}


def next_step(points):
    """The next rate of the search and what it has found so far, by the same rule as `saturate`."""
    outcomes = [word for point in points
                for word in ("--kept" if kept(point) else "--broken", str(point["rate"]))]
    done = subprocess.run([CALLGEN, "search", *SEARCH, *outcomes], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        raise LabError(f"xbind-callgen search ended with exit code {done.returncode}: "
                       f"{done.stderr.strip()}")
    return json.loads(done.stdout)


def kept(point):
    return (point["failed"] == 0 and point["retransmissions"] == 0
            and point["successful"] == point["offered"])


def line(point):
    return (f"{point['rate']} calls/s: {point['successful']} of {point['offered']} calls, "
            f"{point['failed']} failed, {point['retransmissions']} messages sent again")


@contextlib.contextmanager
def chain(directory):
    """SIPp as the called end and three proxies before it; the port of the first."""
    called, *ports = (free_udp_port() for _ in range(4))
    with contextlib.ExitStack() as stack:
        start(stack, ["sipp", "-sn", "uas", "-i", "127.0.0.1", "-p", called, "-nostdin",
                      "-buff_size", 4_000_000], directory)
        to = called
        for port in ports:
            file = directory / f"proxy-{port}.cfg"
            file.write_text(PROXY.format(port=port, to=to, modules=MODULES))
            run = directory / f"run-{port}"
            run.mkdir()
            start(stack, ["kamailio", "-f", file, "-DD", "-E", "-Y", run, "-m", 512, "-M", 16],
                  directory)
            to = port
        time.sleep(3)  # none of them says when it is ready
        yield to


def start(stack, command, directory):
    process = stack.enter_context(subprocess.Popen(
        [str(word) for word in command], cwd=directory, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True))
    stack.callback(end, process)


def end(process):
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, 15)
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)


def offer(directory, entry, rate):
    file = directory / "statistics.csv"
    file.unlink(missing_ok=True)
    calls = rate * SECONDS
    command = ["sipp", "-sn", "uac", f"127.0.0.1:{entry}", "-i", "127.0.0.1", "-p", free_udp_port(),
               "-r", rate, "-m", calls, "-l", 30_000, "-d", 0, "-nostdin", "-buff_size", 4_000_000,
               "-trace_stat", "-stf", file, "-fd", 1]
    with subprocess.Popen([str(word) for word in command], cwd=directory, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as client:
        try:
            client.wait(SECONDS + 17)
        except subprocess.TimeoutExpired:
            client.send_signal(2)  # it writes its last figures then
    with open(file, encoding="utf-8") as rows:
        *_, last = csv.DictReader(rows, delimiter=";")
    return {"rate": rate, "offered": calls, "successful": int(last["SuccessfulCall(C)"]),
            "failed": int(last["FailedCall(C)"]),
            "retransmissions": int(last["Retransmissions(C)"])}


def free_udp_port():
    return naming.free_port(kind=socket.SOCK_DGRAM)
