#!/bin/sh
# boards.sh - memory that the ranks of a node share: how much of it there is, what is left of it, and where it cannot be
# had.
LIMIT=120
. "${srcdir:-.}/tests/mpi/lib.sh"
program=$builddir/mpi_boards
OMPI_MCA_coll_irr_alltoallv_algorithm=board
export OMPI_MCA_coll_irr_alltoallv_algorithm

# What others can see of shared memory and no process uses.  Open MPI's own files go when mpirun has cleaned up, and
# what UCX leaves of a rank that is killed in its first exchange is not ours: docs/troubleshooting.md tells of it.
left() {
    ls -A /dev/shm 2> /dev/null | grep -v '^vader_segment\|^ucx_shm_posix' | while read -r file; do
        cat /proc/[0-9]*/maps 2> /dev/null | grep -qF "/dev/shm/$file" || echo "$file"
    done
}

# new: what is left that was not before, also when other jobs have had the time to use, or remove, what is theirs.
new() {
    left | grep -vxFf "$scratch/before" > "$scratch/new" || return 1
    sleep 1
    left | grep -xFf "$scratch/new"
}

# killed TIMES: a rank is killed at random moments, and nothing is left.
killed() {
    left > "$scratch/before"
    seed=${IRR_SEED:-$(date +%s)}
    echo "IRR_SEED=$seed"
    for i in $(seq "$1"); do
        IRR_SEED=$((seed + i)) ranks 4 -x IRR_SEED "$program" killed 700 > "$scratch/killed" 2>&1
        status=$?
        if [ $status -eq 0 ] || [ $status -eq 124 ] || new; then
            echo "run $i ended with $status"
            cat "$scratch/killed"
            return 1
        fi
    done
}

# Two of four ranks have a /proc of their own, so that no other can map what they have.
divided() {
    ranks 4 --mca btl self,tcp "$@" "$divide" 2 "$program" once else \
        unshare --pid --fork --kill-child "$program" once
}

# Who asked for boards is told; who agrees by messages then misses nothing.
apart() {
    help_texts
    told "the ranks of a node cannot share memory" divided && grep -q "board memory: 0" "$scratch/run" &&
        says "board memory: 0" divided --mca coll_irr_alltoallv_algorithm optimal &&
        ! grep -q "cannot share memory" "$scratch/run"
}

# planned ALGORITHM PATTERN N PER_NODE BLOCK BYTES: ranks send as many messages as irr_plan says.
planned() {
    row=$1
    options="--pattern $2 --unit 40 --seed 3"
    shift 2
    # The options are a list of words.
    # shellcheck disable=SC2086
    plan=$("$builddir/irr_plan" check --algorithm "$row" --ranks "$1" --ranks-per-node "$2" --board-block "$3" \
        --board-bytes "$4" $options | sed -n 's/^messages_sent_max=//p')
    # shellcheck disable=SC2086
    ranks "$1" --mca coll_irr_ranks_per_node "$2" --mca coll_irr_board_block "$3" --mca coll_irr_board_bytes "$4" \
        "$builddir/irr_bench" -c $options --algorithms "$row" -i 20 > "$scratch/run" 2>&1 || cat "$scratch/run"
    echo "$row, $1 ranks, $2 a node: $plan messages"
    awk -v name="$row" -v plan="$plan" '
        $1 == name { good = $7 + 0.3 >= plan && $7 - 0.3 <= plan; print }
        END { exit !good }' "$scratch/run"
}

# As planned, where all fits, and where there is little room.
all_planned() {
    planned board random 6 6 1000 1048576 && planned board random 6 3 32768 6000
}

# Where shared memory is all that is needed no network is opened, so its values are not looked at; else they are.
alone() {
    for n in 2 5; do
        # shellcheck disable=SC2086
        ranks $n $nonsense --mca coll_irr_shm 1 --mca coll_irr_verbose 10 --mca coll_irr_alltoall_algorithm board \
            "$builddir/mpi_alltoallv" 1 > "$scratch/run" 2>&1 || return 1
        cat "$scratch/run"
        grep -q ": board" "$scratch/run" && ! grep -q "opened transport [^s]\|nonsense" "$scratch/run" || return 1
    done
}

wrong() {
    help_texts
    # shellcheck disable=SC2086
    told "$says_nowhere" ranks 4 $nowhere "$@"
}

plan 9
check "as many messages as planned" all_planned
check "an exchange goes by boards" says "board memory: [1-9]" ranks 4 "$program" once
check "two ranks a node" says "board memory: [1-9]" ranks 4 --mca coll_irr_ranks_per_node 2 "$program" once
check "on one node no network is opened" alone
check "on several it is" says "opened transport $TRANSPORT" \
    ranks 4 --mca coll_irr_verbose 10 --mca coll_irr_ranks_per_node 2 "$program" once
check "transports that do not exist, where one is needed" wrong --mca coll_irr_ranks_per_node 2 "$program" once
check "200 communicators at a time" ranks 3 "$program" many 200
if whole; then times=200; else times=8; fi
check "a rank that is killed leaves nothing" killed $times
if unshare --pid --fork true 2> /dev/null; then
    check "ranks that cannot see each other go without" apart
else
    skip "ranks that cannot see each other go without" "this user may make no namespace of processes"
fi
exit $failed
