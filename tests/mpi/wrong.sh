#!/bin/sh
# wrong.sh - programs with unequal counts, ranks that lack memory, and ranks that join a call too late: no rank hangs.
LIMIT=40
. "${srcdir:-.}/tests/mpi/lib.sh"
program=$builddir/mpi_faults
place=$builddir/mpi_faults

# waited TEXT COMMAND...: the job succeeds; each waiting rank prints at most one user message, and one message has the
# text. The first rank whose timeout expires ends the calls of the others; ranks that expire at the same time all print.
waited() {
    text=$1
    shift
    shown "$@" || return 1
    texts=$(lines 'coll/irr: ')
    [ "$texts" -ge 1 ] && [ "$texts" -le 3 ] &&
        [ "$(lines 'coll/irr: .* rank [012] of .*(coll_irr_timeout)')" -eq "$texts" ] && flat | grep -q "$text"
}

# killed OPTIONS...: rank 3 is killed, and the three other ranks survive.  A rank whose timeout expires, or that the
# network notifies, prints a user message that names rank 3.
killed() {
    shown ranks 4 --enable-recovery "$@" "$program" killed:80000 coll_irr_alltoallv_algorithm=direct coll_irr_timeout=3 ||
        return 1
    texts=$(lines 'coll/irr: ')
    [ "$texts" -ge 1 ] && [ "$texts" -le 3 ] && [ "$(lines survived)" -eq 3 ] &&
        [ "$(lines 'coll/irr: .* rank 3, which is process 3 of the job')" -eq "$texts" ]
}

# in_place TITLE ALGORITHM RANKS_PER_NODE CASE...: adds a group for each case of place.c.
in_place() {
    title=$1 keys="coll_irr_alltoallv_algorithm=$2 coll_irr_ranks_per_node=$3" algorithm=$2
    shift 3
    for case; do
        # shellcheck disable=SC2086
        group "$title, $algorithm, in place: $case" $case $keys
    done
}

# no_single_copies: options for Open MPI. untraced: runs a command without the right to read non-dumpable processes.
no_single_copies="--mca btl_vader_single_copy_mechanism none --mca smsc ^cma"
untraced=
if [ "$(id -u)" = 0 ]; then
    untraced="setpriv --bounding-set -sys_ptrace --inh-caps -sys_ptrace"
fi

plan 83
for algorithm in direct natural hybrid; do
    for bytes in 8 2000 80000; do
        group "$bytes unexpected bytes, $algorithm" unexpected:$bytes "coll_irr_alltoallv_algorithm=$algorithm" \
            coll_irr_direct_bytes=8
    done
    group "unexpected messages of a datatype with gaps, $algorithm" unexpected_gaps:2000 "coll_irr_alltoallv_algorithm=$algorithm"
done
check_groups 3 "$program"
check "80000 unexpected bytes, over tcp" \
    ranks 3 $over_tcp "$program" unexpected:80000 coll_irr_alltoallv_algorithm=direct
for bytes in 8 80000; do
    group "$bytes unexpected bytes on a freed communicator" unexpected_freed:$bytes
done
check_groups 2 --mca coll_irr_alltoallv_algorithm direct "$program"
for bytes in 100 30000; do
    group "random unexpected messages of up to $bytes bytes" unexpected_random:$bytes \
        coll_irr_alltoallv_algorithm=direct
done
for algorithm in natural random balanced-grid hybrid node; do
    group "random unexpected messages, $algorithm" unexpected_random:3000 \
        "coll_irr_alltoallv_algorithm=$algorithm" coll_irr_ranks_per_node=2 coll_irr_direct_bytes=1000
done
check_groups 5 "$program"
for bytes in 8 80000; do
    check "$bytes unexpected bytes in the last call" \
        ranks 3 "$program" unexpected_last:$bytes coll_irr_alltoallv_algorithm=direct
done
for algorithm in direct natural spread grid balanced-grid hybrid bruck node random-heap optimal tree; do
    group "no memory for a packed copy, $algorithm" no_copy "coll_irr_alltoallv_algorithm=$algorithm" \
        coll_irr_ranks_per_node=2
done
check_groups 5 "$program"
# Exchanges in place with long blocks.  A grid and a strategy with grants copy all blocks that a rank sends.
for algorithm in direct random-heap tree; do
    in_place "4 ranks" $algorithm 0 right bounded wrong
done
in_place "4 ranks" direct 0 kernel
for algorithm in grid hybrid node optimal; do
    in_place "4 ranks" $algorithm 0 right wrong
done
check_groups 4 "$place"
for algorithm in direct natural tree; do
    in_place "5 ranks on 3 nodes" $algorithm 2 right bounded wrong
done
in_place "5 ranks on 3 nodes" node 2 right wrong
check_groups 5 "$place"
# The kernel refuses single copies. Open MPI's own single copies are off, because they fail likewise.
group "one single copy of each rank is refused, then all" unread coll_irr_alltoallv_algorithm=direct
group "the pages of the send side are protected" protected coll_irr_alltoallv_algorithm=direct
check_groups 4 $no_single_copies "$program"
check "a filter of system calls is installed" \
    ranks 4 $no_single_copies "$program" filtered coll_irr_alltoallv_algorithm=direct
if [ "$(id -u)" != 0 ] || $untraced true 2> /dev/null; then
    check "the ranks become non-dumpable" \
        ranks 4 $no_single_copies $untraced "$program" undumpable coll_irr_alltoallv_algorithm=direct
else
    skip "the ranks become non-dumpable" "this root user may not drop the capability CAP_SYS_PTRACE by setpriv"
fi
# The time of these jobs is mostly that of a timeout, so up to six jobs run at the same time.
AT_ONCE=6
for algorithm in grid hybrid optimal; do
    beside "a rank makes a call after the timeout, $algorithm" \
        ranks 4 "$program" timeout "coll_irr_alltoallv_algorithm=$algorithm" coll_irr_timeout=2
done
beside "a user message names the rank that has not made the call" waited "for rank 3, which is process 3" \
    ranks 4 "$program" timeout coll_irr_alltoallv_algorithm=direct coll_irr_timeout=2
for case in direct:late_within direct:late_nonblocking direct:late_persistent auto:late_choosing auto:late_nonblocking \
    auto:late_persistent; do
    beside "a rank joins an agreement after the timeout, $case" ranks 4 --mca coll_irr_setup_share 50 "$program" \
        "${case#*:}" "coll_irr_alltoallv_algorithm=${case%:*}" coll_irr_timeout=2
done
for kind in late late_within; do
    beside "a rank joins an agreement over tcp after the timeout, $kind" ranks 4 --mca btl tcp,self --mca pml ob1 \
        "$program" $kind coll_irr_alltoallv_algorithm=direct coll_irr_timeout=2
done
beside "a user message names the rank that has not joined an agreement" waited "for rank 3, which is process 3" \
    ranks 4 "$program" late coll_irr_alltoallv_algorithm=direct coll_irr_timeout=2
beside "a rank that is killed" killed
beside "a rank that is killed, over tcp" killed $over_tcp
finish
exit $failed
