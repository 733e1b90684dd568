"""A lab of OpenXbind processes on one host; deploy/lab, ./quickstart and the tests use it.

  process.py    one daemon: start it, wait for its ready line, end it; is it still alive
  output.py     was what a program printed also written
  naming.py     does a name service answer; free ports and loopback addresses
  state.py      the files that describe a running lab, and its lock
  restarts.py   end and start single processes of a running lab
  smds.py       the SMDS servers of `up --smds`
  respawn.py    the keeper, which starts processes again that end
  topology.py   xbind-routeobject's description of a topology file; does an offered load fit it
  media.py      how cells travel: the links of the switches, the lines to the hosts
  hosts.py      which switches share a process, and their configuration files
  control.py    commands to the switches of a running lab: take lines down and up
  options.py    programs and options of a lab, and the options of its switches
  network.py    hosts in network namespaces, the lines to them, and their removal
  ovs.py        Open vSwitch in a lab: bridges, and the lines between them
  lab.py        a whole lab: its daemons, their order and options; its state file
  load.py       one run of callgen against a lab
  quickstart.py ./quickstart after its first lines
  bench.py      ./quickstart --bench: speed and memory, measured against wanted
  sweep.py      ./quickstart --sweep: engines, thresholds and label caches compared
  sweep_figures.py  its tables; xbind-callgen searches and compares
  speed.py, recovery.py, sip.py  sweeps of speed; speed_figures.py compares results with goals
  scheduling.py the kernel's scheduling policy for started processes

Python's standard library only. A lab is started, and its processes stay until `down`. Only
`up --respawn` leaves a program of ours beside them, the keeper.
"""
