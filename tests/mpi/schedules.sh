#!/bin/sh
# schedules.sh - dumps of count matrices, schedules from files, redistributions, and files that describe switches.
. "${srcdir:-.}/tests/mpi/lib.sh"
data=$scratch   # files that all cases read; each case has another $scratch

# dumped ALGORITHM: the dumps of a communicator and of a persistent request each have the matrix of the pattern once,
# and its number of exchanges.  A second job writes other files.
dumped() {
    prefix=$scratch/dump-$1
    "$builddir/irr_matrix" generate random --ranks 6 --unit 100 --seed 7 | grep -v '^% ' > "$scratch/wanted"
    for run in 1 2; do
        ranks 6 --mca coll_irr_matrix_dump "$prefix" "$builddir/irr_bench" -c --pattern random --unit 100 --seed 7 \
            --algorithms "$1" --persistent -i 3 -x 1 || return 1
        [ "$(ls "$prefix"*.mtx | wc -l)" -eq $((2 * run)) ] && [ "$(ls "$prefix"* | wc -l)" -eq $((4 * run)) ] || return 1
        for file in "$prefix"*.mtx; do
            grep -v '^% ' "$file" | cmp - "$scratch/wanted" || return 1
            [ "$(grep -v '^#' "${file%.1.mtx}.index")" = "4 ${file##*/}" ] || return 1
        done
    done
}

# A dump into a missing folder: one line says so, and the job succeeds.
not_dumped() {
    one_says 'coll_irr_matrix_dump: .* cannot be written' ranks 6 --mca coll_irr_matrix_dump "$scratch/none/dump" \
        "$builddir/irr_bench" -c --pattern random --unit 100 --algorithms random-heap -i 3 -x 1
}

# counted WANTED ALGORITHM MATRIX OPTIONS...: WANTED has + or 0 for three counters of the first exchange: gathered
# matrices, built schedules, reused schedules.  ALGORITHM is the name of the row, with (host) if Open MPI serves.
counted() {
    wanted=$1 algorithm=$2 matrix=$3
    shift 3
    shown ranks 6 "$@" "$builddir/irr_bench" -c --matrix "$matrix" --algorithms "${algorithm%(*}" -i 1 -x 0 \
        --columns matrices,schedules_built,schedules_reused && [ "$(awk -v name="$algorithm" '$1 == name && $NF == "yes" {
        for (i = NF - 3; i < NF; i++) printf "%s", ($i > 0 ? "+" : "0") }' "$scratch/run")" = "$wanted" ]
}

# Every algorithm uses the schedule of a file, and gathers no matrix.
from_file() {
    counted 00+ "$1" "$data/matrix.mtx" --mca coll_irr_schedule_file "$data/schedule"
}

# If the counts differ from those of the file, the ranks compute a schedule.
not_from_file() {
    counted ++0 random "$data/other.mtx" --mca coll_irr_schedule_file "$data/schedule"
}

# bad_file FILE TEXT: one line has the text, and Open MPI serves.
bad_file() {
    one_says "coll_irr_schedule_file $1$2" ranks 4 --mca coll_irr_schedule_file "$1" "$builddir/mpi_calls" leaked_to_host
}

redistribution() {
    "$builddir/irr_matrix" redistribute 2,6,3,6,120000 -o "$scratch/redist.mtx"
    counted ++0 redistribution "$scratch/redist.mtx" --mca coll_irr_redistribution 2,6,3,6
}

no_redistribution() {
    one_says 'redistribution needs a value of coll_irr_redistribution: x,p,y,q' \
        ranks 4 --mca coll_irr_alltoallv_algorithm redistribution "$builddir/mpi_calls" leaked_to_host
}

# on_tree WANTED ALGORITHM OPTIONS...: counted, with a topology of this host, where all ranks run, and of other hosts.
on_tree() {
    wanted=$1 algorithm=$2 here=$(hostname)
    shift 2
    printf 'SwitchName=top Switches=s[1-2]\nSwitchName=s1 Nodes=%s,other1\nSwitchName=s2 Nodes=other[2-3]\n' \
        "${here%%.*}" > "$scratch/topology.conf"
    counted "$wanted" "$algorithm" "$data/matrix.mtx" --mca coll_irr_topology_file "$scratch/topology.conf" "$@"
}

# bad_topology_file TEXT ALGORITHM OPTIONS...: Open MPI serves, and one message about the topology file has TEXT.
bad_topology_file() {
    text=$1 algorithm=$2
    shift 2
    shown ranks 4 --mca coll_irr_alltoallv_algorithm "$algorithm" --mca coll_irr_topology_file "$scratch/topology.conf" \
        "$@" "$builddir/mpi_calls" leaked_to_host &&
        [ "$(flat | grep -o "coll_irr_topology_file $scratch/topology.conf$text" | wc -l)" -eq 1 ]
}

# bad_topology TEXT LINES ALGORITHM OPTIONS...: bad_topology_file with a file of these lines.
bad_topology() {
    text=$1
    printf "$2" > "$scratch/topology.conf"
    shift 2
    bad_topology_file "$text" "$@"
}

pipe_topology() { mkfifo "$scratch/topology.conf" && bad_topology_file ": is a pipe; " tree; }

# One rank warns once of a LinkSpeed without NodeSpeed, if the algorithm uses speeds.
doubtful_speed() {
    for name in tree direct; do
        printf 'SwitchName=top Nodes=other Switches=s\nSwitchName=s Nodes=%s LinkSpeed=10000\n' \
            "$(hostname | sed 's/\..*//')" > "$scratch/topology.conf"
        shown ranks 6 --mca coll_irr_topology_file "$scratch/topology.conf" "$builddir/irr_bench" -c --algorithms $name \
            -i 2 -x 0 || return 1
        [ "$(lines "topology.conf: LinkSpeed 10000 of switch 's' without NodeSpeed counts")" -eq \
            $([ $name = tree ] && echo 1 || echo 0) ] || return 1
    done
}

"$builddir/irr_matrix" generate random --ranks 6 --unit 5000 --seed 7 -o "$data/matrix.mtx"
"$builddir/irr_matrix" generate random --ranks 6 --unit 5000 --seed 8 -o "$data/other.mtx"
"$builddir/irr_plan" check --algorithm optimal --matrix "$data/matrix.mtx" --save "$data/schedule" > /dev/null
"$builddir/irr_plan" check --algorithm random --ranks 3 --save "$data/other" > /dev/null
head -n 5 "$data/schedule" > "$data/cut"
mkfifo "$data/pipe"

plan 23
for algorithm in direct grid node optimal; do
    beside "the matrices of $algorithm are dumped" dumped $algorithm
done
beside "a dump that cannot be written" not_dumped
for algorithm in auto grid node random-heap; do
    beside "a schedule from a file, $algorithm" from_file $algorithm
done
beside "a schedule file for other counts" not_from_file
beside "a truncated schedule file" bad_file "$data/cut" ", line 5: "
beside "a missing schedule file" bad_file "$data/none" ": "
beside "a schedule file that is a pipe" bad_file "$data/pipe" ": is a pipe; "
beside "algorithm redistribution with its counts" redistribution
beside "algorithm redistribution without coll_irr_redistribution" no_redistribution
beside "algorithm tree with a topology file" on_tree ++0 tree
beside "auto with all ranks on one host of a topology: Open MPI serves" on_tree 000 "auto(host)"
beside "auto with all ranks on one host of a topology, and a schedule file for 3 ranks" \
    on_tree 000 auto --mca coll_irr_schedule_file "$data/other"
beside "a topology file without this host, tree" \
    bad_topology ": host '.*' is none of its hosts" 'SwitchName=s Nodes=nobody[1-3]\n' tree
beside "a topology file without this host, auto with a dump" \
    bad_topology ": host '.*' is none of its hosts" 'SwitchName=s Nodes=nobody[1-3]\n' auto \
    --mca coll_irr_matrix_dump "$scratch/none"
beside "a topology file whose LinkSpeed may have the wrong unit" doubtful_speed
beside "a malformed topology file" bad_topology ", line 1: " 'SwitchName=s\n' tree
beside "a topology file that is a pipe" pipe_topology
finish
exit $failed
