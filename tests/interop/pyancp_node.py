"""An access node of PyANCP that uses GSMP version 3. pyancp_test.py runs it with the Python that
has PyANCP.

  pyancp_node.py HOST PORT     prints "established" or "not established"; then, for each line on
                               standard input: "disconnect" (sends RSTACK), "close" (just closes)
"""

import sys

from ancp.client import Client

GSMP_VERSION = 3
TIMER_S = 2.5  # the peer may be silent for three of these, which suffices on a busy machine


def main():
    node = Client(sys.argv[1], int(sys.argv[2]), timer=TIMER_S)
    node.version = GSMP_VERSION
    print("established" if node.connect() else "not established", flush=True)
    for line in sys.stdin:
        if line.strip() == "disconnect":
            node.disconnect()
        else:
            node.socket.close()
        break


main()
