#!/usr/bin/env python3
"""Checks that tests can fail: what they compare, how they skip, and what a document says they run.

  weak_tests.py [CHECK...]     all checks, or these (ctest runs each as a test of its own)

  self_comparisons     an assertion compares an expression with itself
  only_above_zero      "more than 0" is all that a test says about a figure
  skips_counted        a skip that neither ctest nor ./check counts as one
  selections_select    `ctest -R X` or `--gtest_filter=X` of a document or a script selects no test

XBIND_BIN_DIR names the folder of the built programs (default: build/bin). A figure that chance
decides gets a comment that begins with "Any number:" and the reason, above the lines up to the next
empty one.
"""

import ast
import fnmatch
import functools
import json
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import check_run  # noqa: E402  pylint: disable=wrong-import-position
import tidy_test  # noqa: E402  pylint: disable=wrong-import-position

ROOT = tidy_test.ROOT
ANY_NUMBER = "Any number: "
# How the reason of a skip begins: something is missing here, or the case has no meaning there.
SKIP_REASON = re.compile(r"(NOT TESTED|DOES NOT APPLY): ")

# Assertions of two values, and the index of the first one.
CPP_PAIRS = re.compile(r"\b(?:EXPECT|ASSERT)_"
                       r"((?:STR|STRCASE)?(?:EQ|NE)|[GL][TE]|FLOAT_EQ|DOUBLE_EQ)\(")
CPP_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|(?<!\w)\'(?:[^\'\\\n]|\\.)+\'')
CPP_TRUTHS = re.compile(r"\b(?:EXPECT|ASSERT)_(?:TRUE|FALSE)\(")
CPP_ASSERTS = re.compile(r"\b(?:EXPECT|ASSERT)_\w+\(")
PY_PAIRS = ("assertEqual", "assertNotEqual", "assertGreater", "assertGreaterEqual", "assertLess",
            "assertLessEqual", "assertIs", "assertIsNot", "assertCountEqual", "assertListEqual",
            "assertDictEqual", "assertAlmostEqual", "assertIn")
# Which argument of a skip is its reason.
SKIPS = {"skipTest": 0, "SkipTest": 0, "skip": 0, "skipIf": 1, "skipUnless": 1}
SELECTION = re.compile(r"\bctest\b[^|`]*?\s-(R|LE?)[ =]+"
                       r"(\"[^\"]+\"|'[^']+'|[^\s`.,;:)\"']+)")


# C++


def blank_comments(text):
    """The text with its comments as blanks: offsets and lines stay."""
    def blank(found):
        return found.group(1) or re.sub(r"[^\n]", " ", found.group())
    return re.sub(r'("(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\')|//[^\n]*|/\*.*?\*/', blank, text,
                  flags=re.DOTALL)


def arguments(text, begin):
    """The arguments of a macro whose "(" ends at `begin`, split as the preprocessor does."""
    depth, start, found, at = 1, begin, [], begin
    while at < len(text) and depth:
        if string := CPP_STRING.match(text, at):
            at = string.end()
            continue
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0 or (depth == 1 and text[at] == ","):
            found.append(" ".join(text[start:at].split()))
            start = at + 1
        at += 1
    return found


def cpp_asserts(text, pattern):
    """(offset, arguments) of every assertion of the pattern."""
    for found in pattern.finditer(text):
        yield found.start(), arguments(text, found.end())


def line_at(text, offset):
    return text.count("\n", 0, offset) + 1


def cpp_self_comparisons(text):
    """(line, expression) of assertions that compare an expression with itself."""
    code = blank_comments(text)
    for offset, words in cpp_asserts(code, CPP_PAIRS):
        if len(words) == 2 and words[0] == words[1]:
            yield line_at(code, offset), words[0]
    for offset, words in cpp_asserts(code, CPP_TRUTHS):
        sides = re.fullmatch(r"(.+) [=!]= (.+)", words[0]) if len(words) == 1 else None
        if sides and sides[1] == sides[2]:
            yield line_at(code, offset), sides[1]


def cpp_functions(text):
    """(begin, end) of what lies between closing braces in the first column: functions, classes."""
    begin = 0
    for found in re.finditer(r"^\}", text, re.MULTILINE):
        yield begin, found.start()
        begin = found.end()


def any_number(lines, number):
    """Whether a comment above line `number`, up to an empty line, says "Any number: why"."""
    for line in reversed(lines[:number]):
        if not line.strip():
            return False
        if re.search(rf"(//|#) {ANY_NUMBER}\w+ \w+", line):
            return True
    return False


def cpp_only_above_zero(text):
    """(line, expression) of figures of which a function says nothing but "more than 0"."""
    code, lines = blank_comments(text), text.splitlines()
    for begin, end in cpp_functions(code):
        body = code[begin:end]
        asserted = [(offset, words) for offset, words in cpp_asserts(body, CPP_ASSERTS)]
        for offset, words in asserted:
            above = re.match(r"(EXPECT|ASSERT)_(GT|GE)\(", body[offset:])
            if not above or len(words) != 2:
                continue
            bound = re.fullmatch(r"([01])(?:\.0?)?[uUlL]*|std::size_t\{([01])\}", words[1])
            if not bound or (bound[1] or bound[2]) != ("0" if above[2] == "GT" else "1"):
                continue
            others = " ".join(" ".join(more) for at, more in asserted if at != offset)
            line = line_at(code, begin + offset)
            if words[0] not in others and not any_number(lines, line):
                yield line, words[0]


def cpp_skips(text):
    """(line, reason) of skips whose reason does not begin as SKIP_REASON."""
    code = blank_comments(text)
    for found in re.finditer(r'\bGTEST_SKIP\(\)(?:\s*<<\s*"((?:[^"\\\n]|\\.)*)")?', code):
        if not SKIP_REASON.match(found[1] or ""):
            yield line_at(code, found.start()), found[1] or "no reason"


def cpp_silent_returns(text):
    """The lines at which a test ends early, but for one that has failed."""
    code = blank_comments(text)
    for begin, end in cpp_functions(code):
        test = re.search(r"^TEST(_[FP])?\(", code[begin:end], re.MULTILINE)
        if test is None:
            continue
        for found in re.finditer(r"^  if \((?!.*Has\w*Failure).*\) (?:\{\s*)?return;",
                                 code[begin + test.start():end], re.MULTILINE):
            yield line_at(code, begin + test.start() + found.start())


# Python


def called(node):
    """The name of the function that a node calls, or an empty text."""
    if not isinstance(node, ast.Call):
        return ""
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def same(one, other):
    return ast.dump(one) == ast.dump(other)


def py_self_comparisons(text):
    for node in ast.walk(ast.parse(text)):
        if called(node) in PY_PAIRS and len(node.args) >= 2 and same(*node.args[:2]):
            yield node.lineno, ast.unparse(node.args[0])
        if isinstance(node, ast.Compare) and same(node.left, node.comparators[0]):
            yield node.lineno, ast.unparse(node.left)


def py_only_above_zero(text):
    lines = text.splitlines()
    for function in ast.walk(ast.parse(text)):
        if not isinstance(function, ast.FunctionDef):
            continue
        asserted = [node for node in ast.walk(function) if called(node).startswith("assert")]
        asserted += [node for node in ast.walk(function) if isinstance(node, ast.Assert)]
        for node in asserted:
            bound = {"assertGreater": 0, "assertGreaterEqual": 1}.get(called(node))
            if bound is None or not isinstance(node.args[1], ast.Constant) \
                    or node.args[1].value != bound:
                continue
            figure = ast.unparse(node.args[0])
            others = " ".join(ast.unparse(more) for more in asserted if more is not node)
            if figure not in others and not any_number(lines, node.lineno):
                yield node.lineno, figure


def text_begin(node):
    """How the text of an expression begins; None when a variable or a function says it."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.JoinedStr) and node.values:
        return text_begin(node.values[0])
    if isinstance(node, ast.BinOp):
        return text_begin(node.left)
    return None


def py_skips(text):
    """(line, reason) of skips in a Python test; the reason is None where a variable has it."""
    for node in ast.walk(ast.parse(text)):
        where = SKIPS.get(called(node))
        if where is not None and len(node.args) > where:
            yield node.lineno, text_begin(node.args[where])


def py_silent_conditions(text):
    """The lines of an `if` that asks for a program and checks less without it, where no other `if`
    of the file skips or ends for the same reason."""
    tree = ast.parse(text)
    programs = {target.id for node in tree.body if isinstance(node, ast.Assign)
                and called(node.value) == "which" for target in node.targets}

    def asked(node):
        parts = list(ast.walk(node.test))
        names = {getattr(one, "id", "") for one in parts} & programs
        return names or {"which" for one in parts if called(one) == "which"}

    def says_so(node):
        return any(called(one) in ("skipTest", "SkipTest", "exit") or SKIP_REASON.match(str(
            getattr(one, "value", ""))) for one in ast.walk(node))

    conditions = [node for node in ast.walk(tree) if isinstance(node, ast.If) and asked(node)]
    said = {name for node in conditions if says_so(node) for name in asked(node)} - {"which"}
    for node in conditions:
        if not says_so(node) and not asked(node) <= said:
            yield node.lineno


def imported(text):
    """The modules that a Python file imports."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def can_skip(file, read):
    """Whether a Python test, or a file beside it that it imports, can skip."""
    seen, waiting = set(), [Path(file)]
    while waiting:
        path = waiting.pop()
        text = read(path)
        if path in seen or text is None:
            continue
        seen.add(path)
        if any(True for _ in py_skips(text)):
            return True
        waiting += [path.parent / f"{module}.py" for module in imported(text)]
    return False


def ends_uncounted(text):
    """Whether a Python program ends by unittest's own exit code, which is 0 after a skip."""
    return re.search(r"^    (sys\.exit\()?unittest\.main\(", text, re.MULTILINE) is not None


# Selections


def selections(text):
    """(line, "R", "L" or "LE", pattern) of each `ctest -R X` of a text."""
    for number, line in enumerate(text.splitlines(), 1):
        for found in SELECTION.finditer(line):
            yield number, found[1], found[2].strip("\"'")


def filters(text):
    """(line, program, filter) of each `PROGRAM --gtest_filter=X` of a text."""
    for found in re.finditer(r"(\w+)\"?,?\s+\"?--gtest_filter='?([^'\"\s)`]+)", text):
        yield line_at(text, found.start()), found[1], found[2]


def selects(pattern, names):
    """Whether a filter of GoogleTest selects one of the names."""
    return any(fnmatch.fnmatchcase(name, one) for one in pattern.split(":") for name in names)


@functools.cache
def registered():
    """The tests of ctest, as the build has them."""
    shown = subprocess.run(["ctest", "--test-dir", str(tidy_test.bin_dir().parent),
                            "--show-only=json-v1"], capture_output=True, text=True, check=True)
    return json.loads(shown.stdout)["tests"]


def properties(test):
    return {one["name"]: one["value"] for one in test.get("properties", [])}


@functools.cache
def listed(program):
    """The names that a test program lists, or None when there is no such program."""
    path = tidy_test.bin_dir() / program
    if not path.exists():
        return None
    printed = subprocess.run([path, "--gtest_list_tests"], capture_output=True, text=True,
                             timeout=60, check=True).stdout
    names, suite = [], ""
    for line in printed.splitlines():
        word = line.partition("#")[0].rstrip()
        if not word.startswith(" "):
            suite = word
        else:
            names.append(suite + word.strip())
    return names


# The checks. Each yields a sentence for each offence.


def test_files(ending):
    return [name for name in tidy_test.tree()
            if name.startswith("tests/") and name.endswith(ending)]


def self_comparisons():
    """No assertion compares an expression with itself."""
    for ending, find in ((".cpp", cpp_self_comparisons), (".hpp", cpp_self_comparisons),
                         (".py", py_self_comparisons)):
        for name in test_files(ending):
            for line, what in find(tidy_test.read(name)):
                yield f"{name}:{line}: compares `{what}` with itself; write what it has to be"


def only_above_zero():
    """No figure is only said to be above zero."""
    for ending, find in ((".cpp", cpp_only_above_zero), (".py", py_only_above_zero)):
        for name in test_files(ending):
            for line, what in find(tidy_test.read(name)):
                yield f"{name}:{line}: `{what}` is only said to be above 0; write the number or " \
                      f"both bounds, or a comment '{ANY_NUMBER}' with the reason"


def read_path(path):
    return path.read_text() if path.is_file() else None


def skips_counted():
    """Every skip says NOT TESTED, and ctest sees it."""
    for name in test_files(".cpp") + test_files(".hpp"):
        for line, reason in cpp_skips(tidy_test.read(name)):
            yield f"{name}:{line}: skips with '{reason}': begin with 'NOT TESTED: ' where " \
                  "something is missing, with 'DOES NOT APPLY: ' where the case has no meaning"
        for line in cpp_silent_returns(tidy_test.read(name)):
            yield f"{name}:{line}: a test that returns here has passed; use GTEST_SKIP() << " \
                  "\"NOT TESTED: ...\""
    for name in test_files(".py"):
        for line in py_silent_conditions(tidy_test.read(name)):
            yield f"{name}:{line}: checks only where a program is there, and no one counts where " \
                  "it is not; use skipTest()"
        for line, reason in py_skips(tidy_test.read(name)):
            if reason is not None and not SKIP_REASON.match(str(reason)):
                yield f"{name}:{line}: skips with '{reason}': begin with 'NOT TESTED: '"
    programs = 0
    for test in registered():
        files = [word for word in test.get("command", []) if word.endswith(".py")]
        if not files or not can_skip(files[0], read_path):
            continue
        programs += 1
        if properties(test).get("SKIP_RETURN_CODE") != 77:
            yield f"{test['name']}: can skip, but has no SKIP_RETURN_CODE 77: ctest would count " \
                  "it as passed"
        if ends_uncounted(Path(files[0]).read_text()):
            yield f"{test['name']}: can skip, but ends with unittest.main(): use harness.main()"
    if programs < 10:
        yield f"{programs} programs that can skip were read; has the form of the tests changed?"


def selections_of_tree():
    names = [name for name in tidy_test.tree()
             if name.endswith((".md", ".txt", ".cmake", ".py")) or tidy_test.is_script(name)]
    return [name for name in names if not name.startswith(("tests/tidy/", "docs/decisions/"))
            and name != "CHANGELOG.md"]


def selections_select():
    """What a document or script selects exists."""
    tests = [test["name"] for test in registered()]
    labels = {label for test in registered() for label in properties(test).get("LABELS", [])}
    seen = 0
    for name in selections_of_tree():
        text = tidy_test.read(name)
        for line, kind, pattern in selections(text):
            if "$" in pattern:
                continue  # a script's variable
            seen += 1
            if not any(re.search(pattern, one) for one in (tests if kind == "R" else labels)):
                yield f"{name}:{line}: `ctest -{kind} {pattern}` selects no test"
        for line, program, pattern in filters(text):
            if "$" in pattern:
                continue
            names = listed(program)
            seen += 1
            if names is None:
                yield f"{name}:{line}: there is no program {program}"
            elif not selects(pattern, names):
                yield f"{name}:{line}: `{program} --gtest_filter={pattern}` selects no test"
    # Words of ./check: -LE LABEL, and the labs' tests under the sanitizers.
    script = tidy_test.read("check")
    for label in re.findall(r"-LE? ([a-z-]+)\b", script):
        if label not in labels:
            yield f"check: -L/-LE {label}: no test has this label"
    for names in re.findall(r"^lab_tests\+?='\|?([^']+)'", script, re.MULTILINE):
        for one in names.split("|"):
            seen += 1
            if f"integration/{one}" not in tests:
                yield f"check: lab_tests has {one}, but there is no test integration/{one}"
    if seen < 20:
        yield f"{seen} selections were read; has their form changed?"


CHECKS = {check.__name__: check for check in (
    self_comparisons, only_above_zero, skips_counted, selections_select)}


if __name__ == "__main__":
    sys.exit(check_run.run(CHECKS, sys.argv[1:]))
