#!/bin/sh
# leaks.sh - creating, using and freeing communicators in cycles leaks nothing: checked by resident memory, open files
# and valgrind.
LIMIT=300
. "${srcdir:-.}/tests/mpi/lib.sh"

valgrind_cycles() {
    under_valgrind "$builddir/mpi_cycles" 1000 100000
}

valgrind_both() {
    given alltoall_algorithm="$1" under_valgrind "$builddir/mpi_cycles" 200 100000 alltoall
}

plan 7
check "2000 cycles on 4 ranks at constant memory" ranks 4 "$builddir/mpi_cycles" 2000 256
for algorithm in direct tree; do
    check "2000 cycles of both collectives on 4 ranks at constant memory, MPI_Alltoall by $algorithm" \
        ranks 4 --mca coll_irr_alltoall_algorithm $algorithm "$builddir/mpi_cycles" 2000 256 alltoall
done
check "the test detects growth above its limit" expect_failure ranks 2 "$builddir/mpi_cycles" 100 -100000
if ! whole; then
    left_out "1000 cycles under valgrind"
    for algorithm in direct tree; do
        left_out "200 cycles of both collectives under valgrind, MPI_Alltoall by $algorithm"
    done
elif command -v valgrind > /dev/null; then
    check "1000 cycles under valgrind" valgrind_cycles
    for algorithm in direct tree; do
        check "200 cycles of both collectives under valgrind, MPI_Alltoall by $algorithm" valgrind_both $algorithm
    done
else
    skip "1000 cycles under valgrind" "valgrind was not found; install it (Debian: valgrind)"
    skip "200 cycles of both collectives under valgrind, MPI_Alltoall by direct" "the same"
    skip "200 cycles of both collectives under valgrind, MPI_Alltoall by tree" "the same"
fi
exit $failed
