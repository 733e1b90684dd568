"""What rounds of kill_rounds_test.py draw: victims and moments, by a seed; and a round's row in the
log."""

import random
from dataclasses import dataclass

PROGRAMS = ["omniNames", "xbind-switch", "xbind-switchserver", "xbind-routeobject",
            "xbind-qosmapper", "xbind-cmgr"]
RATES = (200, 1000, 4000)  # calls a second
FAST_ENOUGH = RATES[1]  # where daemons have no more to spare: under a sanitizer
KILL_S = (0.5, 2.5)  # after the first call
DOWN_S = (0.0, 2.0)
AGAIN = 1 / 3  # share of rounds in which the victim is killed a second time
AGAIN_S = (0.0, 1.0)  # after its new start
PAIRS = [("xbind-cmgr", "xbind-switchserver"), ("xbind-switchserver", "xbind-cmgr"),
         ("xbind-switchserver", "xbind-switchserver"), ("xbind-routeobject", "xbind-cmgr")]
GAP_S = (0.0, 5.0)  # from the first victim's end to the second one's
COLUMNS = ("seed round victim rate killed_s down_s again_s clean_s calls standing repeated "
           "longest_ms verdict")
PAIR_COLUMNS = COLUMNS.replace("verdict", "owed unclaimed misrouted verdict")


@dataclass
class Round:
    """What is drawn for a round. Seconds count from the beginning of the load."""

    number: int
    seed: int
    victim: str
    rate: int  # calls a second
    killed_s: float
    down_s: float
    again_s: float | None  # the victim is killed again, perhaps before it is ready; None: it is not
    second: str | None = None  # another victim
    gap_s: float = 0.0
    second_down_s: float = 0.0
    network: str = "right"  # of RouteObject when it comes back: right, lacking, crossed

    # Measured.
    reconciled_s: float = 0.0  # from the moment of the last start
    summary: dict | None = None  # callgen's report
    troubles: tuple = ()
    # Of two victims (kill_pairs.py).
    owed: int = 0  # removals that the manager owed to SwitchServers just before it ended
    unread_s: float = 0.0  # since that was read
    unclaimed: int = 0  # unclaimed entries
    wrong_from_s: float | None = None  # when RouteObject got the wrong file
    misrouted_s: tuple | None = None  # from then until both managers had heard of the right one
    setups: dict | None = None  # when calls were set up
    misrouted: int = 0  # calls that lost cells because RouteObject had the wrong file

    def lost_node(self):
        """Where hops may be unclaimed; None: a manager is not among the victims, or no ledger."""
        names = [name.partition("/") for name in (self.victim, self.second or "")]
        nodes = [node for program, _, node in names if program == "xbind-switchserver"]
        return nodes[0] if len(nodes) == 1 and self.manager() else None

    def manager(self):
        """The manager among the victims."""
        return next((name for name in (self.victim, self.second or "")
                     if name.startswith("xbind-cmgr")), None)

    def line(self):
        """The row of the log, by COLUMNS."""
        summary = self.summary or {}
        verdict = " ".join("; ".join(self.troubles).split()) or "ok"
        counts = [summary.get(part, {}).get(name, 0) for part, name in (
            ("setups", "attempted"), ("media", "calls_checked"),
            ("reattached", "requests_repeated"))]
        again = "-" if self.again_s is None else self.again_s
        victim = self.victim
        if self.second:
            victim += f"+{self.second}@{self.gap_s},{self.second_down_s}"
        if self.network != "right":
            victim += f",{self.network}"
        left = (self.owed, self.unclaimed, self.misrouted) if self.second else ()
        return " ".join(str(word) for word in (
            self.seed, self.number, victim, self.rate, self.killed_s, self.down_s, again,
            f"{self.reconciled_s:.2f}", *counts, f"{longest_ms(summary):.0f}", *left, verdict))


def in_turns(draw, count, kinds):
    """The numbers from 1 to `count`, each with one of the kinds: all in turn, each turn in another
    order."""
    turn = []
    for number in range(1, count + 1):
        turn = turn or draw.sample(kinds, len(kinds))
        yield number, turn.pop()


def rounds_of(seed, count, processes, fastest=RATES[-1]):
    """The programs come in turn; chance chooses among their processes. What is drawn above
    `fastest` is played at it."""
    draw = random.Random(seed)
    for number, program in in_turns(draw, count, PROGRAMS):
        victim = draw.choice([name for name in processes if name.partition("/")[0] == program])
        yield Round(number, seed, victim, min(draw.choice(RATES), fastest),
                    round(draw.uniform(*KILL_S), 1), round(draw.uniform(*DOWN_S), 1),
                    round(draw.uniform(*AGAIN_S), 1) if draw.random() < AGAIN else None)


def pairs_of(seed, count, processes):
    """Two victims, as PAIRS says, in turn; chance chooses among processes, moments and networks."""
    draw = random.Random(seed)
    for number, (first, second) in in_turns(draw, count, PAIRS):
        victims = []
        for program in (first, second):
            victims.append(draw.choice([name for name in processes if name not in victims
                                        and name.partition("/")[0] == program]))
        network = "right"
        if first == "xbind-routeobject":
            network = draw.choice(("lacking", "crossed"))
        gap = round(draw.uniform(*GAP_S), 1)
        if draw.random() < 0.5:
            gap = round(gap / 5, 1)  # within a second, half of the time
        yield Round(number, seed, victims[0], draw.choice(RATES[:2]),
                    round(draw.uniform(*KILL_S), 1), round(draw.uniform(*DOWN_S), 1), None,
                    victims[1], gap, round(draw.uniform(*DOWN_S), 1), network)


def longest_ms(summary):
    """The longest time from the moment at which a request was due to its answer."""
    return max((kind[which]["max"] for kind in summary.get("kinds", {}).values()
                for which in ("latency_us", "refusal_latency_us")), default=0) / 1000
