#!/usr/bin/env python3
"""Evaluates the alert rules of deploy/prometheus with promtool's unit tests.

Each alert has a moment at which it fires and one at which it does not. So that the tests see every
rule, all are replaced by ones that never fire, and by ones that always do: promtool must report
each. Without promtool (package prometheus): exit code 77 after the other checks, which ctest counts
as skipped.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "deploy/prometheus"
SKIPPED = 77
EXPRESSION = re.compile(r"(- alert: (\w+)\n +expr: )(>-\n(?: {10}.*\n)+|.*\n)")


def uncovered(rules, tests):
    """Sentences about alerts without one of the moments, and tests of alerts that do not exist."""
    alerts = re.findall(r"- alert: (\w+)", rules)
    silent = set(re.findall(r"alertname: (\w+), exp_alerts: \[\]", tests))
    firing = set(re.findall(r"alertname: (\w+)\n +exp_alerts:\n", tests))
    for alert in alerts:
        if alert not in firing:
            yield f"alerts_test.yml: no moment at which {alert} fires"
        if alert not in silent:
            yield f"alerts_test.yml: no moment at which {alert} does not fire"
    for alert in sorted((silent | firing) - set(alerts)):
        yield f"alerts_test.yml: there is no alert {alert}"
    if len(alerts) < 10:
        yield f"alerts.yml: {len(alerts)} alerts were read; has its form changed?"


def evaluated(promtool, rules, tests):
    """The exit code and the output of promtool for a pair of files."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "alerts.yml").write_text(rules)
        (Path(folder) / "alerts_test.yml").write_text(tests)
        ran = subprocess.run([promtool, "test", "rules", f"{folder}/alerts_test.yml"],
                             capture_output=True, text=True, check=False, timeout=60)
        return ran.returncode, ran.stdout + ran.stderr


def falsified(rules, expression):
    """The rules with every expression replaced."""
    return EXPRESSION.sub(lambda found: found[1] + expression + "\n", rules)


def main():
    rules = (FOLDER / "alerts.yml").read_text()
    tests = (FOLDER / "alerts_test.yml").read_text()
    wrong = list(uncovered(rules, tests))
    promtool = shutil.which("promtool")
    if promtool:
        code, output = evaluated(promtool, rules, tests)
        if code != 0:
            wrong.append(output)
        alerts = {name for _, name, _ in EXPRESSION.findall(rules)}
        for expression in ("vector(0) > 1", "vector(1)"):
            _, output = evaluated(promtool, falsified(rules, expression), tests)
            for name in sorted(alerts - set(re.findall(r"alertname: (\w+)", output))):
                wrong.append(f"alerts_test.yml does not notice that {name} is {expression}")
    print("\n".join(wrong))
    if wrong:
        return 1
    if not promtool:
        print("NOT TESTED: promtool is missing (package prometheus, level long)")
        return SKIPPED
    return 0


if __name__ == "__main__":
    sys.exit(main())
