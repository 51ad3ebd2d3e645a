#!/bin/sh
# harness.sh - the test harness reports a failed assertion, the end of the time limit, and a crash as failures.
program=${builddir:-.}/must_fail
. "${srcdir:-.}/tests/tap.sh"

[ -x "$program" ] || skip_all "the engine tests were not built, because CUnit was not found (Debian: libcunit1-dev)"

reports() { grep -qx "$1" "$scratch/run"; }
fails() { ! "$program" "$@" > "$scratch/run" 2>&1; }

echo 1..8
check "a failed assertion fails the program" fails
check "the case of a failed assertion is reported as failed" reports 'not ok 1 - must_fail: assertion'
check "file and line of a failed assertion are printed" \
    grep -q '^# .*must_fail.c:[0-9]*: CU_ASSERT_EQUAL(1,2)' "$scratch/run"
check "a skipped case has a reason" reports 'ok 2 - must_fail: skip # SKIP nothing to run it on'
check "a skip does not hide a failure" reports 'not ok 3 - must_fail: failed skip'
check "a successful case is reported" reports 'ok 4 - must_fail: success'
check "the time limit ends a case that hangs" fails hang
check "a case that crashes fails the program" fails crash
exit $failed
