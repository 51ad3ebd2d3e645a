#!/bin/sh
# abi.sh - an Open MPI of another release than the one that coll/irr was built for.
LIMIT=40
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

plan 6
check "an older series" declines 4.0.7
check "a series to come" declines 7.0.0
case $("$MPIRUN" --version) in
    *') 5.0.'*)
        check "a release whose communicators are laid out in another way" declines 5.0.6
        # The members of a communicator that coll/irr reads lie elsewhere from 5.0.10 on, and here they do not.
        check "a later release of the series" serves 5.0.9
        check "a release whose packager has changed the identification" serves 5.0.9 packager
        ;;
    *)
        check "the release before a series" declines 5.0.0
        check "a later release of the series" serves 4.1.99
        check "a release whose packager has changed the identification" serves 4.1.99 packager
        ;;
esac
check "a version that cannot be read" declines next unknown
exit $failed
