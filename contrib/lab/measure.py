"""measure.py - compares coll/irr with Open MPI's algorithms on the lab: lab demo and lab bench.

A job runs some exchanges of one algorithm, so that the timeouts of the job are those of the algorithm.  A round has one
job of each algorithm.  The bound of an exchange is the time that the busiest link needs for its bytes.  A link carries
the user's bytes at the share USABLE of its rate, because they are 1446 of the 1514 bytes of a frame.
"""

import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile

from common import LabError, call, need, read_rate, read_sizes, write_size
import irr_output
import job
import network
import plot
import show
import topology

USABLE = 0.955
WARMUP = 60     # tree tries its strategies from exchange 17 to about 50
TRIES = ["--mca", "coll_irr_setup_share", "1000000000"]   # a trial may cost any time
TUNED = {"linear": 1, "pairwise": 2}
TRANSPORTS = ("ucx", "ofi")
IDLE = "no byte leaves its host, so no link bounds the exchange"
COLUMNS = ["spec", "rate_bits", "congestion", "pattern", "size", "ranks", "algorithm", "bound_ms", "median_ms",
           "min_ms", "max_ms", "share", "iterations", "timeouts", "resent"]
DEMO = {"spec": "star:2,2,2,2", "np": None, "patterns": "uniform", "sizes": [2**16, 2**18], "rounds": 2,
        "iterations": 5, "warmup": WARMUP, "algorithms": "linear,pairwise,tree", "output": None}
# $0 is contrib/lab, from which contrib/setup finds the checkout.
# Under sudo the user builds if the user owns the whole checkout.  If others own files in it, as after a build by root,
# root builds.
PREPARE = """checkout=$(dirname "$0")/..
if [ "${SUDO_UID:-0}" != 0 ] && [ -z "$(find "$checkout" ! -uid "$SUDO_UID" -print -quit 2>&1)" ]; then
    setup_owner="#$SUDO_UID"
fi
setup_enough="make cc mpirun ip tc ethtool unshare nsenter"
. "$(dirname "$0")/setup"
packages="$packages $lab_packages"
is_enough || install_packages
configure_in "$build"
step "building" as_owner make -C "$build" -j "$jobs"
"""


def add_options(parser):
    parser.add_argument("--np", metavar="NP", help="number of ranks; default one per host")
    parser.add_argument("--patterns", default="uniform", metavar="LIST",
                        help="patterns of irr_matrix, separated by commas; default uniform")
    parser.add_argument("--sizes", type=read_sizes, default=[2**10, 2**13, 2**16, 2**18], metavar="LIST",
                        help="mean bytes of a message, with suffix k, m or g; default 1k,8k,64k,256k")
    parser.add_argument("--algorithms", default="linear,pairwise,tree", metavar="LIST",
                        help="linear and pairwise are Open MPI's, the others coll/irr's; a transport may follow, as in "
                             "tree@ucx,tree@ofi; default linear,pairwise,tree")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="jobs of each algorithm; default 3")
    parser.add_argument("--iterations", type=int, default=10, metavar="N", help="exchanges of a job; default 10")
    parser.add_argument("--warmup", type=int, default=WARMUP, metavar="N",
                        help=f"exchanges of a job before the timed ones, for the trials of coll/irr; default {WARMUP}")
    parser.add_argument("-o", "--output", default="lab-bench", metavar="PREFIX",
                        help="writes PREFIX.csv and PREFIX.svg; default lab-bench")


# ---- what is exchanged ----

def read_matrix(file):
    """Returns the matrix of a file as (from, to) -> bytes, with ranks from 0."""
    with open(file, encoding="ascii") as stream:
        lines = [line.split() for line in stream if not line.startswith("%")]
    return {(int(i) - 1, int(j) - 1): int(size) for i, j, size in lines[1:]}


def generate(options, pattern, ranks, unit, file):
    call([f"{options.build}/irr_matrix", "generate", pattern, "--ranks", str(ranks), "--unit", str(unit), "-o", file])
    return read_matrix(file)


def make_matrix(options, pattern, ranks, size, file):
    """Returns the matrix of a pattern whose messages between different ranks have `size` bytes on average."""
    def mean(matrix):
        return statistics.mean([count for (i, j), count in matrix.items() if i != j] or [1])
    unit = max(1, round(size / mean(generate(options, pattern, ranks, 1, file))))
    return generate(options, pattern, ranks, unit, file)


def bound_of(lab, matrix, ranks):
    """Returns the busiest link, its bytes, and the bound in milliseconds."""
    loads = lab.cluster.loads(matrix, topology.place(lab.cluster.hosts, ranks))
    if not loads:
        raise LabError(IDLE)
    times = {link: load * 8 / (USABLE * lab.rate_of(*link)) * 1e3 for link, load in loads.items()}
    link = max(times, key=times.get)
    return link, loads[link], times[link]


def cores():
    """Returns the ticks of the cores since boot: all, idle, and stolen by other virtual machines."""
    with open("/proc/stat", encoding="ascii") as file:
        ticks = [int(word) for word in file.readline().split()[1:9]]
    return sum(ticks), ticks[3] + ticks[4], ticks[7]


def print_cores(before):
    total, idle, stolen = (max(0, now - then) for now, then in zip(cores(), before))
    print(f"  cores during these jobs: {100 * idle / max(total, 1):.0f}% idle, {100 * stolen / max(total, 1):.0f}% "
          "stolen by other virtual machines", flush=True)


# ---- jobs ----

def algorithm_options(algorithm):
    """Returns the options of mpirun and the name for irr_bench that select an algorithm.  auto gets no topology file,
    because it stands for coll/irr without configuration."""
    name, _, transport = algorithm.partition("@")
    if algorithm not in TUNED:
        options = ["--mca", "coll_irr_transport", transport] if transport else []
        return options + (["--mca", "coll_irr_topology_file", ""] if name == "auto" else TRIES), name
    number = str(TUNED[algorithm])
    return ["--mca", "coll_tuned_use_dynamic_rules", "1", "--mca", "coll_tuned_alltoallv_algorithm", number,
            "--mca", "coll_tuned_alltoall_algorithm", number], "host"


def run_job(lab, options, ranks, algorithm, folder):
    """Runs a job.  Returns the times of its exchanges in ms, its timeouts and its retransmitted segments."""
    mpirun, name = algorithm_options(algorithm)
    program = [f"{options.build}/irr_bench", "--matrix", f"{folder}/matrix.mtx", "--algorithms", name,
               "--iterations", str(options.iterations), "--warmup", str(options.warmup),
               "--check", "--json", f"{folder}/result.json"]
    with open(f"{folder}/out", "w+", encoding="utf-8", errors="replace") as out:
        status, timeouts, resent = job.run(lab, options.build, ranks, mpirun, program, out)
        out.seek(0)
        said = out.read()[-3000:].strip()
    if status:
        raise LabError(f"irr_bench with '{algorithm}' ended with status {status}: {said}", 1)
    with open(f"{folder}/result.json", encoding="utf-8") as file:
        row = json.load(file)["results"][0]["rows"][0]
    if name != "auto" and row["served_by"] != ("host" if algorithm in TUNED else "irr"):
        raise LabError(f"'{algorithm}' was not measured, because {row['served_by']} served the exchanges: {said}", 1)
    return [time / 1e3 for time in row["times_us"]], timeouts, resent


def take_turns(lab, options, ranks, folder, found):
    for _ in range(options.rounds):
        for algorithm, (times, timeouts, resent) in found.items():
            result = run_job(lab, options, ranks, algorithm, folder)
            times += result[0]
            timeouts.append(result[1])
            resent.append(result[2])


def measure(lab, options, ranks, folder):
    """Yields a row for each algorithm.  If a job fails, yields the rows of the jobs before it."""
    found = {algorithm: ([], [], []) for algorithm in options.algorithms.split(",")}
    try:
        take_turns(lab, options, ranks, folder, found)
    finally:
        for algorithm, (times, timeouts, resent) in found.items():
            if times:
                yield {"algorithm": algorithm, "median_ms": statistics.median(times), "min_ms": min(times),
                       "max_ms": max(times), "iterations": len(times), "timeouts": sum(timeouts),
                       "resent": sum(resent)}


def title_of(algorithm):
    return f"Open MPI {algorithm}" if algorithm in TUNED else f"coll/irr {algorithm}"


def print_row(row):
    """Prints a row.  Ignores errors, so that the file gets the next rows even if the terminal is closed."""
    times = " ".join(f"{row[key]:>9.1f}" for key in ("median_ms", "min_ms", "max_ms"))
    try:
        print(f"  {title_of(row['algorithm']):<20} {times} {row['share']:>7.2f} {row['timeouts']:>9} "
              f"{row['resent']:>9}", flush=True)
    except OSError:
        pass


def all_rows(lab, options):
    """Yields all rows of a bench, and prints each of them."""
    ranks = int(options.np) if options.np else len(lab.cluster.hosts)
    with tempfile.TemporaryDirectory(prefix="irr-lab-") as folder:
        for pattern in options.patterns.split(","):
            for size in options.sizes:
                matrix = make_matrix(options, pattern, ranks, size, f"{folder}/matrix.mtx")
                link, load, bound = bound_of(lab, matrix, ranks)
                print(f"\n== {pattern}, {write_size(size)} a message, {ranks} ranks\n"
                      f"   busiest link {link[0]} -> {link[1]}: {load} bytes, at least {bound:.1f} ms\n"
                      f"  {'':<20} {'median ms':>9} {'min':>9} {'max':>9} {'share':>7} {'timeouts':>9} {'resent':>9}")
                before = cores()
                for row in measure(lab, options, ranks, folder):
                    row.update(spec=lab.spec, rate_bits=lab.rate, congestion=lab.congestion, pattern=pattern, size=size,
                               ranks=ranks, bound_ms=bound, share=bound / row["median_ms"])
                    yield row
                    print_row(row)
                print_cores(before)


# ---- commands ----

def with_lab(options, use):
    """Builds the cluster, calls use(), and removes the cluster, also after a failure."""
    lab = network.up(options.state, options.spec, read_rate(options.rate), options.congestion)
    try:
        show.summary(lab)
        use(lab)
    finally:
        network.down(options.state)
    return 0


def dry(command, known=""):
    """Runs a tool to check options.  If the tool refuses them, raises its error message, followed by `known`."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        raise LabError(done.stderr.strip()[-600:] + known)


def check_pattern(options, pattern, places):
    """Checks the name of a pattern, and that at least one message leaves its host."""
    with tempfile.NamedTemporaryFile(prefix="irr-lab-") as file:
        command = [f"{options.build}/irr_matrix", "generate", pattern, "--ranks", str(len(places)), "--unit", "1"]
        dry([*command, "-o", file.name])
        if all(places[i] == places[j] for (i, j), size in read_matrix(file.name).items() if size):
            raise LabError(f"pattern '{pattern}' with {len(places)} ranks: {IDLE}")


def check_algorithms(options):
    """Checks algorithms, iterations and warmup by irr_bench --help, which checks its other options and runs nothing."""
    for name in options.algorithms.split(","):
        transport = name.partition("@")[2]
        if transport not in ("", *TRANSPORTS):
            raise LabError(f"unknown transport '{transport}', known are {', '.join(TRANSPORTS)}")
    own = [name.partition("@")[0] for name in options.algorithms.split(",") if name not in TUNED]
    if "host" in own:
        raise LabError(f"algorithm 'host' is Open MPI's choice; name {' or '.join(TUNED)} in its place")
    if own:
        dry([f"{options.build}/irr_bench", "--algorithms", ",".join(own), "--help"], f", {', '.join(TUNED)}")
    dry([f"{options.build}/irr_bench", "--iterations", str(options.iterations), "--warmup", str(options.warmup),
         "--help"])


def check_options(options):
    """Checks all options before the first job, because a later failure could come after hours."""
    if options.rounds < 1:
        raise LabError(f"--rounds is {options.rounds}, allowed is an integer from 1")
    cluster = topology.read(topology.text_of(options.spec), options.spec)
    ranks = job.check_ranks(cluster, options.np or str(max(2, len(cluster.hosts))), "--np", 2)
    for tool in ("irr_bench", "irr_matrix"):
        if not os.access(f"{options.build}/{tool}", os.X_OK):
            raise LabError(f"{options.build}/{tool} was not found; build coll/irr, or name its folder with --build")
    need("mpirun")
    check_algorithms(options)
    for pattern in options.patterns.split(","):
        check_pattern(options, pattern, topology.place(cluster.hosts, ranks))
    folder = os.path.dirname(os.path.abspath(options.output or "x"))
    if not os.access(folder, os.W_OK | os.X_OK):
        raise LabError(f"--output is '{options.output}', but nothing can be written to {folder}")


def write_rows(lab, options, rows):
    """Writes each row to the file beside the output as soon as it is measured.  The first rows of a failed run are
    useful, too."""
    ended = None
    with irr_output.writing(f"{options.output}.csv", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        file.flush()
        try:
            for row in all_rows(lab, options):
                rows.append(row)
                writer.writerow({key: f"{value:.4f}" if isinstance(value, float) else value
                                 for key, value in row.items()})
                file.flush()
        except BaseException as error:
            if not rows:
                raise
            ended = error
    if ended:
        raise ended


def bench(options):
    check_options(options)

    def use(lab):
        rows = []
        try:
            write_rows(lab, options, rows)
        finally:
            if rows:
                with irr_output.writing(f"{options.output}.svg") as file:
                    file.write(plot.draw(rows, title_of))
        print(f"\nwrote {options.output}.csv and {options.output}.svg")
    return with_lab(options, use)


def demo(options):
    vars(options).update(DEMO)
    network.check_root()
    if options.build == f"{os.path.dirname(os.path.dirname(network.HERE))}/build":
        if subprocess.run(["sh", "-c", PREPARE, os.path.dirname(network.HERE) + "/lab"], check=False).returncode:
            raise LabError("the build of coll/irr failed", 1)
    check_options(options)

    def use(lab):
        for _ in all_rows(lab, options):
            pass
        print("\nshare: bound divided by median time; timeouts: of TCP, each of at least 200 ms; resent: segments that "
              "TCP retransmitted\n"
              "cores: if they were never idle, or much of their time was stolen, the cores limited the exchanges")
    sys.stdout.flush()
    return with_lab(options, use)
