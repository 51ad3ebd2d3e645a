"""show.py - prints the cluster and the counters of its links."""

import json

from common import call
import network


def rate_text(rate):
    for unit, name in ((10 ** 9, "gbit"), (10 ** 6, "mbit"), (10 ** 3, "kbit")):
        if rate % unit == 0:
            return f"{rate // unit}{name}"
    return f"{rate}bit"


def summary(lab):
    cluster = lab.cluster
    print(f"{lab.spec}: hosts {len(cluster.hosts)}, switches {len(cluster.switches)}, {rate_text(lab.rate)} a port, "
          f"TCP {lab.congestion}")
    if len({lab.rate_of(source, target) for source, target, _, _ in lab.ports()}) > 1:
        print("this is the rate of the slowest host; LinkSpeed and NodeSpeed of the file multiply it for other links")


def queues(pid):
    """Returns the counters of the queue of each network interface in the network of a process."""
    found = json.loads(call(network.inside(pid, "tc", "-s", "-j", "qdisc", "show")))
    return {queue["dev"]: queue for queue in found if queue.get("root") and queue["kind"] in ("htb", "tbf")}


def status(lab):
    summary(lab)
    cluster = lab.cluster
    for switch in cluster.switches:
        hosts = " ".join(host for host in cluster.hosts if cluster.home[host] == switch)
        print(f"switch {switch}" + (f", below {cluster.parent[switch]}" if cluster.parent[switch] else "") +
              (f": {hosts}" if hosts else ""))
    for number, host in enumerate(cluster.hosts):
        print(f"host {host}: {network.address(number)}, process {lab.pid(host)}")
    found = {name: queues(lab.pid(name)) for name in [network.SWITCHES, *cluster.hosts]}
    width = max(len(f"{a} -> {b}") for a, b, _, _ in lab.ports())
    print(f"{'link':<{width}} {'rate':>8} {'bytes':>13} {'packets':>9} {'dropped':>8} {'queued':>8}")
    for source, target, name, interface in lab.ports():
        queue, rate = found[name][interface], rate_text(lab.rate_of(source, target))
        link = f"{source} -> {target}"
        print(f"{link:<{width}} {rate:>8} {queue['bytes']:>13} "
              f"{queue['packets']:>9} {queue['drops']:>8} {queue['backlog']:>8}")
