"""The files that describe a running lab to other processes.

  STATE_DIR/lab.json          processes, addresses, ports; read by every command of deploy/lab
  STATE_DIR/environment.json  the environment of the daemons; only its owner may read it, because
                              environments contain passwords

A file is replaced as a whole, so a reader never sees a part of one. Whoever writes lab.json holds
the lock, STATE_DIR/lock.

The format of lab.json has a number, which version 1 did not write yet. Version 2 added restarts,
how a process came to be down, the keeper, the scheduling policy, and environment.json. A lab of
version 1 can be inspected, killed and ended, but its processes cannot be started again.
"""

import contextlib
import errno
import fcntl
import json
import os
import time

from .process import LabBusy, LabError, POLL_S

FORMAT = 2
REQUIRED = ("topology", "name", "names_port", "wrote_omniorb_config", "switches", "bin_dir",
            "processes")


@contextlib.contextmanager
def locked(state_dir, patience_s):
    """Allows one program at a time to change a lab. LabBusy if another one still does so after
    `patience_s`."""
    state_dir.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + patience_s
    with lock_file(state_dir / "lock") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError as error:
                if time.monotonic() >= deadline:
                    raise LabBusy(f"another `deploy/lab` is at work in {state_dir}") from error
            time.sleep(POLL_S)
        yield


def lock_file(file):
    """Opened for writing, as flock() over NFS requires. Only for reading where the directory cannot
    be written: what the operator wants to end must end."""
    try:
        return open(file, "w")
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EROFS):
            raise
        return open(file)


def write(file, content, mode=0o666):
    """Replaces the file by `content` as JSON. `mode`: its permissions, less the umask."""
    draft = file.with_suffix(".draft")
    draft.unlink(missing_ok=True)  # it may have other permissions
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w") as output:
        output.write(json.dumps(content, indent=1) + "\n")
    draft.replace(file)


def read(file):
    """The content of a lab.json, or None if there is no such file. LabError for another format."""
    state = read_json(file)
    if state is None:
        return None
    number = state.get("format", 1)
    if number not in (1, FORMAT):
        raise LabError(f"{file} has format {number}, and this deploy/lab reads 1 and {FORMAT}: "
                       f"end the lab with the deploy/lab that started it")
    missing = [key for key in REQUIRED if key not in state]
    if missing:
        raise LabError(f"{file} cannot be read: it has no {', '.join(missing)}")
    return state


def read_environment(file):
    """The environment of the lab's daemons. LabError if the lab has not recorded it."""
    environment = read_json(file)
    if environment is None:
        raise LabError(
            f"{file} is missing: an earlier deploy/lab, which did not record the environment of "
            f"the daemons, started this lab. End it with `deploy/lab down` and start it again")
    return environment


def read_json(file):
    """The JSON object in the file, or None if there is no such file."""
    try:
        content = json.loads(file.read_text())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise LabError(f"{file} cannot be read: {error}") from error
    if not isinstance(content, dict):
        raise LabError(f"{file} cannot be read: it is no JSON object")
    return content
