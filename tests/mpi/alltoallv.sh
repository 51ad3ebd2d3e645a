#!/bin/sh
# alltoallv.sh - MPI_Alltoallv against Open MPI's own, for many numbers of ranks and settings.
. "${srcdir:-.}/tests/mpi/lib.sh"
program=$builddir/mpi_alltoallv

grids="a2 a3 a4 hybrid multistage node board"
schedules="lp rs_n rs_n_sort rs_nh optimal aapc"

if whole; then plan 85; else plan 72; fi
for n in 1 2 3 4 7; do
    check "$n ranks, every byte as Open MPI's own" ranks "$n" "$program" 2
done
for setting in alltoallv_algorithm=a1 alltoallv_algorithm=ac window_messages=1 window_bytes=4k compose=gather \
    compose=split pace=loose pace=grant; do
    group "4 ranks, info key coll_irr_$setting" 1 "coll_irr_$setting"
done
check_groups 4 "$program"
for algorithm in $grids $schedules; do
    group "5 ranks, $algorithm" 1 "coll_irr_alltoallv_algorithm=$algorithm"
done
check_groups 5 "$program"
for setting in slice_min=0 overlap=single overlap=blocking dims=3x2 compose=split window_messages=1; do
    group "7 ranks, a4 and coll_irr_$setting" 1 coll_irr_alltoallv_algorithm=a4 "coll_irr_$setting"
done
for setting in direct_bytes=1 direct_bytes=1000 window_messages=1; do
    group "7 ranks, hybrid and coll_irr_$setting" 1 coll_irr_alltoallv_algorithm=hybrid coll_irr_direct_bytes=100 \
        "coll_irr_$setting"
done
for setting in lambda=search lambda=fixed:0.5 cache_bytes=1 matrix_max_bytes=100 pace=free pace=loose pace=grant \
    compose=split window_messages=1 piece_bytes=100; do
    group "7 ranks, rs_nh and coll_irr_$setting" 1 coll_irr_alltoallv_algorithm=rs_nh "coll_irr_$setting"
done
check_groups 7 "$program"
for algorithm in a1 ac $grids $schedules; do
    group "8 ranks, $algorithm" 1 "coll_irr_alltoallv_algorithm=$algorithm"
done
for setting in compose=iovec overlap=dual; do
    group "8 ranks, a4 and coll_irr_$setting" 1 coll_irr_alltoallv_algorithm=a4 "coll_irr_$setting"
done
group "8 ranks, aapc and coll_irr_pace=sync" 1 coll_irr_alltoallv_algorithm=aapc coll_irr_pace=sync
group "8 ranks, node, on nodes of 3, 3 and 2 ranks" 1 coll_irr_alltoallv_algorithm=node coll_irr_ranks_per_node=3
group "8 ranks on nodes of 3, 3 and 2, a1" 1 coll_irr_alltoallv_algorithm=a1 coll_irr_ranks_per_node=3
check_groups 8 "$program"
if whole; then
    group "16 ranks, every byte as Open MPI's own" 2
    for algorithm in $grids $schedules; do
        group "16 ranks, $algorithm" 1 "coll_irr_alltoallv_algorithm=$algorithm"
    done
    check_groups 16 "$program"
else
    left_out "16 ranks, each algorithm"
fi
# UCX warns of what it was told and does not use.
quiet() {
    ranks "$@" > "$scratch/run" 2>&1
    status=$?
    cat "$scratch/run"
    [ $status -eq 0 ] && ! grep -q WARN "$scratch/run"
}
# shellcheck disable=SC2086
check "4 ranks over tcp" quiet 4 $over_tcp "$program" 1
# shellcheck disable=SC2086
check "4 ranks over tcp, long messages at once" quiet 4 $over_tcp --mca coll_irr_eager_bytes 64k "$program" 1
if [ "$TRANSPORT" = ucx ]; then
    check "4 ranks over all that UCX selects" ranks 4 --mca coll_irr_shm 0 --mca coll_irr_ucx_tls all "$program" 1
else
    skip "4 ranks over all that UCX selects" "runs over $TRANSPORT"
fi
check "4 ranks beside pml ucx" ranks 4 --mca pml ucx --mca opal_common_ucx_tls any \
    --mca opal_common_ucx_devices any "$program" 1
# The end of a rendezvous waits where a queue is full: who is done and in a barrier must still send it.
for algorithm in a1 a4; do
    check "6 ranks with queues of 4 messages, $algorithm" ranks 6 --mca coll_irr_shm 0 -x UCX_MM_FIFO_SIZE=4 \
        "$builddir/irr_bench" -c --unit 200000 --iterations 20 --algorithms "$algorithm"
done
exit $failed
