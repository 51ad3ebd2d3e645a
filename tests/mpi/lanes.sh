#!/bin/sh
# lanes.sh - memory that the ranks of a node share: when a network is opened beside it, what is left of it, and where it
# cannot be had.
LIMIT=120
. "${srcdir:-.}/tests/mpi/lib.sh"
program=$builddir/mpi_calls

# left: prints the files in /dev/shm that no process uses, without those that mpirun removes, and those of UCX, which are
# left if a rank is killed in its first exchange (docs/troubleshooting.md).
left() {
    ls -A /dev/shm 2> /dev/null | grep -v '^vader_segment\|^ucx_shm_posix' | while read -r file; do
        cat /proc/[0-9]*/maps 2> /dev/null | grep -qF "/dev/shm/$file" || echo "$file"
    done
}

# new: prints new files that are left, also after other jobs have had time to use or remove theirs.
new() {
    left | grep -vxFf "$scratch/before" > "$scratch/new" || return 1
    sleep 1
    left | grep -xFf "$scratch/new"
}

# killed TIMES: a rank is killed at random moments, and no file is left.
killed() {
    left > "$scratch/before"
    seed=${IRR_SEED:-$(date +%s)}
    echo "IRR_SEED=$seed"
    for i in $(seq "$1"); do
        IRR_SEED=$((seed + i)) IRR_KILL_MS=700 ranks 4 "$program" killed > "$scratch/killed" 2>&1
        status=$?
        if [ $status -eq 0 ] || [ $status -eq 124 ] || new; then
            echo "run $i ended with $status"
            cat "$scratch/killed"
            return 1
        fi
    done
}

# Two of four ranks have a /proc of their own, so that no other rank can map their memory.
divided() {
    ranks 4 --mca coll_irr_shm 1 --mca btl self,tcp "$@" "$divide" 2 "$program" once else \
        unshare --pid --fork --kill-child "$program" once
}

# A message says why, and messages use the network.
apart() {
    one_message "the ranks of a node cannot share memory\|cannot map" divided
}

# If ranks need only shared memory, no network is opened, and its settings are not read.
alone() {
    for n in 2 5; do
        # shellcheck disable=SC2086
        shown ranks $n $nonsense --mca coll_irr_shm 1 --mca coll_irr_verbose 10 --mca coll_irr_alltoall_algorithm direct \
            "$builddir/mpi_calls" random:100 coll_irr_alltoallv_algorithm=direct coll_irr_neighbor_algorithm=direct &&
            [ "$(lines ": direct")" -gt 0 ] && [ "$(lines "opened transport [^s]\|nonsense")" -eq 0 ] || return 1
    done
}

wrong() {
    # shellcheck disable=SC2086
    one_message "$says_nowhere" ranks 4 $nowhere "$@"
}

plan 6
check "on one node no network is opened" alone
check "on several it is" says "opened transport $TRANSPORT" \
    ranks 4 --mca coll_irr_verbose 10 --mca coll_irr_ranks_per_node 2 "$program" once
check "transports that do not exist, where one is needed" wrong --mca coll_irr_ranks_per_node 2 "$program" once
check "200 communicators at a time" ranks 3 "$program" comms:200
if whole; then times=200; else times=8; fi
check "a rank that is killed leaves nothing" killed $times
if unshare --pid --fork true 2> /dev/null; then
    check "ranks that cannot see each other go without" apart
else
    skip "ranks that cannot see each other go without" "this user may make no namespace of processes"
fi
exit $failed
