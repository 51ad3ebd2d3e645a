#!/bin/sh
# limits.sh - limits of a process: shared memory takes little address space, and a limit that is reached ends no job.
# The ranks agree to use the network or Open MPI's own algorithm, and one message names the limit.
LIMIT=60
. "${srcdir:-.}/tests/mpi/lib.sh"
program=$builddir/mpi_limits
# Not shared memory of the network library, which needs address space, too.
case $TRANSPORT in
    ofi) network="--mca coll_irr_ofi_provider tcp;ofi_rxm" ;;
    *) network="--mca coll_irr_ucx_tls tcp,self --mca coll_irr_ucx_devices lo" ;;
esac

# figure NAME COMMAND...: prints the figure with this name, in KiB, that the program prints.
figure() {
    figure=$1
    shift
    "$@" 2> /dev/null | sed -n "s/.*$figure \([0-9]*\).*/\1/p"
}

# little NAME [LIMIT]: with 8 ranks and short messages, a rank has at most 64 MiB more than without coll/irr.
little() {
    figure=$1
    shift
    with=$(figure "$figure" ranks 8 "$program" 8 20 "$@")
    without=$(figure "$figure" ranks 8 --mca coll ^irr "$program" 8 20 "$@")
    echo "$figure with coll/irr $with KiB, without $without KiB"
    [ -n "$with" ] && [ -n "$without" ] && [ "$without" -gt 0 ] && [ $((with - without)) -le 65536 ]
}

# fits COMMAND...: the job has right results, and prints no message of coll/irr.
fits() { shown "$@" && [ "$(lines size)" -eq 1 ] && [ "$(lines 'coll/irr: ')" -eq 0 ]; }

# refused TEXT LIMIT...: the job has right results. One message names the limit. If the network needs more than the
# limit, too, one more message says so.
refused() {
    text=$1
    shift
    # shellcheck disable=SC2086
    shown ranks 4 $network "$program" 300 20 "$@" && [ "$(lines size)" -eq 1 ] &&
        [ "$(flat | grep -o "$text" | wc -l)" -eq 1 ] && [ "$(lines 'coll/irr: ')" -le 2 ]
}

# survives LIMIT...: the job has right results, also if the network is shared memory of UCX or libfabric.
survives() { shown ranks 4 "$program" 300 20 "$@" && [ "$(lines size)" -eq 1 ]; }

# short_files KIB BYTES: all files are short, from the start of the ranks on.
short_files() {
    # shellcheck disable=SC2016
    fits ranks 4 bash -c 'ulimit -f "$1" && exec "$2" "$3" 20' bash "$1" "$program" "$2"
}

plan 14
check "shared memory takes little address space" little size
check "mlockall: shared memory takes little memory" little resident lock
check "a core dump has no shared memory" says "dumped 0" ranks 4 "$program" 8000 20
for bytes in 8 5000 100000; do
    check "files of at most 512 MiB, messages of $bytes bytes" short_files 524288 $bytes
done
check "8 MiB of address space for 8 ranks" fits ranks 8 "$program" 5000 20 space:8192
check "mlockall and 8 MiB of locked memory" fits ranks 4 "$program" 5000 20 locked:8192 lock
check "too little address space" refused "bytes of address space (ulimit -v)" space:400
check "files of 80 KiB" refused "at most 81920 bytes (ulimit -f)" file:80
check "files of 60 KiB" refused "at most 61440 bytes (ulimit -f)" file:60
check "files of 80 KiB, and a network with files of its own" survives file:80
check "no more open files" refused "open files (ulimit -n)" files:0
check "mlockall and too little locked memory" refused "at most 204800 bytes of memory (ulimit -l)" locked:200 lock
exit $failed
