#!/bin/sh
# abi.sh - coll/irr runs under later releases of the series of Open MPI for which it was built, but under no other.
# shellcheck disable=SC2046
LIMIT=60
. "${srcdir:-.}/tests/mpi/lib.sh"
program="$builddir/irr_bench -m 8:8 -i 1 -x 0 --algorithms host,direct"

# sees RELEASE RANKS [IDENT]: runs a job of irr_bench in which Open MPI reports this release and this identification.
sees() {
    "$OMPI_MPICC" -shared -fPIC -DRELEASE="\"$1\"" -DIDENT="\"${3:-$1}\"" -o "$scratch/release.so" \
        "$srcdir/tests/mpi/release.c" || return
    # shellcheck disable=SC2086
    ranks "$2" --mca coll_irr_verbose 1 env LD_PRELOAD="$scratch/release.so" $program
}

# declines RELEASE [TEXT]: Open MPI serves all calls, and one line says why.
declines() {
    one_says "MPI_COMM_WORLD is left to Open MPI: built for Open MPI [0-9.]*, but ${2:-$1} runs" sees "$1" 2 &&
        ! grep -q "because coll_irr_alltoallv_algorithm is direct" "$scratch/run"
}

# serves RELEASE [IDENT]: coll/irr serves the calls.
serves() { says "because coll_irr_alltoallv_algorithm is direct" sees "$1" 2 ${2:+"$2"}; }

# has_front: a test program loads one library of MPI: libmpi, or libmpi_abi if configured with --enable-mpi-abi.
has_front() {
    case $FRONT_LIBS in *-lmpi_abi*) front=libmpi_abi ;; *) front=libmpi ;; esac
    ldd "$builddir/mpi_calls" > "$scratch/libraries"
    [ "$(grep -o 'libmpi[_a-z]*\.so' "$scratch/libraries" | sort -u)" = "$front.so" ]
}

plan 7
check "a test program loads one library of MPI" has_front
check "an older series is declined" declines 4.0.7
check "a future series is declined" declines 7.0.0
if [ "${release%.*}" = 5.0 ]; then
    check "a release with another layout of communicators is declined" declines 5.0.6
    # 5.0.10 moves members of communicators that coll/irr reads, so the test claims no later release than 5.0.9.
    later=5.0.9
else
    check "a release of another series is declined" declines 5.0.0
    later=${release%.*}.99
fi
check "a later release of the series is served" serves $later
check "a release with a packager's identification is served" serves $later packager
check "a release without a number is declined" declines next unknown
exit $failed
