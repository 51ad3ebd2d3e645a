#!/bin/sh
# family.sh - random calls of the all-to-all family against point-to-point messages: collectives, communicators, types;
# and datatypes that lie where others were.
. "${srcdir:-.}/tests/mpi/lib.sh"
program=$builddir/mpi_family
rounds=24
# One rank alone is left to Open MPI, whose own calls are wrong there with different datatypes and on periodic grids.
sizes="2 5 8"
if whole; then
    rounds=100
    sizes="2 3 4 5 7 8 12 16"
fi
algorithms="a1 a3 a4 hybrid node board rs_nh aapc"

# all ALGORITHM: info keys of all parameters that name one.
all() { echo "coll_irr_alltoallv_algorithm=$1 coll_irr_alltoall_algorithm=$1 coll_irr_neighbor_algorithm=$1"; }

# With auto ways are tried as soon as can be.
export OMPI_MCA_coll_irr_setup_share=1000000

plan $(($(echo "$sizes" | wc -w) * ($(echo "$algorithms" | wc -w) + 4) + 3))
for n in $sizes; do
    for algorithm in $algorithms; do
        # shellcheck disable=SC2046
        group "$n ranks, $algorithm" $rounds $(all "$algorithm")
    done
    for compose in iovec gather split; do
        # shellcheck disable=SC2046
        group "$n ranks, a1 and coll_irr_compose=$compose" $rounds $(all a1) "coll_irr_compose=$compose"
    done
    # shellcheck disable=SC2046
    group "$n ranks, auto" 300 $(all auto)
    check_groups "$n" "$program"
done
for algorithm in board a1 a3; do
    group "datatypes one after the other, $algorithm" 300 "coll_irr_alltoall_algorithm=$algorithm"
done
check_groups 3 "$builddir/mpi_runs"
exit $failed
