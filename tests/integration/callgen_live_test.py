#!/usr/bin/env python3
"""The page and the JSON of a run that goes on (--live)."""

import http.client
import json
import re
import socket

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from running_load import Run


def live_address(load):
    """HOST, PORT that the run has printed."""
    with load.changed:
        found = load.changed.wait_for(
            lambda: load.over or re.search(r"live on http://(\S+):(\d+)/", load.said), 30)
    assert found is not True, load.said
    return found.group(1), int(found.group(2))


def get(address, path, method="GET"):
    connection = http.client.HTTPConnection(*address, timeout=10)
    try:
        connection.request(method, path)
        answer = connection.getresponse()
        return answer.status, answer.getheader("Content-Type"), answer.read().decode()
    finally:
        connection.close()


class Live(InOneLab):

    def start(self, *more, without=()):
        load = Run(self.lab, Load(calls=100_000, rate=200, hold=0.05), "--live", "127.0.0.1:0",
                   *more, without=without)
        self.addCleanup(load.finish)
        self.addCleanup(load.process.terminate)
        return load, live_address(load)

    def state(self, address):
        status, kind, body = get(address, "/live.json")
        self.assertEqual((status, kind), (200, "application/json"))
        return json.loads(body)

    def test_the_json_follows_the_run(self):
        load, address = self.start()
        load.wait_for(1.0)
        now = self.state(address)
        self.assertEqual(now["schema"], "xbind.live/1")
        self.assertEqual(now["state"], "offering")
        self.assertEqual(now["rate_per_s"], 200)
        self.assertIn(now["calls"]["connected"], range(1, now["calls"]["sent"] + 1))
        samples = now["samples"]
        self.assertEqual({len(column) for column in samples.values()}, {len(samples["at_s"])})
        self.assertEqual(samples["at_s"], sorted(samples["at_s"]))
        slowest = max(x for x in samples["p99_ms"] if x is not None)
        self.assertTrue(0 < slowest < 1000 * now["elapsed_s"], slowest)
        self.assertEqual(set(samples["asked_per_s"]), {200})
        load.wait_for(now["elapsed_s"] + 0.5)
        self.assertGreater(self.state(address)["calls"]["sent"], now["calls"]["sent"])

    def test_refusals_are_shown_by_cause(self):
        load, address = self.start("--cells-per-s=4000000", without=("--cells-per-s",))
        wait_until(lambda: self.state(address)["refusals"], "a refusal is shown")
        now = self.state(address)
        self.assertEqual(now["refusals"], {"no bandwidth": now["calls"]["refused"]})
        self.assertFalse(load.over)

    def test_the_page_asks_nobody_else(self):
        _, address = self.start()
        status, kind, page = get(address, "/")
        self.assertEqual((status, kind), (200, "text/html; charset=utf-8"))
        self.assertNotRegex(page.replace("http://www.w3.org/2000/svg", ""), r"https?://|src=")
        self.assertEqual(get(address, "/", "HEAD")[2], "")
        self.assertEqual(get(address, "/", "POST")[0], 405)
        self.assertEqual(get(address, "/etc/passwd")[0], 404)

    def test_idle_peers_do_not_stop_the_run(self):
        load, address = self.start()
        for _ in range(20):
            peer = socket.create_connection(address)
            self.addCleanup(peer.close)
            peer.sendall(b"GET /live.json HTTP/1.1\r\n")
        load.wait_for(load.elapsed + 1)
        self.assertFalse(load.over)

    def test_an_address_that_cannot_be_used_is_refused(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            done = tool(self.lab, "xbind-callgen", "run", "--live", f"127.0.0.1:{port}")
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"option --live: cannot listen on 127.0.0.1:{port}", done.stderr)
        self.assertEqual(tool(self.lab, "xbind-callgen", "run", "--live", "9470").returncode, 2)


if __name__ == "__main__":
    main()
