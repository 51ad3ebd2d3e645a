#!/bin/sh
# team.sh - communicators of the same processes in the same order share trials and engine communicators.
LIMIT=60
. "${srcdir:-.}/tests/mpi/lib.sh"
program=$builddir/mpi_faults
auto="--mca coll_irr_alltoallv_algorithm auto"

# finds OPTIONS...: the exchanges of 200 short-lived communicators count together, so the ranks make a trial.
finds() {
    shown ranks 4 $auto --mca coll_irr_setup_share 100 --mca coll_irr_report "$scratch/report.json" "$@" "$program" \
        short_lived || return 1
    cat "$scratch/report.json"
    python3 - "$scratch/report.json" << 'END'
import json, sys
rows = json.load(open(sys.argv[1]))["rows"]
row = [row for row in rows if row["call"] == "MPI_Alltoallv"]
assert len(row) == 1, row
row = row[0]
assert row["communicators"] == 200 and row["exchanges"] == 4000, row
assert row["tried"] >= 1, row
END
}

plan 20
for n in 2 5; do
    check "$n ranks, short-lived communicators are served from their first exchange on" ranks $n "$program" served:50
done
check "4 ranks with auto, short-lived communicators share a trial" finds
check "4 ranks with auto and a timeout, short-lived communicators share a trial" finds --mca coll_irr_timeout 60
for algorithm in direct node balanced-grid; do
    check "4 ranks, $algorithm, alternating communicators" ranks 4 --mca coll_irr_alltoallv_algorithm $algorithm "$program" turns
done
check "4 ranks with auto, alternating communicators" ranks 4 $auto --mca coll_irr_setup_share 1000 "$program" turns
check "4 ranks with auto and a timeout, alternating communicators" \
    ranks 4 $auto --mca coll_irr_setup_share 1000 --mca coll_irr_timeout 60 "$program" turns
check "3 ranks, an exchange that fails" ranks 3 "$program" failed
for case in late_exchange late_agreement; do
    check "4 ranks, a timeout on one communicator does not reach others, $case" \
        ranks 4 --mca coll_irr_timeout 2 "$program" $case
    # shellcheck disable=SC2086
    check "4 ranks over tcp, a timeout on one communicator does not reach others, $case" \
        ranks 4 $over_tcp --mca coll_irr_timeout 2 "$program" $case
done
check "5 ranks, communicators with different orders of the processes" ranks 5 "$program" orders
check "5 ranks with auto, communicators with different orders of the processes" ranks 5 $auto --mca coll_irr_setup_share 1000 "$program" orders
check "4 ranks, nonblocking calls before the first blocking call" ranks 4 "$program" nonblocking
for case in served:50 turns orders; do
    group "4 ranks, trials of the strategies of tree, case $case" $case
done
check_groups 4 --mca coll_irr_alltoallv_algorithm tree --mca coll_irr_ranks_per_node 2 \
    --mca coll_irr_setup_share 1000000000 "$program"
exit $failed
