"""A run of xbind-callgen during which a test acts."""

import json
import math
import os
import re
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from harness import callgen


class Run:
    """A callgen run during which the test acts; its progress lines report the elapsed time."""

    def __init__(self, lab, load, *more, without=()):
        self.directory = tempfile.TemporaryDirectory()
        load.json = Path(self.directory.name) / "run.json"
        command = callgen(lab, load, ["--progress-interval", "0.05", *more])
        for option in without:
            at = command.index(option)
            del command[at:at + 2]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, stdin=subprocess.DEVNULL,
                                        env={**os.environ, **lab.client_environment()})
        self.json = load.json
        self.said = ""
        self.elapsed = 0.0
        self.began = math.inf  # of the run, on time.monotonic()
        self.changed = threading.Condition()
        self.over = False
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stderr:
            with self.changed:
                progress = re.match(r"([\d.]+) s  ", line)
                if progress:
                    self.elapsed = float(progress.group(1))
                    # A line comes late, never early.
                    self.began = min(self.began, time.monotonic() - self.elapsed)
                else:
                    self.said += line
                self.changed.notify_all()
        with self.changed:
            self.over = True
            self.changed.notify_all()

    def wait_for(self, elapsed):
        """Waits until the run reports that many elapsed seconds."""
        with self.changed:
            reached = self.changed.wait_for(lambda: self.over or self.elapsed >= elapsed, 30)
        assert reached and not self.over, f"the run did not come to {elapsed} s: {self.said}"

    def finish(self, timeout=60):
        self.reader.join(timeout)
        assert not self.reader.is_alive(), f"in {timeout} s the run has not ended: {self.said}"
        text = self.process.stdout.read()
        self.process.wait(timeout)
        self.process.stdout.close()
        self.process.stderr.close()
        summary = json.loads(self.json.read_text()) if self.json.exists() else None
        self.directory.cleanup()
        return text, summary
