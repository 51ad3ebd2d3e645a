#!/bin/sh
# requests.sh - persistent requests that are tried on their own: results are right, few starts open nothing, a program
# that makes no other call comes to be served, and the report tells.
LIMIT=60
. "${srcdir:-.}/tests/mpi/lib.sh"
unset OMPI_MCA_coll_irr_alltoallv_algorithm
program=$builddir/mpi_requests

# A share above all measure: ways are tried from the first agreement on.
always=1000000000

share() {
    OMPI_MCA_coll_irr_setup_share=$1
    export OMPI_MCA_coll_irr_setup_share
}

valgrinds() {
    under_valgrind "$program" together , orphans
}

# tells COMMAND...: the report has the row of a request of 480 starts, in two lines.
tells() {
    says "MPI_Alltoallv_init, 4 ranks on 1 node: " "$@" &&
        grep -A1 "MPI_Alltoallv_init, 4 ranks on 1 node: " "$scratch/run" | grep -q '^ *480 '
}

plan 24
share $always
for n in 2 5; do
    for case in alone together between orphans types; do
        group "$n ranks, $case" $case
    done
    check_groups $n "$program"
done
for case in few alone together between active memory leaked; do
    group "4 ranks, $case" $case
done
check_groups 4 "$program"
for case in together between; do
    group "4 ranks on nodes of two, $case" $case
done
check_groups 4 --mca coll_irr_ranks_per_node 2 "$program"
check "one rank says what was found" says "MPI_Alltoallv_init, 4 ranks on 1 node, about .* B to each: .* .* speedup" \
    ranks 4 --mca coll_irr_verbose 1 "$program" alone
check "the report tells of a request" tells ranks 4 --mca coll_irr_report 1 "$program" alone
if command -v valgrind > /dev/null; then
    check "2 ranks under valgrind" valgrinds
else
    skip "2 ranks under valgrind" "valgrind was not found; install it (Debian: valgrind)"
fi
share 5
check "few starts: nothing is opened" ranks 4 "$program" few
share 0
check "nothing may be spent: results are right" ranks 4 "$program" together
exit $failed
