#!/usr/bin/env python3
"""Counts words that a reader of another mother tongue stumbles over. tests/tidy/words.txt has a
ceiling for each, which only falls.

  words.py            fails where a word is more frequent than its ceiling, or rarer: lower it then
  words.py --write    lowers the ceilings to the counts; raises none
  words.py --places WORD    prints every line that has the word

Counted are sources, documents and tests, also within names (`told_`, `IsToldAgain`), but for the
changelog, the decisions (a record stays as it was made) and documents that are made from sources.
"""

import functools
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import tidy_test  # noqa: E402  pylint: disable=wrong-import-position

LIST = "tests/tidy/words.txt"
ENDINGS = (*tidy_test.CODE, ".md", ".toml", ".txt", ".cmake")
NOT_COUNTED = re.compile(r"CHANGELOG\.md|docs/decisions/.*|docs/(options|timers|metrics|limits|idl|"
                         r"call-states)\.md|core/config/option_names\.cpp|tests/tidy/words.*")
ROW = re.compile(r"(\d+) +(\S.*?) +-> +(\S.*)")


@functools.cache
def pattern_of(word):
    """Matches a word or phrase, in text and as a part of a name. `*` stands for the rest of a word,
    `$` for the end of a sentence."""
    if word.endswith("$"):
        return re.compile(re.escape(word[:-1]) + r"(?=[.;:)]|$)", re.IGNORECASE | re.MULTILINE)
    text = re.escape(word).replace(r"\*", "[a-z]*").replace(r"\ ", r"[\s_-]+(?://\s*|#\s*)?")
    capital = text[0].upper() + text[1:]
    return re.compile(rf"(?<![A-Za-z])(?:{text}|{capital})(?![a-z])|(?<=[a-z]){capital}(?![a-z])|"
                      rf"(?<![A-Za-z]){text.upper() if text.isalpha() else text}(?![A-Za-z])")


def parse(text):
    """word -> (ceiling, line number)"""
    rows = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        row = ROW.fullmatch(line.strip())
        if row is None or row[2] in rows:
            raise SystemExit(f"{LIST}:{number}: is not `CEILING WORD -> BETTER`, or twice: {line}")
        rows[row[2]] = (int(row[1]), number)
    return rows


def counted_files():
    return {name: tidy_test.read(name) for name in tidy_test.tree()
            if (name.endswith(ENDINGS) or tidy_test.is_script(name))
            and not NOT_COUNTED.fullmatch(name)}


def places(word, text, lowered):
    """The matches of a word. Its first letters are looked for in the text in lower case, because
    the pattern has no beginning of its own that a search could jump to."""
    pattern, begins = pattern_of(word), re.match(r"[^\s*$]+", word)[0].lower()
    at = lowered.find(begins)
    while at >= 0:
        found = pattern.match(text, at)
        if found:
            yield found
        at = lowered.find(begins, found.end() if found else at + 1)


def counts(words, texts):
    both = [(text, text.lower()) for text in texts]
    return {word: sum(1 for text, lowered in both for _ in places(word, text, lowered))
            for word in words}


def findings(rows, counted):
    for word, (ceiling, number) in rows.items():
        found = counted[word]
        if found > ceiling:
            yield f"{LIST}:{number}: '{word}' stands {found} times, at most {ceiling}: " \
                  f"`words.py --places '{word}'` shows where; the line says what is better"
        elif found < ceiling:
            yield f"{LIST}:{number}: '{word}' stands {found} times: lower the ceiling of " \
                  f"{ceiling} (tests/tidy/words.py --write)"


def lowered(text, counted):
    """The list with each ceiling lowered to the count."""
    def row(line):
        found = ROW.fullmatch(line.strip())
        if found is None or counted[found[2]] >= int(found[1]):
            return line
        return f"{counted[found[2]]:4} {found[2]} -> {found[3]}"
    return "".join(row(line) + "\n" for line in text.splitlines())


def main(arguments):
    text = tidy_test.read(LIST)
    files = counted_files()
    if arguments[:1] == ["--places"]:
        for name, content in files.items():
            for found in places(arguments[1], content, content.lower()):
                line = content.count("\n", 0, found.start())
                print(f"{name}:{line + 1}: {content.splitlines()[line].strip()}")
        return 0
    rows = parse(text)
    if len(rows) < 20:
        print(f"{LIST}: {len(rows)} words were read; has its form changed?")
        return 1
    counted = counts(rows, files.values())
    if arguments == ["--write"]:
        (tidy_test.ROOT / LIST).write_text(lowered(text, counted))
        return 0
    wrong = list(findings(rows, counted))
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
