"""Runs checks of tests/tidy by their names. A check yields a sentence for each offence."""

import sys


def run(checks, words):
    """Runs the checks that `words` names, or all. The exit code."""
    wrong = 0
    for name in words or checks:
        if name not in checks:
            print(f"there is no check '{name}'; there are {', '.join(checks)}", file=sys.stderr)
            return 2
        for sentence in checks[name]():
            print(sentence)
            wrong += 1
    return 1 if wrong else 0
