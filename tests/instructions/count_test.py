#!/usr/bin/env python3
"""Compares the instructions that a call operation costs in the logic of manager and SwitchServers
with recorded.json. callgrind counts them, so other work on the machine cannot change the count.

  count_test.py PROGRAM            checks; exit code 1 when the count is above or below the margin
  count_test.py PROGRAM --record   stores the count

The count of a short run is subtracted from that of a long one, so that start and end do not count.
`valgrind --tool=callgrind PROGRAM 4000` and callgrind_annotate show what made the count grow.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

RECORDED = Path(__file__).with_name("recorded.json")
MARGIN = 0.05  # another processor may take other paths through the C library
SHORT, LONG = 1_000, 4_000  # calls


def counted(program, calls):
    """Instructions and call operations of one run."""
    with tempfile.TemporaryDirectory() as directory:
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={directory}/out", program,
             str(calls)], capture_output=True, text=True, check=False)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not found:
        sys.exit(f"{program} {calls} under callgrind ended with {done.returncode}:\n{done.stderr}")
    return int(found.group(1)), int(done.stdout)


def main():
    program, record = sys.argv[1], sys.argv[2:] == ["--record"]
    if shutil.which("valgrind") is None:
        sys.exit("valgrind is not there: deploy/install check installs it")
    short, long = counted(program, SHORT), counted(program, LONG)
    each = round((long[0] - short[0]) / (long[1] - short[1]))
    if record:
        RECORDED.write_text(json.dumps({"instructions_per_call_operation": each}) + "\n")
    recorded = json.loads(RECORDED.read_text())["instructions_per_call_operation"]
    ratio = each / recorded
    print(f"{each} instructions a call operation, {recorded} recorded: {ratio:.3f} of it, "
          f"margin {MARGIN:.0%}")
    if ratio > 1 + MARGIN:
        sys.exit(
            "a call operation now costs more instructions: find the reason, or record the count "
            "with --record")
    if ratio < 1 - MARGIN:
        sys.exit(
            "a call operation now costs fewer instructions: record the count with --record, to "
            "keep the gain")


main()
