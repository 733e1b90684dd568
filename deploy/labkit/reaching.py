"""How programs reach a lab that is planned or up: environments, the name service, and commands at
its sites. The part of Lab (lab.py) that clients need.
"""

import os
import subprocess

from . import media
from . import naming
from . import smds
from .options import LAB_DIR_VARIABLE
from .process import LabError

# A longer value would keep every program from starting; Linux allows 131 072 octets.
HOST_LINES_MAX = 100_000


class Reachable:
    """Of a Lab: options, state_dir, names_port, endpoints, processes, smds and sites are its."""

    def daemon_environment(self):
        """The caller's environment, without variables that would override the command lines."""
        return {name: value for name, value in os.environ.items()
                if not name.startswith(("XBIND_", "OMNIORB_", "ORB"))}

    def client_environment(self):
        """Directs our tools and omniORB's to this lab's name service, deploy/lab to this lab, and
        xbindctl's ping to the lines of the hosts."""
        environment = {"XBIND_NAME_SERVICE": self.names_address(),
                       "ORBInitRef": f"NameService={self.names_uri()}",
                       LAB_DIR_VARIABLE: str(self.state_dir)}
        if self.sites:
            environment["XBIND_LISTEN_ADDRESS"] = self.sites.clients()["addresses"][0]
        lines = media.option_of(self.endpoints)
        if lines and len(lines) < HOST_LINES_MAX:
            environment["XBIND_HOST_LINES"] = lines
        environment.update(smds.environment(self.smds))
        return environment

    def client_command(self, words, site=None):
        """The command line that runs `words` where clients are, or at a different site."""
        if not self.sites:
            if site:
                raise LabError("this lab has no sites: `up --sites FILE` makes them")
            return [*words]
        return self.sites.inside(self.sites.site_named(site) if site else self.sites.clients(),
                                 words)

    def watched_processes(self):
        """The value of xbind-callgen's --watch-pid that lists every process."""
        return ",".join(f"{process.name}={process.pid}" for process in self.processes.values()
                        if process.alive())

    def ask(self, program, *words, code=0):
        """Runs one of our tools and returns its output; LabError if its exit code is another."""
        command = self.client_command([str(self.options.bin_dir / program), *words])
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              check=False, timeout=60,
                              env={**self.daemon_environment(), **self.client_environment()})
        if done.returncode != code:
            raise LabError(f"{program} {' '.join(words)}: {(done.stderr or done.stdout).strip()}")
        return done.stdout

    def names_host(self):
        """The address of the name service."""
        if self.sites:
            return self.sites.site_of_program("omniNames")["addresses"][0]
        return "127.0.0.1"

    def names_address(self):
        return f"{self.names_host()}:{self.names_port}"

    def names_uri(self):
        return f"corbaloc::{self.names_address()}/NameService"

    def write_omniorb_config(self):
        if self.options.omniorb_config and not self.sites:  # no tool of this host reaches a site
            self.wrote_omniorb_config = naming.write_omniorb_config(self.names_uri())

    def remove_omniorb_config(self):
        if self.wrote_omniorb_config:
            naming.remove_omniorb_config(self.names_uri())
