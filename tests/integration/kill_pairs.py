"""Rounds of kill_rounds_test.py in which two daemons end: what they may leave, and how much of it.

Unclaimed entries. A manager that cannot reach a SwitchServer owes it the removals of hops. If the
manager ends before the SwitchServer is back, no ledger has these hops any more, nor the hops that
a request under way had only there. Their entries stay until an operator removes them
(docs/decisions/0121). They are counted: at most the removals that the manager owed just before its
end, by its metrics, and two for each request that it had not answered, or answered after they were
read.

Calls that are misrouted. While RouteObject has the wrong file it gives out paths over links that
do not exist, and a manager uses them until it has heard of the right one. Cells of a call that was
set up in that time may be lost. Cells of no other call may.
"""

import csv
import math
import re

LEGS = 2  # hops of a call that one switch may have
LATE_S = 0.3  # callgen's progress lines may be that much behind
# Whether the calls in setup that arrivals find are those of the mean over time. While a manager is
# down its calls wait, and few arrivals see them; no figure of speed is taken from such a round.
PASTA = "calls in setup, as arrivals find them against over time (PASTA)"


def altered(topology, network):
    """The topology file without its last link, or with the far ends of two links exchanged."""
    head, *links = topology.split("[[link]]\n")
    if network == "lacking":
        return "[[link]]\n".join([head, *links[:-1]])
    assert network == "crossed", network
    between = re.compile(r'between = \["([^"]+)", "([^"]+)"\]')
    one, other = (between.search(links[place]).groups() for place in (0, 3))
    for place, ends in ((0, (one[0], other[1])), (3, (other[0], one[1]))):
        links[place] = between.sub(f'between = ["{ends[0]}", "{ends[1]}"]', links[place])
    return "[[link]]\n".join([head, *links])


# ===== unclaimed entries =====

def unclaimed_entries(audit, node):
    """How many there are at that node, if the audit has found nothing else; None: it has, or there
    was none."""
    if "findings" not in audit:
        return None
    strays = [finding for finding in audit["findings"]
              if finding["kind"] == "stray cross-connect" and "in no ledger" in finding["text"]
              and re.match(rf"{re.escape(node)}( |$)", finding["element"])]
    others = audit["unreadable"] or audit["wrong_labels_and_hops"] or audit["leaked_cells_per_s"]
    if others or len(strays) != audit["wrong_cross_connects"] or len(strays) != len(
            audit["findings"]):
        return None
    return len(strays)


def unclaimed_by_alarm(alarms, node):
    """The number of entries that the node's alarm counts; 0: there is none."""
    for alarm in alarms["alarms"]:
        if (alarm["kind"], alarm["about"]) == ("entries-of-nobody", node):
            if not alarm["cleared_ms"]:
                return int(alarm["cause"].split()[0])
    return 0


def too_many_unclaimed(one):
    """A sentence if more unclaimed entries were found than may be."""
    unanswered = one.summary["reattached"]["requests_repeated"]
    late = math.ceil(one.rate * one.unread_s)
    if one.unclaimed > one.owed + LEGS * (unanswered + late):
        yield (f"{one.unclaimed} unclaimed entries, although {one.owed} removals were owed, "
               f"{unanswered} requests had no answer and {late} had one after that was read")


# ===== calls that are misrouted =====

def setups_in(records):
    """{call: (sent, answered)} of a file of callgen's --records, in seconds."""
    with open(records, newline="") as file:
        return {int(row["call"]): (int(row["sent_ns"]) / 1e9, int(row["answered_ns"]) / 1e9)
                for row in csv.DictReader(file)
                if row["kind"] == "setup" and row["ended"] == "done"}


def others_than_misrouted(failed, setups, misrouted_s):
    """Of the failed calls which were set up while the managers knew the right network."""
    begin, end = misrouted_s
    for call in failed:
        sent, answered = setups[call]
        if answered < begin or sent > end + LATE_S:
            yield call


# ===== callgen's verdict =====

def unexplained(one):
    """callgen's reasons against the run, without what such a round may do. Yields sentences."""
    summary = one.summary
    failed = summary["media"]["failed_calls"]
    misrouted = one.misrouted_s is not None and not list(
        others_than_misrouted(failed, one.setups, one.misrouted_s))
    if misrouted:
        one.misrouted = len(failed)
    # Repeated to a manager that does not know yet whether unclaimed entries are left.
    unknown = (one.lost_node() and set(summary["release_failures"]) == {"unknown connection"}
               and summary["releases"]["failed"] <= summary["reattached"]["requests_repeated"])
    for reason in summary["verdict"]["reasons"]:
        if misrouted and reason.startswith("cells did not arrive as they should"):
            continue
        if unknown and re.fullmatch(r"\d+ of \d+ releases failed", reason):
            continue
        if one.manager() and reason.startswith(PASTA):
            continue
        yield reason
    if one.misrouted_s is not None and not misrouted:
        calls = {call: one.setups[call] for call in
                 others_than_misrouted(failed, one.setups, one.misrouted_s)}
        yield f"not misrouted (from {one.misrouted_s}): {calls}"
