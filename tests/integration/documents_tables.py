"""What documents_test does about single commands of the documents. The key is a command's first
line, as printed. Commands that are not run at all: tests/tidy/commands_not_run.toml.
"""

# The addresses that a lab has chosen, where a document prints those of a host without another one.
FIRST_SWITCH = "$(deploy/lab status | grep -o '127[0-9.]*:6068' | head -1 | cut -d : -f 1)"
# The real build, where a reader's folder has only its programs.
REAL_BUILD = '"$(dirname "$(readlink build/bin)")"'
# ctest finds the tests; it does not run them beside this one.
LISTED = f"--test-dir {REAL_BUILD} -N"
FOUND = " | grep 'Total Tests: [1-9]'"

# A shorter form of a printed command, or one with a file or an address that exists. [(printed
# words, replacement)]: every pair must occur; an empty word is the command's end.
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
    "./quickstart --switch ovs": [("--switch", "--calls 100 --switch")],
    "deploy/lab run -- build/bin/xbind-callgen run --rate 2000 --duration 20 --assert 'p99<20ms' "
    "--out build/run": [("--duration 20", "--duration 1"), ("p99<20ms", "p99<10s")],
    "deploy/lab run -- build/bin/xbind-callgen saturate --objective 'p99<20ms,unanswered=0'":
        [("p99<20ms", "p99<10s"),
         ("saturate", "saturate --rate 500 --highest-rate 1000 --precision 50% --hold 0.01 "
          "--point-seconds 0.5 --confirm 0.5")],
    "deploy/lab run -- build/bin/xbind-callgen run --calls 2000 --rate 100": [("2000", "200")],
    "build/bin/xbind-wan tell build/lab/control/wan path london paris loss=0.05":
        [("build/lab", "$XBIND_LAB_DIR")],
    "build/bin/xbind-callgen floor": [("floor", "floor --seconds 1")],
    "deploy/lab run -- build/bin/xbind-callgen run --rate 1000 --duration 30 --hold 0.2 "
    "--out build/run":
        [("--duration 30", "--duration 1")],
    "deploy/lab logs xbind-cmgr -f": [("deploy/lab", "timeout -s INT 1 deploy/lab")],
    "build/bin/gsmpdump --listen 127.0.0.1:7000 --to 127.0.1.1:6068":
        [("127.0.0.1:7000", "127.0.0.1:0")],
    "build/bin/gsmpdump --interface lo": [("build", "timeout -s INT 1 build")],
    "build/bin/xbind-switch --listen 127.0.1.1:6068 --ports 4 --name sw1 "
    "--links 1=mpls:127.0.1.1:6635/127.0.1.2:6635/1001":
        [("127.0.1.1:6068", "127.0.1.1:0"), ("127.0.1.1:6635", "127.0.77.1:6635")],
    "build/bin/xbind-console --http 127.0.0.1:9480 --host console.example.net":
        [("127.0.0.1:9480", "127.0.0.1:0")],
    "build/bin/xbind-gsmp-ovs --name node-1 --listen 127.0.1.1:6068 "
    "--bridge unix:/run/openvswitch/br0.mgmt --ports 3 --edge-ports 1":
        [("127.0.1.1:6068", "127.0.0.1:0"),
         ("/run/openvswitch/br0.mgmt", "$XBIND_LAB_DIR/ovs/br1.mgmt")],
    "build/bin/gsmpdump --read FILE": [("FILE", "message.hex")],
    "build/bin/gsmpdump < FILE": [("FILE", "message.hex")],
    # One run of each build instead of six.
    "for k in 1 2 3 4 5 6; do":
        [("1 2 3 4 5 6", "1"), *2 * [("--duration 10", "--duration 1")]],
    "build/bin/xbind-callgen compare a1.json,a2.json,a3.json,a4.json,a5.json,a6.json "
    "b1.json,b2.json,b3.json,b4.json,b5.json,b6.json":
        [(",a2.json,a3.json,a4.json,a5.json,a6.json", ""),
         (",b2.json,b3.json,b4.json,b5.json,b6.json", "")],
    "ctest --test-dir build -R unit_cmgr --output-on-failure":
        [("--test-dir build", LISTED), ("", FOUND)],
    "ctest --test-dir build -R tidy": [("--test-dir build", LISTED), ("", FOUND)],
    "ctest --test-dir build -R driver_kit": [("--test-dir build", LISTED), ("", FOUND)],
    # Wireshark has no plug-ins but the system's for root; others read the reader's folder.
    "WIRESHARK_PLUGIN_DIR=build/wireshark tshark -r FILE -Y xbind -O xbind":
        [("WIRESHARK", "chmod 755 .; [ $UID = 0 ] && as='setpriv --reuid=65534 --regid=65534 "
          "--clear-groups'; WIRESHARK"), ("tshark", "HOME=/nonexistent $as tshark"),
         ("FILE", "capture.pcap")],
    "tshark -X lua_script:deploy/wireshark/gsmp.lua -i lo -f 'tcp port 6068'":
        [("-i lo", "-a duration:1 -i lo")],
    "tshark -X lua_script:deploy/wireshark/gsmp.lua -r FILE -Y 'gsmp.code == 5' -V":
        [("FILE", "capture.pcap")],
    "tshark -i lo -f 'tcp and not port 6068' -w q.pcap": [("-i lo", "-a duration:1 -i lo")],
    "XBIND_CONFORMANCE_SWITCH=192.0.2.1:6068 build/bin/gsmp_conformance":
        [("192.0.2.1", FIRST_SWITCH)],
    "XBIND_CONFORMANCE_SWITCH=192.0.2.1:6068 XBIND_CONFORMANCE_VERSIONS=3,1 "
    "build/bin/gsmp_conformance": [("192.0.2.1", FIRST_SWITCH)],
    "curl http://127.0.1.1:9470/-/ready": [("curl", "curl --fail"), ("127.0.1.1", FIRST_SWITCH)],
    "curl http://127.0.1.1:9480/api/v1/daemons":
        [("curl", "curl --fail"), ("127.0.1.1", FIRST_SWITCH)],
    "curl -N --max-time 3 http://127.0.1.1:9480/api/v1/events": [("127.0.1.1", FIRST_SWITCH)],
    "build/bin/xbindctl acknowledge ALARM --note \"a fitter is on the way\"":
        [("build", 'until alarm=$(build/bin/xbindctl alarms | grep -o "switchserver/[^ ]*#[0-9]*" '
          '| head -1); [ -n "$alarm" ]; do :; done; build'), ("ALARM", '"$alarm"')],
    "build/bin/xbind-switch tell /run/sw1/control line 2 down":
        [("/run/sw1", "$XBIND_LAB_DIR"), ("/control", "/control/1")],
    "build/bin/xbind-switch tell /run/sw1/control @sw2 restart cold":
        [("/run/sw1", "$XBIND_LAB_DIR"), ("/control", "/control/1"), ("@sw2", "@node-2")],
    "build/bin/xbind-switch tell build/lab/control/2 tune log-level=gsmp=debug,info":
        [("build/lab", "$XBIND_LAB_DIR")],
    "build/bin/xbind-switch tell build/lab/control/2 tune log-level":
        [("build/lab", "$XBIND_LAB_DIR")],
    # The server listens a moment after its command has returned.
    "deploy/lab host node-1 -- iperf3 -c 10.77.0.3 -u -b 20M -l 1400 -t 10":
        [("deploy", "until deploy"), ("-t 10", "-t 2; do :; done")],
}

# What stands in another place of the document, or in another document, and is typed before.
CAPTURED = ('build/bin/xbind-callgen run --calls 120 --quiet --verify-media '
            '--endpoints "$XBIND_HOST_LINES" --capture')
OVS_RING = "deploy/lab up deploy/topologies/ovs-ring4.toml"
BEFORE = {
    "tshark -X lua_script:deploy/wireshark/gsmp.lua -r FILE -Y 'gsmp.code == 5' -V":
        ["sed 's/ //g; s/../ &/g; s/^/000000/' message.hex > message.txt",
         "text2pcap -q -T 40000,6068 message.txt capture.pcap"],
    "tshark -r x.erf": ["deploy/lab up", 'eval "$(deploy/lab env)"', f"{CAPTURED} x.erf"],
    "tshark -r x.pcap -d mpls.label==1000,mplspwatmn1cw": [f"{CAPTURED} x.pcap"],
    "XBIND_CONFORMANCE_SWITCH=192.0.2.1:6068 build/bin/gsmp_conformance":
        ["deploy/lab up deploy/topologies/ring6.toml",
         "deploy/lab kill xbind-switchserver/node-1"],
    "build/bin/xbind-switch tell /run/sw1/control line 2 down": ["deploy/lab up"],
    "build/bin/xbind-switch tell /run/sw1/control @sw2 restart cold":
        ["deploy/lab down", "deploy/lab up deploy/topologies/ring6.toml --nodes-per-process 6"],
    "build/bin/xbind-switch tell build/lab/control/2 tune log-level=gsmp=debug,info":
        ["deploy/lab up"],
    "build/bin/xbind-keeper --connections deploy/connections.toml --check-config":
        ["deploy/lab down"],
    "build/bin/xbind-gsmp-ovs --name node-1 --listen 127.0.1.1:6068 "
    "--bridge unix:/run/openvswitch/br0.mgmt --ports 3 --edge-ports 1":
        [OVS_RING, "deploy/lab kill xbind-gsmp-ovs/node-1"],
}

# Programs that serve until they are ended. SIGTERM is sent once they have printed these words, and
# they must end with 0.
READY = {
    "build/bin/gsmpdump --listen 127.0.0.1:7000 --to 127.0.1.1:6068": "listening on",
    "build/bin/xbind-switch --listen 127.0.1.1:6068 --ports 4 --name sw1 "
    "--links 1=mpls:127.0.1.1:6635/127.0.1.2:6635/1001": "listening on",
    "build/bin/xbind-console --http 127.0.0.1:9480 --host console.example.net": "ready on",
    "build/bin/xbind-gsmp-ovs --name node-1 --listen 127.0.1.1:6068 "
    "--bridge unix:/run/openvswitch/br0.mgmt --ports 3 --edge-ports 1": "listening on",
}

# Exit codes other than 0. (The document says that these fail.)
ENDED_BY_TIMEOUT = {124}
EXIT_CODES = {
    "deploy/lab logs xbind-cmgr -f": ENDED_BY_TIMEOUT,
    "build/bin/gsmpdump --interface lo": ENDED_BY_TIMEOUT,
    "build/bin/xbind-callgen compare a1.json,a2.json,a3.json,a4.json,a5.json,a6.json "
    "b1.json,b2.json,b3.json,b4.json,b5.json,b6.json":
        {0, 1, 3},  # one run of each decides nothing
    "curl -N --max-time 3 http://127.0.1.1:9480/api/v1/events": {28},  # curl: the time is over
    # Without a call no frame passes.
    "deploy/lab host node-1 -- ping -c 2 -W 1 10.77.0.3": {1},
    "deploy/lab host node-1 -- ping -c 3 10.77.0.2": {1},
    "deploy/lab host host-a -- ping -c 2 -W 1 10.77.0.4": {1},
    "deploy/lab host hannover -- ping -c 2 -W 1 10.77.0.7": {1},
}

# What the machine must have; documents_test.HAS says whether it does.
NEEDS = {
    **dict.fromkeys([
        OVS_RING,
        "deploy/lab host node-1 -- ping -c 3 10.77.0.2",
        "deploy/lab cut node-1:2",
        "deploy/lab mend node-1:2",
        "./quickstart --switch ovs",
        "./quickstart --switch ovs --calls 500 --rate 100",
        "deploy/lab host node-1 -- ping -c 2 -W 1 10.77.0.3",
        "ID=$(deploy/lab run -- build/bin/xbindctl connect node-1 node-3 --both "
        "--cells-per-s 25000 --from-traffic port --to-traffic port --quiet)",
        "deploy/lab host node-1 -- ping -c 3 -i 0.2 10.77.0.3",
        "deploy/lab up deploy/topologies/ovs-mixed.toml",
        "deploy/lab host host-a -- ping -c 2 -W 1 10.77.0.4",
        "ID=$(deploy/lab run -- build/bin/xbindctl connect host-a host-c --both "
        "--cells-per-s 25000 --from-traffic port --to-traffic port --quiet)",
        "deploy/lab host host-a -- ping -c 3 -i 0.2 10.77.0.4",
        "deploy/lab host node-3 -- iperf3 -s -1 -D",
        "deploy/lab host node-1 -- iperf3 -c 10.77.0.3 -u -b 20M -l 1400 -t 10",
        "deploy/lab run -- build/bin/xbindctl modify \"$ID\" --both --cells-per-s 50000 "
        "--reverse-cells-per-s 25000",
        "deploy/lab run -- build/bin/xbindctl release \"$ID\"",
        "build/bin/xbind-gsmp-ovs --name node-1 --listen 127.0.1.1:6068 "
        "--bridge unix:/run/openvswitch/br0.mgmt --ports 3 --edge-ports 1"], "bridges"),
    **dict.fromkeys([
        "deploy/lab up deploy/topologies/nobel-germany.toml --hosts",
        "deploy/lab host hannover -- ping -c 2 -W 1 10.77.0.7",
        "ID=$(deploy/lab run -- build/bin/xbindctl connect hannover muenchen --both "
        "--from-traffic port --to-traffic port --quiet)",
        "deploy/lab host hannover -- ping -c 3 -i 0.2 10.77.0.7",
        "deploy/lab host hannover -- ping -c 3 -i 0.2 -6 fd78:6200::7",
        "deploy/lab run -- build/bin/xbindctl describe \"$ID\"",
        "deploy/lab cut hannover:5",
        "deploy/lab mend hannover:5"], "hosts"),
    **dict.fromkeys([
        "deploy/lab up --sites deploy/sites/two.toml",
        "deploy/lab run -- build/bin/xbind-callgen run --calls 2000 --rate 100",
        "build/bin/xbind-wan tell build/lab/control/wan path london paris loss=0.05",
        "deploy/lab run --site paris -- ip route"], "sites"),
    **dict.fromkeys([
        "build/bin/gsmpdump --interface lo",
        "tshark -X lua_script:deploy/wireshark/gsmp.lua -i lo -f 'tcp port 6068'",
        "tshark -i lo -f 'tcp and not port 6068' -w q.pcap"], "captures"),
}
