#!/bin/sh
# mixed.sh - some ranks of a job lack coll/irr, have another priority of coll/irr, or lack memory: no rank hangs, and a
# user message says what differs.
LIMIT=30
. "${srcdir:-.}/tests/mpi/lib.sh"
program=$builddir/mpi_mixed

# mixed SETTING N M TEXT CASE...: N ranks with an environment variable, then M ranks without it: one line has TEXT.
mixed() {
    setting=$1 n=$2 m=$3 text=$4
    shift 4
    one_says "$text" ranks $((n + m)) "$divide" "$n" env "$setting" "$program" "$@" else "$program" "$@"
}

# mixed_last SETTING N M TEXT CASE...: like mixed, but the last M ranks have the variable.
mixed_last() {
    setting=$1 n=$2 m=$3 text=$4
    shift 4
    one_says "$text" ranks $((n + m)) "$divide" "$n" "$program" "$@" else env "$setting" "$program" "$@"
}

# A communicator of ranks 2 and 3 is served by coll/irr.  Ranks 0 and 1 have not loaded coll/irr.
halves() {
    mixed OMPI_MCA_coll=^irr 2 2 "rank 0 of MPI_COMM_WORLD has not loaded coll/irr, but rank 2 has" halves &&
        [ "$(lines 'rank [01]: 0 served')" -eq 2 ] && [ "$(lines 'rank [23]: [1-9]* served')" -eq 2 ]
}

plan 25
for first in 0 1 2; do
    beside "rank 0 of 2 lacks coll/irr, first collective: number $first" \
        mixed OMPI_MCA_coll=^irr 1 1 "rank 0 of MPI_COMM_WORLD has not loaded coll/irr, but rank 1 has" apart:$first
    beside "rank 3 of 4 lacks coll/irr, first collective: number $first" \
        mixed_last OMPI_MCA_coll=^irr 3 1 "rank 3 of MPI_COMM_WORLD has not loaded coll/irr, but rank 0 has" apart:$first
done
beside "the first 2 of 7 ranks lack coll/irr" \
    mixed OMPI_MCA_coll=^irr 2 5 "rank 0 of MPI_COMM_WORLD has not loaded coll/irr, but rank 2 has" apart
beside "the last 6 of 7 ranks lack coll/irr" \
    mixed_last OMPI_MCA_coll=^irr 1 6 "rank 1 of MPI_COMM_WORLD has not loaded coll/irr, but rank 0 has" apart
beside "2 of 4 ranks lack coll/irr; a communicator of the other 2 ranks is served" halves
for priority in 5 -1 60; do
    beside "priority $priority on rank 0 of 4" \
        mixed OMPI_MCA_coll_irr_priority=$priority 1 3 "coll_irr_priority is .* on rank .* on rank" apart
    beside "priority $priority on rank 3 of 4" \
        mixed_last OMPI_MCA_coll_irr_priority=$priority 3 1 "coll_irr_priority is .* on rank .* on rank" apart
done
beside "priority 5 on rank 0 of 2, MPI_Alltoall first" \
    mixed OMPI_MCA_coll_irr_priority=5 1 1 "coll_irr_priority is 5 on rank 0 .* and 40 on rank 1" apart:1
for first in 0 1 2; do
    group "all of 4 ranks have coll/irr, first collective: number $first" same:$first
    group "one of 4 ranks lacks memory for a module, first collective: number $first" modules:$first
done
group "one of 4 ranks lacks memory while a communicator is created and makes its first calls" no_memory
check_groups 4 "$program"
beside "a job that spawns another job" ranks 2 "$program" spawn
beside "a program started without mpirun" "$program" apart
finish
exit $failed
