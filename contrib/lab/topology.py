"""topology.py - a cluster as a tree of switches: Slurm's topology.conf, short forms, and the bytes on each link.

The module reads a cluster from the text of a topology.conf.  For a short form, it writes this text first.  It opens no
file but the one that the user names.
"""

from dataclasses import dataclass
import os
import re

from common import LabError, at
import conf

SHORT_FORMS = "single:8, star:8,8,8,8 (first switch in the centre), chain:8,8,8,8"
MOST_HOSTS = 1000
HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")


@dataclass(frozen=True)
class Switch:
    """A switch by its name.  A host may have the same name, so a switch has its own type; a host is a string."""
    name: str

    def __str__(self):
        return self.name


class Cluster:
    """Hosts and switches in the order of the file.

    home[h]: the switch of host h; parent[s]: the switch above switch s, None at the top.  Hosts are names.
    speed[n]: the speed of the uplink of host or switch n.
    """

    def __init__(self):
        self.hosts = []
        self.switches = []
        self.home = {}
        self.parent = {}
        self.speed = {}

    def links(self):
        """Returns the links as pairs, the lower end first."""
        return [(host, self.home[host]) for host in self.hosts] + \
               [(switch, self.parent[switch]) for switch in self.switches if self.parent[switch]]

    def factor(self, source, target):
        """Returns the speed of a link divided by that of the slowest host's link, as numerator and denominator."""
        lower = source if target in (self.home.get(source), self.parent.get(source)) else target
        return self.speed[lower], min(self.speed[host] for host in self.hosts)

    def _above(self, host):
        chain = [self.home[host]]
        while self.parent[chain[-1]]:
            chain.append(self.parent[chain[-1]])
        return chain

    def path(self, source, target):
        """Returns the directed links from one host to another."""
        if source == target:
            return []
        up, down = self._above(source), self._above(target)
        while len(up) > 1 and len(down) > 1 and up[-2] == down[-2]:
            up.pop()
            down.pop()
        stops = [source] + up + down[-2::-1] + [target]
        return list(zip(stops, stops[1:]))

    def loads(self, matrix, place):
        """Returns the bytes on each directed link.  Rank r runs on host place[r]; matrix: (from, to) -> bytes."""
        bytes_on = {}
        for (source, target), size in matrix.items():
            for link in self.path(place[source], place[target]):
                bytes_on[link] = bytes_on.get(link, 0) + size
        return bytes_on


def place(hosts, ranks):
    """Returns the host of each rank.  Ranks fill the hosts in order; a host has as many as the first, or one fewer."""
    each, more = divmod(ranks, len(hosts))
    return [host for number, host in enumerate(hosts) for _ in range(each + (number < more))]


# ---- topology.conf ----

def load(file):
    """Returns the text of a file with its bytes unchanged."""
    with open(file, encoding="latin-1", newline="\n") as stream:
        return stream.read()


def add_host(cluster, host, switch, speed):
    if host in cluster.home:
        raise LabError(f"host '{host}' is already on switch '{cluster.home[host]}'")
    if not HOST.fullmatch(host):
        raise LabError(f"host '{host}' cannot be the name of a machine; allowed are up to 63 letters, digits, '.', "
                       "'-' and '_'")
    cluster.hosts.append(host)
    cluster.home[host] = switch
    cluster.speed[host] = speed


def add_line(cluster, line):
    switch = Switch(line.switch)
    if switch in cluster.speed:
        raise LabError(f"switch '{switch}' already has a line")
    cluster.switches.append(switch)
    cluster.speed[switch] = line.speed
    for host in line.nodes:
        add_host(cluster, host, switch, line.node_speed)
    return switch


def read(text, name):
    """Returns the cluster of a topology.conf."""
    cluster = Cluster()
    below = {}
    with at(name):
        for line in conf.read_lines(text):
            with at(f"line {line.number}"):
                below[add_line(cluster, line)] = list(map(Switch, line.switches))
        join(cluster, below)
    return cluster


def join(cluster, below):
    """Sets the parents of the switches, and checks that they form one tree with at least one host."""
    cluster.parent = dict.fromkeys(cluster.switches)
    for switch, children in below.items():
        for child in children:
            if child not in below:
                raise LabError(f"switch '{child}' below '{switch}' has no line of its own")
            if cluster.parent[child]:
                raise LabError(f"switch '{child}' is below '{cluster.parent[child]}' and below '{switch}'")
            cluster.parent[child] = switch
    reached = [switch for switch in cluster.switches if not cluster.parent[switch]][:1]
    for switch in reached:
        reached += below[switch]
    if len(reached) != len(cluster.switches):
        missed = next(switch for switch in cluster.switches if switch not in reached)
        raise LabError(f"switch '{missed}' is not connected to the others; the switches must form one tree")
    if not 1 <= len(cluster.hosts) <= MOST_HOSTS:
        raise LabError(f"{len(cluster.hosts)} hosts, allowed are 1 to {MOST_HOSTS}")


# ---- SPEC ----

def line_of(switch, first, count, children):
    return f"SwitchName=s{switch}" + (f" Switches={children}" if children else "") + \
           (f" Nodes=n[{first}-{first + count - 1}]" if count else "")


def text_of(spec):
    """Returns the text of the topology.conf of a SPEC."""
    kind, colon, rest = spec.partition(":")
    if kind not in ("single", "star", "chain") or not colon:
        if not os.path.isfile(spec):
            raise LabError(f"SPEC is '{spec}', allowed is a topology.conf or {SHORT_FORMS}")
        return load(spec)
    counts = [int(count) if re.fullmatch("[0-9]{1,4}", count) else -1 for count in rest.split(",")]
    if min(counts) < 0 or (kind == "single" and len(counts) > 1):
        raise LabError(f"SPEC is '{spec}', allowed are numbers of hosts as in {SHORT_FORMS}")
    lines = []
    for number, count in enumerate(counts, 1):
        children = ""
        if kind == "star" and number == 1 and len(counts) > 1:
            children = f"s[2-{len(counts)}]"
        elif kind == "chain" and number < len(counts):
            children = f"s{number + 1}"
        if not count and not children:
            raise LabError(f"SPEC is '{spec}': switch {number} has 0 hosts and no switch below it; it needs at least 1 "
                           "host")
        lines.append(line_of(number, sum(counts[:number - 1]) + 1, count, children))
    return "\n".join(lines) + "\n"
