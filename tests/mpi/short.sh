#!/bin/sh
# short.sh - exchanges in which some ranks are short of memory: no crash, no hang, and later exchanges are right.
LIMIT=120
. "${srcdir:-.}/tests/mpi/lib.sh"

plan 12
for shm in 0 1; do
    for algorithm in spread grid balanced-grid bruck hybrid node; do
        group "4 ranks, $algorithm, shm $shm, each allocation of an exchange fails" \
            sweep "coll_irr_alltoallv_algorithm=$algorithm" coll_irr_ranks_per_node=2 coll_irr_direct_bytes=100
    done
    check_groups 4 -x "OMPI_MCA_coll_irr_shm=$shm" "$builddir/mpi_short"
done
exit $failed
