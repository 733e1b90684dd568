"""A browser's side of xbind-console, without the browser: requests, events, and the description."""

import contextlib
import json
import re
import socket
import subprocess
import urllib.error
import urllib.parse
import urllib.request
import warnings

import jsonschema

from harness import BIN, wait_until

PATIENCE_S = 20


class Console:
    """One console at HOST:PORT."""

    def __init__(self, address):
        self.address = address

    def ask(self, path, method="GET", body=None, headers=None):
        """Status, headers and body; the body parsed where it is JSON."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://{self.address}{path}", data, method=method,
                                         headers={"Content-Type": "application/json",
                                                  **(headers or {})})
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                return answer.status, answer.headers, parsed(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers, parsed(error)

    def get(self, path, **parameters):
        """The document of a request that must succeed."""
        query = "?" + urllib.parse.urlencode(parameters) if parameters else ""
        status, _, document = self.ask(path + query)
        assert status == 200, (path + query, status, document)
        return document

    def raw(self, octets):
        """What the server sends for these octets until it closes the connection."""
        with self.connected() as peer:
            peer.sendall(octets)
            return received(peer)

    def connected(self):
        host, port = self.address.rsplit(":", 1)
        return socket.create_connection((host, int(port)), timeout=PATIENCE_S)

    def request(self, path="/", method="GET", *more, host=None):
        """The octets of a request."""
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host or self.address}", *more, "", ""]
        return "\r\n".join(lines).encode()

    @contextlib.contextmanager
    def events(self):
        """An iterator over (name, document) of the event stream."""
        with self.connected() as peer:
            peer.sendall(self.request("/api/v1/events"))
            with peer.makefile("r", encoding="utf-8") as stream:
                head = head_of(stream)
                assert head[0] == "HTTP/1.1 200 OK", head
                yield events_of(stream)

    def daemons(self):
        return {one["daemon"]: one for one in self.get("/api/v1/daemons")["daemons"]}

    def wait_for_daemon(self, path, state):
        def found():
            row = self.daemons().get(path)
            return row if row and row["state"] == state else None

        return wait_until(found, f"{path} is {state}")

    def wait_until_known(self):
        """Until everything has been read once."""
        wait_until(lambda: self.get("/api/v1/links")["links"]
                   and self.get("/api/v1/managers")["managers"], "network and manager are known")


def parsed(answer):
    text = answer.read().decode()
    return json.loads(text) if "json" in answer.headers.get("Content-Type", "") else text


def received(peer):
    answer = b""
    while piece := peer.recv(65536):
        answer += piece
    return answer.decode()


def problem_in(answer):
    """The problem in an answer that raw() returned, and its status line."""
    head, _, body = answer.partition("\r\n\r\n")
    assert "application/problem+json" in head, answer
    return json.loads(body), head.splitlines()[0]


def head_of(stream):
    lines = []
    while line := stream.readline().rstrip("\r\n"):
        lines.append(line)
    return lines


def events_of(stream):
    fields = {}
    for line in stream:
        name, _, value = line.rstrip("\n").partition(": ")
        if name:
            fields[name] = value
        elif "data" in fields:
            yield fields["event"], json.loads(fields["data"])
            fields = {}


@contextlib.contextmanager
def console_up(lab, *options):
    """A further console of the lab, at a port that the system chooses."""
    address = [] if any(word.startswith("--http") for word in options) else ["--http=127.0.0.1:0"]
    with subprocess.Popen([BIN / "xbind-console", *address, *options],
                          env=lab.client_environment(), text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as process:
        try:
            said = ""
            while not (ready := re.search(r"^xbind-console ready on http://(\S+)/$", said, re.M)):
                said += process.stdout.readline()
            console = Console(ready.group(1))
            metrics = re.search(r"^xbind-console metrics on (\S+)$", said, re.M)
            console.metrics = metrics and metrics.group(1)
            yield console
        finally:
            process.terminate()
            assert process.wait(PATIENCE_S) == 0, process.returncode


class Description:
    """/openapi.json of a console, and checks against it."""

    def __init__(self, console):
        self.document = console.get("/openapi.json")
        self.base = f"http://{console.address}/openapi.json"

    def operations(self):
        """"GET /api/v1/network", of all that it describes."""
        return {f"{method.upper()} {path}" for path, methods in self.document["paths"].items()
                for method in methods}

    def check(self, method, pattern, status, document):
        """Raises jsonschema.ValidationError if the answer has another form than described."""
        answers = self.document["paths"][pattern][method.lower()]["responses"]
        assert str(status) in answers, (method, pattern, status, document)
        (media, content), = answers[str(status)]["content"].items()
        assert (media == "application/problem+json") == (status >= 400), media
        self.check_schema(content["schema"], document)

    def check_event(self, name, document):
        self.check_schema({"$ref": f"#/components/schemas/{name}"}, document)

    def check_schema(self, schema, document):
        with warnings.catch_warnings():  # Debian's jsonschema 4.10 has no successor of RefResolver
            warnings.simplefilter("ignore", DeprecationWarning)
            resolver = jsonschema.RefResolver(self.base, self.document)
            jsonschema.Draft202012Validator(schema, resolver=resolver).validate(document)


__all__ = ["Console", "Description", "console_up", "problem_in", "received"]
