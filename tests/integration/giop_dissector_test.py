#!/usr/bin/env python3
"""deploy/wireshark/build-giop: its plug-in dissects every CORBA message of a lab's run.

idl2wrs makes the plug-in from the IDL, tshark reads the capture: neither uses our stubs.
"""

import importlib.machinery
import importlib.util
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from capturing import capture
from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import

BUILDER = ROOT / "deploy" / "wireshark" / "build-giop"
LAST_ADDRESS = ("127.254.253.251", 6)  # nobody listens there
NOBODY = 65534  # Debian's unprivileged user and group
GSMP = "6068"

# Operations that a run invokes.
ONEWAYS = {"submit_requests", "deliver_outcomes", "submit_hops", "deliver_results"}
TWO_WAY = {"attach_client", "attach_manager", "find_paths", "report_ports", "audit_switch",
           "audit_network", "status", "describe", "release"}
# Operations of the name service, which Wireshark dissects itself.
NAME_SERVICE = {"bind", "rebind", "resolve", "unbind", "bind_new_context", "list", "next_one",
                "next_n", "destroy"}
UNKNOWN_ENDPOINT = "2"  # cause_unknown_endpoint


class Dissector(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        if shutil.which("tshark") is None:
            raise unittest.SkipTest("NOT TESTED: tshark is not installed (./check installs it)")
        missing = builder().missing()
        if missing:
            raise unittest.SkipTest(f"NOT TESTED: packages are missing: {', '.join(missing)} "
                                    "(./check installs them)")
        cls.directory = Path(cls.enterClassContext(
            tempfile.TemporaryDirectory(prefix="xbind-giop-")))
        cls.directory.chmod(0o755)  # tshark() may run as another user
        cls.plugins = cls.directory / "plugins"
        built = run(BUILDER, cls.plugins, timeout=120)
        assert built.returncode == 0, built.stderr
        with capture(cls.directory / "giop.pcap", f"tcp and not port {GSMP}", LAST_ADDRESS,
                     ("-B", "32")) as cls.file, lab_up() as lab:
            cls.use(lab)
        cls.file.chmod(0o644)

    @classmethod
    def use(cls, lab):
        """Calls in batches, then two-way calls of most kinds; two of them are refused."""
        assert offer(lab, Load(calls=100, rate=400))[0].returncode == 0
        connected = tool(lab, "xbindctl", "connect", CALLER, CALLEE)
        assert connected.returncode == 0, connected.stderr
        cls.connection = connection_of(connected)
        refused = tool(lab, "xbindctl", "connect", CALLER, "nowhere")
        assert refused.returncode == 1, refused.stdout
        for words in (["describe", cls.connection], ["list"], ["status"], ["audit"], ["caches"],
                      ["links"], ["ports", MIDDLE], ["services"],
                      ["modify", cls.connection, "--cells-per-s", "500"],
                      ["release", cls.connection]):
            done = tool(lab, "xbindctl", *words)
            assert done.returncode == 0, (words, done.stderr)
        unknown = tool(lab, "xbindctl", "describe", cls.connection)
        assert unknown.returncode == 1, unknown.stdout

    def test_no_message_is_malformed_or_longer_than_its_arguments(self):
        for trouble in ("_ws.malformed && xbind", "xbind.left_over", "xbind.unknown_giop_msg",
                        "xbind.unknown_exception", "xbind.unknown_reply_status"):
            with self.subTest(trouble):
                self.assertEqual(self.read(trouble, "frame.number", "_ws.col.Info"), [])

    def test_every_request_is_dissected(self):
        """Requests that the plug-in passes over belong to the name service or to every object."""
        others = self.values("giop.request_op && !xbind", "giop.request_op")
        self.assertLessEqual({name for name in others if not name.startswith("_")}, NAME_SERVICE)

    def test_requests_and_replies_by_operation(self):
        requests = self.values("xbind && giop.type == 0", "xbind.operation")
        replies = self.values("xbind && giop.type == 1", "xbind.operation")
        self.assertLessEqual(ONEWAYS | TWO_WAY, requests)
        self.assertLessEqual(TWO_WAY, replies)
        self.assertFalse(ONEWAYS & replies)

    def test_arguments_by_name(self):
        self.assertIn(CALLER, self.values("xbind.operation == submit_requests",
                                          "xbind.ConnectRequest.from_end"))
        setups = self.read("xbind.operation == submit_hops && xbind.HopBatch.setups.size > 0",
                           "xbind.HopName.connection", "xbind.HopSetup.input_port",
                           "xbind.HopOwner.to_end")
        self.assertTrue(setups)
        for line in setups:
            self.assertTrue(all(line.values()), line)
        self.assertIn(CALLEE, {end for line in setups
                               for end in line["xbind.HopOwner.to_end"].split(",")})
        # The member of a union that the discriminator selects.
        self.assertIn(MIDDLE, self.values("xbind.RouteAnswer.is == 1",
                                          "xbind.RouteHop.switch_name"))

    def test_results_and_refusals_by_name(self):
        made = self.values("giop.replystatus == 0 && xbind.NewConnection.connection",
                           "xbind.NewConnection.connection")
        self.assertIn(self.connection, made)
        [refused] = self.read("giop.replystatus == 1 && xbind.Refusal.cause",
                              "xbind.Refusal.cause", "xbind.Refusal.element", "giop.exceptionid")
        self.assertEqual(refused["xbind.Refusal.cause"], UNKNOWN_ENDPOINT)
        self.assertEqual(refused["xbind.Refusal.element"], "nowhere")
        self.assertIn("/Refused:", refused["giop.exceptionid"])
        self.assertIn(self.connection,
                      self.values("xbind.operation == describe && giop.replystatus == 1",
                                  "xbind.UnknownConnection.connection"))

    def test_names_of_typed_constants(self):
        text = self.tshark("-Y", "xbind.operation == describe && giop.replystatus == 0",
                           "-O", "xbind")
        self.assertRegex(text, r"phase: phase_connected \(\d+\)")
        self.assertRegex(text, r"kind: label_atm \(1\)")

    def values(self, display_filter, field):
        """All values of a field. A frame may hold several messages."""
        return {value for line in self.read(display_filter, field)
                for value in line[field].split(",")}

    def read(self, display_filter, *fields):
        """The fields of each frame that passes the filter."""
        words = ["-Y", display_filter, "-T", "fields"]
        for name in fields:
            words += ["-e", name]
        return [dict(zip(fields, line.split("\t"))) for line in self.tshark(*words).splitlines()]

    def tshark(self, *words):
        """Reads the capture. Not as root: Wireshark loads only the system's plug-ins for root."""
        reader = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.getuid() == 0 else {}
        done = subprocess.run(["tshark", "-r", str(self.file), *words], capture_output=True,
                              text=True, timeout=120, check=False, cwd="/", **reader,
                              env={**os.environ, "WIRESHARK_PLUGIN_DIR": str(self.plugins),
                                   "HOME": "/nonexistent"})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout


def builder():
    """build-giop as a module."""
    loader = importlib.machinery.SourceFileLoader("build_giop", str(BUILDER))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("build_giop", loader))
    loader.exec_module(module)
    return module


if __name__ == "__main__":
    main()
