#!/bin/sh
# short.sh - exchanges of which some ranks are short of memory: no crash, no hang, and what follows is right.
LIMIT=120
. "${srcdir:-.}/tests/mpi/lib.sh"

plan 6
for algorithm in a2 a3 a4 hybrid multistage node; do
    group "4 ranks, $algorithm, each allocation of an exchange fails" \
        "coll_irr_alltoallv_algorithm=$algorithm" coll_irr_ranks_per_node=2 coll_irr_direct_bytes=100
done
check_groups 4 "$builddir/mpi_short"
exit $failed
