#!/bin/sh
# irr_plan.sh - irr_plan prints and checks plans.

srcdir=${srcdir:-.}
. "$srcdir/tests/plan_tap.sh"
mesh=$srcdir/tests/data/airfoil-8.mtx

# Prints the names of all algorithms.
algorithms() {
    "$PLAN" --list-algorithms | sed -n 's/^  \([a-z][a-z0-9-]*\) .*/\1/p'
}

# proves NAME 'LINE...' ARGUMENT...: reports a case: stdout has the lines of a plan with pacing free, then these lines,
# then "ok" for each proof.
proves() {
    name=$1
    all="pacing=free lead_bytes=0 piece_bytes=0 window_messages=0 window_bytes=0 $2
         lemma1=ok lemma3=ok theorem1=ok delivered=ok"
    shift 2
    says "$name" "$all" "$@"
}

echo 1..63

# ---- print ----

cat > "$scratch/expected" << 'END'
{"algorithm": "direct", "ranks": 3, "stages": 1,
"pacing": "free", "lead_bytes": 0, "piece_bytes": 0, "window_messages": 0, "window_bytes": 0, "messages": [
{"stage":1,"step":1,"from":0,"to":1,"bytes":8,"slices":[[0,1,0,8]]},
{"stage":1,"step":1,"from":1,"to":2,"bytes":8,"slices":[[1,2,0,8]]},
{"stage":1,"step":1,"from":2,"to":0,"bytes":8,"slices":[[2,0,0,8]]},
{"stage":1,"step":2,"from":0,"to":2,"bytes":8,"slices":[[0,2,0,8]]},
{"stage":1,"step":2,"from":1,"to":0,"bytes":8,"slices":[[1,0,0,8]]},
{"stage":1,"step":2,"from":2,"to":1,"bytes":8,"slices":[[2,1,0,8]]}
]}
END
prints "print --json prints the messages of three ranks" print --algorithm direct --ranks 3 --unit 8 --json
"$PLAN" print --algorithm direct --ranks 3 --unit 8 --json -o "$scratch/file.json" &&
    cmp -s "$scratch/expected" "$scratch/file.json"
report $? "-o writes the same output to a file"

cat > "$scratch/expected" << 'END'
{"algorithm": "direct", "ranks": 3, "stages": 1,
"pacing": "free", "lead_bytes": 0, "piece_bytes": 0, "window_messages": 0, "window_bytes": 0, "messages": [
{"stage":1,"step":1,"from":0,"to":1,"bytes":5,"slices":[[0,1,0,5]]}
]}
END
file pair '3 3 2' '1 2 5' '3 3 7'
prints "bytes from a rank to itself are no message" print --algorithm direct --matrix "$scratch/pair" --json
prints "--rank prints the messages that a rank receives" print --algorithm direct --matrix "$scratch/pair" --json --rank 1

cat > "$scratch/expected" << 'END'
{"algorithm": "direct", "ranks": 3, "stages": 1,
"pacing": "free", "lead_bytes": 0, "piece_bytes": 0, "window_messages": 0, "window_bytes": 0, "messages": [
]}
END
prints "a rank may have no messages" print --algorithm direct --matrix "$scratch/pair" --json --rank 2

good print --algorithm balanced-grid --ranks 61 --json && counts 1 '"dims": \[8, 8\], "stages": 4,$'
report $? "the JSON of a grid has its dimensions"

cat > "$scratch/expected" << 'END'
# direct, pacing free, lead_bytes 0, piece_bytes 0, window_messages 0, window_bytes 0
plan rank 1 of 3, 1 stage, 1 step, 0 scratch bytes
stage 1 step 1    recv from 0              5 bytes  output[0,5)
END
prints "print --rank prints the plan of a rank as text" print --algorithm direct --matrix "$scratch/pair" --rank 1
good print --algorithm natural --ranks 4 && counts 4 '^plan rank [0-3] of 4'
report $? "print prints the plans of all ranks as text"

# ---- check ----

proves "direct has no contention" \
    "ranks=5 stages=1 steps=4 messages_sent_max=4 messages_received_max=4 message_bytes_max=1024
     scratch_bytes_max=0 traffic_bytes_max=4096 lmax=5120 header_bytes=0 contention=0" \
    check --algorithm direct --ranks 5
proves "natural has contention" \
    "ranks=5 stages=1 steps=5 messages_sent_max=4 messages_received_max=4 message_bytes_max=1024
     scratch_bytes_max=0 traffic_bytes_max=4096 lmax=5120 header_bytes=0 contention=5" \
    check --algorithm natural --ranks 5

proves "entries are scaled; bytes from a rank to itself count only in lmax" \
    "ranks=3 stages=1 steps=1 messages_sent_max=1 messages_received_max=1 message_bytes_max=10
     scratch_bytes_max=0 traffic_bytes_max=10 lmax=14 header_bytes=0 contention=0" \
    check --algorithm direct --matrix "$scratch/pair" --scale 2
shows "--ranks may repeat the number of ranks of a matrix" ranks=8 check --algorithm direct --ranks 8 --matrix "$mesh"

proves "a balanced grid keeps the bounds of the paper" \
    "ranks=61 stages=4 steps=30 messages_sent_max=28 messages_received_max=28 message_bytes_max=8967
     scratch_bytes_max=108462 traffic_bytes_max=218094 lmax=62464 header_bytes=559820 contention=0" \
    check --algorithm balanced-grid --ranks 61 --slice-min 0

# Two ranks, two stages: in each stage a rank with a neighbour sends one header, also without bytes.
file one '2 2 1' '1 2 5'
shows "messages without bytes have headers" header_bytes=21 \
    check --algorithm spread --matrix "$scratch/one" --slice-min 0
good check --algorithm hybrid --ranks 61 --pattern spike --direct-bytes 2000 && counts 1 '^stages=3$' 4 '=ok$' &&
    good print --algorithm hybrid --ranks 61 --pattern spike --direct-bytes 0 --rank 0 && counts 0 '^stage 3'
report $? "hybrid sends long messages directly"
good check --algorithm balanced-grid --ranks 19 --dims 5x4 && counts 0 '^contention=0$'
report $? "a grid set by --dims may have contention"
tool check --algorithm direct --ranks 2 --pattern next --unit 1073741824
[ $status -eq 0 ] && counts 1 '^delivered=ok$' && [ "$(wc -l < "$scratch/err")" -eq 1 ] &&
    grep -q -F 'irr_plan: the plans are proved, but were not run: ' "$scratch/err"
report $? "a plan that needs too much memory is proved but not run"

cat > "$scratch/expected" << 'END'
pacing=grant
lead_bytes=0
piece_bytes=0
window_messages=0
window_bytes=0
ranks=3
stages=1
steps=3
messages_sent_max=2
messages_received_max=2
message_bytes_max=30
scratch_bytes_max=0
traffic_bytes_max=40
lmax=40
header_bytes=0
contention=0
lemma1=ok
lemma3=ok
theorem1=ok
delivered=ok
permutations=3
makespan_bytes=40
async_bytes=40
lower_bound_bytes=40
schedule_ms=
splits=0
END
file triangle '3 3 6' '1 2 30' '1 3 10' '2 1 20' '2 3 20' '3 1 20' '3 2 10'
good check --algorithm optimal --matrix "$scratch/triangle" &&
    sed 's/^schedule_ms=[0-9]*\.[0-9]*$/schedule_ms=/' "$scratch/out" | diff "$scratch/expected" - > /dev/null
report $? "a schedule is as long as its busiest rank"
good check --algorithm random-heap --matrix "$scratch/triangle" --lambda one && figures splits=0 &&
    [ "$(value makespan_bytes)" -gt 40 ] &&
    good check --algorithm random-heap --pattern skewed --ranks 32 --lambda fixed:0.5 && [ "$(value splits)" -gt 0 ]
report $? "--lambda controls the splits"
good check --algorithm random-heap --pattern random --ranks 32 --latency 0 && many=$(value splits) &&
    good check --algorithm random-heap --pattern random --ranks 32 --latency 1000000000 &&
    [ "$(value splits)" -lt "$many" ]
report $? "a longer latency reduces the splits"
# same OPTION OTHER ARGUMENT...: true if the default plan equals that with OPTION, and differs from that with OTHER.
same() {
    option=$1
    other=$2
    shift 2
    # An option is two words.
    # shellcheck disable=SC2086
    good print "$@" --json && mv "$scratch/out" "$scratch/default" &&
        good print "$@" --json $option && cmp -s "$scratch/out" "$scratch/default" &&
        good print "$@" --json $other && ! cmp -s "$scratch/out" "$scratch/default"
}
same "--slice-min 256" "--slice-min 0" --algorithm balanced-grid --ranks 61 &&
    same "--latency 16384" "--latency 4096" --algorithm random-heap --pattern random --ranks 32
report $? "the defaults of --slice-min and --latency are those of the component"
good check --algorithm optimal --pattern random --ranks 24 && full=$(value permutations) &&
    good check --algorithm optimal --pattern random --ranks 24 --max-steps 30 &&
    [ "$(value permutations)" -lt "$full" ]
report $? "--max-steps limits the steps of a schedule"
good print --algorithm random --matrix "$mesh" --seed 2 --json && cp "$scratch/out" "$scratch/two" &&
    good print --algorithm random --matrix "$mesh" --seed 3 --json && ! cmp -s "$scratch/out" "$scratch/two" &&
    good print --algorithm random --matrix "$mesh" --seed 2 --json && cmp -s "$scratch/out" "$scratch/two"
report $? "the same seed gives the same random schedule of a matrix"
contended=
for algorithm in xor random random-sorted random-heap optimal tree; do
    good check --algorithm $algorithm --ranks 29 --pattern sparse && [ "$(value contention)" -eq 0 ] &&
        [ "$(value makespan_bytes)" -ge "$(value lower_bound_bytes)" ] || contended="$contended $algorithm"
done
[ -z "$contended" ]
report $? "schedules have no contention and are not shorter than the bound$contended"

undelivered=
for algorithm in $(algorithms); do
    for ranks in 1 2 7 18 61; do
        input="--ranks $ranks --pattern random"
        [ "$algorithm" != redistribution ] || input="--redistribute 5,$ranks,3,$ranks,4000"
        # The input is a list of words.
        # shellcheck disable=SC2086
        good check --algorithm "$algorithm" $input --unit 3 &&
            [ "$(grep -c -E '^(lemma1|lemma3|theorem1|delivered)=ok$' "$scratch/out")" -eq 4 ] ||
            undelivered="$undelivered $algorithm:$ranks"
    done
done
[ -n "$(algorithms)" ] && [ -z "$undelivered" ]
report $? "every algorithm delivers and keeps its bounds$undelivered"

shows "a redistribution is checked" 'lmax=6 traffic_bytes_max=6' check --algorithm direct --redistribute 2,6,3,6 --unit 1
good check --redistribute 2,6,3,6 --unit 1 && figures makespan_bytes=9 async_bytes=6 permutations=6 &&
    cp "$scratch/out" "$scratch/two" && good check --algorithm redistribution --redistribute 2,6,3,6 --unit 1 &&
    [ "$(grep -v _ms= "$scratch/two")" = "$(grep -v _ms= "$scratch/out")" ]
report $? "example 2 of Guo and Pan takes 9 units in steps, or 6 asynchronously"
shows "the steps of example 1 of Guo and Pan are equally long" 'permutations=5 makespan_bytes=1200' \
    check --algorithm redistribution --redistribute 4,5,3,5 --unit 1 --scale 100
# step: prints the step of the only message of the last print --json.
step() {
    sed -n 's/^{"stage":1,"step":\([0-9]*\),.*/\1/p' "$scratch/out"
}
file far '8 8 1' '3 2 9'
good print --algorithm xor --matrix "$scratch/far" --json && [ "$(step)" -eq 3 ] &&
    good print --algorithm xor --matrix "$scratch/far" --json --shift && [ "$(step)" -eq 7 ]
report $? "--shift shifts the steps of xor"

# ---- in place ----

cat > "$scratch/expected" << 'END'
# direct, pacing free, lead_bytes 0, piece_bytes 0, window_messages 0, window_bytes 0
plan rank 1 of 3, 1 stage, 6 steps, 72 scratch bytes
stage 1 step 0    copy on   1              8 bytes  output[16,24) -> scratch[0,8)
stage 1 step 1    send to   2              8 bytes  scratch[0,8)  after 0
stage 1 step 1    recv from 2              8 bytes  output[16,24)  after 0
stage 1 step 0    copy on   1              8 bytes  output[0,8) -> scratch[64,72)  after 0
stage 1 step 2    send to   0              8 bytes  scratch[64,72)  after 3
stage 1 step 2    recv from 0              8 bytes  output[0,8)  after 3
END
prints "in place, a block is copied before a receive overwrites it" \
    print --algorithm direct --ranks 3 --unit 8 --in-place --rank 1
undelivered=
for algorithm in direct natural xor random random-sorted random-heap optimal tree; do
    for ranks in 1 2 7 18; do
        for unit in 0 3 65000 600000; do
            good check --algorithm $algorithm --ranks $ranks --unit $unit --in-place &&
                [ "$(grep -c -E '^(delivered=ok|contention=0)$' "$scratch/out")" -eq 2 ] &&
                [ "$(value scratch_bytes_max)" -le 1048576 ] || undelivered="$undelivered $algorithm:$ranks:$unit"
        done
    done
done
[ -z "$undelivered" ]
report $? "in place, direct messages and schedules deliver with 1 MiB of scratch$undelivered"
good draw --algorithm random-heap --ranks 4 --in-place &&
    good print --algorithm random-heap --ranks 4 --in-place --json && counts 12 '"slices":\[\[[0-3],[0-3],0,1024\]\]'
report $? "plans in place are drawn, and printed as JSON"
refused "a grid in place" "--in-place needs direct messages with the pacing free, or an algorithm with a schedule, which it ignores; " \
    check --algorithm grid --ranks 8 --in-place
refused "an exchange in place with different counts" \
    "--in-place: rank 0 sends 5 bytes to rank 1 and receives 0; they must be equal" \
    check --algorithm direct --matrix "$scratch/pair" --in-place
refused "a schedule in place" "--in-place plans without a schedule, so it does not go with --load, --save, " \
    check --algorithm random-heap --ranks 4 --save "$scratch/none" --in-place

# ---- nodes ----

cat > "$scratch/expected" << 'END'
{"algorithm": "node", "ranks": 4, "stages": 3,
"pacing": "free", "lead_bytes": 0, "piece_bytes": 0, "window_messages": 0, "window_bytes": 0, "messages": [
{"stage":1,"step":1,"from":0,"to":1,"bytes":8,"slices":[[0,1,0,8]]},
{"stage":1,"step":1,"from":1,"to":0,"bytes":24,"slices":[[1,0,0,8],[1,2,0,8],[1,3,0,8]]},
{"stage":1,"step":1,"from":2,"to":3,"bytes":8,"slices":[[2,3,0,8]]},
{"stage":1,"step":1,"from":3,"to":2,"bytes":24,"slices":[[3,0,0,8],[3,1,0,8],[3,2,0,8]]},
{"stage":2,"step":1,"from":0,"to":2,"bytes":32,"slices":[[0,2,0,8],[1,2,0,8],[0,3,0,8],[1,3,0,8]]},
{"stage":2,"step":1,"from":2,"to":0,"bytes":32,"slices":[[2,0,0,8],[3,0,0,8],[2,1,0,8],[3,1,0,8]]},
{"stage":3,"step":1,"from":0,"to":1,"bytes":16,"slices":[[2,1,0,8],[3,1,0,8]]},
{"stage":3,"step":1,"from":2,"to":3,"bytes":16,"slices":[[0,3,0,8],[1,3,0,8]]}
]}
END
prints "node sends one message from node to node" \
    print --algorithm node --ranks 4 --ranks-per-node 2 --unit 8 --json
proves "each rank is the leader for the same number of nodes" \
    "ranks=64 stages=3 steps=21 messages_sent_max=10 messages_received_max=10 message_bytes_max=136
     scratch_bytes_max=768 traffic_bytes_max=1272 lmax=512 header_bytes=20121 contention=0" \
    check --algorithm node --ranks 64 --ranks-per-node 4 --unit 8
ok=0
for ranks in 1 5 12 30; do
    for options in "node --ranks-per-node 1" "node --ranks-per-node 4" "node --ranks-per-node 7 --direct-bytes 30" node; do
        # An option is one word or several.
        # shellcheck disable=SC2086
        good check --algorithm $options --ranks $ranks --pattern random --unit 50 &&
            [ "$(lines '^delivered=ok$')" -eq 1 ] || ok=1
    done
done
report $ok "node delivers for all sizes of nodes"
good check --algorithm node --ranks 8 --ranks-per-node 4 --unit 1024 && figures stages=3 &&
    good check --algorithm node --ranks 8 --ranks-per-node 4 --unit 1025 &&
    figures stages=4 message_bytes_max=1025 &&
    good check --algorithm node --ranks 8 --ranks-per-node 4 --unit 1025 --direct-bytes 0 &&
    figures stages=3 message_bytes_max=16400
report $? "node sends long blocks directly"
good check --algorithm direct --ranks 8 && mv "$scratch/out" "$scratch/expected" &&
    good check --algorithm board --ranks 8 && cmp -s "$scratch/expected" "$scratch/out"
report $? "an older name of direct selects direct"
printf 'SwitchName=s Nodes=n[0-3]\n' > "$scratch/hosts"
shows "each host of a topology is a node" 'load=96 messages_sent_max=4' \
    check --algorithm node --topology "$scratch/hosts" --ranks 8 --unit 8
shows "--ranks-per-node divides hosts into nodes" stages=3 \
    check --algorithm node --topology "$scratch/hosts" --ranks 16 --ranks-per-node 2
refused "a node on several hosts" "--ranks-per-node 3: ranks 1 and 2 are not on one host" \
    check --algorithm node --topology "$scratch/hosts" --ranks 8 --ranks-per-node 3
refused "--ranks-per-node for a grid" "--ranks-per-node goes with the algorithm node only" \
    check --algorithm grid --ranks 8 --ranks-per-node 2
refused "--ranks-per-node 0" "--ranks-per-node '0' is not an integer from 1" \
    check --algorithm node --ranks 8 --ranks-per-node 0

# ---- pacings ----

cat > "$scratch/expected" << 'END'
# direct, pacing grant, lead_bytes 0, piece_bytes 0, window_messages 0, window_bytes 0
plan rank 1 of 3, 1 stage, 9 steps, 0 scratch bytes
stage 1 step 1    recv from 0              8 bytes  output[0,8)
stage 1 step 2    recv from 2              8 bytes  output[16,24)
stage 1 step 0    wait      2
stage 1 step 0    wait      0
stage 1 step 1    send to   2              8 bytes  input[16,24)  after 2
stage 1 step 2    send to   0              8 bytes  input[0,8)  after 3 4
stage 1 step 0    copy on   1              8 bytes  input[8,16) -> output[8,16)
stage 1 step 0    signal    0
stage 1 step 0    signal    2  after 0
END
prints "the plan of a rank has its signals and waits" \
    print --algorithm direct --ranks 3 --unit 8 --rank 1 --pacing grant --grants 1
for pacing in free loose grant sync; do
    ok=0
    for algorithm in xor random optimal tree; do
        good check --algorithm $algorithm --pattern random --ranks 13 --unit 9 --pacing $pacing &&
            [ "$(lines '^delivered=ok$')" -eq 1 ] || ok=1
    done
    report $ok "pacing $pacing delivers"
done
ok=0
for pair in "tree --pacing sync" "optimal --pacing grant" "random --pacing loose" "direct --pacing free"; do
    # shellcheck disable=SC2086
    good print --algorithm $pair --ranks 6 --unit 6k && mv "$scratch/out" "$scratch/expected" &&
        good print --algorithm ${pair%% *} --ranks 6 --unit 6k && cmp -s "$scratch/expected" "$scratch/out" || ok=1
done
report $ok "the default pacing is that of the component"
good print --algorithm tree --ranks 4 --unit 20k --rank 0 && cp "$scratch/out" "$scratch/lead" &&
    counts 1 '^# tree, pacing sync, lead_bytes 49152, piece_bytes 0, window_messages 0, window_bytes 0$' &&
    good print --algorithm tree --ranks 4 --unit 20k --rank 0 --lead 0 &&
    counts 1 '^# tree, pacing sync, lead_bytes 0, ' &&
    [ "$(diff "$scratch/lead" "$scratch/out" | grep -c '^[<>].*signal')" -gt 0 ]
report $? "the default of --lead is that of a job"
good check --algorithm tree --ranks 4 --unit 20k --piece 8k --window 2 --window-bytes 16k &&
    figures message_bytes_max=6827 messages_sent_max=9 lead_bytes=49152 piece_bytes=8192 window_messages=2 \
        window_bytes=16384 delivered=ok &&
    good print --json --algorithm tree --ranks 4 --piece 8k --window 2 --window-bytes 16k &&
    [ "$(lines '"lead_bytes": 49152, "piece_bytes": 8192, "window_messages": 2, "window_bytes": 16384,')" -eq 1 ]
report $? "--piece and --window are checked and printed"
refused "--lead without pacing sync" "--lead goes with the pacing sync only" \
    check --algorithm optimal --ranks 4 --lead 1k
refused "--piece without a schedule" "--piece goes with a schedule only" check --algorithm direct --ranks 4 --piece 1k
refused "an unknown pacing" "--pacing 'slow' is not one of auto, free" \
    check --algorithm direct --ranks 4 --pacing slow
refused "a pacing for a grid" "--pacing loose goes with direct messages and schedules only" \
    check --algorithm grid --ranks 4 --pacing loose
refused "pacing sync without a schedule" "--pacing sync goes with a schedule only" \
    check --algorithm natural --ranks 4 --pacing sync
refused "--grants without pacing grant" "--grants goes with the pacing grant only" check --algorithm direct --ranks 4 --grants 3

# ---- help ----

shows "--unit takes a suffix" message_bytes_max=2048 check --algorithm direct --ranks 2 --unit 2k
good --help all && counts 1 '^Usage: irr_plan ' 1 '^  contention '
report $? "--help all prints usage and values"
good -h && counts 1 '^  -o, --output FILE'
report $? "-h prints the options"
good --version && counts 1 '^irr_plan [^ ]*$'
report $? "--version prints the version"
exit $failed
