"""The commands that the documents print, and what documents_test runs for each.

A fence that begins with ```sh holds commands as a reader types them. Each is run as printed unless
a table below lists it. A row that no document prints any more is an error.
"""

import re
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

# A shorter form of a printed command, or one with a file that exists. [(printed words,
# replacement)]: every pair must occur.
SHORTER = {
    "./quickstart": [("./quickstart", "./quickstart --calls 100")],
    "./quickstart --calls 20000 --rate 2000 --threshold 10 --json q.json": [("20000", "2000")],
    "./quickstart --loss 0.05 --duplicate 0.05 --reorder 0.05": [("--loss", "--calls 100 --loss")],
    "./quickstart --engine sequential": [("--engine", "--calls 100 --engine")],
    "./quickstart --threshold 4 --rate 4000": [("--rate", "--calls 1000 --rate")],
    "./quickstart --managers 2 --label-policy competitive":
        [("--managers", "--calls 100 --managers")],
    "./quickstart --verify-media --capture q.pcap": [("--verify", "--calls 120 --verify")],
    "./quickstart --topology deploy/topologies/mixed.toml --verify-media":
        [("--topology", "--calls 120 --topology")],
    "./quickstart --topology deploy/topologies/polska.toml":
        [("--topology", "--calls 100 --topology")],
    "./quickstart --keep": [("--keep", "--calls 100 --keep")],
    "deploy/lab run -- build/bin/xbind-callgen run --rate 2000 --duration 20 --assert 'p99<20ms' "
    "--out build/run": [("--duration 20", "--duration 1"), ("p99<20ms", "p99<10s")],
    "deploy/lab run -- build/bin/xbind-callgen saturate --objective 'p99<20ms,unanswered=0'":
        [("p99<20ms", "p99<10s"),
         ("saturate", "saturate --rate 500 --highest-rate 1000 --precision 50% --hold 0.01 "
          "--point-seconds 0.5 --confirm 0.5")],
    "build/bin/xbind-callgen floor": [("floor", "floor --seconds 1")],
    "deploy/lab run -- build/bin/xbind-callgen run --rate 1000 --duration 30 --hold 0.2 "
    "--out build/run":
        [("--duration 30", "--duration 1")],
    "deploy/lab logs xbind-cmgr -f": [("deploy/lab", "timeout -s INT 1 deploy/lab")],
    "build/bin/gsmpdump --listen 127.0.0.1:7000 --to 127.0.1.1:6068":
        [("build", "timeout 0.5 build"), ("127.0.0.1:7000", "127.0.0.1:0")],
    "build/bin/xbind-switch --listen 127.0.1.1:6068 --ports 4 --name sw1 "
    "--links 1=mpls:127.0.1.1:6635/127.0.1.2:6635/1001":
        [("build", "timeout 1 build"), ("127.0.1.1:6068", "127.0.1.1:0"),
         ("127.0.1.1:6635", "127.0.77.1:6635")],
    "build/bin/xbind-console --http 127.0.0.1:9480 --host console.example.net":
        [("build", "timeout 1 build"), ("127.0.0.1:9480", "127.0.0.1:0")],
    "build/bin/gsmpdump --read FILE": [("FILE", "message.hex")],
    "build/bin/gsmpdump < FILE": [("FILE", "message.hex")],
    # One run of each build instead of six.
    "for k in 1 2 3 4 5 6; do":
        [("1 2 3 4 5 6", "1"), *2 * [("--duration 10", "--duration 1")]],
    "build/bin/xbind-callgen compare a1.json,a2.json,a3.json,a4.json,a5.json,a6.json "
    "b1.json,b2.json,b3.json,b4.json,b5.json,b6.json":
        [(",a2.json,a3.json,a4.json,a5.json,a6.json", ""),
         (",b2.json,b3.json,b4.json,b5.json,b6.json", "")],
}

# Printed commands that are not run here, with the reason. Their options are checked nevertheless.
NOT_RUN = {
    "deploy/wireshark/build-giop build/wireshark":
        "giop_dissector_test runs it, with another folder",
    "WIRESHARK_PLUGIN_DIR=build/wireshark tshark -r FILE -Y xbind -O xbind":
        "giop_dissector_test runs it, with a file",
    "deploy/wireshark/build-giop ~/.local/lib/wireshark/plugins": "writes to the reader's home",
    "tshark -i lo -f 'tcp and not port 6068' -w q.pcap": "captures until it is stopped",
    "./check": "runs this test",
    "./check --quick": "runs this test",
    "ctest --test-dir build -R unit_cmgr --output-on-failure": "runs beside this test",
    "ctest --test-dir build -R tidy": "runs beside this test",
    "build/bin/xbind-callgen figures --quick": "takes minutes; process_point_test runs a part",
    "build/bin/xbind-callgen figures --profile 1999 --out docs/figures/1999":
        "takes ten minutes",
    "./quickstart --sweep throughput --json docs/performance/throughput.json":
        "takes 5 to 20 minutes",
    "./quickstart --sweep scale --json docs/performance/scale.json":
        "takes 5 to 20 minutes",
    "./quickstart --sweep wide --json docs/performance/wide.json":
        "takes 5 to 20 minutes",
    "./quickstart --sweep managers --json docs/performance/managers.json":
        "takes 5 to 20 minutes",
    "./quickstart --sweep sip --json docs/performance/sip.json":
        "needs SIPp and Kamailio",
    "cmake --preset fuzz": "a build with clang; ./check does it in its stage `fuzzing`",
    "ninja -C build-fuzz fuzz_gsmp": "as above",
    "mkdir -p build-fuzz/found/gsmp": "as above",
    "build-fuzz/bin/fuzz_gsmp -max_total_time=60 -timeout=5 -rss_limit_mb=2048 -max_len=4096 "
    "-print_funcs=0 -artifact_prefix=build-fuzz/gsmp- build-fuzz/found/gsmp build-fuzz/corpus/gsmp":
        "as above",
    "python3 tests/instructions/count_test.py build/bin/call_instructions":
        "ctest's `instructions` is this",
    "python3 tests/instructions/count_test.py build/bin/call_instructions --record":
        "changes the tree",
    "valgrind --tool=callgrind build/bin/call_instructions 4000":
        "ctest's `instructions` runs the same",
    "tshark -X lua_script:deploy/wireshark/gsmp.lua -i lo -f 'tcp port 6068'":
        "needs the right to capture; wireshark_test does it",
    "tshark -X lua_script:deploy/wireshark/gsmp.lua -r FILE -Y 'gsmp.code == 5' -V":
        "wireshark_test does it",
    "tshark -r x.erf": "media_test reads a capture so",
    "tshark -r x.pcap -d mpls.label==1000,mplspwatmn1cw":
        "media_test reads a capture so",
    "tshark -r x.pcap -d udp.port==6635,mpls -d mpls.label==16,mplspwatm11_or_aal5pdu":
        "unit_dataplane reads a capture so (lsp_test.cpp)",
    "build/bin/gsmpdump --interface lo": "needs the right to capture; gsmpdump_test does it",
    "XBIND_CONFORMANCE_SWITCH=192.0.2.1:6068 build/bin/gsmp_conformance":
        "over_tcp_test.py does it",
    "XBIND_CONFORMANCE_SWITCH=192.0.2.1:6068 XBIND_CONFORMANCE_VERSIONS=3,1 "
    "build/bin/gsmp_conformance":
        "over_tcp_test.py does it",
    "deploy/lab up deploy/topologies/ovs-ring4.toml":
        "needs root and Open vSwitch; ovs_lab_test does it",
    "deploy/lab host node-1 -- ping -c 3 10.77.0.2": "ovs_lab_test does it",
    "deploy/lab cut node-1:2": "ovs_lab_test does it",
    "deploy/lab mend node-1:2": "ovs_lab_test does it",
    "./quickstart --switch ovs": "needs root and Open vSwitch",
    **dict.fromkeys([
        "./quickstart --switch ovs --calls 500 --rate 100",
        "deploy/lab host node-1 -- ping -c 2 -W 1 10.77.0.3",
        "ID=$(deploy/lab run -- build/bin/xbindctl connect node-1 node-3 --both "
        "--cells-per-s 25000 --from-traffic port --to-traffic port --quiet)",
        "deploy/lab host node-1 -- ping -c 3 -i 0.2 10.77.0.3",
        "deploy/lab host node-3 -- iperf3 -s -1 -D",
        "deploy/lab host node-1 -- iperf3 -c 10.77.0.3 -u -b 20M -l 1400 -t 10",
        "deploy/lab run -- build/bin/xbindctl modify \"$ID\" --both --cells-per-s 50000 "
        "--reverse-cells-per-s 25000",
        "deploy/lab run -- build/bin/xbindctl release \"$ID\""],
        "needs root and Open vSwitch; real_switches_test does the same"),
    "build/bin/xbind-gsmp-ovs --name node-1 --listen 127.0.1.1:6068 "
    "--bridge unix:/run/openvswitch/br0.mgmt --ports 3 --edge-ports 1": "needs a bridge",
    'build/bin/xbindctl acknowledge ALARM --note "a fitter is on the way"': "alarms_test does it",
    "deploy/lab up --metrics": "prometheus_test does it",
    "prometheus --config.file=build/lab/prometheus.yml": "a program of others",
    "curl http://127.0.1.1:9470/-/ready": "prometheus_test does it",
    "deploy/lab up --console": "console_test does it",
    "curl http://127.0.1.1:9480/api/v1/daemons": "console_test does it",
    "curl -N --max-time 3 http://127.0.1.1:9480/api/v1/events": "console_test does it",
    "build/bin/xbind-switch tell 127.0.0.1:7000 line 2 down": "switch_process_test does it",
    "build/bin/xbind-switch tell 127.0.0.1:7000 @sw2 restart cold": "switch_process_test does it",
    "build/bin/xbind-switch tell 127.0.1.2:6067 tune log-level=gsmp=debug,info":
        "switch_metrics_test does it",
    "build/bin/xbind-switch tell 127.0.1.2:6067 tune log-level": "switch_metrics_test does it",
}

# Exit codes other than 0.
ENDED_BY_TIMEOUT = {124}
EXIT_CODES = {
    "deploy/lab logs xbind-cmgr -f": ENDED_BY_TIMEOUT,
    "build/bin/gsmpdump --listen 127.0.0.1:7000 --to 127.0.1.1:6068": ENDED_BY_TIMEOUT,
    "build/bin/xbind-console --http 127.0.0.1:9480 --host console.example.net": ENDED_BY_TIMEOUT,
    "build/bin/xbind-switch --listen 127.0.1.1:6068 --ports 4 --name sw1 "
    "--links 1=mpls:127.0.1.1:6635/127.0.1.2:6635/1001": ENDED_BY_TIMEOUT,
    "build/bin/xbind-callgen compare a1.json,a2.json,a3.json,a4.json,a5.json,a6.json "
    "b1.json,b2.json,b3.json,b4.json,b5.json,b6.json":
        {0, 1, 3},  # one run of each decides nothing
}

# Commands that offer calls. 3 means that the generator was late, which is the host's fault.
OFFERS_CALLS = re.compile(r"quickstart|xbind-callgen (run|saturate|floor)")


def exit_codes(printed):
    """The exit codes with which a printed command may end."""
    usual = {0, 3} if OFFERS_CALLS.search(printed) else {0}
    return EXIT_CODES.get(key_of(printed), usual)


# First words of our commands. A line that begins like this and is indented, or in a fence without
# `sh`, is a command that no test runs.
OURS = (r"\./(quickstart|check)\b|deploy/(lab|install)\b|(build/bin/)?(xbind-(cmgr|switchserver|"
        r"routeobject|qosmapper|switch|callgen|console|names|gsmp-ovs)|xbindctl|gsmpdump|"
        r"gsmp_conformance|\w+_bench)\s+\S")
OTHERS = (r"(cmake|ninja|ctest|python3|valgrind|tshark|nameclt|eval|sudo|sysctl|chrt|mkdir|for|"
          r"export|git|apt-get)\s")
COMMAND = re.compile(rf"^\s*([A-Z_]+=\S+\s+)*({OURS}|{OTHERS})")


@dataclass
class Command:
    document: str
    line: int
    text: str  # as printed, without its comment and surplus blanks; several lines for a loop

    def where(self):
        return f"{self.document}:{self.line}: {self.text}"


def documents(root):
    """The tracked documents that may print commands: all except decisions, which describe the
    past."""
    listed = subprocess.run(
        ["git", "-c", "safe.directory=*", "-C", str(root), "ls-files", "-co", "--exclude-standard",
         "*.md"], capture_output=True, text=True, check=False)
    names = listed.stdout.split() or [
        str(path.relative_to(root)) for path in root.rglob("*.md")
        if "build" not in path.relative_to(root).parts[0]]
    return sorted(name for name in names if not name.startswith("docs/decisions/")
                  and (root / name).is_file())


def fences(text):
    """(number of the first line, word after the ticks, lines) of every fence, in order."""
    found, inside = [], None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            if inside is None:
                inside = (number + 1, line[3:].strip(), [])
            else:
                found.append(inside)
                inside = None
        elif inside is not None:
            inside[2].append(line)
    return found


def commands_of(document, text):
    """The commands of all fences marked `sh`, in order."""
    commands = []
    for first, language, lines in fences(text):
        if language == "sh":
            commands += statements(document, first, lines)
    return commands


def statements(document, first, lines):
    """Joins lines until bash finds them complete: a loop is one command."""
    commands, kept, began = [], [], first
    for number, line in enumerate(lines, first):
        if not kept:
            began = number
        kept.append(line)
        text = "\n".join(kept)
        if not without_comment(text).strip():
            kept = []
        elif not text.rstrip().endswith("\\") and complete(text):
            commands.append(Command(document, began, without_comment(text)))
            kept = []
    if kept:
        raise AssertionError(f"{document}:{began}: bash finds no end of: {' '.join(kept)}")
    return commands


def complete(text):
    read = subprocess.run(["bash", "-n", "-c", text], capture_output=True, check=False)
    return read.returncode == 0


def without_comment(text):
    lines = [re.sub(r"(^|\s+)#\s.*", "", line) for line in text.replace("\\\n", " ").splitlines()]
    return "\n".join(re.sub(r"(?<=\S)\s+", " ", line).rstrip() for line in lines).strip("\n")


def unmarked(document, text):
    """Reports lines outside of fences marked `sh` that look like commands."""
    found, inside = [], None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            inside = line[3:].strip() if inside is None else None
        elif inside == "" or (inside is None and line.startswith("    ")):
            if COMMAND.match(line):
                found.append(f"{document}:{number}: is in no fence marked ```sh: {line.strip()}")
    return found


def spoken(document, text):
    """(place, words) of commands with options in running text: `./quickstart --bench`."""
    prose = re.sub(r"^```.*?^```", lambda fence: "\n" * fence.group().count("\n"), text,
                   flags=re.MULTILINE | re.DOTALL)
    found = []
    for match in re.finditer(r"`([^`\n]+)`", prose):
        if re.match(rf"({OURS})", match.group(1)) and " --" in match.group(1):
            where = f"{document}:{prose.count(chr(10), 0, match.start()) + 1}: {match.group(1)}"
            words = [word for word in match.group(1).split() if word not in ("…", "...")]
            found.append((where, words))
    return found


def key_of(printed):
    """The tables' key of a command: its first line."""
    return printed.splitlines()[0]


def shorter(printed):
    """The command that is run in place of a printed one."""
    changed = printed
    for old, new in SHORTER.get(key_of(printed), []):
        if old not in changed:
            raise AssertionError(f"'{old}' is not in: {changed}")
        changed = changed.replace(old, new, 1)
    return changed


def words_of(printed):
    return [word for word in shlex.split(printed) if not re.match(r"[A-Z_]+=", word)]


__all__ = ["Command", "EXIT_CODES", "NOT_RUN", "Path", "SHORTER", "commands_of", "documents",
           "exit_codes", "key_of", "shorter", "spoken", "unmarked", "words_of"]
