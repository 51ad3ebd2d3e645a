#!/bin/sh
# leaks.sh - a thousand communicator cycles leak nothing, by resident memory and by valgrind.
LIMIT=300
. "${srcdir:-.}/tests/mpi/lib.sh"

valgrind_cycles() {
    under_valgrind "$builddir/mpi_cycles" 1000 100000
}

plan 3
check "2000 cycles on 4 ranks at constant memory" ranks 4 "$builddir/mpi_cycles" 2000 256
check "the test sees growth where none is allowed" expect_failure ranks 2 "$builddir/mpi_cycles" 100 -100000
if command -v valgrind > /dev/null; then
    check "1000 cycles under valgrind lose nothing and touch nothing they should not" valgrind_cycles
else
    skip "1000 cycles under valgrind" "valgrind was not found; install it (Debian: valgrind)"
fi
exit $failed
