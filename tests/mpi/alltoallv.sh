#!/bin/sh
# alltoallv.sh - MPI_Alltoallv against Open MPI's own, for many numbers of ranks and settings.
. "${srcdir:-.}/tests/mpi/lib.sh"
program=$builddir/mpi_alltoallv

plan 15
for n in 1 2 3 4 7 16; do
    check "$n ranks, every byte as Open MPI's own" ranks "$n" "$program" 2
done
for setting in alltoallv_algorithm=a1 alltoallv_algorithm=ac window_messages=1 window_bytes=4k compose=gather \
    compose=split; do
    check "4 ranks, info key coll_irr_$setting" ranks 4 "$program" 1 "coll_irr_$setting"
done
check "4 ranks over tcp" ranks 4 --mca coll_irr_ucx_tls tcp,self --mca coll_irr_ucx_devices lo "$program" 1
check "4 ranks over all that UCX selects" ranks 4 --mca coll_irr_ucx_tls all "$program" 1
check "4 ranks beside pml ucx" ranks 4 --mca pml ucx --mca opal_common_ucx_tls any \
    --mca opal_common_ucx_devices any "$program" 1
exit $failed
