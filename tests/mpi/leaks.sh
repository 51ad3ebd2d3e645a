#!/bin/sh
# leaks.sh - a thousand communicator cycles leak nothing, by resident memory and by valgrind.
LIMIT=300
. "${srcdir:-.}/tests/mpi/lib.sh"

# Open MPI and PMIx lose memory of their own, so only records that pass through coll/irr count.
valgrind_cycles() {
    suppressions=$("$OMPI_INFO" --path pkgdatadir --parsable | sed -n 's/^path:pkgdatadir://p')/openmpi-valgrind.supp
    ranks 2 valgrind --leak-check=full --show-leak-kinds=definite,indirect --num-callers=40 --keep-debuginfo=yes \
        --suppressions="$suppressions" --log-file="$scratch/valgrind.%p" "$builddir/mpi_cycles" 1000 100000 || return 1
    [ "$(cat "$scratch"/valgrind.* | grep -c 'LEAK SUMMARY')" -eq 2 ] || return 1
    awk '/^==[0-9]+== *$/ { if (record ~ /irr_/) { print record; bad = 1 } record = "" }
         { record = record $0 "\n" } END { exit bad }' "$scratch"/valgrind.*
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
