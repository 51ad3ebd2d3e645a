#!/bin/sh
# persistent.sh - persistent MPI_Alltoallv: every byte, every way to start, wait and free, no allocation, no leak.
LIMIT=120
. "${srcdir:-.}/tests/mpi/lib.sh"
program=$builddir/mpi_persistent
algorithms="auto a1 ac a2 a3 a4 hybrid multistage node board lp rs_n rs_n_sort rs_nh optimal redist aapc"

# What redist needs; other exchanges than this one go by a1 then.
OMPI_MCA_coll_irr_redistribution=1,2,1,2
export OMPI_MCA_coll_irr_redistribution

# The names that irr_bench lists, except the two without coll/irr.
all_named() {
    listed=$(ranks 1 "$builddir/irr_bench" --list-algorithms |
        sed -n 's/^  \([a-z][a-z0-9_]*\) .*/\1/p' | grep -vx -e host -e p2p | tr '\n' ' ')
    echo "irr_bench lists: $listed"
    [ "$listed" = "$algorithms " ]
}

# A schedule for other ranks than these: auto with it is a1, and served.
"$builddir/irr_plan" check --algorithm rs_n --ranks 3 --save "$scratch/schedule" > /dev/null

valgrind_persistent() {
    under_valgrind "$builddir/mpi_cycles" 200 100000 persistent
}

# each RANKS WHAT CASE: one group an algorithm.
each() {
    for algorithm in $algorithms; do
        case $algorithm in
        auto)   with="coll_irr_schedule_file=$scratch/schedule" ;;
        hybrid) with=coll_irr_direct_bytes=100 ;;
        *)      with= ;;
        esac
        # shellcheck disable=SC2086
        group "$1, $algorithm: $2" $3 "coll_irr_alltoallv_algorithm=$algorithm" $with
    done
}

plan 75
check "the algorithms below are all there are" all_named
each "5 ranks" "every byte as Open MPI's own" types
check_groups 5 "$program"
each "8 ranks" "requests active together" together
check_groups 8 "$program"
each "4 ranks" "no allocation and no description from the second start on" ""
check_groups 4 "$builddir/mpi_allocations"
for case in types completion orphans parts refused active truncation leaked; do
    group "4 ranks, $case" $case
done
check_groups 4 "$program"
check "4 ranks, threads" ranks 4 "$program" threads
for case in orphans threads; do
    group "7 ranks, a4, $case" $case coll_irr_alltoallv_algorithm=a4
done
check_groups 7 "$program"
# That is an error of the program, but no reason to crash or to wait for ever; --enable-debug looks at more of it.
for case in left_active left_alone; do
    check "4 ranks, $case in MPI_Finalize" ranks 4 "$program" $case
    for algorithm in a1 a4 aapc; do
        group "4 ranks over tcp, $algorithm, $case in MPI_Finalize" $case "coll_irr_alltoallv_algorithm=$algorithm"
    done
    # shellcheck disable=SC2086
    check_groups 4 $over_tcp "$program"
done
check "2 ranks, types" ranks 2 "$program" types
check "4 ranks over tcp, types" \
    ranks 4 $over_tcp "$program" types
check "more requests than there are ids, at constant memory" ranks 2 "$builddir/mpi_cycles" 40000 256 persistent
if ! whole; then
    left_out "400 requests under valgrind"
elif command -v valgrind > /dev/null; then
    check "400 requests under valgrind lose nothing and touch nothing they should not" valgrind_persistent
else
    skip "400 requests under valgrind" "valgrind was not found; install it (Debian: valgrind)"
fi
exit $failed
