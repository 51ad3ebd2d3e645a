#!/bin/sh
# trace.sh - coll_irr_trace and irr_trace: a trace has the send and the receive of each message, irr_trace refuses bad
# files, and the messages of a job are those that irr_plan prints.
LIMIT=40
. "${srcdir:-.}/tests/mpi/lib.sh"
program="$builddir/irr_bench -c -m 100:6400 -i 3 -x 1 --algorithms direct,spread,tree"
tool=$srcdir/contrib/irr_trace

# traces N: a job of N ranks writes one trace file per rank.
traces() {
    # shellcheck disable=SC2086
    ranks "$1" --mca coll_irr_trace "$scratch/job" $program && [ "$(ls "$scratch"/job.*.trace | wc -l)" -eq "$1" ]
}

# whole_trace: irr_trace joins the traces of all ranks into one file, with an arrow from each send to its receive.  For
# Perfetto, ids of arrows are numbers, and no arrow ends in a span that began before the arrow.
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

# no_trace TEXT FILE: irr_trace refuses the file in one line with the text.
no_trace() {
    ! "$tool" -o "$scratch/none.json" "$2" > "$scratch/run" 2> "$scratch/refusal" && cat "$scratch/refusal" &&
        [ ! -s "$scratch/run" ] && [ "$(grep -c . "$scratch/refusal")" -eq 1 ] && grep -q "^irr_trace: .*$1" "$scratch/refusal"
}

# wrong_lines: irr_trace names a field that is missing or has another type.
wrong_lines() {
    trace=$(ls "$scratch"/job.0.trace) && bad=$scratch/wrong.0.trace
    for field in host epoch_ns dropped op lane channel rank peer exchange kind stage bytes begin_ns end_ns status; do
        sed "s/\"$field\": /\"other\": /" "$trace" > "$bad" && no_trace "is no trace: '$field' is no" "$bad" || return
        sed "s/\"$field\": [^,}]*/\"$field\": [1]/" "$trace" > "$bad" && no_trace "'$field' is no" "$bad" || return
    done
    sed 's/"op": "recv"/"op": "rest"/' "$trace" > "$bad" && no_trace "'op' is 'rest', neither send nor recv" "$bad" &&
        sed 's/^/[/; s/$/]/' "$trace" > "$bad" && no_trace "is no object" "$bad" &&
        printf '\377\376\n' > "$bad" && no_trace "is no trace" "$bad" &&
        yes '[' | head -n 100000 | tr -d '\n' > "$bad" && no_trace "is no trace" "$bad"
}

# by_lanes: with two ranks per node, only messages within a node use shared memory.
by_lanes() {
    # shellcheck disable=SC2086
    ranks 4 --mca coll_irr_shm 1 --mca coll_irr_ranks_per_node 2 --mca coll_irr_trace "$scratch/lanes" $program &&
        python3 - "$scratch"/lanes.*.trace << 'EOF'
import json, sys
lanes = {True: set(), False: set()}
for name in sys.argv[1:]:
    for line in list(open(name))[1:]:
        message = json.loads(line)
        lanes[message["rank"] // 2 == message["peer"] // 2].add(message["lane"])
assert lanes[True] == {"shm"} and len(lanes[False]) == 1 and lanes[False] != {"shm"}, lanes
EOF
}

# planned ALGORITHM "SETTING=VALUE..." TRAFFIC...: the messages of the last exchange of a job are those that irr_plan
# prints. Three lists of each rank have equal orders: receives and waits, sends, signals.
planned() {
    algorithm=$1 options= parameters=
    for setting in $2; do
        word=${setting%=*} value=${setting#*=}
        parameters="$parameters --mca coll_irr_$word $value"
        case $word in
            lead_bytes | piece_bytes) word=${word%_bytes} ;;
            window_messages) word=window ;;
        esac
        options="$options --$(echo "$word" | tr _ -) $value"
    done
    shift 2
    rm -f "$scratch"/job.*
    # shellcheck disable=SC2086
    "$builddir/irr_plan" print --algorithm "$algorithm" --ranks 4 $options "$@" > "$scratch/plan" &&
        ranks 4 --mca coll_irr_trace "$scratch/job" $parameters "$builddir/irr_bench" --algorithms "$algorithm" -i 2 \
            -x 0 "$@" && messages "$scratch" "$scratch"/job.*.trace && cmp "$scratch/printed" "$scratch/traced"
}

# messages FOLDER TRACE...: writes the messages of FOLDER/plan and of the traces to FOLDER/printed and FOLDER/traced.
messages() {
    python3 - "$@" << 'EOF'
import json, re, sys

KINDS = {("send", "signal"): "signal", ("recv", "signal"): "wait"}
STEP = re.compile(r"stage (\d+) step \d+ +(send|recv|signal|wait)[a-z ]* (\d+)(?: +(\d+) bytes)?")


def printed(name):
    with open(name) as file:
        for line in file:
            step = STEP.match(line)
            if line.startswith("plan rank"):
                rank = int(line.split()[2])
            elif step:
                yield rank, step[2], int(step[1]), int(step[3]), int(step[4] or 0)


def traced(names):
    for name in names:
        with open(name) as file:
            messages = sorted((json.loads(line) for line in list(file)[1:]), key=lambda m: m["begin_ns"])
        last = [m["exchange"] for m in messages if m["kind"] == "data"][-1]
        for m in (m for m in messages if m["exchange"] == last):
            yield m["rank"], KINDS.get((m["op"], m["kind"]), m["op"]), m["stage"], m["peer"], m["bytes"]


def write(name, messages, grid):
    """On a grid, empty messages have one byte in a trace, and the order of receives differs between runs."""
    def key(message):
        rank, verb, *rest = message
        place = ["recv", "wait", "send", "signal"].index(verb) or 1
        return rank, place, rest if verb == "recv" and grid else []
    with open(name, "w") as file:
        for message in sorted((m for m in messages if not grid or m[4] > 1), key=key):
            print(*message, file=file)


scratch, *traces = sys.argv[1:]
plan = list(printed(scratch + "/plan"))
grid = any(stage > 1 for _, _, stage, _, _ in plan)
assert len(plan) > 8, plan
write(scratch + "/printed", plan, grid)
write(scratch + "/traced", traced(traces), grid)
EOF
}

command -v python3 > /dev/null || skip_all "python3 was not found"
plan 32
check "a job of four ranks writes four traces" traces 4
check "irr_trace joins the four traces" whole_trace
check "a trace names the lane of each message" by_lanes
check "a trace into a missing folder" one_message "coll_irr_trace $scratch/no/such/job: No such file.*; Open MPI's own algorithms serve" \
    ranks 2 --mca coll_irr_trace "$scratch/no/such/job" "$builddir/mpi_calls" left
echo "not a trace" > "$scratch/bad.0.trace"
check "irr_trace refuses a file without a trace" no_trace "is no trace: " "$scratch/bad.0.trace"
check "irr_trace refuses a name without a rank" no_trace "is not called PREFIX.RANK.trace" "$scratch/all.json"
check "irr_trace refuses a missing file" no_trace "No such file" "$scratch/none.0.trace"
check "irr_trace refuses malformed lines" wrong_lines
check "irr_trace keeps an earlier file until the new one is complete" \
    keeps irr_trace "$scratch/all.json" python3 "$tool" -o "$scratch/all.json" "$scratch"/job.*.trace
ended_by INT "$scratch/pipe.0.trace" python3 "$tool" "$scratch/pipe.0.trace"
ended_by PIPE "$scratch/pipe.0.trace" python3 "$tool" -o "$scratch/all.json" "$scratch"/job.*.trace
while read -r algorithm settings; do
    check "the plan of $algorithm $settings" planned "$algorithm" "$settings" --pattern random --unit 20k
done << 'END'
direct
natural pacing=loose window_bytes=100k
direct pacing=grant grants=3 window_messages=1
random-heap
random piece_bytes=16k
optimal piece_bytes=60k
optimal pacing=sync lead_bytes=100k
tree
tree lead_bytes=0
tree lead_bytes=96k piece_bytes=60k
END
check "the plan of direct in place" planned direct "" --unit 1k --in-place
for algorithm in spread grid balanced-grid bruck; do
    check "the plan of $algorithm" planned $algorithm "" --pattern random --unit 60
done
# hybrid sends a message either directly or through the grid: with unit 60 no message directly, with 600 some, with 20k
# all.
for unit in 60 600 20k; do
    check "the plan of hybrid, unit $unit" planned hybrid "" --pattern random --unit $unit
done
for unit in 60 20k; do
    check "the plan of node, unit $unit" planned node "ranks_per_node=2" --pattern random --unit $unit
done
check "the plan of balanced-grid slice_min=0" planned balanced-grid "slice_min=0" --pattern random --unit 60
exit $failed
