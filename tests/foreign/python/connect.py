#!/usr/bin/env python3
"""A client of the ConnectionManager that uses idl/ alone, with omniORBpy.

  connect.py NAMES FROM TO plain                        one call after another, no session
  connect.py NAMES FROM TO session CALLS [NOTICE...]    a session: batches both ways

NAMES is HOST:PORT of the name service. NOTICE is "rerouted", "broken" or "mended": once its
connections are up, the client prints "waiting for NOTICE" and waits until each of them has received
that notice. java/Connect.java prints the same lines. The exit code is 0 only if every answer came
and was the expected one.
"""

import collections
import os
import sys
import threading
import time

from omniORB import CORBA, PortableServer  # noqa: F401: the stubs need the second
from xbind import v2
from xbind__POA import v2 as skeletons

NOWHERE = "nowhere"
REQUESTS_IN_A_BATCH = 10
BIDIRECTIONAL = 5  # every fifth call of a session


class Client:

    def __init__(self, orb, names, from_end, to_end):
        self.orb = orb
        self.names = names
        self.from_end = from_end
        self.to_end = to_end
        self.manager = self.resolve("cmgr", v2.ConnectionManager)

    def resolve(self, kind, interface):
        found = self.orb.string_to_object(f"corbaname::{self.names}#xbind/{kind}/default")
        return found._narrow(interface)  # pylint: disable=protected-access

    # --- plainly ------------------------------------------------------------------------------

    def plain(self):
        say(f"protocol version {v2.protocol_version}")
        self.routes()
        self.quality()
        self.connect_and_modify()
        self.both_ways()
        self.hold()
        self.refusals()
        audit = self.manager.manager_operations().audit_network()
        say(f"audit {'clean' if audit.clean else 'not clean'}, {audit.connections} connections")

    def routes(self):
        """RouteAnswer is a union with a boolean discriminator."""
        router = self.resolve("routeobject", v2.RouteObject)
        for answer in router.find_paths([self.query(self.to_end), self.query(NOWHERE)]).answers:
            if answer._d:  # pylint: disable=protected-access
                say("route over " + ", ".join(hop.switch_name for hop in answer.found.hops))
            else:
                say(f"no route: {refusal_text(answer.why)}")

    def query(self, end):
        return v2.RouteQuery(self.from_end, end, 100, avoid=[], metric=v2.metric_hops,
                             delay_us_max=0, links_max=0, require=[], disjoint=v2.disjoint_no,
                             disjoint_from=[])

    def quality(self):
        mapper = self.resolve("qosmapper", v2.QOSMapper)
        demand = mapper.video_to_network(FRAMES)
        say(f"video takes {demand.cells_per_s} cells/s and {demand.buffer_cells} cells of buffer")
        # CellQuality has members that may be absent.
        whole = mapper.describe_service(VOICE, 3).whole
        say(f"voice: loss ratio {given(whole.clr)}, delay {given(whole.ctd_us)}")
        expect(v2.UnknownService, mapper.describe_service, named("no-such-service"), 0)
        say("unknown service")

    def connect_and_modify(self):
        made = self.manager.connect(self.from_end, self.to_end, cells(100))
        say(f"connected{' and held' if made.held else ''}, {connection_text(made.labels)}")
        self.describe(made)
        self.manager.modify(made.connection, cells(200), [])
        self.describe(made)
        listed = self.manager.list_connections(made.connection - 1, 1)
        say(f"listed {truth([state.connection for state in listed] == [made.connection])}")
        self.release(made)
        unknown = expect(v2.UnknownConnection, self.manager.describe, made.connection)
        say(f"unknown connection {truth(unknown.connection == made.connection)}")

    def describe(self, made):
        state = self.manager.describe(made.connection)
        say(f"phase {state.phase}, condition {state.condition}, "
            f"{state.from_end} -> {state.to_end}, {state.resources.cells_per_s} cells/s")
        for hop in state.hops:
            say(f"leg {hop.leg} hop {hop.number} {hop.switch_name}: port {hop.input_port} label "
                f"{label_text(hop.input_label)} -> port {hop.output_port} label "
                f"{label_text(hop.output_label)}")

    def both_ways(self):
        # All two-way callers share one space of request numbers; the clock makes this one unique.
        number = time.time_ns()
        made = self.manager.connect_as(self.request(
            number, self.to_end, v2.ServiceSpec(video=FRAMES), reverse=[cells(100)]))
        say(f"connected, {connection_text(made.labels)}")
        outcome = self.manager.outcome_of("(two-way)", number)
        same = (outcome.connection == made.connection
                and kind_of(outcome.body) == v2.outcome_connected
                and connection_text(outcome.body.labels) == connection_text(made.labels))
        say(f"remembered {truth(same)}")
        self.release(made)

    def hold(self):
        made = self.manager.connect_as(self.request(0, self.to_end, VOICE, hold_ms=10000))
        say(f"held {truth(made.held)}, {connection_text(made.labels)}")
        made = self.manager.commit(made.connection)
        say(f"held {truth(made.held)}, {connection_text(made.labels)}")
        self.release(made)

    def release(self, made):
        say(f"released, {self.manager.release(made.connection).removals} removals owed")

    def refusals(self):
        for end, cells_per_s in ((NOWHERE, 100), (self.to_end, 16777215)):
            refused = expect(v2.Refused, self.manager.connect, self.from_end, end,
                             cells(cells_per_s))
            say(f"refused, {refusal_text(refused.why)}")
        bad = expect(v2.BadRequest, self.manager.list_connections, 0, 0)
        say(f"bad request: {bad.reason}")

    def request(self, number, end, service, reverse=(), hold_ms=0):
        return v2.ConnectRequest(number, self.from_end, end, service, list(reverse), priority=0,
                                 hold_ms=hold_ms, attachments=[])

    # --- in a session -------------------------------------------------------------------------

    def session(self, calls, notices):
        poa = self.orb.resolve_initial_references("RootPOA")
        poa._get_the_POAManager().activate()  # pylint: disable=protected-access
        observer = Observer()
        reference = poa.servant_to_reference(observer)
        name = f"foreign-{os.getpid()}"
        mismatch = expect(v2.VersionMismatch, self.manager.attach_client, name, 1,
                          v2.protocol_version + 1, reference)
        say(f"version mismatch, offered {mismatch.offered}, supported {mismatch.supported}")
        epoch = self.manager.new_client_epoch(name)
        attachment = self.manager.attach_client(name, epoch, v2.protocol_version, reference)
        observer.begin(attachment)
        sender = threading.Thread(target=observer.send, daemon=True)
        sender.start()
        say("attached")

        made = self.connect_all(observer, calls)
        for notice in notices:
            observer.forget(notice)
            say(f"waiting for {notice}")
            observer.wait_for("a notice of each connection",
                              lambda kind=notice: observer.notices[kind].keys() == made)
            say(f"{notice}: {'; '.join(sorted(set(observer.notices[notice].values())))}")
        release_all(observer, made, calls + 1)

        observer.end()
        sender.join()
        self.manager.detach_client(attachment.session)
        say("detached")
        print(observer.statistics(), file=sys.stderr)

    def connect_all(self, observer, calls):
        """Submits `calls` connects and one that must be refused; the ids of the connections."""
        observer.submit_all([
            self.request(number, self.to_end if number <= calls else NOWHERE, cells(100),
                         reverse=[] if number % BIDIRECTIONAL else [cells(50)])
            for number in range(1, calls + 2)], lambda requests: batch(connects=requests))
        observer.wait_for("an outcome of each connect", lambda: len(observer.outcomes) == calls + 1)

        made, ingress, egress, bidirectional = set(), set(), set(), 0
        for number in range(1, calls + 1):
            outcome = observer.outcomes[number]
            if kind_of(outcome.body) != v2.outcome_connected:
                raise AssertionError(
                    f"request {number} was refused: {refusal_text(outcome.body.why)}")
            labels = outcome.body.labels
            made.add(outcome.connection)
            ingress.add(label_text(labels.forward.ingress))
            egress.add(label_text(labels.forward.egress))
            bidirectional += len(labels.back)
        say(f"{len(made)} connections, {bidirectional} both ways, {len(ingress)} ingress labels, "
            f"{len(egress)} egress labels")
        refused = observer.outcomes[calls + 1].body
        say(f"refused {truth(kind_of(refused) == v2.outcome_refused)}, {refusal_text(refused.why)}")
        return made


def release_all(observer, connections, last):
    """Releases all of them, with request numbers above `last`."""
    numbers = range(last + 1, last + 1 + len(connections))
    observer.submit_all([v2.ReleaseRequest(*request) for request in zip(numbers, connections)],
                        lambda requests: batch(releases=requests))
    observer.wait_for("an outcome of each release",
                      lambda: len(observer.outcomes) == last + len(connections))
    bodies = [observer.outcomes[number].body for number in numbers]
    released = [body for body in bodies if kind_of(body) == v2.outcome_released]
    say(f"{len(released)} released, {sum(body.owed.removals for body in released)} removals owed")
    assert len(released) == len(connections), "a release was refused"


class Sent:
    """A batch that the manager has not confirmed."""

    def __init__(self, requests):
        self.requests = requests
        self.at = None  # seconds; None: not sent yet


class Observer(skeletons.OutcomeObserver):
    """The client's end of a session.

    The ORB may run several upcalls at once, so deliver_outcomes() takes the lock and sorts batches
    by their numbers. One thread sends all frames. It calls the manager without the lock.
    """

    TICK_S = 0.05       # longest delay of a confirmation
    RESEND_S = 0.3      # interval at which an unconfirmed batch is repeated
    HEARTBEAT_S = 2.0   # longest silence; the manager ends a session after 15 s of it
    PATIENCE_S = 60.0   # timeout of wait_for()

    def __init__(self):
        self.outcomes = {}                                # by request
        self.notices = collections.defaultdict(dict)      # kind: connection: text
        self._changed = threading.Condition()             # guards all of it
        self._session = None
        self._inbox = None
        self._credit = 0
        self._queue = collections.deque()                 # batches without a number
        self._unconfirmed = {}                            # number: Sent, ascending
        self._numbered = 0                                # highest batch number given
        self._applied = 0                                 # highest of the manager's applied
        self._early = {}                                  # number: outcomes and notices
        self._owes_confirmation = False
        self._ending = False
        self._ended = None                                # why the manager has ended the session
        self._held_back = self._repeats = self._resent = 0

    def begin(self, attachment):
        with self._changed:
            self._session = attachment.session
            self._inbox = attachment.inbox
            self._credit = attachment.batches_in_flight

    def submit_all(self, requests, batch_of):
        with self._changed:
            for first in range(0, len(requests), REQUESTS_IN_A_BATCH):
                self._queue.append(batch_of(requests[first:first + REQUESTS_IN_A_BATCH]))
            self._changed.notify_all()

    def wait_for(self, what, done):
        with self._changed:
            came = self._changed.wait_for(lambda: self._ended or done(), self.PATIENCE_S)
            assert not self._ended, f"the manager has ended the session: {self._ended}"
            assert came, f"did not come in time: {what}"

    def forget(self, notice):
        with self._changed:
            self.notices[notice] = {}

    def end(self):
        with self._changed:
            self._ending = True
            self._changed.notify_all()

    def statistics(self):
        return (f"{self._held_back} held back, {self._repeats} repeats dropped, "
                f"{self._resent} sent again")

    def send(self):
        """The sender's thread."""
        last_frame = time.monotonic()
        while True:
            with self._changed:
                if self._ending:
                    return
                frames = self._due(last_frame)
                confirmed = self._applied
            for number, requests in frames:
                self._inbox.submit_requests(self._session, number, confirmed, requests)
                last_frame = time.monotonic()
            with self._changed:
                self._changed.wait(self.TICK_S)

    def _due(self, last_frame):
        """The frames to send now, each a batch number and a batch."""
        while self._queue and len(self._unconfirmed) < self._credit:
            self._numbered += 1
            self._unconfirmed[self._numbered] = Sent(self._queue.popleft())
        now = time.monotonic()
        frames = []
        for number, sent in self._unconfirmed.items():
            if sent.at is None or now - sent.at >= self.RESEND_S:
                self._resent += sent.at is not None
                sent.at = now
                frames.append((number, sent.requests))
        if not frames and (self._owes_confirmation or now - last_frame >= self.HEARTBEAT_S):
            frames.append((0, batch()))
        if frames:
            self._owes_confirmation = False
        return frames

    def deliver_outcomes(self, session, seq, confirmed, outcomes, notices):
        with self._changed:
            if session != self._session:
                return  # not ours, or attach_client() has not returned yet; it will be repeated
            for number in [number for number in self._unconfirmed if number <= confirmed]:
                del self._unconfirmed[number]
            if self._applied < seq <= self._applied + self._credit and seq not in self._early:
                self._held_back += seq != self._applied + 1
                self._early[seq] = (outcomes, notices)
                while self._applied + 1 in self._early:
                    self._applied += 1
                    self._apply(*self._early.pop(self._applied))
            elif seq != 0:
                self._repeats += 1
            self._owes_confirmation |= seq != 0
            self._changed.notify_all()

    def _apply(self, outcomes, notices):
        for outcome in outcomes:
            if outcome.request in self.outcomes:
                self._ended = f"request {outcome.request} was answered twice"
            self.outcomes[outcome.request] = outcome
        for notice in notices:
            kind = str(kind_of(notice.body)).removeprefix("notice_")
            text = {
                "broken": lambda body: refusal_text(body.why),
                "incomplete": lambda body: refusal_text(body.missing),
                "rerouted": lambda body: f'"{body.left_element}"',
                "unknown": lambda body: f'"{body.unknown_switch}"',
                "mended": lambda _: '""',
            }[kind](notice.body)
            self.notices[kind][notice.connection] = text

    def client_session_ended(self, session, why, reason):
        with self._changed:
            if session == self._session:
                self._ended = f"{why}, {reason}"
                self._changed.notify_all()


# --- values -----------------------------------------------------------------------------------

FRAMES = v2.VideoFrames(frames_per_1000_s=25000, frame_octets=4000)


def cells(per_second):
    return v2.ServiceSpec(cells=v2.Demand(per_second, 0))


def named(name):
    return v2.ServiceSpec(terms=v2.ServiceTerms(name, 0, 0, 0, 0, 0, 0, 0, 0))


VOICE = named("voice-g711")


def batch(connects=(), releases=()):
    return v2.RequestBatch(list(connects), list(releases), [], [], [])


def kind_of(union):
    return union._d  # pylint: disable=protected-access


def given(number):
    return number[0] if number else "not promised"


def truth(value):
    return "true" if value else "false"


def label_text(label):
    if label.kind == v2.label_atm:
        return f"{label.value >> 16}/{label.value & 0xffff}"
    return "none" if label.kind == v2.label_none else str(label.value)


def connection_text(labels):
    return ", back ".join(f"ingress {label_text(ends.ingress)} egress {label_text(ends.egress)}"
                          for ends in [labels.forward, *labels.back])


def refusal_text(why):
    return f'cause {why.cause} at "{why.element}", asked {why.asked}, free {why.free}: {why.reason}'


def say(line):
    print(line, flush=True)


def expect(exception, operation, *arguments):
    """Calls an operation that must raise `exception`; the exception."""
    try:
        operation(*arguments)
    except exception as raised:
        return raised
    raise AssertionError(f"{operation} did not raise {exception}")


def main(words):
    names, from_end, to_end, mode, *more = words
    orb = CORBA.ORB_init(["connect.py"], CORBA.ORB_ID)
    client = Client(orb, names, from_end, to_end)
    if mode == "plain":
        client.plain()
    else:
        client.session(int(more[0]), more[1:])
    orb.destroy()
    # Worker threads of the ORB outlive destroy(), and CPython 3.11 ends a thread that wants the
    # interpreter while it is torn down: in omniORBpy's C++ that is std::terminate.
    sys.stdout.flush()
    os._exit(0)  # pylint: disable=protected-access


if __name__ == "__main__":
    main(sys.argv[1:])
