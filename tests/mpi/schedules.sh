#!/bin/sh
# schedules.sh - count matrices of running applications, schedules from files, and redistributions.
. "${srcdir:-.}/tests/mpi/lib.sh"
data=$scratch   # what all cases read

# dumped ALGORITHM: the file of a communicator has the matrix of the pattern once, with the number of exchanges, and so
# has that of a persistent request.  A second run writes files of its own.
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

# A dump into a folder that does not exist: one message says so, and the run is right.
not_dumped() {
    one_says 'coll_irr_matrix_dump: .* cannot be written' ranks 6 --mca coll_irr_matrix_dump "$scratch/none/dump" \
        "$builddir/irr_bench" -c --pattern random --unit 100 --algorithms random-heap -i 3 -x 1
}

# counted WANTED ALGORITHM MATRIX OPTIONS...: whether the first exchange gathers matrices, builds schedules, and finds
# schedules again: + or 0, in this order.  ALGORITHM is the name of the row; it ends in (host) if Open MPI serves.
counted() {
    wanted=$1 algorithm=$2 matrix=$3
    shift 3
    shown ranks 6 "$@" "$builddir/irr_bench" -c --matrix "$matrix" --algorithms "${algorithm%(*}" -i 1 -x 0 \
        --columns matrices,schedules_built,schedules_reused && [ "$(awk -v name="$algorithm" '$1 == name && $NF == "yes" {
        for (i = NF - 3; i < NF; i++) printf "%s", ($i > 0 ? "+" : "0") }' "$scratch/run")" = "$wanted" ]
}

# Every algorithm uses the schedule of a file, without a matrix.
from_file() {
    counted 00+ "$1" "$data/matrix.mtx" --mca coll_irr_schedule_file "$data/schedule"
}

# The counts differ from those of the file.
not_from_file() {
    counted ++0 random "$data/other.mtx" --mca coll_irr_schedule_file "$data/schedule"
}

# bad_file FILE TEXT: one message has the text, and Open MPI serves.
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

# on_tree WANTED ALGORITHM OPTIONS...: with a topology file that has this host, where all ranks are, and other hosts.
on_tree() {
    wanted=$1 algorithm=$2 here=$(hostname)
    shift 2
    printf 'SwitchName=top Switches=s[1-2]\nSwitchName=s1 Nodes=%s,other1\nSwitchName=s2 Nodes=other[2-3]\n' \
        "${here%%.*}" > "$scratch/topology.conf"
    counted "$wanted" "$algorithm" "$data/matrix.mtx" --mca coll_irr_topology_file "$scratch/topology.conf" "$@"
}

# bad_topology_file TEXT ALGORITHM OPTIONS...: one message about the topology file has the text, and Open MPI serves.
bad_topology_file() {
    text=$1 algorithm=$2
    shift 2
    shown ranks 4 --mca coll_irr_alltoallv_algorithm "$algorithm" --mca coll_irr_topology_file "$scratch/topology.conf" \
        "$@" "$builddir/mpi_calls" leaked_to_host &&
        [ "$(flat | grep -o "coll_irr_topology_file $scratch/topology.conf$text" | wc -l)" -eq 1 ]
}

# bad_topology TEXT FILE ALGORITHM OPTIONS...
bad_topology() {
    text=$1
    printf "$2" > "$scratch/topology.conf"
    shift 2
    bad_topology_file "$text" "$@"
}

pipe_topology() { mkfifo "$scratch/topology.conf" && bad_topology_file ": is a pipe; " tree; }

# One rank warns once of a speed in Mbit/s, if an exchange depends on it.
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
beside "other counts than those of the file" not_from_file
beside "a file that was cut" bad_file "$data/cut" ", line 5: "
beside "a file that does not exist" bad_file "$data/none" ": "
beside "a pipe without a writer" bad_file "$data/pipe" ": is a pipe; "
beside "a redistribution" redistribution
beside "redistribution without a redistribution" no_redistribution
beside "tree on a tree of switches" on_tree ++0 tree
beside "auto on one host of a tree is left to Open MPI" on_tree 000 "auto(host)"
beside "auto on one host of a tree, with a schedule for other ranks" \
    on_tree 000 auto --mca coll_irr_schedule_file "$data/other"
beside "a topology without this host, tree" \
    bad_topology ": host '.*' is none of its hosts" 'SwitchName=s Nodes=nobody[1-3]\n' tree
beside "a topology without this host, auto with a dump" \
    bad_topology ": host '.*' is none of its hosts" 'SwitchName=s Nodes=nobody[1-3]\n' auto \
    --mca coll_irr_matrix_dump "$scratch/none"
beside "a LinkSpeed that has another unit" doubtful_speed
beside "a topology that is malformed" bad_topology ", line 1: " 'SwitchName=s\n' tree
beside "a topology that is a pipe" pipe_topology
finish
exit $failed
