#!/usr/bin/env python3
"""The conformance suite against a real xbind-switch process, in both versions."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("XBIND_BIN_DIR", ROOT / "build" / "bin")).resolve()


def main():
    clean = {name: value for name, value in os.environ.items() if not name.startswith("XBIND_")}
    with subprocess.Popen([BIN / "xbind-switch", "--listen", "127.0.0.1:0", "--ports", "4",
                           "--log-level", "warn"], stdout=subprocess.PIPE, text=True, env=clean) as switch:
        try:
            address = switch.stdout.readline().rpartition(" listening on ")[2].strip()
            if not address:
                print("xbind-switch did not start")
                return 1
            print(f"xbind-switch on {address}", flush=True)
            suite = subprocess.run([BIN / "gsmp_conformance"], check=False, timeout=280, env={
                **clean, "XBIND_CONFORMANCE_SWITCH": address, "XBIND_CONFORMANCE_VERSIONS": "3,1"})
        finally:
            switch.terminate()
            ended = switch.wait(timeout=20)
    if ended != 0:
        print(f"xbind-switch ended with {ended}")
    return 1 if suite.returncode != 0 or ended != 0 else 0


if __name__ == "__main__":
    sys.exit(main())
