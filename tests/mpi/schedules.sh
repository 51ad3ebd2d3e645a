#!/bin/sh
# schedules.sh - count matrices of running applications, schedules from files, and redistributions.
. "${srcdir:-.}/tests/mpi/lib.sh"

# dumped ALGORITHM: the file of a communicator has the matrix of the pattern, once, with the number of exchanges; the
# same for a persistent request, and a second run has files of its own.
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

# A folder that does not exist: told once, and the run is right.
not_dumped() {
    one_says 'coll_irr_matrix_dump: .* cannot be written' ranks 6 --mca coll_irr_matrix_dump "$scratch/none/dump" \
        "$builddir/irr_bench" -c --pattern random --unit 100 --algorithms random-heap -i 3 -x 1
}

# counted WANTED ALGORITHM MATRIX OPTIONS...: in the first exchange matrices are gathered, schedules built, and found
# again, or not: + or 0 in this order.  ALGORITHM is what its row is called: with (host) behind it Open MPI served it.
counted() {
    wanted=$1 algorithm=$2 matrix=$3
    shift 3
    shown ranks 6 "$@" "$builddir/irr_bench" -c --matrix "$matrix" --algorithms "${algorithm%(*}" -i 1 -x 0 \
        --columns matrices,schedules_built,schedules_reused && [ "$(awk -v name="$algorithm" '$1 == name && $NF == "yes" {
        for (i = NF - 3; i < NF; i++) printf "%s", ($i > 0 ? "+" : "0") }' "$scratch/run")" = "$wanted" ]
}

# The schedule of a file is used by any algorithm, and needs no matrix.
from_file() {
    counted 00+ "$1" "$scratch/matrix.mtx" --mca coll_irr_schedule_file "$scratch/schedule"
}

# Its counts are not those of the file.
not_from_file() {
    counted ++0 random "$scratch/other.mtx" --mca coll_irr_schedule_file "$scratch/schedule"
}

# bad_file TEXT: one line tells, and Open MPI serves.
bad_file() {
    one_says "coll_irr_schedule_file $scratch/bad$1" \
        ranks 4 --mca coll_irr_schedule_file "$scratch/bad" "$builddir/mpi_life" leaked_to_host
}

redistribution() {
    "$builddir/irr_matrix" redistribute 2,6,3,6,120000 -o "$scratch/redist.mtx"
    counted ++0 redistribution "$scratch/redist.mtx" --mca coll_irr_redistribution 2,6,3,6
}

no_redistribution() {
    one_says 'redistribution needs coll_irr_redistribution, which is none; allowed is x,p,y,q' \
        ranks 4 --mca coll_irr_alltoallv_algorithm redistribution "$builddir/mpi_life" leaked_to_host
}

# on_tree WANTED ALGORITHM OPTIONS...: all ranks are on this host, by its name in the file, and other hosts are there
# too.
on_tree() {
    wanted=$1 algorithm=$2 here=$(hostname)
    shift 2
    printf 'SwitchName=top Switches=s[1-2]\nSwitchName=s1 Nodes=%s,other1\nSwitchName=s2 Nodes=other[2-3]\n' \
        "${here%%.*}" > "$scratch/topology.conf"
    counted "$wanted" "$algorithm" "$scratch/matrix.mtx" --mca coll_irr_topology_file "$scratch/topology.conf" "$@"
}

# bad_topology_file TEXT ALGORITHM OPTIONS...: of what is there one line tells, and Open MPI serves.
bad_topology_file() {
    text=$1 algorithm=$2
    shift 2
    shown ranks 4 --mca coll_irr_alltoallv_algorithm "$algorithm" --mca coll_irr_topology_file "$scratch/topology.conf" \
        "$@" "$builddir/mpi_life" leaked_to_host &&
        [ "$(flat | grep -o "coll_irr_topology_file $scratch/topology.conf$text" | wc -l)" -eq 1 ]
}

# bad_topology TEXT FILE ALGORITHM OPTIONS...
bad_topology() {
    text=$1
    printf "$2" > "$scratch/topology.conf"
    shift 2
    bad_topology_file "$text" "$@"
}

pipe_topology() {
    rm "$scratch/topology.conf" && mkfifo "$scratch/topology.conf" && bad_topology_file ": is a pipe, " tree
}

# A speed in Mbit/s is told once, by one rank, where exchanges go by it.
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

"$builddir/irr_matrix" generate random --ranks 6 --unit 5000 --seed 7 -o "$scratch/matrix.mtx"
"$builddir/irr_matrix" generate random --ranks 6 --unit 5000 --seed 8 -o "$scratch/other.mtx"
"$builddir/irr_plan" check --algorithm optimal --matrix "$scratch/matrix.mtx" --save "$scratch/schedule" > /dev/null
"$builddir/irr_plan" check --algorithm random --ranks 3 --save "$scratch/other" > /dev/null
head -n 5 "$scratch/schedule" > "$scratch/bad"

plan 23
for algorithm in direct grid node optimal; do
    check "the matrices of $algorithm are dumped" dumped $algorithm
done
check "a dump that cannot be written" not_dumped
for algorithm in auto grid node random-heap; do
    check "a schedule from a file, $algorithm" from_file $algorithm
done
check "other counts than those of the file" not_from_file
check "a file that was cut" bad_file ", line 5: "
rm "$scratch/bad"
check "a file that is not there" bad_file ": "
mkfifo "$scratch/bad"
check "a pipe that nobody writes to" bad_file ": is a pipe, "
check "a redistribution" redistribution
check "redistribution without a redistribution" no_redistribution
check "tree on a tree of switches" on_tree ++0 tree
check "auto on one host of a tree is left to Open MPI" on_tree 000 "auto(host)"
check "auto on one host of a tree, with a schedule for other ranks" \
    on_tree 000 auto --mca coll_irr_schedule_file "$scratch/other"
check "a topology without this host, tree" \
    bad_topology ": host '.*' is none of its hosts" 'SwitchName=s Nodes=nobody[1-3]\n' tree
check "a topology without this host, auto with a dump" \
    bad_topology ": host '.*' is none of its hosts" 'SwitchName=s Nodes=nobody[1-3]\n' auto \
    --mca coll_irr_matrix_dump "$scratch/none"
check "a LinkSpeed that has another unit" doubtful_speed
check "a topology that is malformed" bad_topology ", line 1: " 'SwitchName=s\n' tree
check "a topology that is a pipe" pipe_topology
exit $failed
