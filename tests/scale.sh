#!/bin/sh
# scale.sh - bounds the instructions of the engine in exchanges of 256 ranks.
#
# callgrind counts the instructions in the function `counted` of test_scale.  The bounds hold for the functions of the
# engine, divided by the number of ranks; the loopback transport and the test itself are not counted.

srcdir=${srcdir:-.}
builddir=${builddir:-.}
. "$srcdir/tests/tap.sh"

# instructions ROW: prints the instructions of the engine per rank in the counted exchange of a row of test_scale.
instructions() {
    IRR_SCALE=256 IRR_SCALE_ROW=$1 valgrind --tool=callgrind --toggle-collect=counted \
        --callgrind-out-file="$scratch/counts" "$builddir/test_scale" > "$scratch/log" 2>&1 || return 1
    callgrind_annotate --auto=no --threshold=100 "$scratch/counts" |
        awk '/ucx_engine\// { gsub(",", ""); sum += $1 } END { printf "%d\n", sum / 256 }'
}

# bounds ROW LIMIT: the engine must take at least 1 and at most LIMIT instructions per rank.
bounds() {
    found=$(instructions "$1")
    echo "# $1, 256 ranks: $found instructions of the engine per rank in an exchange, at most $2 allowed"
    [ "${found:-0}" -ge 1 ] && [ "$found" -le "$2" ]
    report $? "instructions of an exchange, $1"
}

echo 1..2
for row in sparse-direct:4000 dense-grid:50000; do
    if ! command -v callgrind_annotate > /dev/null; then
        skip "instructions of an exchange, ${row%:*}" "valgrind is not installed"
    elif [ ! -x "$builddir/test_scale" ]; then
        skip "instructions of an exchange, ${row%:*}" "test_scale was not built: install CUnit"
    else
        bounds "${row%:*}" "${row#*:}"
    fi
done
finish
exit "$failed"
