#!/bin/sh
# choose.sh - with auto the ranks choose strategies by trials: results are right, a job of few calls opens no transport,
# one rank prints the result of a trial, and if settings differ between ranks, Open MPI serves all ranks.
LIMIT=60
. "${srcdir:-.}/tests/mpi/lib.sh"
unset OMPI_MCA_coll_irr_alltoallv_algorithm
program=$builddir/mpi_calls

# chooses N PERCENT ARGUMENT...: runs N ranks; trials may take PERCENT of the time of exchanges (coll_irr_setup_share).
chooses() {
    n=$1 share=$2
    shift 2
    given setup_share="$share" ranks "$n" "$@"
}

# differ COMMAND...: one line says that settings differ between ranks.
differ() { one_says "rank 2 of MPI_COMM_WORLD and rank [0-9]* differ in an algorithm" "$@"; }

# With this share the ranks try strategies from their first agreement on, whatever the time of exchanges.
always=1000000000

# If the ranks of a node can read each other's memory, trials need no transport.
without_transport() {
    says "tried" chooses 4 $always --mca coll_irr_verbose 10 "$program" change:300 served=yes &&
        [ "$(lines "opened on transport")" -eq 0 ]
}

# Only one rank prints the result of a trial, so no line occurs twice.
says_what_was_found() {
    shown chooses 4 $always --mca coll_irr_verbose 1 "$program" change:900 served=yes || return 1
    grep -o "DUP FROM 0, MPI_Alltoallv, 4 ranks on 1 node, about .* B to each: .* speedup .*; tried .* times*, in .* exch" \
        "$scratch/run" > "$scratch/found"
    [ -s "$scratch/found" ] && [ -z "$(sort "$scratch/found" | uniq -d)" ]
}

# told_of LINES PATTERN CALLS: a job of mpi_report with CALLS calls prints LINES lines, one for each collective and
# communicator.  The line of MPI_Alltoallv on MPI_COMM_WORLD ends with PATTERN.
told_of() {
    number=$1 pattern=$2
    one_says "MPI_COMM_WORLD, MPI_Alltoallv, 4 ranks on 1 node: Open MPI's own, because $pattern" \
        given setup_share=1 ranks 4 --mca coll_irr_verbose 1 "$builddir/mpi_report" "$3" 2 &&
        [ "$(lines 'Open MPI.s own, because ')" -eq "$number" ]
}

# The messages of this job do not change, and no line says that they have, even if the ranks repeat a trial.
says_no_change() {
    says '^ *because ' ranks 8 --mca coll_irr_report 1 "$builddir/irr_bench" --unit 4096 --algorithms auto --warmup 3000 \
        -i 100 && [ "$(lines 'messages have changed')" -eq 0 ]
}

# named WANTED OPTIONS...: if the user names tree, verbose names the strategy WANTED, and the ranks make no trial.
named() {
    wanted=$1
    shift
    one_says 'DUP FROM 0, MPI_Alltoallv, .*because' \
        on_nodes 4 --mca coll_irr_verbose 1 "$@" "$program" change:200 served=yes &&
        [ "$(lines "MPI_Alltoallv, 4 ranks on 2 nodes: $wanted, because coll_irr_alltoallv_algorithm is tree$")" -eq 1 ]
}

# on_nodes RANKS ARGUMENT...: runs the algorithm tree on nodes of two ranks, with an unlimited share for trials.
on_nodes() {
    n=$1
    shift
    chooses "$n" $always --mca coll_irr_ranks_per_node 2 --mca coll_irr_alltoallv_algorithm tree "$@"
}

# The ranks try the strategies of tree.  First they use the strategy that the model expects to be fastest.
tries_strategies() {
    says "5 ranks on 3 nodes: tree, host route node, pacing sync, .*, because coll_irr_alltoallv_algorithm is tree$" \
        on_nodes 5 --mca coll_irr_verbose 1 "$program" change:1500 served=yes &&
        [ "$(lines "because coll_irr_alltoallv_algorithm is tree.*; tried other strategies [0-9]* time")" -gt 0 ]
}

# All collectives have a named algorithm, and two of four ranks have share 0: no rank makes a trial, and none fails.
pinned_by_some() {
    says "tree, because coll_irr_alltoallv_algorithm is tree$" \
        on_nodes 4 --mca coll_irr_verbose 1 --mca coll_irr_alltoall_algorithm direct --mca coll_irr_neighbor_algorithm direct \
        "$divide" 2 env OMPI_MCA_coll_irr_setup_share=0 "$program" change:200 served=yes else "$program" change:200 served=yes &&
        [ "$(lines tried)" -eq 0 ]
}

# Of 1,000 communicators with one exchange each, few agree to use the strategy that a trial has found: agreements would
# take longer than the exchanges save.
joins_rarely() {
    shown ranks 16 --mca coll_irr_report "$scratch/report.json" "$builddir/irr_bench" --loop fresh -i 1000 --unit 8 &&
        awk -F '"agreements": ' 'NF > 1 { split($2, n, ","); if (n[1] > most) most = n[1] }
            END { print most " agreements"; exit !(most > 0 && most <= 250) }' "$scratch/report.json"
}

plan 24
# An agreement costs at least half of an exchange.  1 % of fewer than 50 exchanges is less, also on a slow machine.
check "31 calls, share 5 %: no transport is opened" silent chooses 4 5 "$program" change:31 served=no
check "40 calls, share 1 %: no transport is opened" silent chooses 2 1 "$program" change:40 served=no
for n in 2 3 5 8; do
    check "$n ranks with auto, unlimited share: all results are right" \
        silent chooses $n $always --mca coll_irr_alltoall_algorithm auto "$program" change:700 served=yes
done
check "5 ranks with auto on nodes of two ranks: all results are right" silent chooses 5 $always --mca coll_irr_ranks_per_node 2 "$program" change:400 served=yes
check "too few calls for a trial: verbose prints their number and the number needed" told_of 8 \
    "24 exchanges took [0-9.]* [mu]*s on rank 0; the ranks first look for a faster algorithm after 32 exchanges$" 20
check "too short calls for a trial: verbose prints their time and the time of a trial" told_of 8 \
    "44 exchanges took [0-9.]* [mu]*s on rank 0, and count as .*; trials may cost .* (coll_irr_setup_share: 1 %); they have cost .*; the next trial takes .*, which about [0-9]* more exchanges pay for$" 40
check "communicators of one exchange agree only as the budget allows" joins_rarely
check "only one rank prints the result of a trial" says_what_was_found
check "equal exchanges: no line says that messages have changed" says_no_change
check "trials on one node open no transport" without_transport
check "share 0: Open MPI serves" silent chooses 4 0 "$program" change:200 served=no
check "ranks that count different numbers of nodes take the same decisions" given setup_share=$always \
    on_some_ranks OMPI_MCA_coll_irr_ranks_per_node=1 "$program" change:100 served=yes
check "share 0 on two of four ranks" differ on_some_ranks OMPI_MCA_coll_irr_setup_share=0 "$program" change:100 served=no
check "direct on two ranks, auto on two ranks" differ chooses 4 $always \
    "$divide" 2 env OMPI_MCA_coll_irr_alltoallv_algorithm=direct "$program" change:100 served=no else "$program" change:100 served=no
check "auto, and a bad value on two of four ranks" says "Value: *nonsense" chooses 4 $always \
    "$divide" 2 env OMPI_MCA_coll_irr_compose=nonsense "$program" change:100 served=no else "$program" change:100 served=no
for n in 5 8; do
    check "$n ranks, trials of the strategies of tree" silent on_nodes $n "$program" change:400 served=yes
done
check "verbose prints the result of trials of the strategies of tree" tries_strategies
check "tree with a named pacing: no trial of other pacings" named tree --mca coll_irr_pacing sync
check "tree with share 0: no trial" named tree --mca coll_irr_setup_share 0
check "tree, and share 0 on two of four ranks: no trial" pinned_by_some
exit $failed
