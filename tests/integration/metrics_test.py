#!/usr/bin/env python3
"""Compares the status of each daemon of a lab with the tables that its program prints."""

import re

import giop
from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from labkit.load import daemon_options  # noqa: E402

# Every fault of core/impairments, so that the counters of each leg are exported.
FAULTY = Load(calls=300, rate=300, loss=0.02, duplicate=0.02, reorder=0.02)


def status_of(lab, path):
    """The (name, value) pairs of a daemon's status, in order."""
    remote = giop.Remote(tool(lab, "nameclt", "resolve", path).stdout)
    status, reader, _ = remote.invoke("status")
    remote.close()
    assert status == 0, status
    return [(reader.string(), reader.number("Q")) for _ in range(reader.number("I"))]


# Only --metrics exposes these (prometheus_test.py).
SCRAPED_ONLY = re.compile(
    r"exporter/.*|orb/alarms/.*|switchserver/(hops|refusals/.*|port_.*/<port>)")


def rows_of(program):
    """The metrics of the status in the program's tables."""
    printed = run(BIN / program, "--print-metrics").stdout
    rows = [[cell.strip() for cell in line.split("|")[1:3]] for line in printed.splitlines()
            if line.startswith("| ") and not line.startswith(("| room", "| ---"))]
    return [name for room, name in rows if not SCRAPED_ONLY.fullmatch(f"{room}/{name}")]


def describing(name, rows):
    """The rows that match the exported name best: those with the longest fixed part."""
    found = [row for row in rows
             if re.fullmatch(re.sub(r"<\w+>", ".+", re.escape(row)), name)]
    fixed = {row: len(re.sub(r"<\w+>", "", row)) for row in found}
    return [row for row in found if fixed[row] == max(fixed.values())]


class Tables(unittest.TestCase):
    """Each exported metric has one row, and each row without a placeholder is exported."""

    def assert_described(self, lab, program, path, unmet):
        rows = rows_of(program)
        self.assertEqual(len(rows), len(set(rows)), program)
        status_of(lab, path)  # so that each daemon has had an upcall
        exported = [name for name, _ in status_of(lab, path)]
        self.assertEqual(len(exported), len(set(exported)), program)
        for name in exported:
            self.assertEqual(len(describing(name, rows)), 1, f"{program}: {name}")
        described = {describing(name, rows)[0] for name in exported}
        self.assertEqual(set(rows) - described, unmet, program)

    def test_the_status_of_every_daemon_is_what_its_tables_name(self):
        with lab_up(more=daemon_options(FAULTY)) as lab:
            offer(lab, FAULTY)
            # Nothing is refused here, and no switch is unknown.
            calls = {"upcalls_not_permitted", "upcalls_refused_<operation>",
                     "upcalls_failed_<operation>"}
            legs = {row for row in rows_of("xbind-cmgr") if row.startswith("faults_<leg>")}
            self.assertEqual(len(legs), 5)
            for program, path, unmet in (
                    ("xbind-cmgr", "xbind/cmgr/default", calls | {"refusals/<cause>"}),
                    ("xbind-switchserver", f"xbind/switchserver/{MIDDLE}", calls),
                    ("xbind-routeobject", "xbind/routeobject/default",
                     calls | {"unknown_switch_ms/<switch>"}),
                    ("xbind-qosmapper", "xbind/qosmapper/default", calls)):
                self.assert_described(lab, program, path, unmet)


if __name__ == "__main__":
    main()
