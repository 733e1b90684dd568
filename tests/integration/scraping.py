"""HTTP requests to a daemon's --metrics, and what a scrape contains."""

import re
import urllib.error
import urllib.request

from harness import ROOT

SAMPLE = re.compile(r"^(\w+)(?:\{(.*)\})? (\S+)$")
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


def get(address, path, method="GET", timeout=20):
    """Status code, headers and body."""
    request = urllib.request.Request(f"http://{address}{path}", method=method)
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, error.read().decode()


class Scrape:
    """The samples of one answer of /metrics."""

    def __init__(self, text):
        self.text = text
        self.types = dict(re.findall(r"^# TYPE (\w+) (\w+)$", text, re.MULTILINE))
        self.samples = {}
        for line in text.splitlines():
            if not line.startswith("#"):
                name, labels, value = SAMPLE.match(line).groups()
                key = name, frozenset(LABEL.findall(labels or ""))
                assert key not in self.samples, f"twice: {line}"
                self.samples[key] = float(value)

    def value(self, name, **labels):
        return self.samples[name, frozenset(labels.items())]

    def of(self, name):
        """Labels -> value, for every sample of that name."""
        return {labels: value for (one, labels), value in self.samples.items() if one == name}

    def names(self):
        return {name for name, _ in self.samples}


def documented():
    """Family -> its labels, from docs/metrics.md."""
    text = (ROOT / "docs" / "metrics.md").read_text()
    rows = re.findall(r"\| `(xbind_\w+)(?:\{([\w,]+)\})?` \|", text)
    return {family: set(labels.split(",")) - {""} for family, labels in rows}


def family_of(name, types):
    """The family of a sample: a histogram has three kinds."""
    base = re.sub(r"_(bucket|sum|count)$", "", name)
    return base if types.get(base) == "histogram" else name
