#!/bin/sh
# mixed.sh - coll/irr on some ranks of a job only, or with another priority or without memory on some: no rank hangs,
# and a message says what differs.
LIMIT=30
. "${srcdir:-.}/tests/mpi/lib.sh"
program=$builddir/mpi_mixed

# mixed SETTING N M TEXT CASE...: N ranks with a setting, then M without; all results are right, and one message has TEXT.
mixed() {
    setting=$1 n=$2 m=$3 text=$4
    shift 4
    one_says "$text" ranks $((n + m)) "$divide" "$n" env "$setting" "$program" "$@" else "$program" "$@"
}

# The same, in the other order.
mixed_last() {
    setting=$1 n=$2 m=$3 text=$4
    shift 4
    one_says "$text" ranks $((n + m)) "$divide" "$n" "$program" "$@" else env "$setting" "$program" "$@"
}

# The half with coll/irr is served, and the other half is not.
halves() {
    mixed OMPI_MCA_coll=^irr 2 2 "rank 0 of MPI_COMM_WORLD has not loaded coll/irr, but rank 2 has" halves &&
        [ "$(lines 'rank [01]: 0 served')" -eq 2 ] && [ "$(lines 'rank [23]: [1-9]* served')" -eq 2 ]
}

plan 25
for first in 0 1 2; do
    beside "not on rank 0 of 2, collective $first first" \
        mixed OMPI_MCA_coll=^irr 1 1 "rank 0 of MPI_COMM_WORLD has not loaded coll/irr, but rank 1 has" apart:$first
    beside "not on the last of 4, collective $first first" \
        mixed_last OMPI_MCA_coll=^irr 3 1 "rank 3 of MPI_COMM_WORLD has not loaded coll/irr, but rank 0 has" apart:$first
done
beside "not on the first 2 of 7" \
    mixed OMPI_MCA_coll=^irr 2 5 "rank 0 of MPI_COMM_WORLD has not loaded coll/irr, but rank 2 has" apart
beside "not on the last 6 of 7" \
    mixed_last OMPI_MCA_coll=^irr 1 6 "rank 1 of MPI_COMM_WORLD has not loaded coll/irr, but rank 0 has" apart
beside "not on half of 4 ranks; the other half is served" halves
for priority in 5 -1 60; do
    beside "priority $priority on rank 0 of 4" \
        mixed OMPI_MCA_coll_irr_priority=$priority 1 3 "coll_irr_priority is .* on rank .* on rank" apart
    beside "priority $priority on the last of 4" \
        mixed_last OMPI_MCA_coll_irr_priority=$priority 3 1 "coll_irr_priority is .* on rank .* on rank" apart
done
beside "priority 5 on rank 0 of 2, MPI_Alltoall first" \
    mixed OMPI_MCA_coll_irr_priority=5 1 1 "coll_irr_priority is 5 on rank 0 .* and 40 on rank 1" apart:1
for first in 0 1 2; do
    group "4 ranks, all with coll/irr, collective $first first" same:$first
    group "no memory for modules on one of 4 ranks, collective $first first" modules:$first
done
group "no memory from before a communicator is made to the end of its first calls" no_memory
check_groups 4 "$program"
beside "a job that spawns another" ranks 2 "$program" spawn
beside "a rank without a launcher" "$program" apart
finish
exit $failed
