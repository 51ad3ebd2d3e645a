#!/bin/sh
# place.sh - MPI_IN_PLACE with long blocks: every byte, bounded memory, wrong programs, calls of the kernel that fail; by
# each kind of way.
LIMIT=60
. "${srcdir:-.}/tests/mpi/lib.sh"
program=$builddir/mpi_place

plan 14
for algorithm in a1 board rs_nh aapc; do
    group "4 ranks, $algorithm" bounded,wrong "coll_irr_alltoallv_algorithm=$algorithm"
done
group "4 ranks, board, calls of the kernel that fail" kernel coll_irr_alltoallv_algorithm=board
for algorithm in a3 hybrid node optimal; do   # on a grid, and with grants, all that is sent is copied
    group "4 ranks, $algorithm" wrong "coll_irr_alltoallv_algorithm=$algorithm"
done
check_groups 4 "$program"
for algorithm in a1 ac board aapc; do
    group "5 ranks on 3 nodes, $algorithm" bounded,wrong "coll_irr_alltoallv_algorithm=$algorithm" \
        coll_irr_ranks_per_node=2
done
group "5 ranks on 3 nodes, node" wrong coll_irr_alltoallv_algorithm=node coll_irr_ranks_per_node=2
check_groups 5 "$program"
exit $failed
