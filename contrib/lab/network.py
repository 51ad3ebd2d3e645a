"""network.py - builds and removes the cluster: a set of namespaces for each host, and one for all switches.

A host has a network interface eth0; all other interfaces are in the namespace of the switches.  Switch i is the bridge
bI, its port to host h is hH, and a cable from switch i up to switch j is uI at i and dI at j; numbers start at 0.  The
namespaces exist as long as their first processes (keep).  The command line of these processes names the state folder,
so `lab down` finds them also after a crash.
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
SWITCHES = "lab-head"           # the host name that mpirun sees
TAKEN = (SWITCHES, "localhost")
HOST_QUEUE = 512 * 1024         # bytes of data that a host queues
SMALL_QUEUE = 128 * 1024        # bytes of segments without data that a host queues; see control_first
PORT_QUEUE = 128 * 1024         # bytes that a port of a switch queues
FRAME = 1514                    # bytes of the longest frame
FASTEST = 10 ** 11            # of a port, in bits per second
# Parts of the error messages of ip and tc if the kernel lacks a module, or forbids its use.
LACKS = ("kind is unknown", "No such file", "Unknown device type", "not supported", "not permitted")


def address(number):
    return f"10.77.{number // 250}.{number % 250 + 1}"


class Lab:
    """A lab that is up, read from its state folder."""

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
        """Returns the id of the first process of a host, or of the switches."""
        try:
            with open(f"{self.state}/pids/{name}", encoding="utf-8") as file:
                pid = int(file.read())
        except FileNotFoundError:
            pid = 0
        if not is_keeper(pid, self.state):
            raise LabError(f"no process of '{name}' runs; remove the rest of the lab with lab down", 1)
        return pid

    def rate_of(self, source, target):
        """Returns the rate of a directed link in bits per second; the link of the slowest host has the lab's rate."""
        speed, base = self.cluster.factor(source, target)
        rate = self.rate * speed // base
        if not 10 ** 5 <= rate <= FASTEST:
            raise LabError(f"{source} -> {target} would have {rate} bits per second, allowed are {10 ** 5} to "
                           f"{FASTEST}; choose another --rate")
        return rate

    def ports(self):
        """Yields source, target, the name of the namespace, and the interface there of each directed link."""
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
    """True if a process is `keep STATE NAME KIND`, or the command that starts it."""
    found = words(pid)
    return any(word.endswith("/lab/keep") and after == state for word, after in zip(found, found[1:]))


def network_of(pid):
    try:
        return os.readlink(f"/proc/{pid}/ns/net")
    except OSError:
        return None


def left_over(state):
    """Returns the ids of the processes of the lab in a state folder: keepers, and processes in their networks."""
    own = network_of("self")
    keepers = [pid for pid in processes() if is_keeper(pid, state)]
    networks = {network_of(pid) for pid in keepers} - {own, None}
    return keepers + [pid for pid in processes() if pid not in keepers and network_of(pid) in networks]


def down(state):
    """Kills all processes of a lab and removes its state folder.  Returns the number of processes."""
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
    if os.path.isdir(f"{state}/pids"):      # only the folder of a lab has pids
        shutil.rmtree(state)
    return len(ended)


# ---- up ----

def keep(state, name, kind):
    """Starts the first process of a host, or of the switches; stores its id in the state folder and returns it."""
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
    """Runs commands of ip or tc in a namespace."""
    try:
        call(inside(pid, program, "-batch", "-"), "\n".join(lines) + "\n")
    except LabError as error:
        if any(reason in str(error) for reason in LACKS):
            raise LabError("the kernel lacks or forbids bridges, veth, HTB, TBF or u32 filters (modules bridge, veth, "
                           f"sch_htb, sch_tbf, cls_u32): {error}", 3) from None
        raise


def disable_offloads(pid, interfaces):
    """Disables the offloads of network interfaces, so that each packet is a frame on the wire."""
    call(inside(pid, "sh", "-c", 'for interface; do ethtool -K "$interface" gso off tso off gro off tx off rx off || '
                                 'exit; done', "sh", *interfaces))


def disable_filters(pid):
    """Disables the filtering of bridged frames by iptables (module br_netfilter), because it costs processor time."""
    call(inside(pid, "sh", "-c", 'for file in /proc/sys/net/bridge/bridge-nf-call-*; do '
                                 '[ ! -w "$file" ] || echo 0 >"$file"; done'))


def burst(rate):
    """Returns the number of bytes that a port may send at once.  A real port has no burst.  Here a port waits for a
    timer of the kernel, which is some 100 us late, or 300 us if all cores are busy; the burst makes up for this.  With
    half of this burst, some 4 % of the bandwidth are lost when each host sends to the next."""
    return max(4 * FRAME, rate // 80000)


def control_first():
    """Returns filters of tc that let acknowledgements and other segments without data leave a host first, because
    fq_codel, the queue of most Linux systems, has a similar effect.  There is a filter for each length of a TCP header
    with timestamps and up to three blocks of SACK.  Small segments with data do not leave first: they would overtake
    earlier data of their connection, and TCP would see a loss."""
    return [f"filter add dev eth0 parent 1: protocol ip prio 1 u32 match u16 {20 + 4 * words} 0xffff at 2 "
            f"match u8 {words << 4:#x} 0xf0 at 32 flowid 1:10" for words in (8, 10, 11, 13, 15)]


def host_limit(rate):
    """Returns commands that limit the rate of a host.  Segments that match control_first leave before all others."""
    shape = f"ceil {rate}bit burst {burst(rate)} cburst {burst(rate)} quantum {FRAME}"
    return ["qdisc add dev eth0 root handle 1: htb default 20",
            f"class add dev eth0 parent 1: classid 1:1 htb rate {rate}bit {shape}",
            f"class add dev eth0 parent 1:1 classid 1:10 htb rate {rate // 2}bit prio 0 {shape}",
            f"class add dev eth0 parent 1:1 classid 1:20 htb rate {rate // 2}bit prio 1 {shape}",
            f"qdisc add dev eth0 parent 1:10 bfifo limit {SMALL_QUEUE}",
            f"qdisc add dev eth0 parent 1:20 bfifo limit {HOST_QUEUE}", *control_first()]


def host_address(own, congestion):
    """Returns commands that set a host's address and route.  The route sets the congestion control, because a namespace
    itself may use only some of those that the kernel has."""
    return [f"address add {own}/16 dev eth0 noprefixroute", "link set eth0 up",
            f"route add {SUBNET} dev eth0 src {own} congctl {congestion}"]


def port_limit(port, rate):
    return f"qdisc add dev {port} root tbf rate {rate}bit burst {burst(rate)} limit {PORT_QUEUE}"


def cables(lab, pids):
    """Returns commands of ip that make the bridges and veth pairs in the namespace of the switches."""
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
    """Makes all namespaces, then all cables, then the limits."""
    kinds = {SWITCHES: "switches", **dict.fromkeys(lab.cluster.hosts, "host")}
    pids = {name: keep(lab.state, name, kind) for name, kind in kinds.items()}
    head = pids[SWITCHES]
    batch(head, "ip", cables(lab, pids))
    disable_filters(head)
    ports = [(port, lab.rate_of(source, target)) for source, target, name, port in lab.ports() if name == SWITCHES]
    disable_offloads(head, [port for port, _ in ports])
    batch(head, "tc", [port_limit(port, rate) for port, rate in ports])
    for number, host in enumerate(lab.cluster.hosts):
        disable_offloads(pids[host], ["eth0"])
        batch(pids[host], "tc", host_limit(lab.rate_of(host, lab.cluster.home[host])))
        batch(pids[host], "ip", host_address(address(number), lab.congestion))


def check_root():
    if os.geteuid() != 0:
        raise LabError("namespaces and rate limits need root: sudo contrib/lab/lab ...", 3)


def check_machine(congestion):
    check_root()
    need("ip", "tc", "ethtool", "unshare", "nsenter")
    with open("/proc/sys/net/ipv4/tcp_available_congestion_control", encoding="utf-8") as file:
        known = file.read().split()
    if congestion not in known:
        raise LabError(f"--congestion is '{congestion}', this kernel has {' '.join(known)}")


def claim(state):
    """Makes the state folder of a lab.  If two programs call this function at the same time, one of the calls fails."""
    taken = LabError(f"a lab is up, or parts of one are left ({state}); remove it with lab down first")
    if left_over(state):
        raise taken
    found = os.listdir(state) if os.path.isdir(state) else []
    if os.path.exists(state) and "pids" not in found and (found or not os.path.isdir(state)):
        raise LabError(f"{state} exists and is no folder of a lab; allowed is an empty or a new folder")
    os.makedirs(state, exist_ok=True)
    try:
        os.mkdir(f"{state}/pids")
    except FileExistsError:
        raise taken from None


def up(state, spec, rate, congestion):
    """Builds a lab and returns it.  On failure nothing is left."""
    text = topology.text_of(spec)
    cluster = topology.read(text, spec)
    for name in TAKEN:
        if name in cluster.home:
            raise LabError(f"{spec}: host '{name}' has a reserved name; choose a name other than {' and '.join(TAKEN)}")
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
