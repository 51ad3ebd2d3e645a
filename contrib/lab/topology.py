"""topology.py - a cluster as a tree of switches: Slurm's topology.conf, short forms, and the bytes on each link.

A cluster is read from the text of a topology.conf; the short forms are turned into such a text first.  Pure: reads
and writes no file but the one that it is asked to.
"""

import os
import re

from common import LabError

SHORT_FORMS = "single:8, star:8,8,8,8 (first switch in the centre), chain:8,8,8,8"
MOST_HOSTS = 1000
KEYS = ("switchname", "switches", "nodes", "linkspeed", "nodespeed")
NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")


class Cluster:
    """Hosts and switches in the order of the file.

    home[h]: the switch of host h; parent[s]: the switch that switch s hangs on, None at the top.  All are names.
    speed[n]: of the link from a host or switch up.
    """

    def __init__(self):
        self.hosts = []
        self.switches = []
        self.home = {}
        self.parent = {}
        self.speed = {}

    def links(self):
        """The cables, as pairs of names, the lower end first."""
        return [(host, self.home[host]) for host in self.hosts] + \
               [(switch, self.parent[switch]) for switch in self.switches if self.parent[switch]]

    def factor(self, source, target):
        """How many times as fast a link is as that of the slowest host, as a numerator and a denominator."""
        lower = source if target in (self.home.get(source), self.parent.get(source)) else target
        return self.speed[lower], min(self.speed[host] for host in self.hosts)

    def _above(self, host):
        chain = [self.home[host]]
        while self.parent[chain[-1]]:
            chain.append(self.parent[chain[-1]])
        return chain

    def path(self, source, target):
        """The directed links from one host to another, as pairs of names."""
        if source == target:
            return []
        up, down = self._above(source), self._above(target)
        while len(up) > 1 and len(down) > 1 and up[-2] == down[-2]:
            up.pop()
            down.pop()
        stops = [source] + up + down[-2::-1] + [target]
        return list(zip(stops, stops[1:]))

    def loads(self, matrix, place):
        """The bytes on each directed link, if rank r runs on host place[r]; matrix: (from, to) -> bytes."""
        bytes_on = {}
        for (source, target), size in matrix.items():
            for link in self.path(place[source], place[target]):
                bytes_on[link] = bytes_on.get(link, 0) + size
        return bytes_on


def place(hosts, ranks):
    """The host of each rank: ranks fill the hosts in their order, as many on each as on the first, or one fewer."""
    each, more = divmod(ranks, len(hosts))
    return [host for number, host in enumerate(hosts) for _ in range(each + (number < more))]


# ---- names with ranges ----

def split_list(text):
    """Splits at the commas outside of brackets."""
    return re.findall(r"(?:[^,\[]|\[[^\]]*\])+", text)


def expand_range(text):
    first, dash, last = text.partition("-")
    if not first.isdigit() or (dash and not last.isdigit()):
        raise LabError(f"'[{text}]' is no range; allowed is for example [1-8,10] or [001-128]")
    if dash and int(last) - int(first) >= MOST_HOSTS:
        raise LabError(f"'[{text}]' has more than {MOST_HOSTS} numbers")
    return [str(i).zfill(len(first)) for i in range(int(first), int(last if dash else first) + 1)]


def expand(text):
    """The names that a list such as n[1-3,7],login stands for."""
    if not re.fullmatch(r"([^\[\]]|\[[^\[\]]*\])*", text):
        raise LabError(f"the brackets of '{text}' do not match; allowed is for example n[1-8,10]")
    names = []
    for item in split_list(text):
        group = [""]
        for literal, ranges in re.findall(r"([^\[\]]+)|\[([^\]]*)\]", item):
            tails = [literal] if literal else [n for part in ranges.split(",") for n in expand_range(part)]
            if len(group) * len(tails) > MOST_HOSTS:
                raise LabError(f"'{item}' is more than {MOST_HOSTS} names")
            group = [head + tail for head in group for tail in tails]
        names += group
    for name in names:
        if not NAME.fullmatch(name):
            raise LabError(f"'{name}' is no name of a host or switch; allowed are letters, digits, '.', '-', '_'")
    return names


# ---- topology.conf ----

def logical_lines(text):
    """(number, text) of each line that says something; a line that ends in a backslash goes on in the next."""
    first, held = 1, ""
    for number, line in enumerate(text.split("\n"), 1):
        line = held + line.partition("#")[0].rstrip()
        held = line[:-1] + " " if line.endswith("\\") else ""
        if not held:
            if line.strip():
                yield first, line
            first = number + 1
    if held.strip():
        yield first, held


def fields(line, where):
    """The KEY=VALUE words of a line, keys in small letters."""
    found = {}
    for word in line.split():
        key, equals, value = word.partition("=")
        key = key.lower()
        if not equals or not value or key not in KEYS or key in found:
            raise LabError(f"{where}: '{word}' was not expected; allowed are SwitchName, Switches, Nodes, "
                           "LinkSpeed and NodeSpeed, each once, with '=' and a value")
        found[key] = value
    if "switchname" not in found:
        raise LabError(f"{where}: SwitchName is missing")
    return found


def speed_of(found, key, where):
    text = found.get(key, "1")
    if not re.fullmatch("[0-9]{1,10}", text) or not 1 <= int(text) < 2 ** 32:
        raise LabError(f"{where}: {key} is '{text}', allowed is an integer from 1 to {2 ** 32 - 1}")
    return int(text)


def read(text, name):
    """The cluster of a topology.conf."""
    cluster = Cluster()
    below = {}
    for number, line in logical_lines(text):
        where = f"{name}: line {number}"
        found = fields(line, where)
        switch, *others = names_of(found, "switchname", where)
        if others or switch in below:
            raise LabError(f"{where}: SwitchName is '{found['switchname']}', allowed is one new name a line")
        cluster.switches.append(switch)
        if "nodespeed" in found and "nodes" not in found:
            raise LabError(f"{where}: switch '{switch}' has NodeSpeed, but no Nodes")
        cluster.speed[switch] = speed_of(found, "linkspeed", where)
        below[switch] = names_of(found, "switches", where)
        for host in names_of(found, "nodes", where):
            if host in cluster.home:
                raise LabError(f"{where}: host '{host}' is on switch '{cluster.home[host]}' already")
            cluster.hosts.append(host)
            cluster.home[host] = switch
            cluster.speed[host] = speed_of(found, "nodespeed", where)
    join(cluster, below, name)
    return cluster


def names_of(found, key, where):
    try:
        return expand(found.get(key, ""))
    except LabError as error:
        raise LabError(f"{where}: {error}") from None


def join(cluster, below, name):
    """Hangs the switches on each other, and checks that they are one tree with a host or more."""
    cluster.parent = dict.fromkeys(cluster.switches)
    for switch, children in below.items():
        for child in children:
            if child not in below:
                raise LabError(f"{name}: switch '{child}' below '{switch}' has no line of its own")
            if cluster.parent[child]:
                raise LabError(f"{name}: switch '{child}' hangs on '{cluster.parent[child]}' and on '{switch}'")
            cluster.parent[child] = switch
    tops = [switch for switch in cluster.switches if not cluster.parent[switch]]
    reached = list(tops[:1])
    for switch in reached:
        reached += below[switch]
    if len(reached) != len(cluster.switches):
        missed = next(switch for switch in cluster.switches if switch not in reached)
        raise LabError(f"{name}: switch '{missed}' is not joined with the others; a tree of switches is allowed")
    if not 1 <= len(cluster.hosts) <= MOST_HOSTS:
        raise LabError(f"{name}: {len(cluster.hosts)} hosts, allowed are 1 to {MOST_HOSTS}")
    both = set(cluster.hosts) & set(cluster.switches)
    if both:
        raise LabError(f"{name}: '{both.pop()}' is a host and a switch")


# ---- SPEC ----

def line_of(switch, first, count, children):
    return f"SwitchName=s{switch}" + (f" Switches={children}" if children else "") + \
           (f" Nodes=n[{first}-{first + count - 1}]" if count else "")


def text_of(spec):
    """The topology.conf of a SPEC."""
    kind, colon, rest = spec.partition(":")
    if kind not in ("single", "star", "chain") or not colon:
        if not os.path.isfile(spec):
            raise LabError(f"SPEC is '{spec}', allowed is a topology.conf or {SHORT_FORMS}")
        with open(spec, encoding="utf-8", errors="replace") as file:
            return file.read()
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
        lines.append(line_of(number, sum(counts[:number - 1]) + 1, count, children))
    return "\n".join(lines) + "\n"
