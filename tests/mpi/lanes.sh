#!/bin/sh
# lanes.sh - shared memory of the ranks of a node: a job on one node opens no network, no job leaves files in /dev/shm,
# and ranks that cannot share memory use the network.
LIMIT=120
. "${srcdir:-.}/tests/mpi/lib.sh"
program=$builddir/mpi_calls

# left: prints the files in /dev/shm that no process maps, except files that mpirun removes (vader_segment) and files of
# UCX, which remain if a rank is killed in its first exchange (docs/troubleshooting.md).
left() {
    ls -A /dev/shm 2> /dev/null | grep -v '^vader_segment\|^ucx_shm_posix' | while read -r file; do
        cat /proc/[0-9]*/maps 2> /dev/null | grep -qF "/dev/shm/$file" || echo "$file"
    done
}

# new: prints new files of `left` that remain for a second, within which concurrent jobs map or remove theirs.
new() {
    left | grep -vxFf "$scratch/before" > "$scratch/new" || return 1
    sleep 1
    left | grep -xFf "$scratch/new"
}

# killed TIMES: in TIMES jobs a rank is killed at a random moment, and no file remains in /dev/shm.
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

# Ranks 2 and 3 of four each have a /proc of their own, so no other rank can map their memory.
divided() {
    ranks 4 --mca coll_irr_shm 1 --mca btl self,tcp "$@" "$divide" 2 "$program" once else \
        unshare --pid --fork --kill-child "$program" once
}

# A user message names the cause, and the exchange runs over the network.
apart() {
    one_message "cannot share memory with rank" divided
}

# untraced COMMAND...: runs a command without the rights of root to read any file and any process.
untraced() {
    if [ "$(id -u)" != 0 ]; then "$@"; return; fi
    rights=-sys_ptrace,-dac_override,-dac_read_search
    setpriv --bounding-set $rights --inh-caps $rights env "$@"
}

# unreadable CASE OPTIONS...: a job whose program the user may execute, but not read. Such processes are non-dumpable:
# none may map or read the memory of another.
unreadable() {
    case=$1
    shift
    cp "$program" "$scratch/unreadable" && chmod 0111 "$scratch/unreadable" || return 1
    untraced timeout -k 5 "$LIMIT" "$MPIRUN" --oversubscribe -np 4 --mca btl_vader_single_copy_mechanism none \
        --mca smsc ^cma "$@" "$scratch/unreadable" "$case"
    status=$?
    rm -f "$scratch/unreadable"
    return $status
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

plan 8
check "a job on one node opens no network" alone
check "a job on several nodes opens the network" says "opened transport $TRANSPORT" \
    ranks 4 --mca coll_irr_verbose 10 --mca coll_irr_ranks_per_node 2 "$program" once
check "a job on several nodes without a usable transport" wrong --mca coll_irr_ranks_per_node 2 "$program" once
check "200 communicators at the same time" ranks 3 "$program" comms:200
if whole; then times=200; else times=8; fi
check "a killed rank leaves no file in /dev/shm" killed $times
if unshare --pid --fork true 2> /dev/null; then
    check "ranks in different namespaces of processes do not share memory" apart
else
    skip "ranks in different namespaces of processes do not share memory" "this user may make no namespace of processes"
fi
name="ranks that may not read each other use the network library"
other="ranks that UCX cannot connect use Open MPI"
if untraced true 2> /dev/null; then
    check "$name" one_message "cannot share memory" unreadable long
else
    skip "$name" "this root user may not drop rights by setpriv"
fi
# UCX's transport posix needs the same permission as coll/irr's shared memory.
case " $TRANSPORTS " in
    *" ucx "*) lacks= ;;
    *) lacks="built without UCX" ;;
esac
if [ -z "$lacks" ] && untraced true 2> /dev/null; then
    check "$other" says "cannot reach rank" \
        unreadable once --mca coll_irr_transport ucx --mca coll_irr_ucx_tls posix,self
else
    skip "$other" "${lacks:-this root user may not drop rights by setpriv}"
fi
exit $failed
