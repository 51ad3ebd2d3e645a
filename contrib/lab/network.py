"""network.py - the cluster itself: a set of namespaces for each host, and one for all switches.

A host has a network card eth0; all else is in the namespace of the switches, where switch number i is the bridge bI,
its port to host h (from 0) is hH, and a cable from switch i up to switch j is uI at i and dI at j.  The first process
of each namespace (keep) is all that holds it: when these processes are gone, nothing is left.  They are known by
their command line, which names the state folder, so that they are found after a crash, too.
"""

import json
import os
import shutil
import signal
import subprocess
import time

from common import LabError, call, need
import topology

HERE = os.path.dirname(os.path.abspath(__file__))
SUBNET = "10.77.0.0/16"
HEAD = "10.77.255.254"          # mpirun's address, on the first switch
SWITCHES = "lab-head"           # the name of the machine that mpirun sees itself on
TAKEN = (SWITCHES, "localhost")
HOST_QUEUE = 512 * 1024
PORT_QUEUE = 128 * 1024
SMALL_QUEUE = 128 * 1024
FRAME = 1514
FASTEST = 10 ** 11            # bits a second of a port
LACKS = ("kind is unknown", "No such file", "Unknown device type", "not supported", "not permitted")


def address(number):
    return f"10.77.{number // 250}.{number % 250 + 1}"


class Lab:
    """A lab that is up, as its state folder tells."""

    def __init__(self, state):
        self.state = state
        try:
            with open(f"{state}/lab.json", encoding="utf-8") as file:
                facts = json.load(file)
            self.cluster = topology.read(topology.load(f"{state}/topology.conf"), f"{state}/topology.conf")
        except FileNotFoundError:
            raise LabError("no lab is up; start one with lab up SPEC") from None
        self.spec, self.rate, self.congestion = facts["spec"], facts["rate"], facts["congestion"]

    def pid(self, name):
        """The first process of a host, or of the switches."""
        try:
            with open(f"{self.state}/pids/{name}", encoding="utf-8") as file:
                pid = int(file.read())
        except FileNotFoundError:
            pid = 0
        if not is_keeper(pid, self.state):
            raise LabError(f"the lab has no '{name}' (any more); remove what is left with lab down", 1)
        return pid

    def rate_of(self, source, target):
        """Bits a second of a directed link; that of the slowest host has the rate of the lab."""
        speed, base = self.cluster.factor(source, target)
        rate = self.rate * speed // base
        if not 10 ** 5 <= rate <= FASTEST:
            raise LabError(f"{source} -> {target} would have {rate} bits a second, allowed are {10 ** 5} to "
                           f"{FASTEST}; another --rate may do")
        return rate

    def ports(self):
        """(from, to, name whose namespace it is in, interface) of each directed link."""
        hosts, switches = self.cluster.hosts, self.cluster.switches
        for number, host in enumerate(hosts):
            yield host, self.cluster.home[host], host, "eth0"
            yield self.cluster.home[host], host, SWITCHES, f"h{number}"
        for number, switch in enumerate(switches):
            parent = self.cluster.parent[switch]
            if parent:
                yield switch, parent, SWITCHES, f"u{number}"
                yield parent, switch, SWITCHES, f"d{number}"


# ---- down ----

def processes():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def words(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().decode(errors="replace").split("\0")
    except OSError:
        return []


def is_keeper(pid, state):
    """Is it `keep STATE NAME KIND`, or the command that starts it?"""
    found = words(pid)
    return any(word.endswith("/lab/keep") and after == state for word, after in zip(found, found[1:]))


def network_of(pid):
    try:
        return os.readlink(f"/proc/{pid}/ns/net")
    except OSError:
        return None


def left_over(state):
    """The ids of the processes that belong to the lab with this state folder: keepers, and all in their networks."""
    own = network_of("self")
    keepers = [pid for pid in processes() if is_keeper(pid, state)]
    networks = {network_of(pid) for pid in keepers} - {own, None}
    return keepers + [pid for pid in processes() if pid not in keepers and network_of(pid) in networks]


def down(state):
    """Ends all that is left of a lab; returns the number of processes that were ended."""
    ended = set()
    for _ in range(100):
        pids = left_over(state)
        if not pids:
            break
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        ended.update(pids)
        time.sleep(0.05)
    else:
        raise LabError(f"processes {' '.join(map(str, pids))} of the lab do not end", 1)
    if os.path.isdir(f"{state}/pids"):      # a folder of ours
        shutil.rmtree(state)
    return len(ended)


# ---- up ----

def keep(state, name, kind):
    """Starts the first process of a host, or of the switches, and notes its id."""
    spaces = ["--net", "--uts", "--mount"]
    if kind == "host":
        spaces += ["--ipc", "--pid", "--fork", "--kill-child"]
    with open(f"{state}/log", "a+", encoding="utf-8") as log:
        keeper = subprocess.Popen(["unshare", *spaces, "sh", f"{HERE}/keep", state, name, kind],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True,
                                  start_new_session=True, cwd="/")
        pid = keeper.stdout.readline().strip()
        if not pid:
            log.seek(0)
            raise LabError(f"'{name}' got no namespaces of its own: {log.read().strip()[-600:]}", 3)
    keeper.stdout.close()
    with open(f"{state}/pids/{name}", "w", encoding="utf-8") as file:
        file.write(f"{pid}\n")
    return int(pid)


def inside(pid, *command):
    return ["nsenter", "--target", str(pid), "--net", *command]


def batch(pid, program, lines):
    """Commands for ip or tc in a namespace."""
    try:
        call(inside(pid, program, "-batch", "-"), "\n".join(lines) + "\n")
    except LabError as error:
        if any(reason in str(error) for reason in LACKS):
            raise LabError("the kernel lacks, or forbids, bridges, veth, HTB, TBF or u32 filters (modules bridge, veth, "
                           f"sch_htb, sch_tbf, cls_u32): {error}", 3) from None
        raise


def plain(pid, cards):
    """The cards do nothing in place of the kernel: a packet is a frame of the wire."""
    call(inside(pid, "sh", "-c", 'for card; do ethtool -K "$card" gso off tso off gro off tx off rx off || exit; done',
                "sh", *cards))


def unfiltered(pid):
    """Where br_netfilter is loaded, a bridge would show each frame to iptables, which costs the cores something."""
    call(inside(pid, "sh", "-c", 'for file in /proc/sys/net/bridge/bridge-nf-call-*; do '
                                 '[ ! -w "$file" ] || echo 0 >"$file"; done'))


def burst(rate):
    """Bytes that a port may send at once: none on a wire, but a timer of the kernel is late by some 100 us, or by 300
    where all cores are busy: with half as many, streams of each host to the next lost some 4 in 100."""
    return max(4 * FRAME, rate // 80000)


def control_first():
    """Acknowledgements and other segments without data go first, as fq_codel favours sparse flows: a filter for each
    length of a TCP header with timestamps and up to three blocks of SACK.  Small segments with data do not: they would
    overtake the data before them on their connection, and TCP takes that for a loss."""
    return [f"filter add dev eth0 parent 1: protocol ip prio 1 u32 match u16 {20 + 4 * words} 0xffff at 2 "
            f"match u8 {words << 4:#x} 0xf0 at 32 flowid 1:10" for words in (8, 10, 11, 13, 15)]


def host_limit(rate):
    """What control_first picks goes first; the rest queues."""
    shape = f"ceil {rate}bit burst {burst(rate)} cburst {burst(rate)} quantum {FRAME}"
    return ["qdisc add dev eth0 root handle 1: htb default 20",
            f"class add dev eth0 parent 1: classid 1:1 htb rate {rate}bit {shape}",
            f"class add dev eth0 parent 1:1 classid 1:10 htb rate {rate // 2}bit prio 0 {shape}",
            f"class add dev eth0 parent 1:1 classid 1:20 htb rate {rate // 2}bit prio 1 {shape}",
            f"qdisc add dev eth0 parent 1:10 bfifo limit {SMALL_QUEUE}",
            f"qdisc add dev eth0 parent 1:20 bfifo limit {HOST_QUEUE}", *control_first()]


def card(own, congestion):
    """A host's address; the congestion control is of the route, as a namespace may not choose any for itself."""
    return [f"address add {own}/16 dev eth0 noprefixroute", "link set eth0 up",
            f"route add {SUBNET} dev eth0 src {own} congctl {congestion}"]


def port_limit(port, rate):
    return f"qdisc add dev {port} root tbf rate {rate}bit burst {burst(rate)} limit {PORT_QUEUE}"


def cables(lab, pids):
    """The bridges and veth pairs, as commands for ip in the namespace of the switches."""
    numbers = {name: number for number, name in enumerate(lab.cluster.switches)}
    lines = []
    for number in numbers.values():
        lines += [f"link add b{number} type bridge stp_state 0 forward_delay 0 mcast_snooping 0",
                  f"link set b{number} up"]
    for number, host in enumerate(lab.cluster.hosts):
        lines += [f"link add h{number} type veth peer name eth0 netns {pids[host]}",
                  f"link set h{number} master b{numbers[lab.cluster.home[host]]} up"]
    for switch, number in numbers.items():
        parent = lab.cluster.parent[switch]
        if parent:
            lines += [f"link add u{number} type veth peer name d{number}",
                      f"link set u{number} master b{number} up",
                      f"link set d{number} master b{numbers[parent]} up"]
    return lines + [f"address add {HEAD}/16 dev b0"]


def build(lab):
    """All namespaces, then all cables, then the limits."""
    kinds = {SWITCHES: "switches", **dict.fromkeys(lab.cluster.hosts, "host")}
    pids = {name: keep(lab.state, name, kind) for name, kind in kinds.items()}
    head = pids[SWITCHES]
    batch(head, "ip", cables(lab, pids))
    unfiltered(head)
    ports = [(port, lab.rate_of(source, target)) for source, target, name, port in lab.ports() if name == SWITCHES]
    plain(head, [port for port, _ in ports])
    batch(head, "tc", [port_limit(port, rate) for port, rate in ports])
    for number, host in enumerate(lab.cluster.hosts):
        plain(pids[host], ["eth0"])
        batch(pids[host], "tc", host_limit(lab.rate_of(host, lab.cluster.home[host])))
        batch(pids[host], "ip", card(address(number), lab.congestion))


def check_root():
    if os.geteuid() != 0:
        raise LabError("this needs root, for namespaces and limits of rate: sudo contrib/lab/lab ...", 3)


def check_machine(congestion):
    check_root()
    need("ip", "tc", "ethtool", "unshare", "nsenter")
    with open("/proc/sys/net/ipv4/tcp_available_congestion_control", encoding="utf-8") as file:
        known = file.read().split()
    if congestion not in known:
        raise LabError(f"--congestion is '{congestion}', this kernel has {' '.join(known)}")


def claim(state):
    """Makes the folder of a lab; where two try at the same time, one gets it."""
    taken = LabError(f"a lab is up, or was left over ({state}); end it with lab down first")
    if left_over(state):
        raise taken
    found = os.listdir(state) if os.path.isdir(state) else []
    if os.path.exists(state) and "pids" not in found and (found or not os.path.isdir(state)):
        raise LabError(f"{state} is there, and is no folder of a lab; allowed is one that is empty, or not there")
    os.makedirs(state, exist_ok=True)
    try:
        os.mkdir(f"{state}/pids")
    except FileExistsError:
        raise taken from None


def up(state, spec, rate, congestion):
    """Builds a lab; on failure nothing of it is left."""
    text = topology.text_of(spec)
    cluster = topology.read(text, spec)
    for name in TAKEN:
        if name in cluster.home:
            raise LabError(f"{spec}: host '{name}' would have a name that the lab, or any machine, has for itself")
    check_machine(congestion)
    claim(state)
    try:
        names = "127.0.0.1 localhost\n" + f"{HEAD} {SWITCHES}\n"
        names += "".join(f"{address(number)} {host}\n" for number, host in enumerate(cluster.hosts))
        facts = {"spec": spec, "rate": rate, "congestion": congestion}
        for file, content in (("hosts", names), ("topology.conf", text), ("lab.json", json.dumps(facts) + "\n")):
            with open(f"{state}/{file}", "w", encoding="latin-1", newline="") as stream:
                stream.write(content)
        build(Lab(state))
    except BaseException:
        down(state)
        raise
    return Lab(state)
