"""A lab of OpenXbind processes on one host: what deploy/lab, ./quickstart and the tests build on.

  process.py    one daemon: start it, wait for its ready line, end it; who is still alive
  naming.py     is a name service answering there; free ports and loopback addresses
  topology.py   what xbind-routeobject says of a topology file; does an offered load fit it
  media.py      how cells travel: the links of the switches, the lines to the hosts
  hosts.py      which switches share a process, and the files that tell it so
  control.py    orders to the switches of a lab that is up: lines cut and mended
  lab.py        a whole lab: which daemons, in which order, with which options; its state file
  load.py       one run of callgen against it
  quickstart.py ./quickstart after its first lines
  bench.py      ./quickstart --bench: speed and memory, measured against wanted
  sweep.py      ./quickstart --sweep: engines, thresholds and label caches compared
  sweep_figures.py  what it reckons: ratios, intervals, tables
  speed.py, sip.py  sweeps of speed; speed_figures.py reckons
  scheduling.py how the kernel gives turns to what is started

Python's standard library only. Nothing here runs as a service: a lab is started, and its processes
stay until `down`.
"""
