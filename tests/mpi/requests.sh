#!/bin/sh
# requests.sh - nonblocking calls and persistent requests, by named algorithms and by auto: every byte is right, many
# can be in progress, starts after the first allocate no memory, and nothing leaks.
LIMIT=120
. "${srcdir:-.}/tests/mpi/lib.sh"
program=$builddir/mpi_calls
ends=$builddir/mpi_faults
export OMPI_MCA_coll_irr_redistribution=1,2,1,2

# With this share the ranks try strategies from their first agreement on.
always=1000000000

# cases TITLE KEYS CASE...: adds a group for each case.
cases() {
    title=$1 keys=$2
    shift 2
    for case; do
        # shellcheck disable=SC2086
        group "$title: $case" $case $keys
    done
}

# each TITLE CASE: adds a group for each algorithm.
each() {
    for algorithm in $algorithms; do
        with=
        [ "$algorithm" != hybrid ] || with=coll_irr_direct_bytes=100
        cases "$1, $algorithm" "$(all "$algorithm") $with" "$2"
    done
}

# The report has a row for MPI_Ialltoallv.
reported() {
    OMPI_MCA_coll_irr_report=$scratch/report.json ranks 4 "$program" only:90 served=yes &&
        grep -q '"call": *"MPI_Ialltoallv"' "$scratch/report.json"
}

# reports_request COMMAND...: the report has a row, of two lines, with 480 starts of persistent requests.
reports_request() {
    says "MPI_Alltoallv_init, 4 ranks on 1 node: " "$@" &&
        grep -A1 "MPI_Alltoallv_init, 4 ranks on 1 node: " "$scratch/run" | grep -q '^ *480 '
}

# without NAME=VALUE: rank 0 of four has this environment variable, with which coll/irr must not serve.
without() {
    ranks 4 --mca coll_irr_setup_share $always "$divide" 1 env "$1" "$program" together served=no , ahead served=no else \
        "$program" together served=no , ahead served=no
}

# choosing COMMAND...: runs a command with auto, and with $share as the share for trials.
choosing() {
    unset OMPI_MCA_coll_irr_alltoallv_algorithm
    export OMPI_MCA_coll_irr_setup_share=$share
    "$@"
    status=$?
    unset OMPI_MCA_coll_irr_setup_share
    export OMPI_MCA_coll_irr_alltoallv_algorithm=direct
    return $status
}

valgrind_choosing() { given report="$scratch/report.json" under_valgrind "$program" together , starts:100 , change:200; }
valgrind_reporting() {
    given setup_share=$always alltoall_algorithm=auto report="$scratch/report.json" \
        under_valgrind "$builddir/mpi_report" 200 5
}
valgrind_persistent() { under_valgrind "$builddir/mpi_cycles" 200 100000 persistent; }

if whole; then plan 157; else plan 155; fi
each "8 ranks" together:12
check_groups 8 "$program"
for n in 2 5; do
    for algorithm in direct spread; do
        cases "$n ranks, $algorithm" "served=yes $(all $algorithm)" together only:120 starts:100 types:28 ahead \
            inside reversed
    done
    check_groups $n "$program"
    for algorithm in direct spread; do
        cases "$n ranks, $algorithm" "$(all $algorithm)" orphans active truncation nothing empty
    done
    cases "$n ranks, tree" "$(all tree) coll_irr_ranks_per_node=2" orphans
    cases "$n ranks, a bad value of an info key" "$(all direct) coll_irr_compose=none" orphan_calls
    [ $n -eq 2 ] || each "$n ranks" truncation
    check_groups $n "$ends"
done
each "4 ranks, repeated starts allocate nothing and send no headers" no_allocation
group "4 ranks, one rank has a bad info key" refused
for case in left_active left_alone leaked; do   # the program violates MPI; the job must neither crash nor hang
    cases "4 ranks, requests that MPI_Finalize finds" "$(all direct)" $case
done
check_groups 4 "$ends"
for algorithm in direct balanced-grid tree; do
    cases "4 ranks over tcp, $algorithm" "$(all $algorithm)" left_active left_alone
done
# shellcheck disable=SC2086
check_groups 4 $over_tcp "$ends"
cases "7 ranks, balanced-grid" "$(all balanced-grid)" orphans threads
check_groups 7 "$ends"
cases "8 ranks over tcp" "served=yes $(all direct)" together:12 types:28 ahead
# shellcheck disable=SC2086
check_groups 8 $over_tcp "$program"
group "4 ranks, host: Open MPI serves" together served=no coll_irr_alltoallv_algorithm=host
group "4 ranks, a bad value of an info key: Open MPI serves" together served=no coll_irr_alltoallv_algorithm=direct coll_irr_compose=none
check_groups 4 "$program"
check "4 ranks, one rank lacks coll/irr" without OMPI_MCA_coll=^irr
check "4 ranks, one rank has another priority of coll/irr" without OMPI_MCA_coll_irr_priority=5
OMPI_MCA_coll_irr_alltoallv_algorithm=auto \
    check "4 ranks with auto, one rank lacks coll/irr" without OMPI_MCA_coll=^irr

share=$always
for n in 2 5; do
    cases "$n ranks with auto" "" together:60 types ahead inside
    cases "$n ranks with auto" served=yes only:600 starts
    choosing check_groups $n "$program"
    cases "$n ranks with auto" "" orphans:25 active:60 truncation nothing
    choosing check_groups $n "$ends"
done
for algorithm in direct auto; do
    cases "4 ranks, $algorithm" "coll_irr_alltoallv_algorithm=$algorithm" threads
done
cases "4 ranks with auto" "" memory leaked:30
choosing check_groups 4 "$ends"
cases "4 ranks with auto on nodes of two" "" together:60 types
choosing check_groups 4 --mca coll_irr_ranks_per_node 2 "$program"
check "one rank prints the result of a trial" \
    choosing says "MPI_Alltoallv_init, 4 ranks on 1 node, about .* B to each: .* .* speedup" \
    ranks 4 --mca coll_irr_verbose 1 "$program" starts:2000
check "the report has a row of persistent requests" choosing reports_request ranks 4 --mca coll_irr_report 1 "$program" starts
check "the report counts nonblocking calls under their own name" reported
share=5
check "auto, 15 starts: coll/irr does not serve" choosing ranks 4 "$program" starts:15 served=no
share=0
check "auto, share 0: coll/irr does not serve" choosing ranks 4 "$program" together served=no
cases "4 ranks with auto, share 0" "coll_irr_direct_bytes=100" orphan_calls
choosing check_groups 4 "$ends"
for us in 3 30; do
    check "a waiting rank yields the processor, if a round of MPI's progress takes $us us" \
        ranks 4 --mca mpi_yield_when_idle 1 "$builddir/mpi_turns" $us
done
check "33,000 cycles of requests reuse ids and memory" ranks 2 "$builddir/mpi_cycles" 33000 256 persistent
check "8,000 calls on 200 communicators at constant memory" ranks 4 "$builddir/mpi_cycles" 2000 256 nonblocking
share=$always
if ! command -v valgrind > /dev/null; then
    skip "calls and requests with auto under valgrind" "valgrind was not found; install it (Debian: valgrind)"
else
    check "calls and requests with auto under valgrind" choosing valgrind_choosing
fi
if ! whole; then
    left_out "400 requests and a report under valgrind, and 400,000 calls on 10,000 communicators"
else
    LIMIT=900
    check "400,000 calls on 10,000 communicators at constant memory" \
        ranks 2 "$builddir/mpi_cycles" 100000 256 nonblocking
    check "400 requests under valgrind" valgrind_persistent
    check "a report under valgrind" valgrind_reporting
fi
exit $failed
