#!/bin/sh
# harness.sh - the harness sees failures: of an assertion, by the time limit, by a crash.
program=${builddir:-.}/must_fail
. "${srcdir:-.}/tests/tap.sh"

if [ ! -x "$program" ]; then
    echo "1..0 # SKIP the engine tests were not built, because CUnit was not found (Debian: libcunit1-dev)"
    exit 0
fi

# expect NAME COMMAND...: the command must succeed.
expect() {
    name=$1
    shift
    "$@" > /dev/null 2>&1
    report $? "$name"
}

reports() { grep -qx "$1" "$scratch/out"; }
fails() { ! "$program" "$@" > "$scratch/out" 2>&1; }

echo 1..8
expect "a failed assertion fails the program" fails
expect "its case is reported as failed" reports 'not ok 1 - must_fail: assertion'
expect "its place is named" grep -q '^# .*must_fail.c:[0-9]*: CU_ASSERT_EQUAL(1,2)' "$scratch/out"
expect "a skipped case says why" reports 'ok 2 - must_fail: skip # SKIP nothing to run it on'
expect "a failure is not hidden by a skip" reports 'not ok 3 - must_fail: failed skip'
expect "a success is reported" reports 'ok 4 - must_fail: success'
expect "a case that hangs is ended by the time limit" fails hang
expect "a case that crashes fails the program" fails crash
exit $failed
