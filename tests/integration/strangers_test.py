#!/usr/bin/env python3
"""What strangers send: invalid names, very many names, and replies that must stay short."""

import os
import re
import resource
import signal
import socket
import time
from pathlib import Path

import giop
from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import

MEGABYTE = 1_000_000
CALLS = 4_000  # about 300 octets each in a list
CONNECTED, REFUSED = 0, 1
INVALID_REQUEST, UNKNOWN_ENDPOINT = 1, 2
FORGED = "x\n2026-01-01 00:00:00.000 error xbind-cmgr default: all is lost \x1b[2J"


def remote(lab, path, timeout_s=20.0):
    return giop.Remote(tool(lab, "nameclt", "resolve", path).stdout, timeout_s)


def last_connection(reader, count):
    """Reads `count` ConnectionStates; returns the id of the last."""
    connection = 0
    for _ in range(count):
        connection = reader.number("Q")
        reader.number("B")
        reader.number("I")
        reader.string()
        reader.number("Q")
        reader.string()
        reader.string()
        for _ in range(4):
            reader.number("Q")
        for _ in range(reader.number("I")):
            reader.string()
        for _ in range(reader.number("I")):
            reader.number("H")
            reader.number("H")
            reader.string()
            for form in "IBIIBI":
                reader.number(form)
        reader.number("I")
        reader.number("B")
        reader.string()
        for _ in ("up_since_s", "changed_s"):
            reader.number("Q")
        reader.string()  # missing
    return connection


def labels_of_page(reader):
    """Reads a LedgerPage without hops: the audit's number, cached labels, whether more follows."""
    audit, labels = reader.number("Q"), 0
    for _ in range(reader.number("I")):
        reader.number("B")
        reader.string()
        reader.string()
        reader.number("Q")
    for cached in (True, False):
        for _ in range(reader.number("I")):
            reader.number("I")
            count = reader.number("I")
            labels += count if cached else 0
            for _ in range(count):
                reader.number("B")
                reader.number("I")
    assert reader.number("I") == 0, "hops"
    assert reader.number("I") == 0, "owners"
    reader.number("Q")
    return audit, labels, reader.number("B") != 0


def connect(manager, from_end, to_end):
    def write(out):
        out.string(from_end).string(to_end)
        giop.service(out, 1)
    status, reader, _ = manager.invoke("connect", write)
    if status == giop.NO_EXCEPTION:
        return CONNECTED, reader.number("Q"), 0, ""
    assert status == giop.USER_EXCEPTION, status
    assert "Refused" in reader.string()
    return REFUSED, 0, *giop.refusal(reader)


class Strangers(InOneLab):

    # A stranger may have all labels of a port.
    LAB = {"labels_per_port": 65_504,
           "more": {"xbind-switchserver": [(None, "unused-percent", 100)]}}

    def manager(self):
        manager = remote(self.lab, "xbind/cmgr/default")
        self.addCleanup(manager.close)
        return manager

    def log_of(self, program):
        return self.lab.processes[program].output()

    def status(self):
        return tool(self.lab, "xbindctl", "status").stdout

    def attachment(self, name):
        """Arguments of attach; the observer is some existing object."""
        host, port, key = giop.parse_ior(
            tool(self.lab, "nameclt", "resolve", "xbind/cmgr/default").stdout)

        def write(out):
            out.string(name).ulonglong(1).ulong(giop.PROTOCOL).reference(host, port, key)
        return write

    def test_many_unknown_endpoints_leave_nothing_behind(self):
        manager = self.manager()
        before = counter(self.status(), "rss_kib")
        for number in range(5_000):
            kind, _, cause, element = connect(manager, CALLER, f"nobody-{number}")
            self.assertEqual((kind, cause, element.split()[0]),
                             (REFUSED, UNKNOWN_ENDPOINT, f"nobody-{number}"))
        status = self.status()
        self.assertLess(counter(status, "routes_cached"), 1_000)
        if MEMORY_COUNTS:
            self.assertLess(counter(status, "rss_kib") - before, 20_000)
        caches = tool(self.lab, "xbindctl", "caches")
        self.assertEqual(caches.returncode, 0, caches.stderr)
        self.assertNotIn("nobody-", caches.stdout)

    def test_a_name_of_100_kilobytes_is_refused_and_not_kept(self):
        manager = self.manager()
        before = counter(self.status(), "rss_kib")
        for number in range(600):
            kind, _, cause, element = connect(manager, f"{number}-" + "x" * 100_000, CALLEE)
            self.assertEqual((kind, cause), (REFUSED, INVALID_REQUEST))
            self.assertLess(len(element), 300)
            self.assertIn("more than 63", element)
        if MEMORY_COUNTS:
            self.assertLess(counter(self.status(), "rss_kib") - before, 20_000)

    def test_a_newline_in_a_clients_name_forges_no_log_line(self):
        manager = self.manager()
        status, reader, _ = manager.invoke("attach_client", self.attachment(FORGED))
        self.assertEqual(status, giop.USER_EXCEPTION)
        self.assertIn("BadRequest", reader.string())
        self.assertIn(r"the client 'x\n2026", reader.string())
        for line in self.log_of("xbind-cmgr").splitlines():
            self.assertFalse(line.endswith("all is lost \x1b[2J"), line)

    def test_what_is_no_name_is_refused_by_name_at_every_door(self):
        manager = self.manager()
        kind, _, cause, element = connect(manager, "host\x1b[2J-a", CALLEE)
        self.assertEqual((kind, cause), (REFUSED, INVALID_REQUEST))
        self.assertIn(r"the endpoint 'host\x1b[2J-a' is no name: '\x1b' at octet 5", element)
        reported = tool(self.lab, "xbindctl", "connect", "host\x1b[2J-a", CALLEE)
        self.assertEqual(reported.returncode, 1)
        self.assertIn(r"the endpoint 'host\x1b[2J-a' is no name", reported.stderr)
        self.assertNotIn("\x1b", reported.stdout + reported.stderr)
        for command in (["prepare", "a b", CALLEE, "--count", "1"], ["routes", CALLER, "b\nb"],
                        ["drain", "a\tb"], ["forget-manager", MIDDLE, "m\x07"]):
            reported = tool(self.lab, "xbindctl", *command)
            self.assertEqual(reported.returncode, 1, reported.stdout)
            self.assertIn("is no name", reported.stderr)
            self.assertRegex(reported.stderr, r"^([ -~]*\n)+$")
        routes = remote(self.lab, "xbind/routeobject/default")
        self.addCleanup(routes.close)

        def report(out):
            out.string("\x1b]0;title\x07").ulonglong(1).ulonglong(1).ulong(0)
        status, reader, _ = routes.invoke("report_ports", report)
        self.assertEqual(status, giop.USER_EXCEPTION)
        reader.string()
        self.assertIn("is no name", reader.string())

    def test_every_page_of_a_long_list_is_below_a_megabyte(self):
        manager = self.manager()
        for _ in range(CALLS):
            kind, _, _, element = connect(manager, CALLER, CALLEE)
            self.assertEqual(kind, CONNECTED, element)
        seen, after, pages = 0, 0, 0
        while True:
            status, reader, octets = manager.invoke(
                "list_connections", lambda out, last=after: out.ulonglong(last).ulong(10_000))
            self.assertEqual(status, giop.NO_EXCEPTION)
            self.assertLess(octets, MEGABYTE)
            count = reader.number("I")
            if count == 0:
                break
            seen, pages, after = seen + count, pages + 1, last_connection(reader, count)
        self.assertEqual(seen, CALLS)
        self.assertGreater(pages, 1)
        listed = tool(self.lab, "xbindctl", "list")
        self.assertEqual(len(listed.stdout.splitlines()), CALLS + 1)  # with the header


    def test_every_page_of_an_audit_is_below_a_megabyte(self):
        switch = remote(self.lab, f"xbind/switchserver/{MIDDLE}")
        self.addCleanup(switch.close)
        status, reader, _ = switch.invoke("attach_manager", self.attachment("hoarder"))
        self.assertEqual(status, giop.NO_EXCEPTION)
        session, granted = reader.number("Q"), 0
        for port in (1, 2):
            status, reader, octets = switch.invoke(
                "grant", lambda out, at=port: out.ulonglong(session).ulong(at).ulong(65_504)
                .ulonglong(0).ulonglong(0))
            self.assertEqual(status, giop.NO_EXCEPTION)
            self.assertLess(octets, MEGABYTE)
            granted += reader.number("I")
        self.assertGreater(8 * granted, MEGABYTE)  # otherwise nothing is tested here
        listed, more, pages = 0, True, 0
        status, reader, octets = switch.invoke("audit_switch", lambda out: out.string("hoarder"))
        while True:
            self.assertEqual(status, giop.NO_EXCEPTION)
            self.assertLess(octets, MEGABYTE)
            audit, labels, more = labels_of_page(reader)
            listed, pages = listed + labels, pages + 1
            if not more:
                break
            status, reader, octets = switch.invoke(
                "audit_page", lambda out, number=audit: out.ulonglong(number))
        self.assertEqual(listed, granted)
        self.assertGreater(pages, 1)
        switch.invoke("detach_manager", lambda out: out.ulonglong(session))


class VeryLargeNetwork(unittest.TestCase):

    def test_no_reply_about_30_000_demands_exceeds_a_megabyte(self):
        nodes = [f"node-{number:03}" for number in range(180)]
        text = 'name = "large"\n'
        text += "".join(f'[[switch]]\nname = "{node}"\nendpoint = true\n' for node in nodes)
        text += "".join(f'[[link]]\nbetween = ["{one}", "{other}"]\ncells-per-s = 1\n'
                        for one, other in zip(nodes, nodes[1:]))
        text += "".join(f'[[demand]]\nfrom = "{one}"\nto = "{other}"\n'
                        for one in nodes for other in nodes if one != other)
        with planned_lab() as lab:
            with planning(lab):
                file = lab.options.state_dir / "large.toml"
                file.write_text(text)
                router = lab.processes["xbind-routeobject"]
                router.command[router.command.index("--topology") + 1] = str(file)
                lab.start("omniNames")
                lab.wait_ready(lab.processes["omniNames"])
            lab.start("xbind-routeobject")
            lab.wait_ready(router)
            routes = remote(lab, "xbind/routeobject/default")
            self.addCleanup(routes.close)
            seen, pages = 0, 0
            while True:
                status, reader, octets = routes.invoke(
                    "demands", lambda out, first=seen: out.ulong(first).ulong(10_000))
                self.assertEqual(status, giop.NO_EXCEPTION)
                self.assertLess(octets, MEGABYTE)
                count = reader.number("I")
                if count == 0:
                    break
                seen, pages = seen + count, pages + 1
            self.assertEqual(seen, 180 * 179)
            self.assertGreater(pages, 1)


LIMIT = 1_024
IDLE = 1_000  # connections to each port


def listening_ports(pid):
    """The TCP ports on which a process listens."""
    inodes = set()
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        found = re.fullmatch(r"socket:\[(\d+)\]", os.readlink(entry))
        if found:
            inodes.add(found.group(1))
    lines = [line.split() for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]]
    return sorted(int(words[1].partition(":")[2], 16) for words in lines
                  if words[3] == "0A" and words[9] in inodes)


def soft_limit(pid):
    return resource.prlimit(pid, resource.RLIMIT_NOFILE)[0]


class FewDescriptors(unittest.TestCase):
    """A manager under `ulimit -n 1024`, which it cannot raise."""

    def setUp(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard < 3 * IDLE:
            self.skipTest(f"NOT TESTED: this process may have {hard} descriptors")
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        self.lab = self.enterContext(planned_lab())
        with planning(self.lab):
            self.manager = self.lab.processes["xbind-cmgr"]
            self.limit(self.manager, f"-n {LIMIT}")
            self.limit(self.lab.processes["xbind-routeobject"], f"-Sn {LIMIT}")
            self.lab.start_all(lambda text: None)

    @staticmethod
    def limit(process, option):
        process.command = ["bash", "-c", f'ulimit {option}; exec "$@"', "bash", *process.command]

    def idle(self, port):
        for _ in range(IDLE):
            peer = socket.socket()
            self.addCleanup(peer.close)
            peer.setblocking(False)
            peer.connect_ex(("127.0.0.1", port))

    # A crowded process closes a connection that stays silent for 250 ms: a sanitized xbindctl may
    # need longer between its connect and its first octet.
    @unittest.skipUnless(MEMORY_COUNTS, "NOT TESTED: needs processes of their usual speed")
    def test_a_thousand_idle_connections_to_every_port_stop_no_call(self):
        self.assertEqual(soft_limit(self.manager.pid), LIMIT)
        self.assertGreater(soft_limit(self.lab.processes["xbind-routeobject"].pid), LIMIT)
        ports = listening_ports(self.manager.pid)
        self.assertEqual(len(ports), 2)
        for port in ports:
            self.idle(port)
        for _ in range(10):
            begun = time.monotonic()
            reported = tool(self.lab, "xbindctl", "connect", CALLER, CALLEE,
                        "--call-timeout-ms", "5000")
            self.assertEqual(reported.returncode, 0,
                             f"{time.monotonic() - begun:.1f} s, {reported.stderr}")
        done, summary = offer(self.lab, Load(calls=200, rate=200, hold=0.1))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(summary["setups"]["connected"], 200)
        wait_until(lambda: len(os.listdir(f"/proc/{self.manager.pid}/fd")) < 200,
                   "strangers' connections are closed")
        log = self.manager.output()
        self.assertEqual(log.count("few file descriptors left: "), 1, log)
        self.assertRegex(log, r"closed \d+ idle connections without a session")


class NobodyWaits(InOneLab):
    """Callers that give up before the manager answers."""

    def setUp(self):
        self.pid = self.lab.processes["xbind-cmgr"].pid

    def stop(self):
        suspend(self.pid)
        self.addCleanup(os.kill, self.pid, signal.SIGCONT)

    def connections(self):
        return tool(self.lab, "xbindctl", "list").stdout.splitlines()[1:]  # without the header

    def test_xbindctl_says_how_its_request_is_found_again(self):
        self.stop()
        begun = time.monotonic()
        reported = tool(self.lab, "xbindctl", "--call-timeout-ms", "500", "connect", CALLER, CALLEE)
        self.assertEqual(reported.returncode, 1)
        self.assertLess(time.monotonic() - begun, 5)
        found = re.search(r"whether request (\d+) was carried out is not known: "
                          r"`xbindctl (outcome '\(two-way\)' \1)` shows it", reported.stderr)
        self.assertTrue(found, reported.stderr)
        os.kill(self.pid, signal.SIGCONT)
        outcome = ["outcome", "(two-way)", found.group(1)]
        connected = wait_until(lambda: tool(self.lab, "xbindctl", *outcome).stdout,
                               "its outcome is remembered")
        released = tool(self.lab, "xbindctl", "release", connected.split()[0])
        self.assertEqual(released.returncode, 0, released.stderr)
        self.assertEqual(self.connections(), [])
        never = tool(self.lab, "xbindctl", "outcome", "(two-way)", "77")
        self.assertEqual(never.returncode, 1)
        self.assertIn("no outcome of request 77", never.stderr)

    def test_a_plain_connect_that_nobody_waits_for_is_released(self):
        manager = remote(self.lab, "xbind/cmgr/default")
        connect(manager, CALLER, CALLEE)  # its caller waits, so it stays
        self.assertEqual(len(self.connections()), 1)
        self.stop()

        def write(out):
            out.string(CALLER).string(CALLEE)
            giop.service(out, 1)
        manager.send("connect", write)
        manager.close()
        os.kill(self.pid, signal.SIGCONT)
        wait_until(lambda: "is released: its two-way caller gave up"
                   in self.lab.processes["xbind-cmgr"].output(), "the log says so")
        wait_until(lambda: len(self.connections()) == 1, "the unclaimed connection is released")
        kept = self.connections()[0].split()[0]
        tool(self.lab, "xbindctl", "release", kept)


if __name__ == "__main__":
    main()
