"""A reader of a document, who types its commands in one shell, from the root of the tree."""

import os
import re
import signal
import subprocess

from harness import BIN, ROOT

ADD_BRANCH = "880c0010 03410200 00000002 80010010 00000001\n"
COMMAND_S = 90
READER_LEFT = 128 + signal.SIGPIPE
PLACEHOLDER = r"(?<![\w${])ID\b(?!=)"


class Reader:
    """A shell whose folder looks like the root of the tree, but keeps written files out of the
    tree."""

    def __init__(self, folder):
        self.folder = folder
        self.environment = folder / "environment"
        self.environment.write_text("")
        self.connection = None
        self.printed = {}  # by typed command
        for entry in ROOT.iterdir():
            if entry.name not in ("build", "build-fuzz", ".git"):
                (folder / entry.name).symlink_to(entry)
        (folder / "build").mkdir()
        for build in ("build", "OLD", "NEW"):
            (folder / build).mkdir(exist_ok=True)
            (folder / build / "bin").symlink_to(BIN)
        (folder / "message.hex").write_text(ADD_BRANCH)

    def types(self, command):
        """Runs one command; returns its exit code and its output. In a pipe that is the code of
        the last program that failed; a program whose reader has left did not fail."""
        # Not the variable that a document sets and uses: ID=$(...), "$ID".
        if re.search(PLACEHOLDER, command):
            assert self.connection is not None, f"no connect has printed an id before: {command}"
            command = re.sub(PLACEHOLDER, self.connection, command)
        output = self.folder / "output"
        # What is written to the home stays in the folder. Behind the environment, which has a HOME.
        away, back = (f"home=$HOME; HOME={self.folder}\n", "HOME=$home\n") if "~" in command else (
            "", "")
        script = (f"source environment\nset -a -o pipefail\n{away}{command}\ncode=$?\n"
                  f"{back}export -p > environment\nexit $code")
        clean = {name: value for name, value in os.environ.items()
                 if not name.startswith(("XBIND_", "ORB", "OMNIORB_"))}
        # No pipe: a process that the command leaves running would hold it open
        with open(output, "w") as file:
            done = subprocess.run(
                ["timeout", "-k", "5", str(COMMAND_S), "bash", "-c", script], cwd=self.folder,
                stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, check=False,
                env={**clean, "XBIND_LAB_DIR": str(self.folder / "lab")})
        printed = self.printed[command] = output.read_text(errors="replace")
        connected = re.search(r"^(\d+) (connected|held)", printed, re.MULTILINE)
        if connected and "connect" in command:
            self.connection = connected.group(1)
        return 0 if done.returncode == READER_LEFT else done.returncode, printed
