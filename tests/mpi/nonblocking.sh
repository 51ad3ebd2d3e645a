#!/bin/sh
# nonblocking.sh - nonblocking calls: every byte, many at a time, every order of completion, by named ways and by choice.
LIMIT=150
. "${srcdir:-.}/tests/mpi/lib.sh"
program=$builddir/mpi_nonblocking
ends=$builddir/mpi_nonblocking_ends
always=1000000

# all RANKS ALGORITHM: a group a case; the first call of a communicator goes to Open MPI, so all have several.
all() {
    for case in types together equal family ahead inside; do
        group "$1 ranks, $2: $case" $case served=yes "coll_irr_alltoallv_algorithm=$2" \
            "coll_irr_alltoall_algorithm=$2" "coll_irr_neighbor_algorithm=$2"
    done
    check_groups "$1" "$program"
    for case in orphans truncation nothing empty; do
        group "$1 ranks, $2: $case" $case served=yes "coll_irr_alltoallv_algorithm=$2" "coll_irr_alltoall_algorithm=$2"
    done
    check_groups "$1" "$ends"
}

# With nothing configured but what trials may cost: which calls are served is found as they go.
chosen() {
    OMPI_MCA_coll_irr_setup_share=$always
    OMPI_MCA_coll_irr_alltoallv_algorithm=auto
    export OMPI_MCA_coll_irr_setup_share
    for case in types together:60 equal:300 family:600 ahead inside; do
        group "$1 ranks that choose: $case" "$case"
    done
    group "$1 ranks that choose: nonblocking calls alone are served" only:600 served=yes
    check_groups "$1" "$program"
    for case in orphans truncation nothing; do
        group "$1 ranks that choose: $case" "$case"
    done
    check_groups "$1" "$ends"
    unset OMPI_MCA_coll_irr_setup_share
    OMPI_MCA_coll_irr_alltoallv_algorithm=a1
}

# The report names the calls, and counts them.
reported() {
    OMPI_MCA_coll_irr_report=$scratch/report.json ranks 4 "$program" only:90 served=yes &&
        grep -q '"call": *"MPI_Ialltoallv"' "$scratch/report.json"
}

# without NAME=VALUE: that on the first of 4 ranks only.
without() {
    ranks 4 --mca coll_irr_setup_share $always "$divide" 1 env "$1" "$program" together served=no , ahead served=no else \
        "$program" together served=no , ahead served=no
}

plan 106
for ranks in 2 5; do
    for algorithm in a1 board a2; do
        all $ranks $algorithm
    done
done
for ranks in 2 4 8; do
    chosen $ranks
done
check "4 ranks, a1: active" ranks 4 "$ends" active
for algorithm in a1 board auto; do
    check "4 ranks, threads, $algorithm" \
        ranks 4 --mca coll_irr_alltoallv_algorithm $algorithm --mca coll_irr_setup_share $always "$ends" threads
done
group "4 ranks, host: left to Open MPI" together served=no coll_irr_alltoallv_algorithm=host
group "4 ranks, one of which has a bad value" together served=no coll_irr_alltoallv_algorithm=a1 coll_irr_compose=none
check_groups 4 "$program"
check "4 ranks, one of which has not loaded it" without OMPI_MCA_coll=^irr
check "4 ranks, one of which has another priority" without OMPI_MCA_coll_irr_priority=5
OMPI_MCA_coll_irr_alltoallv_algorithm=auto \
    check "4 ranks that choose, one of which has not loaded it" without OMPI_MCA_coll=^irr
# shellcheck disable=SC2086
check "8 ranks over tcp" ranks 8 $over_tcp "$program" together served=yes , ahead served=yes
for us in 3 30; do
    check "4 ranks that wait let others run, where MPI's rounds take $us us" \
        ranks 4 --mca mpi_yield_when_idle 1 "$builddir/mpi_turns" $us
done
check "the report counts nonblocking calls under their own name" reported
check "8,000 calls on 200 communicators at constant memory" ranks 4 "$builddir/mpi_cycles" 2000 256 nonblocking
check "the test sees growth that libnbc's own does not explain" \
    expect_failure ranks 4 "$builddir/mpi_cycles" 2000 -1000 nonblocking
if whole; then
    LIMIT=900
    check "400,000 calls on 10,000 communicators at constant memory" \
        ranks 2 "$builddir/mpi_cycles" 100000 256 nonblocking
else
    left_out "400,000 calls on 10,000 communicators at constant memory"
fi
exit $failed
