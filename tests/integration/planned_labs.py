"""Labs that are planned and not started, for tests of what would be started."""

from harness import Lab, lab_options


def planned(described, **options):
    """A lab of this network, of which nothing runs."""
    lab = Lab(lab_options("/nowhere", loopback_net="127.0.1", **options))
    lab.plan(described)
    return lab


def option(command, name):
    """The value that a process's command gives to an option."""
    return command[command.index(f"--{name}") + 1]
