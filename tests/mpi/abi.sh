#!/bin/sh
# abi.sh - an Open MPI of another release than the one that coll/irr was built for, and the front end of the programs.
# shellcheck disable=SC2046
LIMIT=60
. "${srcdir:-.}/tests/mpi/lib.sh"
program="$builddir/irr_bench -m 8:8 -i 1 -x 0 --algorithms host,direct"

# sees RELEASE RANKS [IDENT]: a job of irr_bench in which coll/irr takes Open MPI for that release.
sees() {
    "$OMPI_MPICC" -shared -fPIC -DRELEASE="\"$1\"" -DIDENT="\"${3:-$1}\"" -o "$scratch/release.so" \
        "$srcdir/tests/mpi/release.c" || return
    # shellcheck disable=SC2086
    ranks "$2" --mca coll_irr_verbose 1 env LD_PRELOAD="$scratch/release.so" $program
}

# declines RELEASE [TEXT]: all is left to Open MPI, and one line says why.
declines() {
    one_says "MPI_COMM_WORLD is left to Open MPI: built for Open MPI [0-9.]*, but ${2:-$1} runs" sees "$1" 2 &&
        ! grep -q "because coll_irr_alltoallv_algorithm is direct" "$scratch/run"
}

# serves RELEASE [IDENT]
serves() { says "because coll_irr_alltoallv_algorithm is direct" sees "$1" 2 ${2:+"$2"}; }

# has_front: a program of the tests loads one front end of Open MPI: libmpi, or libmpi_abi with --enable-mpi-abi.
has_front() {
    case $FRONT_LIBS in *-lmpi_abi*) front=libmpi_abi ;; *) front=libmpi ;; esac
    ldd "$builddir/mpi_calls" > "$scratch/libraries"
    [ "$(grep -o 'libmpi[_a-z]*\.so' "$scratch/libraries" | sort -u)" = "$front.so" ]
}

plan 7
check "programs load one front end" has_front
check "an older series" declines 4.0.7
check "a series to come" declines 7.0.0
if [ "${release%.*}" = 5.0 ]; then
    check "a release whose communicators are laid out in another way" declines 5.0.6
    # The members of a communicator that coll/irr reads lie elsewhere from 5.0.10 on, and here they do not.
    later=5.0.9
else
    check "a release of another series" declines 5.0.0
    later=${release%.*}.99
fi
check "a later release of the series" serves $later
check "a release whose packager has changed the identification" serves $later packager
check "a version that cannot be read" declines next unknown
exit $failed
