#!/bin/sh
# trace.sh - coll_irr_trace and irr_trace: each message has both ends, and what cannot be written is told.
LIMIT=40
. "${srcdir:-.}/tests/mpi/lib.sh"
help_texts
program="$builddir/irr_bench -c -m 100:6400 -i 3 -x 1 --algorithms a1,a2,aapc"
tool=$srcdir/contrib/irr_trace

# traces N: a job of N ranks leaves a file for each.
traces() {
    # shellcheck disable=SC2086
    ranks "$1" --mca coll_irr_trace "$scratch/job" $program && [ "$(ls "$scratch"/job.*.trace | wc -l)" -eq "$1" ]
}

# whole_trace: one file for all, in which each send has an arrow to its receive.  Perfetto takes numbers for arrows, and
# turns those round that lead to a span which began before.
whole_trace() {
    "$tool" -o "$scratch/all.json" "$scratch"/job.*.trace > "$scratch/summary" && cat "$scratch/summary" &&
        python3 - "$scratch/all.json" << 'EOF'
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
begun = sorted(e["id"] for e in events if e["ph"] == "s")
ended = sorted(e["id"] for e in events if e["ph"] == "f")
spans = [e for e in events if e["ph"] == "X"]
kinds = {e["name"].split()[0] for e in spans}
assert begun and begun == ended and len(set(begun)) == len(begun), (len(begun), len(ended))
assert {"exchange", "data", "header", "signal", "wait"} <= kinds, kinds
sent = {e["id"]: e["ts"] for e in events if e["ph"] == "s"}
lines = {}
for span in spans:
    lines.setdefault((span["pid"], span["tid"]), []).append(span)
for e in (e for e in events if e["ph"] == "f"):
    begins = [x["ts"] for x in lines[e["pid"], e["tid"]] if abs(x["ts"] + x["dur"] - e["ts"]) < 1e-3]
    assert isinstance(e["id"], int) and max(begins) >= sent[e["id"]], (e, begins)
assert all(e["ts"] >= 0 and e["dur"] >= 0 for e in spans)
assert {e["pid"] for e in spans} == {0, 1, 2, 3}
EOF
}

# no_trace FILE: told in one line.
no_trace() {
    ! "$tool" -o "$scratch/none.json" "$@" > "$scratch/run" 2>&1 && grep -c . "$scratch/run" && ! grep Traceback "$scratch/run"
}

if ! command -v python3 > /dev/null; then
    echo "1..0 # SKIP python3 was not found"
    exit 0
fi
plan 5
check "a job of four ranks" traces 4
check "its traces as one" whole_trace
check "a folder that is not there" told "cannot be written" \
    ranks 2 --mca coll_irr_trace "$scratch/no/such/job" "$builddir/mpi_default" left
echo "not a trace" > "$scratch/bad.0.trace"
check "a file that is no trace" no_trace "$scratch/bad.0.trace"
check "a file with another name" no_trace "$scratch/all.json"
exit $failed
