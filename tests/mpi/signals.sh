#!/bin/sh
# signals.sh - coll/irr changes no signal handler of a program, and loads a network library only if it sends messages
# over this network.
LIMIT=60
. "${srcdir:-.}/tests/mpi/lib.sh"
unset OMPI_MCA_coll_irr_alltoallv_algorithm
all_components

# seen FILE [OPTION]...: stores the handlers and libraries that a job with these options prints.
seen() {
    file=$1
    shift
    ranks 2 "$@" "$builddir/mpi_signals" > "$scratch/run" || return
    grep '^after ' "$scratch/run" > "$scratch/$file"
}

alike() { diff "$scratch/$1" "$scratch/$2"; }

# If coll/irr does not serve, handlers and libraries are the same as without coll/irr.
as_without() {
    seen without --mca coll '^irr' && seen with && alike without with
}

# handlers_by OPTION...: if coll/irr serves, the handlers are the same as without coll/irr.
handlers_by() {
    seen with --mca coll_irr_alltoallv_algorithm direct "$@" || return
    for file in without with; do
        grep -v loaded "$scratch/$file" > "$scratch/$file.handlers"
    done
    alike without.handlers with.handlers
}

is_loaded() { grep -q "after exchanges: $1 is loaded" "$scratch/with"; }

served() { handlers_by --mca coll_irr_shm 0 --mca coll_irr_transport "$1" && is_loaded "$2"; }

# UCX_HANDLE_ERRORS of the user takes effect, also for SIGILL, which Open MPI does not handle.
taken_if_told() {
    export UCX_HANDLE_ERRORS=bt
    handlers_by --mca coll_irr_shm 0 --mca coll_irr_transport ucx | grep '^>' > "$scratch/taken"
    unset UCX_HANDLE_ERRORS
    cat "$scratch/taken"
    grep -q 'after exchanges: SIGILL goes to a library' "$scratch/taken" &&
        grep -q 'after exchanges: SIGSEGV goes to a library' "$scratch/taken"
}

plan 4
check "no configuration: handlers and libraries as without coll/irr" as_without
for pair in ucx:libucp.so ofi:libfabric.so; do
    transport=${pair%:*}
    if ! echo " $TRANSPORTS " | grep -q " $transport "; then
        skip "handlers as without coll/irr, over $transport" "coll/irr was built without $transport"
        continue
    fi
    check "handlers as without coll/irr, over $transport" served "$transport" "${pair#*:}"
done
if echo " $TRANSPORTS " | grep -q ' ucx ' && grep -q 'after MPI_Init: libucs.so is not loaded' "$scratch/without"; then
    check "UCX handles signals if UCX_HANDLE_ERRORS says so" taken_if_told
else
    skip "UCX handles signals if UCX_HANDLE_ERRORS says so" "Open MPI has loaded UCX before, or coll/irr was built without it"
fi
exit $failed
