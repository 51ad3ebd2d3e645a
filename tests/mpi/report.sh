#!/bin/sh
# report.sh - coll_irr_report writes a table or JSON of the exchanges of a job: with named algorithms and with auto,
# with freed communicators, into files that cannot be written, with settings that differ between ranks, and in jobs that
# end without MPI_Finalize.
LIMIT=60
. "${srcdir:-.}/tests/mpi/lib.sh"
unset OMPI_MCA_coll_irr_alltoallv_algorithm
program=$builddir/mpi_report

# reports N OPTION... PROGRAM ARGUMENT...: runs a job that writes only a report, as JSON, and checks the report.
reports() {
    n=$1
    shift
    rm -f "$scratch/report.json"
    shown ranks "$n" --mca coll_irr_report "$scratch/report.json" "$@" || return 1
    cat "$scratch/report.json"
    ! [ -s "$scratch/run" ] && python3 -m json.tool "$scratch/report.json" > /dev/null && agrees
}

# holds EXPRESSION: the Python expression is true.  r is the last report, row(call, ranks) its row of a communicator.
holds() {
    python3 - "$scratch/report.json" "$1" << 'END'
import json, sys
r = json.load(open(sys.argv[1]))

def row(call, ranks, name=""):
    found = [x for x in r["rows"] if x["call"] == call and x["ranks"] == ranks and name in x["communicator"]]
    assert len(found) == 1, found
    return found[0]

if not eval(sys.argv[2]):
    print("false:", sys.argv[2])
    sys.exit(1)
END
}

# agrees: the last report is consistent, and equals the variables of MPI_T that the job printed.
agrees() {
    python3 - "$scratch/report.json" "$scratch/run" << 'END'
import json, math, re, sys
report = json.load(open(sys.argv[1]))
wrong = []

def holds(what, row, true):
    if not true:
        wrong.append("%s: %s" % (what, json.dumps(row)))

def check_numbers(row):
    time, setup, share = row["time_ns"], row["setup_ns"], row["setup_share"]
    saved, interval = row["saved_ns"], row["saved_range_ns"]
    holds("agreements have a cost", row, setup > 0 or row["agreements"] == 0)
    holds("setup_share fits setup_ns", row, share is None or (0 <= share <= 1 and abs(share - setup / (time + setup)) < 0.001))
    holds("density is from 0 to 1", row, row["density"] is None or 0 <= row["density"] <= 1)
    holds("saved is in its range", row, (saved is None and interval is None) or interval[0] <= saved <= interval[1])
    holds("served counts exchanges", row, 0 <= row["served"] <= row["exchanges"])
    holds("served_share fits served", row,
          abs((row["served_share"] or 0) - row["served"] / max(1, row["exchanges"])) < 0.001)
    holds("the strategies that replaced Open MPI took a part of the time", row, 0 <= row["strategy_ns"] <= time)

# A saved time is the time in exchanges by the strategies that replaced Open MPI, times (speedup - 1), minus set-up.
def check_saved(row):
    saved, interval = row["saved_ns"], row["saved_range_ns"]
    speedups = [s for strategy in row["strategies"] for s in strategy["speedup"]]
    if saved is None:
        return
    holds("the interval is not longer than the time in exchanges", row, interval[1] - interval[0] <= row["time_ns"] + 2)
    holds("exchanges by Open MPI save nothing", row, row["strategy_ns"] > 0 or abs(saved + row["setup_ns"]) <= 2)
    if speedups and len(row["strategies"]) < 8:   # otherwise the list is not complete
        most = row["strategy_ns"] * (max(speedups) - 0.999) - row["setup_ns"] + 2
        least = row["strategy_ns"] * (min(1, min(speedups)) - 1.001) - row["setup_ns"] - 2
        holds("saved_ns fits the time, the speedups and setup_ns", row, least <= saved <= most)

def check_row(row):
    served, other = row["speedup"], row["best_other_speedup"]
    ours = row["strategy"] != "Open MPI's own"
    one = row["communicators"] == 1
    strategies = {strategy["strategy"]: strategy["speedup"] for strategy in row["strategies"]}
    alone = "_algorithm is " in (row["reason"] or "")   # the strategies were not compared with Open MPI
    shown = re.findall(r"speedup ([0-9.]+)(?: to ([0-9.]+))?", row["reason"] or "")
    holds("there is a reason", row, row["reason"])
    holds("speedup belongs to a strategy of coll/irr and is above 1", row, served is None or (ours and served[0] > 1))
    holds("Open MPI has no speedup", row, ours or served is None)
    holds("saved_ns of a named algorithm is unknown", row, row["saved_ns"] is None or not alone)
    holds("without a trial saved_ns is unknown", row,
          row["saved_ns"] is None or row["tried"] > 0 or row["strategy"] != "Open MPI's own" or row["strategy_ns"] > 0)
    holds("after a trial saved_ns is known, unless the interval is long", row,
          row["tried"] == 0 or alone or row["saved_ns"] is not None or row["strategy_ns"] > 0)
    check_saved(row)
    holds("complete trials have exchanges", row,
          row["tried"] == 0 or row["trial_exchanges"] > 0 or "not over yet" in row["reason"])
    for speedup in strategies.values():
        holds("a speedup is a range", row, 0 <= speedup[0] <= speedup[1])
    for least, most in shown if not alone else []:
        wanted = served or other
        got = [float(least), float(most or least)]
        holds("the reason has the speedup of the row", row, all(abs(a - b) < 0.006 for a, b in zip(got, wanted)))
    counted = "count as" in (row["reason"] or "").split("coll_irr_setup_share")[0]
    took = re.search(r"took ([0-9.]+) (ns|us|ms|s) on rank 0", row["reason"] or "")
    holds("a reason with a discounted time also has the time", row, took or not counted)
    if took:
        ns = float(took[1]) * {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[took[2]]
        holds("time_ns is at least the time of rank 0 in the reason", row, ns <= 1.06 * row["time_ns"])
    if one and served and row["strategy"] in strategies:
        least, most = strategies[row["strategy"]]
        holds("speedup is in the range of trials", row, least <= served[0] <= most)
        gained = (row["saved_ns"] or 0) + row["setup_ns"]
        holds("exchanges lose nothing if no trial was slower than Open MPI", row, least < 1 or gained >= 0)
    if one and other and len(strategies) < 8:
        holds("best_other_speedup is in the range of a trial", row, any(a <= other[0] <= b for a, b in strategies.values()))
    if not ours and one and strategies and all(most <= 0.97 for _, most in strategies.values()):
        holds("Open MPI serves if every trial was slower", row, row["strategy_ns"] == 0)

def check_total(total, rows):
    for key in ("communicators", "exchanges", "served", "messages", "bytes", "tried", "trial_exchanges", "agreements",
                "time_ns", "strategy_ns", "setup_ns"):
        holds("the total is the sum of " + key, total, (total[key] or 0) == sum(row[key] or 0 for row in rows))
    saved = sum(row["saved_ns"] or 0 for row in rows)
    holds("the total is the sum of saved_ns", total, abs((total["saved_ns"] or 0) - saved) <= len(rows))

rows = report["rows"]
for row in rows:
    check_numbers(row)
    check_row(row)
for total in report["totals"]:
    check_numbers(total)
    check_total(total, [row for row in rows if row["call"] == total["call"]])
holds("each collective has a total", report, sorted(x["call"] for x in report["totals"]) == sorted({x["call"] for x in rows}))
check_numbers(report["total"])
check_total(report["total"], rows)
variables = dict(re.findall(r"coll_irr_alltoallv_(\w+) (\S+)", open(sys.argv[2]).read()))
for key, value in variables.items():
    row = [x for x in rows if x["communicator"] == "MPI_COMM_WORLD" and x["call"] == "MPI_Alltoallv"][0]
    values = {"ns": row["time_ns"], "speedup": (row["speedup"] or [0])[-1], "saved_ns": row["saved_ns"] or 0,
            "saved_low_ns": (row["saved_range_ns"] or [0])[0], "saved_high_ns": (row["saved_range_ns"] or [0])[-1]}
    holds("the variable %s is %s" % (key, value), row, abs(values.get(key, row.get(key)) - float(value)) <= 0.001)
if wrong:
    print("\n".join(wrong))
sys.exit(len(wrong) > 0)
END
}

# below LIMIT: prints the next pseudo-random number below LIMIT.
below() {
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    echo $((seed / 65536 % $1))
}

# Six jobs with random numbers of ranks, calls and communicators, and a small, a large or an unlimited share for trials.
random_agrees() {
    seed=${IRR_SEED:-$(date +%s)}
    echo "IRR_SEED=$seed"
    for job in 1 2 3 4 5 6; do
        seed=$((seed + job)) && n=$((2 + $(below 5))) && seed=$((seed + 1)) && calls=$((60 * (1 + $(below 12))))
        seed=$((seed + 1)) && comms=$((3 * $(below 4))) && seed=$((seed + 1))
        case $(below 3) in 0) share=20 ;; 1) share=1000 ;; *) share=1000000000 ;; esac
        echo "$n ranks, $calls calls, $comms communicators, share $share"
        shown ranks "$n" --mca coll_irr_report "$scratch/report.json" --mca coll_irr_setup_share $share \
            --mca coll_irr_alltoall_algorithm auto "$program" $calls $comms print && agrees || return
    done
}

# The report has the messages and bytes of mpi_report (report.c) with 7 calls on 4 ranks, except blocks to the same rank.
counts() {
    reports 4 "$@" "$program" 7 0 &&
        holds 'r["ranks"] == 4 and r["ranks_reporting"] == 4' &&
        holds 'row("MPI_Alltoallv", 4)["exchanges"] == 7 and row("MPI_Alltoall", 4)["exchanges"] == 7' &&
        holds 'row("MPI_Alltoallv", 4)["messages"] == 7 * 9 and row("MPI_Alltoall", 4)["messages"] == 7 * 12' &&
        holds 'row("MPI_Alltoallv", 4)["bytes"] == 7 * 10 * (3 + 2 * 2 + 2 * 3 + 2 * 4)' &&
        holds 'row("MPI_Alltoallv", 4)["longest_message"] == 40 and row("MPI_Alltoall", 4)["bytes"] == 7 * 12 * 8' &&
        holds 'row("MPI_Alltoallv", 4)["density"] == 0.75 and row("MPI_Alltoall", 4)["density"] == 1' &&
        holds 'row("MPI_Ialltoall", 4)["messages"] == 7 * 8 and row("MPI_Ialltoall", 4)["density"] == 1' &&
        holds 'row("MPI_Ialltoall", 4)["communicator"] == "unnamed communicator"' &&
        holds 'row("MPI_Alltoallv", 2)["communicators"] == 2 and row("MPI_Alltoallv", 2)["exchanges"] == 10' &&
        holds 'row("MPI_Alltoallv", 2)["communicator"] == "half ?of? ? all??"' &&
        holds 'row("MPI_Alltoallv", 2)["bytes"] == 2 * 5 * 10 and row("MPI_Alltoallv", 4)["time_ns"] > 0' &&
        holds 'all(x["nodes"] == 1 for x in r["rows"])'
}

left() {
    counts --mca coll_irr_setup_share 0 --mca coll_irr_alltoall_algorithm host && holds 'row("MPI_Alltoallv", 4)["strategy"] == "Open MPI'"'"'s own"' &&
        holds '"auto and coll_irr_setup_share is 0" in row("MPI_Alltoallv", 4)["reason"]' &&
        holds '"alltoall_algorithm is host" in row("MPI_Alltoall", 4)["reason"]' &&
        holds 'r["total"]["served"] == 0 and row("MPI_Alltoallv", 4)["served_share"] == 0' &&
        holds 'r["summary"].startswith("coll/irr left all 31 exchanges to Open MPI (most of the time: MPI_")'
}

named() {
    counts --mca coll_irr_alltoallv_algorithm direct && holds 'row("MPI_Alltoallv", 4)["strategy"] == "direct"' &&
        holds 'row("MPI_Alltoallv_init", 4)["exchanges"] == 3 and row("MPI_Alltoallv_init", 4)["bytes"] == 630' &&
        holds '"exchanges by direct; no trial has compared that with Open MPI" in r["summary"]' &&
        holds 'row("MPI_Alltoallv", 4)["served"] == 7 and row("MPI_Alltoallv_init", 4)["served_share"] == 1' &&
        holds 'row("MPI_Alltoallv", 4)["setup_ns"] > 0 and row("MPI_Alltoallv", 4)["saved_ns"] is None'
}

two_nodes() {
    reports 4 --mca coll_irr_ranks_per_node 2 "$program" 7 0 && holds 'row("MPI_Alltoallv", 4)["nodes"] == 2'
}

choosing() {
    counts --mca coll_irr_setup_share 5 &&
        holds '"7 exchanges took" in row("MPI_Alltoallv", 4)["reason"] and row("MPI_Alltoallv", 4)["tried"] == 0'
}

# With an unlimited share, trials may take any time.
trials() {
    reports 4 --mca coll_irr_setup_share 1000000000 --mca coll_irr_alltoall_algorithm auto "$program" 1000 0 &&
        holds 'row("MPI_Alltoallv", 4)["tried"] > 0 and row("MPI_Alltoallv", 4)["trial_exchanges"] > 0' &&
        holds 'any(w["strategy"] == "direct" and w["speedup"][0] > 0 for w in row("MPI_Alltoallv", 4)["strategies"])' &&
        holds 'row("MPI_Alltoallv", 4)["served"] > 0 and row("MPI_Alltoall", 4)["exchanges"] == 1000' &&
        holds 'row("MPI_Alltoallv", 4)["agreements"] > 1 and row("MPI_Alltoallv", 4)["reason"]'
}

# Trials of the strategies of a named algorithm do not compare them with Open MPI.
strategies() {
    reports 4 --mca coll_irr_setup_share 1000000000 --mca coll_irr_ranks_per_node 2 \
        --mca coll_irr_alltoallv_algorithm tree "$program" 300 0 &&
        holds 'row("MPI_Alltoallv", 4)["tried"] > 0 and row("MPI_Alltoallv", 4)["trial_exchanges"] > 0' &&
        holds 'row("MPI_Alltoallv", 4)["saved_ns"] is None and row("MPI_Alltoallv", 4)["speedup"] is None' &&
        holds 'row("MPI_Alltoallv", 4)["strategies"] == [] and row("MPI_Alltoallv", 4)["agreements"] > 1' &&
        holds '"coll_irr_alltoallv_algorithm is tree" in row("MPI_Alltoallv", 4)["reason"]'
}

freed() {
    reports 3 --mca coll_irr_alltoallv_algorithm "$1" "$program" 1 200 &&
        holds 'row("MPI_Alltoallv", 3, "WORLD")["communicators"] == 201' &&
        holds 'row("MPI_Alltoallv", 3, "WORLD")["exchanges"] == 401' &&
        holds 'row("MPI_Alltoallv", 3, "WORLD")["bytes"] == 401 * 10 * (2 + 2 + 3)'
}

# one_table FILE: the file has one table, with the rows of a job of 4 ranks.
one_table() {
    cat "$1"
    head -n 1 "$1" | grep -q "^coll/irr served .* exchanges by direct; no trial has compared that with Open MPI" &&
        [ "$(grep -c 'in a job of 4 ranks' "$1")" -eq 1 ] &&
        grep -A 1 '^MPI_COMM_WORLD, MPI_Alltoallv, 4 ranks on 1 node: direct$' "$1" |
            grep -q '^  *7  *100%  *1.5 kB  *23 B  *40 B  *75% ' &&
        grep -q '^half ?of? ? all?? x 2, MPI_Alltoallv, ' "$1"
}

to_stderr() {
    ranks 4 --mca coll_irr_report "$1" --mca coll_irr_alltoallv_algorithm direct "$program" 7 0 > "$scratch/run" \
        2> "$scratch/err" || return
    ! [ -s "$scratch/run" ] && ! [ -e "$1" ] && one_table "$scratch/err"
}

no_report() {
    silent ranks 2 --mca coll_irr_report No --mca coll_irr_alltoallv_algorithm direct "$program" 7 0 && ! [ -e No ]
}

to_file() {
    silent ranks 4 --mca coll_irr_report "$scratch/table" --mca coll_irr_alltoallv_algorithm direct "$program" 7 0 &&
        one_table "$scratch/table"
}

bad_path() {
    one_message "coll_irr_report is /nowhere/at/all, which cannot be written: No such file or directory" \
        ranks 4 --mca coll_irr_report /nowhere/at/all "$program" 7 0
}

full_disk() {
    ! [ -c /dev/full ] || one_message "coll_irr_report is /dev/full, which cannot be written: No space left" \
        ranks 4 --mca coll_irr_report /dev/full "$program" 7 0
}

# Two of four ranks have the parameter: ranks 0 and 1 in two_report, ranks 2 and 3 in others_report.
two_report() {
    rm -f "$scratch/report.json"
    silent on_some_ranks "OMPI_MCA_coll_irr_report=$scratch/report.json" "$program" 7 0 &&
        holds 'r["ranks"] == 4 and r["ranks_reporting"] == 2 and row("MPI_Alltoallv", 4)["exchanges"] == 7'
}

others_report() {
    rm -f "$scratch/report.json"
    silent ranks 4 "$divide" 2 "$program" 7 0 else \
        env "OMPI_MCA_coll_irr_report=$scratch/report.json" "$program" 7 0 &&
        ! [ -e "$scratch/report.json" ]
}

# Rank 0 reports, and two other ranks have no coll/irr.
some_lack_it() {
    rm -f "$scratch/report.json"
    given report="$scratch/report.json" ranks 4 "$divide" 2 "$program" 7 0 else env OMPI_MCA_coll=^irr "$program" 7 0 &&
        holds 'r["ranks"] == 4 and r["ranks_reporting"] == 2'
}

one_rank() {
    reports 1 "$program" 7 0 && holds 'r["ranks"] == 1 and r["rows"] == []' &&
        holds 'r["summary"] == "Open MPI passed no exchange to coll/irr."'
}

# ends_early STATUS END RANK: rank RANK ends a job without MPI_Finalize (report.c).  The exit status is STATUS, with and
# without a report, and the file has the numbers of rank 0.
ends_early() {
    status=$1
    shift
    rm -f "$scratch/report.json"
    ranks 4 "$program" 7 0 "$@" > "$scratch/run" 2>&1
    [ $? -eq "$status" ] || return
    ranks 4 --mca coll_irr_report "$scratch/report.json" "$program" 7 0 "$@" > "$scratch/run" 2>&1
    [ $? -eq "$status" ] && python3 -m json.tool "$scratch/report.json" && holds 'r["complete"] is False' &&
        holds 'r["ranks"] == 4 and r["ranks_reporting"] == 1 and row("MPI_Alltoallv", 4)["exchanges"] >= 1' &&
        holds 'r["summary"].startswith("The job has not ended, so these are the numbers of rank 0 so far: coll/irr")'
}

# Open MPI 4 calls coll/irr in MPI_Abort.  The last update of the file may be older.
aborts() {
    ends_early 7 abort 0 || return
    [ "$series" -gt 4 ] || holds 'row("MPI_Alltoallv", 4)["exchanges"] == 7 and row("MPI_Alltoallv", 2)["exchanges"] == 5'
}

# With Open MPI 4, rank 0 also writes the report to stderr when it calls MPI_Abort.
aborts_to_stderr() {
    ranks 4 --mca coll_irr_report 1 "$program" 7 0 abort 0 > "$scratch/run" 2>&1
    [ $? -eq 7 ] && { [ "$series" -gt 4 ] ||
        grep -q "^The job has not ended, .* coll/irr left all 29 exchanges" "$scratch/run"; } ||
        { cat "$scratch/run"; return 1; }
}

# Updates of the file may be longer than the finished report.  Blanks at the end would be left of them.
finishes() {
    reports 4 "$program" 7 50 && holds 'r["complete"] is True' && tail -n 1 "$scratch/report.json" | grep -q '}$'
}

off() { silent ranks 4 --mca coll_irr_report 0 "$program" 7 0; }

# listed: ompi_info shows the MPI_T variables of both collectives.
listed() {
    "$OMPI_INFO" --param coll irr --level 9 > "$scratch/info" 2>&1 &&
        [ "$(grep -c 'performance "coll_irr_alltoallv*_\(exchanges\|served\|ns\|strategy\|saved_ns\)"' "$scratch/info")" -eq 10 ] ||
        { cat "$scratch/info"; return 1; }
}

# bound NAME COMMAND...: check, for a job that binds variables of MPI_T to communicators.
bound() {
    # MPI_T_pvar_handle_alloc of libmpi_abi reads a handle of the MPI ABI, such as 0x101, as the address of a
    # communicator.
    case $FRONT_LIBS in
        *-lmpi_abi*) skip "$1" "libmpi_abi of Open MPI crashes if a variable is bound to a communicator" ;;
        *) check "$@" ;;
    esac
}

series=${release%%.*}

plan 32
check "Open MPI serves all calls" left
check "a named algorithm serves calls and a persistent request" named
check "two nodes of two ranks" two_nodes
check "auto, with too few exchanges for a trial" choosing
check "auto, with trials" trials
check "trials of the strategies of tree" strategies
bound "random reports are consistent and agree with MPI_T" random_agrees
check "200 freed communicators, served by Open MPI" freed auto
check "200 freed communicators, served by direct" freed direct
check "a table on stderr" to_stderr 1
beside "coll_irr_report yes is a table on stderr, not a file" to_stderr yes
beside "coll_irr_report No is no report" no_report
check "a table in a file" to_file
check "a file that cannot be written" bad_path
check "a full disk" full_disk
check "the parameter on rank 0 and another rank" two_report
check "the parameter on two ranks, but not on rank 0" others_report
check "two of four ranks have no coll/irr" some_lack_it
check "a job of one rank" one_rank
check "MPI_Abort on rank 0" aborts
check "MPI_Abort on another rank" ends_early 7 abort 1
check "SIGTERM on rank 0" ends_early 143 term 0
check "SIGKILL on another rank" ends_early 137 kill 2
check "MPI_Abort, and a report on stderr" aborts_to_stderr
check "a finished report replaces what was written while the job ran" finishes
check "value 0: no report" off
check "no parameter: no report" silent ranks 4 "$program" 7 0
bound "variables of MPI_T if Open MPI serves" silent ranks 4 --mca coll_irr_setup_share 0 "$program" 7 0 host
bound "variables of MPI_T with a named algorithm" silent ranks 4 --mca coll_irr_alltoallv_algorithm grid "$program" 7 0 grid
bound "variables of MPI_T after trials" silent ranks 4 --mca coll_irr_setup_share 1000000000 "$program" 300 0 any
bound "variables of MPI_T with a report" reports 4 --mca coll_irr_alltoallv_algorithm grid "$program" 7 0 grid
check "ompi_info shows the variables of MPI_T" listed
exit $failed
