"""job.py - runs MPI programs on the lab, and counts the retransmissions of TCP.

mpirun runs in the namespaces of the switches, under the host name lab-head, and starts processes on the hosts through
the script `enter`.  The lab sets parameters by environment variables, which --mca options of the user override.
"""

import os
import signal
import subprocess
import sys

from common import LabError, need
import network
import topology

MOST_A_HOST = 64
# The runtime of Open MPI 5.0 has parameters of its own; 4.1 ignores them.
RUNTIME = {"plm_ssh_agent": f"{network.HERE}/enter", "plm_ssh_no_tree_spawn": "1", "prte_if_include": network.SUBNET}


def settings(lab, build):
    """Returns the environment of mpirun.  It restricts Open MPI and coll/irr to the lab's network."""
    mca = {"plm": "rsh", "plm_rsh_agent": f"{network.HERE}/enter", "plm_rsh_no_tree_spawn": "1",
           "oob_tcp_if_include": network.SUBNET, "btl_tcp_if_include": network.SUBNET,
           "pml": "ob1", "btl": "self,vader,tcp", "mpi_yield_when_idle": "1",
           "coll_irr_ucx_tls": "tcp,sm,self", "coll_irr_ucx_devices": "eth0",
           "coll_irr_topology_file": f"{lab.state}/topology.conf"}
    env = dict(os.environ, IRR_LAB_STATE=lab.state, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    env.update({f"OMPI_MCA_{name}": value for name, value in mca.items()})
    env.update({f"PRTE_MCA_{name}": value for name, value in RUNTIME.items()})
    if os.path.exists(f"{build}/.libs/mca_coll_irr.so"):
        env.setdefault("OMPI_MCA_mca_base_component_path", f"{build}/.libs:SYS_DEFAULT")
        env["PATH"] = f"{build}:{env['PATH']}"
    return env


def check_ranks(cluster, ranks, name, least=1):
    most = MOST_A_HOST * len(cluster.hosts)
    if not (ranks.isdigit() and least <= int(ranks) <= most):
        raise LabError(f"{name} is '{ranks}', allowed is {least} to {most}, {MOST_A_HOST} ranks a host")
    return int(ranks)


def command(lab, ranks, options, program):
    """Returns the command that runs mpirun with the ranks in the order of the hosts."""
    places = topology.place(lab.cluster.hosts, ranks)
    hosts = ",".join(f"{host}:{places.count(host)}" for host in lab.cluster.hosts if host in places)
    return ["nsenter", "--target", str(lab.pid(network.SWITCHES)), "--net", "--uts", "--mount",
            "sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", os.getcwd(),
            "mpirun", "--host", hosts, "-np", str(ranks), "--map-by", "slot", "--bind-to", "none", *options, *program]


def counter(pid, file, group, name):
    """Returns a counter of the kernel for the network of a process.  nstat shows the same counters."""
    with open(f"/proc/{pid}/net/{file}", encoding="ascii") as stream:
        lines = [line.split() for line in stream if line.startswith(f"{group}:")]
    return int(dict(zip(lines[0], lines[1])).get(name, 0))


def resent(lab):
    """Returns TcpExtTCPTimeouts and TcpRetransSegs, summed over the hosts."""
    pids = [lab.pid(host) for host in lab.cluster.hosts]
    return (sum(counter(pid, "netstat", "TcpExt", "TCPTimeouts") for pid in pids),
            sum(counter(pid, "snmp", "Tcp", "RetransSegs") for pid in pids))


def wait(job):
    """Waits for a job and returns its status.  A terminal sends SIGINT also to mpirun; SIGTERM and SIGHUP are forwarded
    to mpirun.  If there was a signal, its former handler is called when the job has ended."""
    caught = []

    def end(number, _):
        caught.append(number)
        if number != signal.SIGINT:
            job.terminate()

    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    handlers = {number: handler for number, handler in handlers.items() if callable(handler)}
    for number in handlers:
        signal.signal(number, end)
    try:
        status = job.wait()
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    for number in caught[:1]:
        handlers[number](number, None)
    return status


def run(lab, build, ranks, options, program, output=None):
    """Returns mpirun's exit status, the number of retransmission timeouts, and that of retransmitted segments."""
    need("mpirun")
    before = resent(lab)
    sys.stdout.flush()
    with subprocess.Popen(command(lab, ranks, options, program), env=settings(lab, build),
                          stdout=output, stderr=subprocess.STDOUT if output else None) as job:
        status = wait(job)
    after = resent(lab)
    return (128 - status if status < 0 else status), after[0] - before[0], after[1] - before[1]
