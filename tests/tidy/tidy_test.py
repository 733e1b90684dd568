#!/usr/bin/env python3
"""Checks what no compiler checks: layering, leftovers, up-to-date documents, growth of files.

  tidy_test.py [CHECK...]              all checks, or these (ctest runs each as a test of its own)
  tidy_test.py --write-options [DIR]   regenerates docs/options.md and option_names.cpp from DIR

XBIND_BIN_DIR names the folder of the built programs (default: build/bin), with the build above it.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import check_run
import include_graph
import option_names

ROOT = Path(__file__).resolve().parents[2]

PROGRAMS = ["gsmpdump", *("xbind-callgen " + word for word in (
                "compare control figures floor generator null-manager null-switch overload report "
                "run saturate search soak").split()), *("xbind-" + name for name in (
                "cmgr console gsmp-ovs keeper names qosmapper routeobject smds").split()),
            "xbind-smds host", "xbind-smds status", "xbind-switch", "xbind-switch tell",
            "xbind-switchserver", "xbind-wan", "xbind-wan tell", "xbindctl"]

# Files that may use CORBA. All others compile without omniORB. main.cpp builds and connects the
# objects of daemon.* and program.*.
CORBA_ROOMS = re.compile(r"""^( orb/.* | naming/.* | xbindctl/.* | tests/integration/.*
    | tests/fuzz/upcall.*
    | (.*/)?servant(_[^/]*)?\.[^/]+ | (.*/)?remote_[^/]*\.[^/]+
    | [^/]+/(main|daemon|program)\.[^/]+
    | callgen/corba/.* | bench/(commands|floor)/.* | bench/null/((.*_)?daemon|gathering_options|"""
                         r"""standard_input)\.[^/]+ | client/corba/.* | docs/examples/.* )$""",
                         re.VERBOSE)
CORBA_INCLUDE = re.compile(
    r'^\s*#\s*include\s*[<"]((omniORB4|COS|omnithread|idl/)[^>"]*|\w+\.hh)[>"]')

# Files that may use time, chance and the network. All others get them as arguments.
OUTSIDE_WORLD = {
    "the steady clock": (re.compile(r'steady_now\.hpp|steady_now\(|_clock::now\('), [
        "core/steady_now.hpp", r"(tests/unit/)?ovs/bridge_link(_test)?\.cpp",
        r"switchserver/bench/add_rate\.cpp", r"core/(log|output|impairments/pace_clock)\.cpp",
        r"client/corba/.*", r"orb/.*", r"naming/.*", r"xbindctl/.*", r".*/servant.*",
        r".*/(main|daemon|program)\..*", r".*/remote_.*", r"exporter/(exporter|http_server)\.cpp",
        r"callgen/(corba/|media/media_lines).*", r"bench/(commands|floor|null|processes)/.*",
        r"net/.*", r"tests/integration/.*", r"tests/fuzz/upcalls\.cpp"]),
    "a form of its own for the time of day": (
        re.compile(r"localtime|gmtime|strftime|put_time"), [r"core/utc_text\.cpp"]),
    "unseeded chance": (re.compile(r"random_device|\bs?rand\(\)|\bdrand48\("), [
        r"orb/.*", r".*/(main|daemon|program)\..*", r"switchserver/bench/add_rate\.cpp"]),
    "sleeping": (re.compile(r"sleep_(for|until)\b|\b(u|nano)?sleep\("), [
        r"orb/.*", r"naming/.*", r".*/(main|daemon)\.cpp", r"core/impairments/pace_clock\.cpp"]),
    "sockets": (re.compile(r'#\s*include\s*<(sys/socket|netinet/|arpa/|netdb|sys/un|poll|sys/epoll'
                           r'|boost/asio)'), [
        r"core/output\.cpp", r"net/.*", r"gsmp/gsmpdump/proxy\.cpp", r"xbindctl/ping\.cpp",
        r"core/config/host_port\.cpp", r"(tests/unit/)?exporter/http_server(_test)?\.cpp",
        r"emulator/main\.cpp", r"(tests/unit/)?ovs/bridge_link(_test)?\.cpp",
        r"(tests/unit/)?dataplane/links/(udp|packet)(_.*|\.hpp)", r"callgen/media/media_lines\.cpp",
        r"console/(http_(server|session)|workers)\.(cpp|hpp)", r"orb/.*", r"tests/integration/.*",
        r"bench/(floor|null|processes)/.*|.*/frame_relay.cpp|switchserver/(bench/)?main.cpp"]),
}

# Files that may catch an exception of CORBA or of a contract. Outgoing invocations go through
# orb::remote(), which turns every exception into a value. A forgotten catch would end the thread,
# and with it the daemon.
CATCHES_CORBA = re.compile(
    r"\bcatch\s*\(\s*(\.\.\.|(const\s+)?(::)?(\w+::)*(v2|CORBA|CosNaming|omniORB)::)")
MAY_CATCH_CORBA = {
    "orb/remote_error.hpp": "orb::remote() itself",
    "orb/dispatch.cpp": "upcalls: counts what a servant throws, and passes it on to the caller",
    "orb/runtime.cpp": "the ORB of this process starts and ends",
    "core/shortage.cpp": "names what ends the process, whatever it is",
}
LEFTOVERS = [
    ("a note to oneself", re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")),
    ("code switched off", re.compile(r"^\s*#\s*if\s+0\b")),
    ("a debug line", re.compile(r"\bstd::(cerr|cout)\s*<<.*(DEBUG|debug|here)|^\s*printf\(")),
    ("a merge that was not finished", re.compile(r"^(<{7}|>{7}|={7})( |$)")),
    ("blanks at the end of the line", re.compile(r"[ \t]+$")),
    ("a test switched off", re.compile(r"\bDISABLED_[A-Z]")),
]

# Paths of one machine. Spelt in pieces, so that this file does not name them.
MACHINE_PATHS = re.compile(r"(?<![\w.])/("
                           + "|".join(["wor" "k", "far" "m", "home/[a-z]", "roo" "t"])
                           + r")/|bash_jo" r"bs")

# Growth: long_files.txt lists each file above LINES_FREE lines with its bound.
LINES_FREE = 500
LONG_FILES = "tests/tidy/long_files.txt"

COLUMNS = 100

EXPECTED_FAILURES = "tests/expected-failures.txt"
ARCHITECTURE = "docs/architecture.md"

CODE = (".cpp", ".hpp", ".py", ".idl")


def tree():
    """Every file that is tracked or could be, as a path from the root."""
    listed = subprocess.run(
        ["git", "-c", "safe.directory=*", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard"],
        capture_output=True, text=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        names = listed.stdout.splitlines()
    else:  # an unpacked archive
        names = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if path.is_file()]
        names = [name for name in names if not re.match(r"(build|\.git/)|.*__pycache__", name)]
    return sorted(name for name in set(names) if (ROOT / name).is_file())


def read(name):
    return (ROOT / name).read_text(errors="replace")


def is_script(name):
    return name in ("quickstart", "check", "deploy/lab", "deploy/install",
                    "deploy/wireshark/build-giop", ".ci/run")


def code_files():
    return [name for name in tree() if name.endswith(CODE) or is_script(name)]


def lines_of(names):
    for name in names:
        for number, line in enumerate(read(name).splitlines(), 1):
            yield name, number, line


def without_comment(line):
    return re.sub(r"//.*", "", line)


# The checks. Each yields a sentence for each offence; nothing when all is well.


def corba_rooms():
    """Only the named files use CORBA."""
    names = [name for name in tree() if name.endswith((".cpp", ".hpp"))]
    inside = {name for name in names if CORBA_ROOMS.match(name)}
    for name, number, line in lines_of(names):
        seen = CORBA_INCLUDE.match(line)
        if seen and name not in inside:
            yield f"{name}:{number}: includes {seen.group(1)}, but CORBA is for orb/, naming/, " \
                  f"xbindctl/, */servant.*, */remote_*, */main.cpp and what it builds"
        # A file that may use CORBA must not be included from one that may not.
        ours = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
        if ours and name not in inside and CORBA_ROOMS.match(ours.group(1)):
            yield f"{name}:{number}: includes {ours.group(1)}, which may use CORBA"


def outside_world():
    """No clock, chance, sleep or socket in logic, nor in its tests."""
    names = [name for name in tree() if name.endswith((".cpp", ".hpp"))]
    for what, (pattern, allowed) in OUTSIDE_WORLD.items():
        door = re.compile("|".join(f"(?:{one})" for one in allowed))
        for name, number, line in lines_of(names):
            if pattern.search(without_comment(line)) and not door.fullmatch(name):
                yield f"{name}:{number}: uses {what}; pass it to this file " \
                      f"as an argument instead: {line.strip()}"


def remote_calls():
    """Only the listed files, and tests, catch exceptions of CORBA and of the contracts."""
    for name in MAY_CATCH_CORBA:
        if not CATCHES_CORBA.search(read(name)):
            yield f"{name}: catches no exception of CORBA; take it from MAY_CATCH_CORBA"
    names = [name for name in tree() if name.endswith((".cpp", ".hpp"))
             and not name.startswith("tests/") and name not in MAY_CATCH_CORBA]
    for name, number, line in lines_of(names):
        if CATCHES_CORBA.search(without_comment(line)):
            yield f"{name}:{number}: catches an exception of CORBA: {line.strip()} Make the call " \
                  "within orb::remote(), with a function for each exception that is an answer"


def leftovers():
    """No leftovers of work in progress."""
    for name, number, line in lines_of(code_files() + [
            name for name in tree()
            if Path(name).name == "CMakeLists.txt" or name.endswith(".cmake")]):
        if name == "tests/tidy/tidy_test.py":
            continue
        for what, pattern in LEFTOVERS:
            if pattern.search(line):
                yield f"{name}:{number}: {what}: {line.strip() or '(blank)'}"


def headers():
    """Every header is included once, and starts with a comment that states its purpose."""
    for name in tree():
        if not name.endswith(".hpp"):
            continue
        text = read(name)
        if "#pragma once" not in text:
            yield f"{name}: has no #pragma once"
        if not text.startswith("//"):
            yield f"{name}: does not open with a comment that says what it is for"


def everything_built():
    """CMake forgets no source and no test: the build can compile each."""
    commands = json.loads((bin_dir().parent / "compile_commands.json").read_text())
    built = {str(Path(command["directory"], command["file"])) for command in commands}
    for batch in [path for path in built if "/Unity/" in path]:  # decision 0056
        built.update(re.findall(r'^#include "(.*)"$', Path(batch).read_text(), re.MULTILINE))
    for name in tree():
        if name.endswith(".cpp") and str(ROOT / name) not in built:
            yield f"{name}: no CMakeLists.txt names it, so nothing builds it"


def thread_programs(text):
    """The arguments of the calls of xbind_unit_test(... THREADS ...), with lists filled in."""
    lists = dict(re.findall(r"set\((\w+) ([^)]*)\)", text))
    filled = re.sub(r"\$\{(\w+)\}", lambda found: lists.get(found[1], found[0]), text)
    calls = re.findall(r"xbind_unit_test\(([^)]*)\)", filled)
    return " ".join(call for call in calls if "THREADS" in call.split())


def threads_sanitized():
    """Unit tests that start threads are in a program that the thread sanitizer runs."""
    threads = re.compile(r"std::(jthread|thread|async)\b|\b(TcpClient|MediaLines|Serial|HttpServer|"
                         r"Collector|Workers|UnwrittenFiles|KeptReload|StateFile)\b")
    for name in filter(re.compile(r"tests/unit/.*\.(cpp|hpp)").fullmatch, tree()):
        if not any(threads.search(without_comment(line)) for line in read(name).splitlines()):
            continue
        lists = next(folder / "CMakeLists.txt" for folder in Path(name).parents
                     if (ROOT / folder / "CMakeLists.txt").exists())
        if Path(name).name not in thread_programs(read(str(lists))):
            yield f"{name}: has threads, but {lists} has it in no program with THREADS"


def decisions_listed():
    """The list has every decision record once, under its own number."""
    names = [name for name in tree() if re.match(r"docs/decisions/.+\.md$", name)
             and not name.endswith("README.md")]
    index = ROOT / "docs/decisions/README.md"
    if not index.exists():
        yield "docs/decisions/README.md: is missing; it lists the decisions"
        return
    listed = index.read_text()
    numbers = {}
    for name in names:
        file = Path(name).name
        number = re.match(r"(\d{4})-[a-z0-9-]+\.md$", file)
        if not number:
            yield f"{name}: is not named NNNN-title-in-lower-case.md"
        elif numbers.setdefault(number.group(1), name) != name:
            yield f"{name}: has the number of {numbers[number.group(1)]}"
        if f"({file})" not in listed:
            yield f"{name}: is not listed in docs/decisions/README.md"
    for file in re.findall(r"\((\d{4}-[^)]*\.md)\)", listed):
        if f"docs/decisions/{file}" not in names:
            yield f"docs/decisions/README.md: lists {file}, which is not there"


def links_lead_somewhere():
    """Every relative link of a document leads to an existing file."""
    for name, number, line in lines_of(name for name in tree() if name.endswith(".md")):
        for target in re.findall(r"\]\(([^)\s]+)\)", line):
            path = target.partition("#")[0]
            if not path or re.match(r"[a-z]+:", path):
                continue
            if not (ROOT / name).parent.joinpath(path).exists():
                yield f"{name}:{number}: leads to {target}, which is not there"


def glossary_places():
    """Each term of the glossary appears once and names an existing place."""
    seen = set()
    for name, number, line in lines_of(["docs/glossary.md"]):
        row = re.fullmatch(r"\| (.+?) \| (.+) \| (.+) \|", line)
        if not row or row.group(1) in ("term", "---"):
            continue
        term, meaning, where = row.groups()
        for word in term.split(", "):
            if word in seen:
                yield f"{name}:{number}: {word} has two rows"
            seen.add(word)
        if not meaning.endswith("."):
            yield f"{name}:{number}: {term}: its meaning is no sentence"
        file, *symbols = re.findall(r"`([^`]+)`", where) or [""]
        if not (ROOT / file).is_file():
            yield f"{name}:{number}: {term}: there is no file '{file}'"
            continue
        for symbol in symbols:
            if not re.search(rf"\b{re.escape(symbol)}\b", read(file)):
                yield f"{name}:{number}: {term}: {file} has no {symbol}"
        if not symbols:
            yield f"{name}:{number}: {term}: no name in {file} is given"
    if len(seen) < 40:
        yield f"docs/glossary.md: {len(seen)} terms were read; has its form changed?"


def invariants_held():
    """Each test and each simulator check named in docs/invariants.md exists."""
    text = read("docs/invariants.md")
    named = set(re.findall(r"`((?:unit|sim|integration)/[\w/]+\.(?:cpp|py))`", text))
    for file in sorted(named):
        if not (ROOT / "tests" / file).is_file():
            yield f"docs/invariants.md: there is no tests/{file}"
    checks = "".join(read(name) for name in tree() if re.match(r"tests/sim/.*\.cpp$", name))
    for check in sorted(set(re.findall(r"`(check_\w+|audit_all)`", text))):
        if f"World::{check}(" not in checks:
            yield f"docs/invariants.md: the simulator has no {check}"
    if len(named) < 15:
        yield f"docs/invariants.md: {len(named)} tests were read; has its form changed?"


def include_graph_of_tree():
    return include_graph.Graph(
        {name: read(name) for name in tree() if name.endswith((".cpp", ".hpp", ".idl"))})


def rooms_documented():
    """The table in docs/architecture.md lists each room and the rooms that its files include."""
    graph = include_graph_of_tree()
    yield from graph.unresolved()
    yield from include_graph.room_findings(graph, ARCHITECTURE, read(ARCHITECTURE))


def include_circles():
    """No two folders include each other, neither directly nor by way of others."""
    yield from include_graph.circle_findings(include_graph_of_tree())


def options_documented():
    """docs/options.md matches the programs' own descriptions."""
    document = ROOT / "docs/options.md"
    made = options_document(bin_dir())
    if not document.exists() or document.read_text() != made:
        yield "docs/options.md: differs from the output of the programs; " \
              "tests/tidy/tidy_test.py --write-options regenerates it"


def machine_paths():
    """No file names a path of one machine."""
    for name, number, line in lines_of(tree()):
        if MACHINE_PATHS.search(line):
            yield f"{name}:{number}: names a path of one machine: {line.strip()}"


def packages_list():
    """deploy/packages.txt: `<level> <package>` a line, each package once."""
    seen = {}
    for name, number, line in lines_of(["deploy/packages.txt"]):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if not re.fullmatch(r"(build|check|long|compare|ovs) [a-z0-9][\w.+-]+", " ".join(words)):
            yield f"{name}:{number}: is not `build|check|long|compare|ovs PACKAGE`: {line}"
        elif words[1] in seen:
            yield f"{name}:{number}: {words[1]} is in line {seen[words[1]]} already"
        else:
            seen[words[1]] = number


def scripts():
    """Scripts can be run and parsed, and quickstart's help lists exactly the options it accepts."""
    for name in filter(is_script, tree()):
        if not os.access(ROOT / name, os.X_OK):
            yield f"{name}: has no run bit"
        if "bash" in read(name).partition("\n")[0]:
            parsed = subprocess.run(["bash", "-n", str(ROOT / name)], capture_output=True,
                                    text=True, check=False)
            if parsed.returncode != 0:
                yield f"{name}: bash cannot read it: {parsed.stderr.strip()}"
    for name in tree():
        if name.endswith(".py") or name in ("deploy/lab", "deploy/wireshark/build-giop"):
            try:
                compile(read(name), name, "exec")
            except SyntaxError as error:
                yield f"{name}:{error.lineno}: python cannot read it: {error.msg}"
    reported = set(re.findall(r"^#   --([a-z-]+)", read("quickstart"), re.MULTILINE)) - {"help"}
    readers = re.search(r"readers = \{(.*?)\n    \}", read("deploy/labkit/quickstart.py"),
                        re.DOTALL)
    taken = set(re.findall(r'"([a-z-]+)":', readers.group(1)))
    for option in reported ^ taken:
        yield (f"quickstart: --{option} is " + ("in the help but not accepted" if option in reported
                                                else "accepted but not in the help"))


def columns():
    """No line of code is wider than a review shows it."""
    for name, number, line in lines_of(name for name in tree() if name.endswith(CODE)):
        if len(line) > COLUMNS:
            yield f"{name}:{number}: {len(line)} columns, at most {COLUMNS}"


def growth():
    """Long files are listed and do not grow unnoticed: split them, or raise their bound on
    purpose."""
    bounds = {}
    for _, number, line in lines_of([LONG_FILES]):
        words = line.partition("#")[0].split()
        if words:
            bounds[words[1]] = (int(words[0]), number)
    lengths = {name: len(read(name).splitlines()) for name in code_files()}
    for name, length in lengths.items():
        bound = bounds.get(name, (LINES_FREE, 0))[0]
        if length > bound:
            yield f"{name}: {length} lines, more than its {bound}; make two files of it, or " \
                  f"give it a bound in {LONG_FILES}"
    for name, (bound, number) in bounds.items():
        if name not in lengths or lengths[name] <= LINES_FREE:
            yield f"{LONG_FILES}:{number}: {name} is not long any more; take the line away"
        elif bound > lengths[name] + 50:
            yield (f"{LONG_FILES}:{number}: {name} has {lengths[name]} lines; "
                   f"lower its bound of {bound}")


def budget():
    """tests/budget.txt has seconds for every stage and label, and they stay within its bounds."""
    sys.path.insert(0, str(ROOT / "tests"))
    import budget as budgets  # pylint: disable=import-outside-toplevel
    printed = subprocess.run(["ctest", "--test-dir", str(bin_dir().parent), "--print-labels"],
                             capture_output=True, text=True, check=True).stdout
    labels = set(re.findall(r"^  (\S+)$", printed.partition("All Labels:")[2], re.MULTILINE))
    try:
        planned = budgets.parse(read("tests/budget.txt"))
    except budgets.BudgetError as error:
        yield str(error)
        return
    yield from budgets.contradictions(planned, budgets.stages_of(read("check")), labels)


def expected_failures():
    """tests/expected-failures.txt lists every test that is expected to fail, with its reason."""
    listed = {}
    for name, number, line in lines_of([EXPECTED_FAILURES]):
        if not line.strip() or line.startswith("#"):
            continue
        test, colon, reason = line.partition(": ")
        if not colon or len(reason.split()) < 3:
            yield f"{name}:{number}: is not `FILE::TEST: reason`: {line}"
        listed[test] = number
    marked = set()
    for name in tree():
        if name.startswith("tests/") and name.endswith(".py") and name != "tests/tidy/tidy_test.py":
            marked |= {f"{name}::{test}" for test in re.findall(
                r"@(?:unittest\.)?expectedFailure\s+def (\w+)", read(name))}
    for test in sorted(marked - listed.keys()):
        yield f"{EXPECTED_FAILURES}: does not list {test}, which is expected to fail"
    for test in sorted(listed.keys() - marked):
        yield f"{EXPECTED_FAILURES}:{listed[test]}: no test {test} is expected to fail"


# docs/options.md


def bin_dir():
    return Path(os.environ.get("XBIND_BIN_DIR", ROOT / "build/bin"))


def options_document(programs_dir):
    parts = ["# Options of every program\n\n"
             "Generated by `tests/tidy/tidy_test.py --write-options` from the output of\n"
             "`--print-options`; a test compares it.\n\nEach program also takes `--config FILE`, a "
             "TOML file whose keys are names of options\n([0055](decisions/0055-toml-only.md)). "
             "Text stands in quotes, a list is an array of texts:\n\n"
             "```toml\n"
             'name = "east"\n'
             "threshold = 4\n"
             "hit-ratio = 0.99\n"
             'fault-legs = ["manager_to_switch"]\n'
             "```\n"]
    for program in PROGRAMS:
        name, *subcommand = program.split()
        printed = subprocess.run([str(programs_dir / name), *subcommand, "--print-options"],
                                 capture_output=True, text=True, timeout=20, check=False)
        if printed.returncode != 0:
            raise SystemExit(f"{program} --print-options ended with {printed.returncode}: "
                             f"{printed.stderr.strip()}")
        parts.append(printed.stdout.strip() + "\n")
    return "\n".join(parts)


CHECKS = {check.__name__: check for check in (
    corba_rooms, outside_world, remote_calls, leftovers, headers, everything_built,
    threads_sanitized, decisions_listed, columns, links_lead_somewhere, options_documented,
    machine_paths, packages_list, scripts, growth, budget, expected_failures, glossary_places,
    invariants_held, rooms_documented, include_circles)}


def main(words):
    if words and words[0] == "--write-options":
        made = options_document(Path(words[1]) if len(words) > 1 else bin_dir())
        (ROOT / "docs/options.md").write_text(made)
        option_names.write()
        return 0
    return check_run.run(CHECKS, words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
