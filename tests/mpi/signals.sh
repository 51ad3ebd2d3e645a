#!/bin/sh
# signals.sh - a program has its own handlers of signals, and loads no library that it does not use, with coll/irr as
# without it.
LIMIT=60
. "${srcdir:-.}/tests/mpi/lib.sh"
unset OMPI_MCA_coll_irr_alltoallv_algorithm
all_components

# seen FILE [OPTION]...: stores the output of a job with these options.
seen() {
    file=$1
    shift
    ranks 2 "$@" "$builddir/mpi_signals" > "$scratch/run" || return
    grep '^after ' "$scratch/run" > "$scratch/$file"
}

alike() { diff "$scratch/$1" "$scratch/$2"; }

# A job that coll/irr does not serve, down to the libraries.
as_without() {
    seen without --mca coll '^irr' && seen with && alike without with
}

# handlers_by OPTION...: those of a job that is served.
handlers_by() {
    seen with --mca coll_irr_alltoallv_algorithm direct "$@" || return
    for file in without with; do
        grep -v loaded "$scratch/$file" > "$scratch/$file.handlers"
    done
    alike without.handlers with.handlers
}

is_loaded() { grep -q "after exchanges: $1 is loaded" "$scratch/with"; }

served() { handlers_by --mca coll_irr_shm 0 --mca coll_irr_transport "$1" && is_loaded "$2"; }

# A setting of the user is respected, for SIGILL, which Open MPI does not handle.
taken_if_told() {
    export UCX_HANDLE_ERRORS=bt
    handlers_by --mca coll_irr_shm 0 --mca coll_irr_transport ucx | grep '^>' > "$scratch/taken"
    unset UCX_HANDLE_ERRORS
    cat "$scratch/taken"
    grep -q 'after exchanges: SIGILL goes to a library' "$scratch/taken" &&
        grep -q 'after exchanges: SIGSEGV goes to a library' "$scratch/taken"
}

plan 4
check "nothing configured: handlers and libraries as without coll/irr" as_without
for pair in ucx:libucp.so ofi:libfabric.so; do
    transport=${pair%:*}
    if ! echo " $TRANSPORTS " | grep -q " $transport "; then
        skip "handlers as without coll/irr, over $transport" "coll/irr was built without $transport"
        continue
    fi
    check "handlers as without coll/irr, over $transport" served "$transport" "${pair#*:}"
done
if echo " $TRANSPORTS " | grep -q ' ucx ' && grep -q 'after MPI_Init: libucs.so is not loaded' "$scratch/without"; then
    check "UCX takes signals if the user says so" taken_if_told
else
    skip "UCX takes signals if the user says so" "Open MPI has loaded UCX before, or coll/irr was built without it"
fi
exit $failed
