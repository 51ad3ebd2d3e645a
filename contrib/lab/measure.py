"""measure.py - coll/irr beside Open MPI's own algorithms on the lab: lab demo and lab bench.

Each algorithm runs in a job of its own, so that timeouts are known to be its own, and the jobs take turns, a few
rounds of some iterations each.  The bound is the time that the busiest link needs for its bytes, all the time at
USABLE of the rate: of 1514 bytes of a frame 1446 are the user's.
"""

import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile

from common import LabError, call, need, read_rate, read_size, write_size
import job
import network
import plot
import show
import topology

USABLE = 0.955
WARMUP = 60     # tree tries its strategies from exchange 17 to about 50,
TRIES = ["--mca", "coll_irr_setup_share", "1000000000"]   # whatever that costs
TUNED = {"linear": 1, "pairwise": 2}
TRANSPORTS = ("ucx", "ofi")
IDLE = "no byte leaves its host, so no link bounds the exchange"
COLUMNS = ["spec", "rate_bits", "congestion", "pattern", "size", "ranks", "algorithm", "bound_ms", "median_ms",
           "min_ms", "max_ms", "share", "iterations", "timeouts", "resent"]
DEMO = {"spec": "star:2,2,2,2", "np": None, "patterns": "uniform", "sizes": "64k,256k", "rounds": 2, "iterations": 5,
        "warmup": WARMUP, "algorithms": "linear,pairwise,tree", "output": None}
# $0 is contrib/lab, from which contrib/setup finds the checkout.
# Under sudo a checkout that is all its user's stays so; where others have files, as from root's builds, root builds.
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
    parser.add_argument("--np", metavar="NP", help="ranks; default one a host")
    parser.add_argument("--patterns", default="uniform", metavar="LIST",
                        help="patterns of irr_matrix with commas between; default uniform")
    parser.add_argument("--sizes", default="1k,8k,64k,256k", metavar="LIST",
                        help="mean bytes of a message, with suffix k, m or g; default 1k,8k,64k,256k")
    parser.add_argument("--algorithms", default="linear,pairwise,tree", metavar="LIST",
                        help="linear and pairwise are Open MPI's, others coll/irr's, also with what moves the messages, as "
                             "in tree@ucx,tree@ofi; default linear,pairwise,tree")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="jobs of each algorithm; default 3")
    parser.add_argument("--iterations", type=int, default=10, metavar="N", help="exchanges of a job; default 10")
    parser.add_argument("--warmup", type=int, default=WARMUP, metavar="N",
                        help=f"exchanges before them, in which coll/irr tries what is fastest; default {WARMUP}")
    parser.add_argument("-o", "--output", default="lab-bench", metavar="PREFIX",
                        help="writes PREFIX.csv and PREFIX.svg; default lab-bench")


# ---- what is exchanged ----

def read_matrix(file):
    """(from, to) -> bytes, ranks from 0."""
    with open(file, encoding="ascii") as stream:
        lines = [line.split() for line in stream if not line.startswith("%")]
    return {(int(i) - 1, int(j) - 1): int(size) for i, j, size in lines[1:]}


def generate(options, pattern, ranks, unit, file):
    call([f"{options.build}/irr_matrix", "generate", pattern, "--ranks", str(ranks), "--unit", str(unit), "-o", file])
    return read_matrix(file)


def make_matrix(options, pattern, ranks, size, file):
    """A pattern with messages between ranks of `size` bytes in the mean."""
    def mean(matrix):
        return statistics.mean([count for (i, j), count in matrix.items() if i != j] or [1])
    unit = max(1, round(size / mean(generate(options, pattern, ranks, 1, file))))
    return generate(options, pattern, ranks, unit, file)


def bound_of(lab, matrix, ranks):
    """The busiest link, its bytes, and how many milliseconds they take at the least."""
    loads = lab.cluster.loads(matrix, topology.place(lab.cluster.hosts, ranks))
    if not loads:
        raise LabError(IDLE)
    times = {link: load * 8 / (USABLE * lab.rate_of(*link)) * 1e3 for link, load in loads.items()}
    link = max(times, key=times.get)
    return link, loads[link], times[link]


def cores():
    """Ticks of the cores so far: all, idle, taken by others on the same hardware."""
    with open("/proc/stat", encoding="ascii") as file:
        ticks = [int(word) for word in file.readline().split()[1:9]]
    return sum(ticks), ticks[3] + ticks[4], ticks[7]


def print_cores(before):
    total, idle, stolen = (max(0, now - then) for now, then in zip(cores(), before))
    print(f"  cores meanwhile: {100 * idle / max(total, 1):.0f}% idle, {100 * stolen / max(total, 1):.0f}% stolen by "
          "other virtual machines", flush=True)


# ---- jobs ----

def algorithm_options(algorithm):
    """What mpirun and irr_bench are told.  auto gets no list of switches: it is what a user has who sets nothing."""
    name, _, transport = algorithm.partition("@")
    if algorithm not in TUNED:
        told = ["--mca", "coll_irr_transport", transport] if transport else []
        return told + (["--mca", "coll_irr_topology_file", ""] if name == "auto" else TRIES), name
    number = str(TUNED[algorithm])
    return ["--mca", "coll_tuned_use_dynamic_rules", "1", "--mca", "coll_tuned_alltoallv_algorithm", number,
            "--mca", "coll_tuned_alltoall_algorithm", number], "host"


def run_job(lab, options, ranks, algorithm, folder):
    """The times of one job's exchanges in ms, timeouts, segments sent again."""
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
        raise LabError(f"'{algorithm}' was served by {row['served_by']}, so it was not measured: {said}", 1)
    return [time / 1e3 for time in row["times_us"]], timeouts, resent


def take_turns(lab, options, ranks, folder, found):
    for _ in range(options.rounds):
        for algorithm, (times, timeouts, resent) in found.items():
            result = run_job(lab, options, ranks, algorithm, folder)
            times += result[0]
            timeouts.append(result[1])
            resent.append(result[2])


def measure(lab, options, ranks, folder):
    """The rows of one exchange, an algorithm each; also if a job fails, those of the jobs before it."""
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
    """Where the terminal is gone the rows behind this one must still be written; what is printed next fails."""
    times = " ".join(f"{row[key]:>9.1f}" for key in ("median_ms", "min_ms", "max_ms"))
    try:
        print(f"  {title_of(row['algorithm']):<20} {times} {row['share']:>7.2f} {row['timeouts']:>9} "
              f"{row['resent']:>9}", flush=True)
    except OSError:
        pass


def series(lab, options):
    """All rows of the bench, printed as they come."""
    ranks = int(options.np) if options.np else len(lab.cluster.hosts)
    with tempfile.TemporaryDirectory(prefix="irr-lab-") as folder:
        for pattern in options.patterns.split(","):
            for size in map(read_size, options.sizes.split(",")):
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
    """Builds the cluster, uses it, and removes it in any case."""
    lab = network.up(options.state, options.spec, read_rate(options.rate), options.congestion)
    try:
        show.summary(lab)
        use(lab)
    finally:
        network.down(options.state)
    return 0


def dry(command, known=""):
    """Refuses what a tool does, in its words; known: what is allowed beside what it knows."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        raise LabError(done.stderr.strip()[-600:] + known)


def check_pattern(options, pattern, places):
    """Its name, and that a link has something to carry."""
    with tempfile.NamedTemporaryFile(prefix="irr-lab-") as file:
        command = [f"{options.build}/irr_matrix", "generate", pattern, "--ranks", str(len(places)), "--unit", "1"]
        dry([*command, "-o", file.name])
        if all(places[i] == places[j] for (i, j), size in read_matrix(file.name).items() if size):
            raise LabError(f"pattern '{pattern}' with {len(places)} ranks: {IDLE}")


def check_algorithms(options):
    """irr_bench knows the names; --help ends it once it has read the rest."""
    for name in options.algorithms.split(","):
        transport = name.partition("@")[2]
        if transport not in ("", *TRANSPORTS):
            raise LabError(f"unknown transport '{transport}', known are {', '.join(TRANSPORTS)}")
    own = [name.partition("@")[0] for name in options.algorithms.split(",") if name not in TUNED]
    if "host" in own:
        raise LabError(f"algorithm 'host' is Open MPI's choice, allowed is {' or '.join(TUNED)} in its place")
    if own:
        dry([f"{options.build}/irr_bench", "--algorithms", ",".join(own), "--help"], f", and here {', '.join(TUNED)}")
    dry([f"{options.build}/irr_bench", "--iterations", str(options.iterations), "--warmup", str(options.warmup),
         "--help"])


def check_options(options):
    """All that can be known before anything is set up: what fails later may fail after hours."""
    if options.rounds < 1:
        raise LabError(f"--rounds is {options.rounds}, allowed is 1 and more")
    for size in options.sizes.split(","):
        read_size(size)
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
    """The file is as far as the series is at any time."""
    with open(f"{options.output}.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        file.flush()
        for row in series(lab, options):
            rows.append(row)
            writer.writerow({key: f"{value:.4f}" if isinstance(value, float) else value
                             for key, value in row.items()})
            file.flush()


def bench(options):
    check_options(options)

    def use(lab):
        rows = []
        try:
            write_rows(lab, options, rows)
        finally:
            if rows:
                with open(f"{options.output}.svg", "w", encoding="utf-8") as file:
                    file.write(plot.draw(rows, title_of))
        print(f"\nwrote {options.output}.csv and {options.output}.svg")
    return with_lab(options, use)


def demo(options):
    vars(options).update(DEMO)
    network.check_root()
    if options.build == f"{os.path.dirname(os.path.dirname(network.HERE))}/build":
        if subprocess.run(["sh", "-c", PREPARE, os.path.dirname(network.HERE) + "/lab"], check=False).returncode:
            raise LabError("coll/irr could not be built", 1)
    check_options(options)

    def use(lab):
        for _ in series(lab, options):
            pass
        print("\nshare: of what the busiest link can carry; timeouts: of TCP, each 200 ms or more; resent: its "
              "segments sent again;\n"
              "cores: the lab measures the wire only where some are left idle, and little is stolen")
    sys.stdout.flush()
    return with_lab(options, use)
