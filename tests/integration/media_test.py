#!/usr/bin/env python3
"""Cells through calls: callgen's --verify-media in labs of real processes. Their switches carry
cells in MPLS, or one in each datagram. Also a capture read by tshark, and switches that misdirect
cells.
"""

import contextlib
import re
import shutil
import socket
import tempfile
from pathlib import Path

from gsmp_client import Branch, GsmpClient
from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from labkit import control

# Cells of a checked call, and of a probe after its release (callgen/media/media_cells.hpp).
CHECK_CELLS, PROBE_CELLS = 8, 4
VIOLATIONS = ["lost", "out_of_order", "duplicated", "wrong_endpoint", "wrong_label", "corrupted",
              "after_release"]
MIXED = ROOT / "deploy" / "topologies" / "mixed.toml"
# From an ATM host to an MPLS host through one switch, or through two.
TWO_WAYS = """name = "two-ways"
[[switch]]
name = "host-a"
endpoint = true
[[switch]]
name = "short"
[[switch]]
name = "long-1"
[[switch]]
name = "long-2"
[[switch]]
name = "host-b"
endpoint = true
media = { labels = "mpls" }
""" + "".join(f"""
[[link]]
between = ["{a}", "{b}"]
cells-per-s = 353207
labels = "{labels}"
""" for a, b, labels in (("host-a", "short", "atm"), ("short", "host-b", "mpls"),
                         ("host-a", "long-1", "atm"), ("long-1", "long-2", "mpls"),
                         ("long-2", "host-b", "mpls"))) + """
[[demand]]
from = "host-a"
to = "host-b"
"""
PLAIN = 'cells = "plain"\n'
# Two hosts send to one over one port. The lines are slow, so that both have cells for a second.
LINE_CELLS_PER_S = 7064
TWO_INTO_ONE = 'name = "two-into-one"\n' + "".join(
    f'[[switch]]\nname = "{name}"\nendpoint = {str(name != "switch-1").lower()}\n'
    for name in ("host-a", "host-c", "switch-1", "host-b")) + "".join(
    f'[[link]]\nbetween = ["{ends[0]}", "{ends[1]}"]\ncells-per-s = {LINE_CELLS_PER_S}\n'
    for ends in (("host-a:2", "switch-1:1"), ("host-c:2", "switch-1:2"),
                 ("switch-1:3", "host-b:2")))


def verify(lab, load, *more):
    load.verify_media = True
    return offer(lab, load, *more)


class CellsArrive(unittest.TestCase):

    def assert_verified(self, done, summary, calls, directions=1):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        media = summary["media"]
        checked = media["calls_checked"]
        self.assertGreaterEqual(checked, min(calls, 100))
        self.assertLessEqual(checked, calls)
        self.assertEqual({name: media[name] for name in VIOLATIONS}, dict.fromkeys(VIOLATIONS, 0))
        self.assertEqual(media["cells_sent"], directions * CHECK_CELLS * checked)
        self.assertEqual(media["cells_received"], media["cells_sent"])
        self.assertEqual(media["probes_sent"], directions * PROBE_CELLS * checked)
        self.assertEqual(media["cells_not_sent"] + media["calls_uncheckable"], 0)
        return media

    def test_in_order_at_the_right_place_and_not_after_the_release(self):
        # 64 labels a port for 400 calls: most calls get a label that another call had before.
        with lab_up(labels_per_port=64) as lab:
            done, summary = verify(lab, Load(calls=400, rate=200))
            media = self.assert_verified(done, summary, 400)
            # At most 64 calls are the first on their label. The first 100 calls are all checked,
            # and at most 64 of them are the first.
            self.assertTrue(400 - 64 <= media["calls_on_reused_labels"] < 400, media)
            self.assertTrue(100 - 64 <= media["reused_checked"] < media["calls_checked"], media)
            self.assertIn(f"{media['cells_sent']:,}".replace(",", " ")
                          + " cells sent while the calls were up", done.stdout)
            self.assertIn("none after the release", done.stdout)

            done, summary = verify(lab, Load(calls=60, rate=200, seed=2), "--both")
            media = self.assert_verified(done, summary, 60, directions=2)
            self.assertEqual(media["calls_checked"], 60)  # all, because there are fewer than 100

            done, summary = verify(lab, Load(calls=30, rate=200), "--media-calls", "10")
            self.assertGreaterEqual(summary["media"]["calls_checked"], 10)
            self.assertLessEqual(summary["media"]["calls_checked"], 20)

            done, summary = offer(lab, Load(calls=20, rate=200))
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertNotIn("media", summary)

    def test_over_plain_lines(self):
        with tempfile.TemporaryDirectory() as directory:
            topology_file = Path(directory) / "plain.toml"
            text = PAPER_TOPOLOGY.read_text()
            text = re.sub(r"(cells-per-s = \d+\n)", r"\1" + PLAIN, text)
            topology_file.write_text(text.replace(
                'endpoint = true', 'media = { cells = "plain" }\nendpoint = true', 1))
            with lab_up(topology=topology_file) as lab:
                self.assertIn("plain:", lab.endpoints[CALLER])
                self.assertIn("mpls:", lab.endpoints[CALLEE])
                done, summary = verify(lab, Load(calls=150, rate=200))
                self.assert_verified(done, summary, 150)

    def test_over_atm_and_mpls_lines(self):
        """The middle switch changes the kind of label, both ways; ports and counts report it."""
        with lab_up(topology=MIXED, labels_per_port=64) as lab:
            self.assertIn("mpls:", lab.endpoints[CALLER])  # a pseudowire: it carries ATM labels
            self.assertIn("lsp:", lab.endpoints[CALLEE])
            done, summary = verify(lab, Load(calls=200, rate=200), "--both")
            media = self.assert_verified(done, summary, 200, directions=2)
            self.assertIn(media["calls_on_reused_labels"], range(200 - 64, 200))

            ports = tool(lab, "xbindctl", "ports", MIDDLE).stdout
            self.assertIn("0-0/32-95", ports)
            self.assertIn("mpls:16-79", ports)
            answer = tool(lab, "xbindctl", "connect", CALLER, CALLEE).stdout
            ingress, egress = re.search(r"ingress label (\S+), egress label (.+)$", answer).groups()
            self.assertRegex(ingress, r"^0/\d+$")
            self.assertRegex(egress, r"^mpls \d+$")
            hop = next(
                line for line
                in tool(lab, "xbindctl", "describe", answer.split()[0]).stdout.splitlines()
                if MIDDLE in line)
            incoming, outgoing = re.search(r"port 1 label (\S+) +-> port 2 label (.+)$",
                                           hop).groups()
            self.assertIn(f"port 1 label {incoming}: 0 cells in",
                          tool(lab, "xbindctl", "count", MIDDLE, "1", incoming).stdout)
            label = outgoing.strip()
            counted = tool(lab, "xbindctl", "count", CALLEE, "2", label.replace(" ", ":")).stdout
            self.assertIn(f"port 2 label {label}: 0 cells in", counted)

    def test_around_a_switch_that_cannot_change_the_kind_of_label(self):
        """The short path's switch refuses with 14; the manager cranks back to the long path."""
        with tempfile.TemporaryDirectory() as directory:
            topology_file = Path(directory) / "two-ways.toml"
            topology_file.write_text(TWO_WAYS)
            with lab_up(topology=topology_file,
                        more={"xbind-switch": [("short", "one-kind", "true")]}) as lab:
                done, summary = verify(lab, Load(calls=100, rate=100))
                self.assert_verified(done, summary, 100)
                connection = connection_of(tool(lab, "xbindctl", "connect", CALLER, CALLEE))
                hops = tool(lab, "xbindctl", "describe", connection).stdout
                self.assertIn("long-1", hops)
                self.assertNotIn("short", hops)
                status = tool(lab, "xbindctl", "status").stdout
                self.assertGreaterEqual(counter(status, "crankbacks"), 101)  # of each call
                tool(lab, "xbindctl", "release", connection)

    @unittest.skipUnless(shutil.which("tshark"), "NOT TESTED: tshark is not installed")
    def test_tshark_reads_a_capture_of_it(self):
        with contextlib.ExitStack() as stack:
            directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            lab = stack.enter_context(lab_up())
            for form in ("erf", "pcap"):
                file = directory / f"cells.{form}"
                done, summary = verify(lab, Load(calls=20, rate=200, capture=file))
                media = self.assert_verified(done, summary, 20)
                cells = run("tshark", "-n", "-r", file, "-Y", "erf.types.type == 3", "-T", "fields",
                            "-e", "erf.flags.cap", "-e", "atm.vpi", "-e", "atm.vci")
                self.assertEqual(cells.returncode, 0, cells.stderr)
                rows = [line.split() for line in cells.stdout.splitlines()]
                self.assertEqual(len(rows), media["cells_sent"] + media["probes_sent"]
                                 + media["cells_received"])
                self.assertTrue(all(int(vci) >= 32 for _, _, vci in rows), rows[:3])
                # 8 cells are 5 frames of one cell and one of three; a probe's 4 cells are a frame
                # each.
                frames = run("tshark", "-n", "-r", file, "-V").stdout
                sent = 20 * (6 + 4)
                self.assertEqual(len(re.findall(r"AAL5 CRC: 0x[0-9a-f]+ \(correct\)", frames)),
                                 sent + 20 * 6)
                self.assertNotIn("incorrect", frames)


class PlainHost:
    """A host that sends cells over its pseudowire (RFC 4717, N-to-one) as fast as its switch reads
    them."""

    DATAGRAM, AT_ONCE = 25, 1000  # cells in one; cells that the switch has not read yet

    def __init__(self, lab, name):
        own, peer, label = re.fullmatch(r"mpls:(.+)/(.+)/(\d+)", lab.endpoints[name]).groups()
        address = lambda text: (text.rpartition(":")[0], int(text.rpartition(":")[2]))  # noqa: E731
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(address(own))
        self.peer = address(peer)
        self.head = (int(label) << 12 | 1 << 8 | 64).to_bytes(4, "big") + bytes(4)
        self.read = lambda: statistics_of(lab, name, 1)["input_cells"]

    def send(self, cells):
        for sent in range(0, len(cells), self.AT_ONCE):
            part = cells[sent:sent + self.AT_ONCE]
            for at in range(0, len(part), self.DATAGRAM):
                self.socket.sendto(self.head + b"".join(part[at:at + self.DATAGRAM]), self.peer)
            wait_until(lambda now=sent + len(part): self.read() >= now, "the switch has read them")
            yield


def statistics_of(lab, node, port):
    """The counters of a port of an emulated switch."""
    answer, = control.tell(lab.process_of("xbind-switch", node), [f"@{node} statistics {port}"])
    return {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", answer)}


class AdmittedCellsArrive(unittest.TestCase):
    """What a SwitchServer admits, its switch queues: as many videos of docs/qos.md as the bandwidth
    of a port has room for send a frame, all at the same time, and no cell is lost."""

    VIDEOS, FRAME_CELLS = 37, 188  # of each host

    def labels_of_videos(self, lab, host):
        """The ingress labels of the calls that were admitted."""
        labels = []
        for _ in range(self.VIDEOS):
            done = tool(lab, "xbindctl", "connect", host, "host-b", "--frames-per-1000-s", "500",
                        "--frame-octets", "9000")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            labels.append(int(re.search(r"ingress label 0/(\d+)", done.stdout)[1]))
        return labels

    def test_two_hosts_fill_the_line_to_a_third(self):
        with contextlib.ExitStack() as stack:
            file = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "two-into-one.toml"
            file.write_text(TWO_INTO_ONE)
            lab = stack.enter_context(lab_up(topology=file))
            cells = {host: [(vci << 4).to_bytes(4, "big") + bytes(48)
                            for vci in self.labels_of_videos(lab, host)
                            for _ in range(self.FRAME_CELLS)]
                     for host in ("host-a", "host-c")}
            hosts = {name: PlainHost(lab, name) for name in cells}
            for host in hosts.values():
                stack.callback(host.socket.close)
            for _ in zip(*(hosts[name].send(cells[name]) for name in cells)):
                pass  # both have sent their next cells
            total = 2 * self.VIDEOS * self.FRAME_CELLS
            counted = wait_until(
                lambda: (now := statistics_of(lab, "host-b", 1))["output_cells"]
                + sum(statistics_of(lab, *port)["output_discards"] for port in self.PORTS) == total
                and now, "every cell has arrived or is counted as lost", timeout_s=60)
            self.assertEqual({port: statistics_of(lab, *port)["output_discards"]
                              for port in self.PORTS}, dict.fromkeys(self.PORTS, 0))
            self.assertEqual(counted["output_cells"], total)
            # More than a queue held before ports had the buffer that is booked, and not more than
            # was admitted.
            most = statistics_of(lab, "switch-1", 3)["queued_most"]
            self.assertTrue(1024 < most <= total, most)

    PORTS = (("host-a", 2), ("host-c", 2), ("switch-1", 3), ("host-b", 1))


class CellsGoAstray(unittest.TestCase):
    """Another controller has branches in the switches, on labels that calls will get."""

    LABELS = range(32, 64)

    def astray(self, node, make):
        """A run of 20 calls in a lab in which `make` adds a branch for each label at `node`."""
        with lab_up(labels_per_port=len(self.LABELS)) as lab:
            with GsmpClient(switch_address(lab, node)) as switch:
                for vci in self.LABELS:
                    switch.add(make((0, vci)))
            # Few calls at a time: there are few labels, and each has a second branch.
            done, summary = verify(lab, Load(calls=20, rate=100))
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertEqual(summary["setups"]["connected"], 20, done.stdout)
        self.assertIn("cells did not arrive as they should", done.stdout)
        self.assertIn("WRONG", done.stdout)
        return summary["media"], done.stdout

    def test_to_a_wrong_label(self):
        media, said = self.astray(CALLEE, lambda label: Branch(2, label, 1, (0, 900)))
        self.assertEqual(media["wrong_label"], media["cells_sent"])
        self.assertEqual(media["lost"] + media["wrong_endpoint"] + media["after_release"], 0)
        self.assertEqual(media["calls_failed"], media["calls_checked"])
        self.assertIn("a cell came to host-b 0/900", said)

    def test_back_to_the_caller(self):
        # host-a's port 1 leads to its host: cells that enter there also come back out.
        media, said = self.astray(CALLER, lambda label: Branch(1, label, 1, (0, 901)))
        self.assertEqual(media["wrong_endpoint"], media["cells_sent"])
        self.assertEqual(media["lost"] + media["wrong_label"], 0)
        self.assertIn("a cell came to host-a 0/901", said)
        # These branches outlive the calls.
        self.assertEqual(media["after_release"], media["probes_sent"])
        self.assertIn("after its release a cell came to host-a 0/901", said)


if __name__ == "__main__":
    main()
