#!/bin/sh
# choose.sh - the ranks choose the strategy of exchanges as they go: results are right, few calls open nothing, one rank says
# what was found, and if settings differ, Open MPI serves all ranks.
LIMIT=60
. "${srcdir:-.}/tests/mpi/lib.sh"
unset OMPI_MCA_coll_irr_alltoallv_algorithm
program=$builddir/mpi_calls

# chooses N PERCENT ARGUMENT...: a job whose ranks may spend so much.
chooses() {
    n=$1 share=$2
    shift 2
    given setup_share="$share" ranks "$n" "$@"
}

# differ COMMAND...: one message says that settings differ.
differ() { one_says "rank 2 of MPI_COMM_WORLD and rank [0-9]* differ in an algorithm" "$@"; }

# An unlimited share: strategies are tried from the first agreement on, however long exchanges take.
always=1000000000

# If the ranks of a node can read each other's memory, trials need no transport.
without_transport() {
    says "tried" chooses 4 $always --mca coll_irr_verbose 10 "$program" change:300 served=yes &&
        [ "$(lines "opened on transport")" -eq 0 ]
}

# One line says what was found for each traffic, although all ranks know it.
says_what_was_found() {
    shown chooses 4 $always --mca coll_irr_verbose 1 "$program" change:900 served=yes || return 1
    grep -o "DUP FROM 0, MPI_Alltoallv, 4 ranks on 1 node, about .* B to each: .* speedup .*; tried .* algorithms* in .* exch" \
        "$scratch/run" > "$scratch/found"
    [ -s "$scratch/found" ] && [ -z "$(sort "$scratch/found" | uniq -d)" ]
}

# told_of LINES PATTERN CALLS: a job of so many calls of mpi_report, whose lines of verbosity 1 are so many; each collective
# that was called has one line on each communicator, and the one of MPI_Alltoallv on MPI_COMM_WORLD ends like that.
told_of() {
    number=$1 pattern=$2
    one_says "MPI_COMM_WORLD, MPI_Alltoallv, 4 ranks on 1 node: Open MPI's own, because $pattern" \
        given setup_share=1 ranks 4 --mca coll_irr_verbose 1 "$builddir/mpi_report" "$3" 2 &&
        [ "$(lines 'Open MPI.s own, because ')" -eq "$number" ]
}

# No line says that messages have changed if they have not, also when old trials are repeated.
says_no_change() {
    says '^ *because ' ranks 8 --mca coll_irr_report 1 "$builddir/irr_bench" --unit 4096 --algorithms auto --warmup 3000 \
        -i 100 && [ "$(lines 'messages have changed')" -eq 0 ]
}

# named WANTED OPTIONS...: with tree named, lines of verbosity 1 say how it begins, which is WANTED, and nothing is tried.
named() {
    wanted=$1
    shift
    one_says 'DUP FROM 0, MPI_Alltoallv, .*because' \
        on_nodes 4 --mca coll_irr_verbose 1 "$@" "$program" change:200 served=yes &&
        [ "$(lines "MPI_Alltoallv, 4 ranks on 2 nodes: $wanted, because coll_irr_alltoallv_algorithm is tree$")" -eq 1 ]
}

# on_nodes RANKS ARGUMENT...: tree, with nodes of two ranks, and trials however long exchanges take.
on_nodes() {
    n=$1
    shift
    chooses "$n" $always --mca coll_irr_ranks_per_node 2 --mca coll_irr_alltoallv_algorithm tree "$@"
}

# The strategies of a named algorithm are tried, beginning with the likely best one; one line says so.
tries_strategies() {
    says "5 ranks on 3 nodes: tree, host route node, pacing sync, .*, because coll_irr_alltoallv_algorithm is tree$" \
        on_nodes 5 --mca coll_irr_verbose 1 "$program" change:1500 served=yes &&
        [ "$(lines "because coll_irr_alltoallv_algorithm is tree.*; tried [0-9]* algo")" -gt 0 ]
}

# Where all collectives are named, no share on two of four ranks keeps all from trying strategies, and is no error.
pinned_by_some() {
    says "tree, because coll_irr_alltoallv_algorithm is tree$" \
        on_nodes 4 --mca coll_irr_verbose 1 --mca coll_irr_alltoall_algorithm direct --mca coll_irr_neighbor_algorithm direct \
        "$divide" 2 env OMPI_MCA_coll_irr_setup_share=0 "$program" change:200 served=yes else "$program" change:200 served=yes &&
        [ "$(lines tried)" -eq 0 ]
}

plan 23
# A look costs at least half of an exchange.  1 % of fewer than 50 exchanges is less, on a slow machine, too.
check "few calls: nothing is opened" silent chooses 4 5 "$program" change:31 served=no
check "cheap calls: nothing is opened" silent chooses 2 1 "$program" change:40 served=no
for n in 2 3 5 8; do
    check "$n ranks choose, and each result is right" \
        silent chooses $n $always --mca coll_irr_alltoall_algorithm auto "$program" change:700 served=yes
done
check "with nodes of two ranks" silent chooses 5 $always --mca coll_irr_ranks_per_node 2 "$program" change:400 served=yes
check "too few calls: lines say how many, and what would be enough" told_of 8 \
    "24 exchanges took [0-9.]* [mu]*s on rank 0; the ranks first look for a faster algorithm after 32 exchanges$" 20
check "too cheap calls: lines say what they took, and what a trial would take" told_of 8 \
    "44 exchanges took [0-9.]* [mu]*s on rank 0, and count as .*; coll_irr_setup_share allows 1 % of this time for trials, .*; the next trial takes .*, which about [0-9]* more exchanges pay for$" 40
check "one rank says what was found" says_what_was_found
check "the cause of exchanges that stay alike is no change" says_no_change
check "on one node no transport is opened" without_transport
check "nothing may be spent" silent chooses 4 0 "$program" change:200 served=no
check "the ranks count nodes differently, and still do the same" given setup_share=$always \
    on_some_ranks OMPI_MCA_coll_irr_ranks_per_node=1 "$program" change:100 served=yes
check "no share on two of four ranks" differ on_some_ranks OMPI_MCA_coll_irr_setup_share=0 "$program" change:100 served=no
check "an algorithm on two of four ranks, where the others choose" differ chooses 4 $always \
    "$divide" 2 env OMPI_MCA_coll_irr_alltoallv_algorithm=direct "$program" change:100 served=no else "$program" change:100 served=no
check "a bad value on two of four ranks that choose" says "Value: *nonsense" chooses 4 $always \
    "$divide" 2 env OMPI_MCA_coll_irr_compose=nonsense "$program" change:100 served=no else "$program" change:100 served=no
for n in 5 8; do
    check "$n ranks, strategies of an algorithm that is named" silent on_nodes $n "$program" change:400 served=yes
done
check "strategies of an algorithm that is named: one rank says what was found" tries_strategies
check "a pacing that is named, too, is not tried" named tree --mca coll_irr_pacing sync
check "an algorithm that is named, and nothing may be spent" named tree --mca coll_irr_setup_share 0
check "the same on two of four ranks" pinned_by_some
exit $failed
