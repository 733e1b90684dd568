#!/usr/bin/env python3
"""deploy/wireshark/gsmp.lua: tshark dissects every worked message of the protocol sheet. The
expected table was written by hand from the sheet and RFC 3292's pictures, not by our codec.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

from gsmp_vectors import make_capture, vectors
from harness import ROOT, main, unittest

DISSECTOR = ROOT / "deploy" / "wireshark" / "gsmp.lua"

CONTROLLER, SWITCH = "02:00:00:0a:00:01", "02:00:00:0b:00:01"
NOBODY = "00:00:00:00:00:00"
PORT1, PORT2 = "0x5eed0001", "0x5eed0002"
REQUEST, SUCCESS, FAILURE = "2", "3", "4"


def adjacency(code, sender, receiver, **more):
    """Both ends: name, port, instance."""
    keys = ("name", "port", "instance")
    return {"type": "10", "length": None, "timer": "10", "m": "0", "adjacency.code": code,
            **{f"sender_{key}": value for key, value in zip(keys, sender)},
            **{f"receiver_{key}": value for key, value in zip(keys, receiver)},
            "ptype": "0", "pflag": "1", "partition": "0", **more}


def message(kind, result, transaction, length, code="0", **fields):
    return {"type": str(kind), "result": result, "code": code, "transaction": str(transaction),
            "length": str(length), "partition": "0", "i": "1", "submessage": "1", **dotted(fields)}


def event(kind, length="32", result="0", **fields):
    return {"type": str(kind), "result": result, "transaction": "0", "length": length,
            **dotted(fields)}


def dotted(fields):
    """tc__u is the field tc.u."""
    return {name.replace("__", "."): value for name, value in fields.items()}


MASTER = (CONTROLLER, "1", "0x000a1b2c")
SLAVE = (SWITCH, "16", "0x003d4e5f")
UNKNOWN = (NOBODY, "0", "0x00000000")
BRANCH = {"session": PORT1, "reservation": "0", "input_port": "1", "output_port": "2", "iqs": "0",
          "oqs": "0", "n": "1", "o": "0", "p_shared": "0", "input_label": "0/100",
          "output_label": "0/200", "input_priority": "0", "output_priority": "0",
          "to_multipoint": "0", "bidirectional": "0", "from_multipoint": "0", "replace": "0"}
CBR = {**BRANCH, "iqs": "2", "oqs": "2", "p_shared": "1", "input_label": "0/101",
       "output_label": "0/201", "service": "1,1", "capability_set": "1,1", "tc.u": "1", "tc.d": "0",
       "tc.i": "0", "tc.e": "0", "tc.s": "0", "tc.v": "0", "tc.p": "0", "pcr": "4528",
       "cdvt": "250", "input_priority": "", "output_priority": ""}
MANAGE = {"port": "1", "event_sequence": "0", "duration": "0", "event_flags": "0x0000",
          "flow_flags": "0x0000", "rate": "0"}

EXPECTED = {
    "A1": adjacency("1", MASTER, UNKNOWN, m="1"),
    "A2": adjacency("1", SLAVE, UNKNOWN),
    "A3": adjacency("2", SLAVE, MASTER),
    "A4": adjacency("2", MASTER, SLAVE),
    "A5": adjacency("3", MASTER, SLAVE),
    "A6": adjacency("3", SLAVE, MASTER),
    "A7": adjacency("4", MASTER, SLAVE),
    "A8": adjacency("1", MASTER, UNKNOWN, m="1", ptype="1", pflag="2", partition="7"),
    "C1": message(64, REQUEST, 1, 32, mtype="0,0,0,0", window="0"),
    "C2": message(64, SUCCESS, 1, 32, mtype="0,0,0,0", firmware="0x0100", window="256",
                  switch_type="0x5842", switch_name=SWITCH, max_reservations="1024"),
    "C3": message(65, REQUEST, 2, 16, port="1"),
    "C4": message(65, SUCCESS, 2, 84, port="1", session=PORT1, event_sequence="0",
                  event_flags="0x0000", attributes="0x0000", port_type="1", service_data="1",
                  data_length="52", attr__p="1", attr__m="1", attr__l="1", attr__r="1", attr__q="0",
                  ranges="1", range__length="16", min_label="0/32", max_label="0/1023",
                  receive_rate="353207", rate="353207", port_status="1", line_type="37",
                  line_status="1", priorities="4", slot="0", physical_port="1", services="3",
                  service="1,5,8", capability_set="1,1,1"),
    "C13": message(65, SUCCESS, 0x0f, 92, port="1", port_type="3", service_data="1", attr__p="",
                   attr__m="1", attr__r="1", ranges="2", min_label="mpls 16,mpls 70000",
                   max_label="mpls 1023,mpls 1048575", line_type="166", services="1"),
    "C5": message(66, REQUEST, 3, 16, port="0"),
    "C6": message(67, REQUEST, 4, 12),
    "C7": message(67, SUCCESS, 4, 48, records="2", service="1,8", capability_sets="1,1",
                  capability_set="1,1", control__u="2,0", control__d="0,1", control__i="0,0",
                  control__e="1,0", control__s="0,0", control__v="0,2", clr="9,255", ctd="500,0",
                  cdv="100,0", frequency="0,0"),
    "B1": message(16, REQUEST, 0x101, 56, **BRANCH),
    "B2": message(16, SUCCESS, 0x101, 56, **BRANCH),
    "B3": message(16, FAILURE, 0x101, 56, code="5", code__name="invalid port session number",
                  **BRANCH),
    "B4": message(16, REQUEST, 0x102, 68, **CBR),
    "B5": message(16, "1", 0x103, 56, **{**BRANCH, "input_label": "0/102", "output_label": "0/202",
                                         "bidirectional": "1"}),
    "B6": message(26, REQUEST, 0x104, 56, **{**BRANCH, "input_label": "5/0", "output_label": "9/0",
                                             "to_multipoint": "1"}),
    "B7": message(16, REQUEST, 0x105, 56, **{**BRANCH, "input_label": "0/103",
                                             "output_label": "mpls 1043915"}),
    "D1": message(17, REQUEST, 0x201, 48, elements="1", element__error="0", element__length="32",
                  session=PORT1, input_port="1", output_port="2", input_label="0/100",
                  output_label="0/200"),
    "D2": message(17, SUCCESS, 0x201, 16, elements="0"),
    "D3": message(17, FAILURE, 0x202, 80, code="10", elements="2", element__error="0,11",
                  element__length="32,32", session=f"{PORT1},{PORT1}", input_port="1,1",
                  output_port="2,2", input_label="0/100,0/555", output_label="0/200,0/655"),
    "D4": message(18, REQUEST, 0x203, 56, session=PORT1, input_port="1", input_label="0/100",
                  output_label="none", output_port="0"),
    "D5": message(20, REQUEST, 0x204, 56, session=PORT1, input_port="1", input_label="none",
                  output_label="none"),
    "M1": message(22, REQUEST, 0x301, 64, session=PORT1, input_port="1", old_output_port="2",
                  new_output_port="3", n="1", input_label="0/100", old_output_label="0/200",
                  new_output_label="0/300"),
    "R1": message(70, REQUEST, 0x401, 76, session=PORT1, reservation="7", input_port="1",
                  output_port="2", service="5,5", capability_set="1,1", iqs="2", oqs="2",
                  p_shared="1", input_label="none", output_label="0/210", tc__u="0", pcr="20000",
                  cdvt="100", scr="5000", mbs="50"),
    "R2": message(71, REQUEST, 0x402, 20, session=PORT1, reservation="7"),
    "R3": message(72, REQUEST, 0x403, 12),
    "P1": message(32, REQUEST, 0x501, 36, session=PORT1, function="1", replace="0", **MANAGE),
    "P2": message(32, SUCCESS, 0x501, 36, session="0x5eed0011", function="1", **MANAGE),
    "P3": message(32, REQUEST, 0x502, 36, session="0x5eed0011", function="7",
                  **{**MANAGE, "event_flags": "0x4000"}),
    "L1": message(33, REQUEST, 0x503, 44, port="1", session=PORT1, query="1", multipoint="0",
                  disjoint="0", ranges="1", range__length="20", range__v="0", range__c="0",
                  min_label="0/0", max_label="0/0", remaining_vpis="0", remaining_vcis="0"),
    "L2": message(33, SUCCESS, 0x503, 44, port="1", session=PORT1, query="1", ranges="1",
                  min_label="0/32", max_label="0/1023", remaining_vpis="0", remaining_vcis="3072"),
    "L5": message(33, SUCCESS, 0x506, 64, disjoint="1", ranges="2",
                  min_label="mpls 16,mpls 70000", remaining="1000,978576", remaining_vpis=""),
    "S1": message(49, REQUEST, 0x601, 24, port="1", label="none"),
    "S2": message(52, REQUEST, 0x602, 24, input_port="1", all="1", all_vpi="0", input_label="0/0"),
    "S3": message(52, SUCCESS, 0x602, 44, input_port="1", sequence="0", all="1", all_vpi="0",
                  vpc="0", record__count="1", record__length="12", input_label="0/100",
                  output_port="2", output_label="0/200"),
    "E1": event(81, port="2", session=PORT2, event_sequence="1", label="none"),
    "E2": event(80, port="2", session="0x5eed0022", event_sequence="2", label="none"),
    "E3": event(82, result="6", port="1", session=PORT1, event_sequence="1", label="0/999"),
    "E5": event(82, port="3", session=PORT1, event_sequence="2", label="mpls 1043915"),
    "E4": event(85, adjacencies="2", code="", port="0", session="0x00000000", event_sequence="0"),
    "F1": message(19, FAILURE, 0x701, 56, code="3", code__name="not implemented",
                  body="5eed00010000000000000001000000000000000000000000000000000100000400000064"
                       "0000000000000000"),
    "V1": {"version": "1", "type": "10", "length": None, "adjacency.code": "1", "timer": "",
           "m": "", "sender_name": CONTROLLER, "receiver_name": NOBODY, "sender_port": "1",
           "receiver_port": "0", "sender_instance": "0x0a1b2c3d",
           "receiver_instance": "0x00000000"},
    "V4": {"version": "2", "type": "10", "length": None, "adjacency.code": "1", "timer": "10",
           "m": "1", "sender_name": CONTROLLER, "receiver_name": NOBODY, "sender_port": "1",
           "receiver_port": "0", "sender_instance": "0x0a1b2c3d",
           "receiver_instance": "0x00000000"},
    "V2": {"version": "1", "type": "16", "result": "2", "code": "0", "transaction": "257",
           "length": None, "session": PORT1, "input_port": "1", "input_label": "0/100",
           "output_port": "2", "output_label": "0/200", "branches": "0", "priority": "1"},
    "V3": {"version": "1", "type": "81", "result": "0", "code": "0", "transaction": "0",
           "length": None, "port": "2", "session": PORT2, "event_sequence": "1", "label": "0/0"},
    "X1": message(227, SUCCESS, 0x801, 32, port="2", session=PORT2, sr__dimension="2",
                  sr__planes_a="1", sr__planes_b="0", sr__a="78,31"),
}
INFO = {
    "A1": "Adjacency SYN", "A7": "Adjacency RSTACK",
    "B1": "Add Branch request, 0/100 -> 0/200, tid 257",
    "B2": "Add Branch success, 0/100 -> 0/200, tid 257",
    "B3": "Add Branch failure: invalid port session number, 0/100 -> 0/200, tid 257",
    "B5": "Add Branch request (no success ack), 0/102 -> 0/202, tid 259",
    "P1": "Port Management request, Bring Up, tid 1281",
    "E1": "Port Down event, port 2", "E3": "Invalid Label event (return receipt), port 1",
    "V2": "Add Branch request, 0/100 -> 0/200, tid 257",
}
TROUBLE = ["_ws.malformed", "_ws.lua.error", "_ws.expert.message", "gsmp.more_octets",
           "gsmp.trailer"]


class Wireshark(unittest.TestCase):

    def setUp(self):
        if shutil.which("tshark") is None:
            raise unittest.SkipTest("NOT TESTED: tshark is not installed (./check installs it)")
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="xbind-lua-")))
        self.vectors = vectors()

    def test_the_table_has_every_worked_message_of_the_sheet(self):
        self.assertEqual(len(EXPECTED), 52)
        self.assertLessEqual(set(EXPECTED), set(self.vectors))

    def test_every_worked_message_field_by_field(self):
        chosen = [self.vectors[name] for name in EXPECTED]
        file = make_capture(self.directory / "all.pcap",
                            [(one.from_switch, one.frame) for one in chosen])
        names = sorted({name for fields in EXPECTED.values() for name in fields})
        columns = ([f"gsmp.{name}" for name in names]
                   + ["gsmp.version", "_ws.col.Info", "_ws.col.Protocol", "gsmp.frame.length"]
                   + TROUBLE)
        lines = dissect(file, columns)
        self.assertEqual(len(lines), len(chosen))
        for vector, line in zip(chosen, lines):
            expected = {"version": "3", **EXPECTED[vector.name]}
            for name, value in expected.items():
                with self.subTest(f"{vector.name} {name}"):
                    self.assertEqual(line[f"gsmp.{name}"], value or "")
            with self.subTest(vector.name):
                self.assertEqual(line["_ws.col.Protocol"], "GSMP")
                self.assertEqual(line["gsmp.frame.length"], str(len(vector.message)))
                for name in TROUBLE:
                    answers_failure = (name == "_ws.expert.message"
                                       and expected.get("result") == FAILURE)
                    self.assertEqual(bool(line[name]), answers_failure, (name, line[name]))
            if vector.name in INFO:
                self.assertEqual(line["_ws.col.Info"], INFO[vector.name])

    def test_all_there_is_in_tests_golden_is_read_to_its_end(self):
        chosen = list(self.vectors.values())
        file = make_capture(self.directory / "all.pcap",
                            [(one.from_switch, one.frame) for one in chosen])
        for vector, line in zip(chosen, dissect(file, ["gsmp.type", *TROUBLE, "gsmp.body"])):
            with self.subTest(vector.name):
                self.assertEqual(line["gsmp.type"], str(vector.message[1]))
                for name in set(TROUBLE) - {"_ws.expert.message"}:
                    self.assertEqual(line[name], "")
                self.assertNotIn("ends before", line["_ws.expert.message"])
                # Only a type that is gone from version 3 is left unread.
                self.assertEqual(bool(line["gsmp.body"]), vector.name == "F1")

    def test_messages_cut_and_joined_by_tcp(self):
        chosen = [self.vectors[name] for name in EXPECTED]
        stream = b"".join(vector.frame for vector in chosen)
        for octets in (1, 7, 100, 1400):
            with self.subTest(octets):
                packets = [(False, stream[at:at + octets]) for at in range(0, len(stream), octets)]
                file = make_capture(self.directory / f"cut{octets}.pcap", packets)
                types = [kind for line in dissect(file, ["gsmp.type"])
                         for kind in line["gsmp.type"].split(",") if kind]
                self.assertEqual(types, [EXPECTED[vector.name]["type"] for vector in chosen])

    def test_every_message_cut_short_is_named_and_nothing_breaks(self):
        packets = []
        for name in EXPECTED:
            whole = self.vectors[name].message
            for octets in range(12, len(whole), 4):
                cut = whole[:octets]
                packets.append((False, b"\x88\x0c" + octets.to_bytes(2, "big") + cut))
        file = make_capture(self.directory / "short.pcap", packets)
        lines = dissect(file, ["gsmp.type", "gsmp.truncated", "_ws.expert.message", *TROUBLE[:2]])
        self.assertEqual(len(lines), len(packets))
        for line in lines:
            self.assertEqual(line["_ws.malformed"] + line["_ws.lua.error"], "")
        named = sum("ends before its fields do" in line["_ws.expert.message"] for line in lines)
        self.assertGreater(named, len(packets) * 3 // 4)

    def test_an_answer_names_the_frame_of_its_request(self):
        file = make_capture(self.directory / "pair.pcap",
                            [(self.vectors[name].from_switch, self.vectors[name].frame)
                             for name in ("C3", "B1", "B2", "C4")])
        answered = [line["gsmp.response_to"] for line in dissect(file, ["gsmp.response_to"])]
        self.assertEqual(answered, ["", "", "2", "1"])

    def test_another_port(self):
        file = make_capture(self.directory / "one.pcap", [(False, self.vectors["B1"].frame)])
        self.assertEqual(dissect(file, ["gsmp.type"], "-o", "gsmp.port:6069")[0]["gsmp.type"], "")
        self.assertEqual(dissect(file, ["gsmp.type"], "-o", "gsmp.port:6068")[0]["gsmp.type"], "16")


def dissect(file, columns, *more):
    """What tshark says of each packet, by field; yes and no as 1 and 0."""
    command = ["tshark", "-X", f"lua_script:{DISSECTOR}", "-r", str(file), "-T", "fields", *more]
    for column in columns:
        command += ["-e", column]
    read = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    bits = {"True": "1", "False": "0"}
    return [dict(zip(columns, (",".join(bits.get(one, one) for one in value.split(","))
                               if value else "" for value in line.split("\t"))))
            for line in read.stdout.splitlines()]


if __name__ == "__main__":
    main()
