#!/bin/sh
# board_threads.sh - boards under the sanitizer of threads, which sees whether a rank may read what another one still
# writes.  It cannot see processes, so the ranks of test_board.c are threads in its last cases.

srcdir=${srcdir:-.}
. "$srcdir/tests/tap.sh"
CC=${CC:-cc}

sources="tests/irr_test.c tests/irr_memory.c tests/irr_visits.c ucx_engine/board/board.c ucx_engine/board/board_run.c
    ucx_engine/board/turn.c
    ucx_engine/transport/shm/lend.c ucx_engine/transport/shm/segment.c
    ucx_engine/route/boarded.c ucx_engine/problem/blocks.c ucx_engine/core/core.c"

# build OUTPUT SOURCE...: with the sanitizer; its complaints end the program.
build() {
    output=$1
    shift
    # CC and the flags are lists of words.
    # shellcheck disable=SC2086
    $CC -std=gnu11 -D_GNU_SOURCE -g -O1 -fsanitize=thread -I"$srcdir/ucx_engine" -I"$srcdir" -I"$srcdir/tests" "$@" \
        -lcunit -lpthread -o "$output" 2> "$scratch/cc"
}

# watched NAME SOURCE...: that test, with these sources beside.
watched() {
    name=$1
    shift
    # The sources are a list of words.
    # shellcheck disable=SC2086
    (
        cd "$srcdir" && srcdir=. && build "$scratch/$name" "tests/test_$name.c" $sources "$@" &&
            TSAN_OPTIONS=halt_on_error=1 "$scratch/$name" > "$scratch/out" 2>&1 && ! grep -q '^not ok' "$scratch/out"
    )
}

echo "1..1"
printf 'int main(void) { return 0; }\n' > "$scratch/empty.c"
if ! build "$scratch/empty" "$scratch/empty.c" || ! "$scratch/empty"; then
    for name in "no rank reads what another one writes"; do
        skip "$name" "the compiler has no sanitizer of threads here, or no CUnit"
    done
    exit 0
fi
watched board tests/irr_node.c
report $? "no rank reads what another one writes"
exit $failed
