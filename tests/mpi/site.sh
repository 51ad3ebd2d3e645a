#!/bin/sh
# site.sh - contrib/site writes one page and one JSON file about a machine, without private names, and keeps the results
# of jobs that fail or are killed.
#
# Some cases use a launcher that writes the files of irr_bench instead of starting a job.

srcdir=${srcdir:-.}
. "$srcdir/tests/mpi/lib.sh"
builddir=$(cd "${builddir:-.}" && pwd)

command -v python3 > /dev/null || skip_all "python3 was not found"
plan 13

site() { timeout -k 5 "$LIMIT" "$srcdir/contrib/site" --build "$builddir" "$@" > "$scratch/run" 2>&1; }
measures() {
    site --launcher "$MPIRUN" --ranks 2 --minutes 1 --max 16 -o "$scratch/site" || { cat "$scratch/run"; return 1; }
    grep -c 'all bytes right' "$scratch/run" && ! grep 'WRONG' "$scratch/run"
}
# The page has a plot of each series, and no reference to other files: all pictures are inside.  A series is measured if
# it has both lengths.  On a machine that is busy with other programs, the time may be too short for some.
has_page() {
    grep -q '</html>' "$scratch/site.html" && ! grep -E '<(img|script|link)' "$scratch/site.html" &&
        python3 -c 'import json, sys; jobs = json.load(open(sys.argv[1]))["jobs"]
assert len(jobs) >= 3 and jobs[0]["results"], jobs
assert all((job["state"] == "measured") == (len(job["results"]) == 2) for job in jobs), jobs
assert open(sys.argv[2]).read().count("<svg") == sum(bool(job["results"]) for job in jobs)' \
            "$scratch/site.json" "$scratch/site.html"
}
is_private() {
    ! grep -F -e "$(hostname)" -e "$scratch" -e "$builddir" -e "$HOME/" "$scratch/site.html" "$scratch/site.json"
}

# The page states what served auto: in each case one of coll/irr's strategies or Open MPI.
says_served() {
    python3 -c 'import json, sys
for job in json.load(open(sys.argv[1]))["jobs"]:
    for unit in job["results"]:
        for row in unit["rows"]:
            assert bool(row["choice"]) == (row["algorithm"] == "auto"), row
            assert row["choice"] is None or row["choice"]["strategy"], row' "$scratch/site.json" &&
        grep -q 'auto: served at the end by' "$scratch/site.html"
}

refuses() {
    for option in "--ranks 1" "--ranks two" "--minutes 0" "--minutes many" "--build $scratch" "--max 0" "--max 1x" \
        "--launcher $scratch/none" "-o $scratch/none/x" "--nonsense"; do
        # shellcheck disable=SC2086
        site $option
        [ $? -eq 2 ] || { echo "$option"; cat "$scratch/run"; return 1; }
    done
    site --launcher false --ranks 2 -o "$scratch/new"
    [ $? -eq 1 ] && [ ! -e "$scratch/new.html" ]
}

# An existing file stays as it is, unless --overwrite is given.
keeps_files() {
    echo old > "$scratch/old.json"
    site --launcher "$scratch/fake" -o "$scratch/old"
    [ $? -eq 2 ] && grep -q 'old.json exists; --overwrite' "$scratch/run" && [ "$(cat "$scratch/old.json")" = old ] &&
        MODE=good site --launcher "$scratch/fake" -o "$scratch/old" --overwrite --max 8 && has "$scratch/old" measured 3
}

# has NAME STATE COUNT: the page is complete, and COUNT of its first three series have this state.
has() {
    grep -q '</html>' "$1.html" && python3 -c 'import json, sys
states = [job["state"] for job in json.load(open(sys.argv[1]))["jobs"][:3]]
sys.exit(states.count(sys.argv[2]) != int(sys.argv[3]))' "$1.json" "$2" "$3"
}

# The series of sparse blocks fails, and the others stay.
keeps_others() {
    MODE=fails site --launcher "$scratch/fake" -o "$scratch/fails" --max 8
    [ $? -eq 1 ] && has "$scratch/fails" failed 1 && has "$scratch/fails" measured 2 &&
        grep -q 'sparse blocks, 4 ranks, 8 B: the job of 8 bytes failed: exit status 3' "$scratch/fails.html"
}

# The second length of random blocks never ends.
cuts_short() {
    MODE=hangs site --launcher "$scratch/fake" -o "$scratch/hangs" --minutes 0.1 --max 64 || return
    has "$scratch/hangs" 'cut short' 1 && has "$scratch/hangs" measured 2 &&
        grep -q 'random blocks, 4 ranks, 64 B: the time was too short' "$scratch/hangs.html"
}

# killed SIGNAL STATUS: a signal ends the script while a job hangs.  The first length is in the page.
killed() {
    rm -f "$scratch/killed.json" "$scratch/killed.html" "$scratch/hanging"
    MODE=hangs "$srcdir/contrib/site" --build "$builddir" --launcher "$scratch/fake" -o "$scratch/killed" --max 64 \
        > "$scratch/run" 2>&1 &
    pid=$!
    until [ -e "$scratch/hanging" ]; do
        kill -0 $pid || return
        sleep 0.05
    done
    kill "-$1" $pid
    wait $pid
    status=$?
    kill -9 "$(cat "$scratch/hanging")" 2> /dev/null     # SIGKILL leaves the job
    rm -f "$scratch/hanging"
    [ $status -eq "$2" ] && has "$scratch/killed" measured 1 && has "$scratch/killed" 'cut short' 1 &&
        python3 -c 'import json, sys
sys.exit(len(json.load(open(sys.argv[1]))["jobs"][1]["results"]) != 1)' "$scratch/killed.json"
}

lacks_component() {
    MODE=lacks site --launcher "$scratch/fake" -o "$scratch/lacks"
    [ $? -eq 1 ] && grep -q 'coll/irr did not serve all ranks' "$scratch/run" && [ ! -e "$scratch/lacks.html" ]
}

hidden_files() {
    MODE=hidden site --launcher "$scratch/fake" -o "$scratch/hidden"
    [ $? -eq 1 ] && grep -q 'rank 0 has written no results in ' "$scratch/run"
}

# In the canned results auto is faster by 1.5 in each case.
recommends() {
    grep -q 'Yes, coll/irr is worth installing here' "$scratch/old.html" &&
        grep -q 'faster than Open MPI in 3 of 3 cases' "$scratch/old.html" &&
        grep -q 'The largest was 1.50 (interval 1.40 to 1.60)' "$scratch/old.html" &&
        grep -q '<td>direct</td><td>because it has speedup 1.5 in trials</td>' "$scratch/old.html"
}

cat > "$scratch/fake" << END
#!/usr/bin/env python3
import json, os, sys
mode, words, files = os.environ.get("MODE"), sys.argv, os.environ.get("OMPI_MCA_coll_irr_report")
value = lambda name, other=None: words[words.index(name) + 1] if name in words else other
if value("--json") is None:
    print("constants")
    sys.exit()
if mode == "fails" and value("--pattern") == "sparse":
    sys.exit(3)
if mode == "hangs" and value("--pattern") == "random" and value("--unit") == "64":
    open("$scratch/hanging.part", "w").write(str(os.getpid()))
    os.rename("$scratch/hanging.part", "$scratch/hanging")
    os.execvp("sleep", ["sleep", "600"])
def row(name):
    ratio = 1.5 if name == "auto" else 1.0
    return {"algorithm": name, "persistent": False, "served_by": "host" if name == "host" or mode == "lacks" else "irr",
            "verified": True, "counters": {}, "times_us": [30 / ratio] * 10, "median_us": 30 / ratio, "min_us": 10,
            "max_us": 40, "mean_us": 30, "host_ratio": ratio, "host_ratio_low": ratio - 0.1,
            "host_ratio_high": ratio + 0.1}
result = {"program": "irr_bench", "version": "0", "mpi": "Open MPI", "call": "MPI_Alltoallv", "first_group": None,
          "in_place": False, "datatype": None, "ranks": 4, "input": {"pattern": "uniform", "seed": 1, "scale": 1},
          "iterations": int(value("-i")), "warmup": int(value("-x")),
          "results": [{"unit": int(value("--unit")), "rows": [row(name) for name in value("--algorithms").split(",")]}]}
if mode != "hidden":
    json.dump(result, open(value("--json"), "w"))
json.dump({"rows": [{"call": "MPI_Alltoallv", "nodes": 1, "strategy": "direct", "strategies": [1],
                     "reason": "because it has speedup 1.5 in trials"}]}, open(files, "w"))
END
chmod +x "$scratch/fake"

check "jobs of two ranks" measures
check "a page with plots, and the same numbers in JSON" has_page
check "page and JSON contain no names of hosts or files" is_private
check "page and JSON state what served auto" says_served
check "wrong options, and a launcher that fails" refuses
check "existing files" keeps_files
check "the summary of a cluster on which auto is faster" recommends
check "a series that fails" keeps_others
check "a series that takes too long" cuts_short
check "SIGTERM" killed TERM 143
check "SIGKILL" killed KILL 137
check "a node without coll/irr" lacks_component
check "a folder that rank 0 does not share" hidden_files
exit $failed
