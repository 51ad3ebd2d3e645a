#!/bin/sh
# irr_plan.sh - irr_plan prints, proves and draws plans, and refuses bad input with one line and exit status 2.

srcdir=${srcdir:-.}
. "$srcdir/tests/plan_tap.sh"
mesh=$srcdir/tests/data/airfoil-8.mtx

# file NAME LINE...: writes a matrix file, a good header and these lines, to $scratch/NAME.
file() {
    name=$scratch/$1
    shift
    printf '%s\n' '%%MatrixMarket matrix coordinate integer general' "$@" > "$name"
}

# The names that --help lists.
algorithms() {
    "$PLAN" --list-algorithms | sed -n 's/^  \([a-z][a-z0-9_]*\) .*/\1/p'
}

echo 1..136

# ---- print ----

cat > "$scratch/expected" << 'END'
{"algorithm": "a1", "ranks": 3, "stages": 1, "messages": [
{"stage":1,"step":1,"from":0,"to":1,"bytes":8,"slices":[[0,1,0,8]]},
{"stage":1,"step":1,"from":1,"to":2,"bytes":8,"slices":[[1,2,0,8]]},
{"stage":1,"step":1,"from":2,"to":0,"bytes":8,"slices":[[2,0,0,8]]},
{"stage":1,"step":2,"from":0,"to":2,"bytes":8,"slices":[[0,2,0,8]]},
{"stage":1,"step":2,"from":1,"to":0,"bytes":8,"slices":[[1,0,0,8]]},
{"stage":1,"step":2,"from":2,"to":1,"bytes":8,"slices":[[2,1,0,8]]}
]}
END
prints "the messages of three ranks as JSON" print --algorithm a1 --ranks 3 --unit 8 --json
"$PLAN" print --algorithm a1 --ranks 3 --unit 8 --json -o "$scratch/file.json" &&
    cmp -s "$scratch/expected" "$scratch/file.json"
report $? "the same into a file"

cat > "$scratch/expected" << 'END'
{"algorithm": "a1", "ranks": 3, "stages": 1, "messages": [
{"stage":1,"step":1,"from":0,"to":1,"bytes":5,"slices":[[0,1,0,5]]}
]}
END
file pair '3 3 2' '1 2 5' '3 3 7'
prints "what stays on a rank is no message" print --algorithm a1 --matrix "$scratch/pair" --json
prints "one rank sees what it receives" print --algorithm a1 --matrix "$scratch/pair" --json --rank 1

cat > "$scratch/expected" << 'END'
{"algorithm": "a1", "ranks": 3, "stages": 1, "messages": [
]}
END
prints "one rank may have no messages" print --algorithm a1 --matrix "$scratch/pair" --json --rank 2

good print --algorithm a4 --ranks 61 --json && [ "$(lines '"dims": \[8, 8\], "stages": 4,')" -eq 1 ]
report $? "a grid has dimensions"

cat > "$scratch/expected" << 'END'
plan rank 1 of 3, 1 stage, 1 step, 0 scratch bytes
stage 1 step 1    recv from 0              5 bytes  output[0,5)
END
prints "the plan of one rank as text" print --algorithm a1 --matrix "$scratch/pair" --rank 1
good print --algorithm ac --ranks 4 && [ "$(lines '^plan rank [0-3] of 4')" -eq 4 ]
report $? "the plans of all ranks as text"

# ---- check ----

cat > "$scratch/expected" << 'END'
ranks=5
stages=1
steps=4
messages_sent_max=4
messages_received_max=4
message_bytes_max=1024
scratch_bytes_max=0
traffic_bytes_max=4096
lmax=5120
header_bytes=0
contention=0
lemma1=ok
lemma3=ok
theorem1=ok
delivered=ok
END
prints "a rotation is free of contention" check --algorithm a1 --ranks 5
sed -i 's/^steps=.*/steps=5/; s/^contention=.*/contention=5/' "$scratch/expected"
prints "the natural order is not" check --algorithm ac --ranks 5

cat > "$scratch/expected" << 'END'
ranks=3
stages=1
steps=1
messages_sent_max=1
messages_received_max=1
message_bytes_max=10
scratch_bytes_max=0
traffic_bytes_max=10
lmax=14
header_bytes=0
contention=0
lemma1=ok
lemma3=ok
theorem1=ok
delivered=ok
END
prints "entries are scaled; what stays on a rank counts in lmax alone" \
    check --algorithm a1 --matrix "$scratch/pair" --scale 2
good check --algorithm a1 --ranks 8 --matrix "$mesh" && [ "$(lines '^ranks=8$')" -eq 1 ]
report $? "a mesh on its ranks"

cat > "$scratch/expected" << 'END'
ranks=61
stages=4
steps=30
messages_sent_max=28
messages_received_max=28
message_bytes_max=8967
scratch_bytes_max=108462
traffic_bytes_max=218094
lmax=62464
header_bytes=559820
contention=0
lemma1=ok
lemma3=ok
theorem1=ok
delivered=ok
END
prints "a balanced grid keeps the bounds of the paper" check --algorithm a4 --ranks 61 --slice-min 0

# Two ranks, two stages: in each a rank with a neighbour sends it one header, be it of nothing.
file one '2 2 1' '1 2 5'
good check --algorithm a2 --matrix "$scratch/one" --slice-min 0 && [ "$(lines '^header_bytes=21$')" -eq 1 ]
report $? "messages that carry nothing have headers, too"
good check --algorithm hybrid --ranks 61 --pattern spike --direct-bytes 2000 && [ "$(lines '^stages=3$')" -eq 1 ] &&
    [ "$(lines '=ok$')" -eq 4 ] && good print --algorithm hybrid --ranks 61 --pattern spike --direct-bytes 0 --rank 0 &&
    [ "$(lines '^stage 3')" -eq 0 ]
report $? "long messages go beside a grid"
good check --algorithm a4 --ranks 19 --dims 5x4 && [ "$(lines '^contention=0$')" -eq 0 ]
report $? "a grid of one's own may be contended for"
plan check --algorithm a1 --ranks 2 --pattern next --unit 1073741824
[ $status -eq 0 ] && [ "$(lines '^delivered=ok$')" -eq 1 ] && [ "$(wc -l < "$scratch/err")" -eq 1 ] &&
    grep -q -F 'irr_plan: proved but not run: ' "$scratch/err"
report $? "a run that takes too much memory is left out"

cat > "$scratch/expected" << 'END'
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
# value KEY: of the last check.
value() {
    sed -n "s/^$1=//p" "$scratch/out"
}
good check --algorithm rs_nh --matrix "$scratch/triangle" --lambda one && [ "$(value splits)" -eq 0 ] &&
    [ "$(value makespan_bytes)" -gt 40 ] &&
    good check --algorithm rs_nh --pattern skewed --ranks 32 --lambda fixed:0.5 && [ "$(value splits)" -gt 0 ]
report $? "lambda says what is split"
good check --algorithm rs_nh --pattern random --ranks 32 --latency 0 && many=$(value splits) &&
    good check --algorithm rs_nh --pattern random --ranks 32 --latency 1000000000 &&
    [ "$(value splits)" -lt "$many" ]
report $? "where start-ups take long, less is split"
# same OPTION OTHER ARGUMENT...: the plan is as with the first, and not as with the other one.
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
same "--slice-min 256" "--slice-min 0" --algorithm a4 --ranks 61 &&
    same "--latency 16384" "--latency 4096" --algorithm rs_nh --pattern random --ranks 32
report $? "slices and start-ups are those of the component, unless told otherwise"
good check --algorithm optimal --pattern random --ranks 24 && full=$(value permutations) &&
    good check --algorithm optimal --pattern random --ranks 24 --max-steps 30 &&
    [ "$(value permutations)" -lt "$full" ]
report $? "a limit makes a schedule of fewer steps"
good print --algorithm rs_n --matrix "$mesh" --seed 2 --json && cp "$scratch/out" "$scratch/two" &&
    good print --algorithm rs_n --matrix "$mesh" --seed 3 --json && ! cmp -s "$scratch/out" "$scratch/two" &&
    good print --algorithm rs_n --matrix "$mesh" --seed 2 --json && cmp -s "$scratch/out" "$scratch/two"
report $? "a seed makes a random schedule, of a matrix too"
contended=
for algorithm in lp rs_n rs_n_sort rs_nh optimal aapc; do
    good check --algorithm $algorithm --ranks 29 --pattern sparse && [ "$(value contention)" -eq 0 ] &&
        [ "$(value makespan_bytes)" -ge "$(value lower_bound_bytes)" ] || contended="$contended $algorithm"
done
[ -z "$contended" ]
report $? "schedules are free of contention and no shorter than they can be$contended"

undelivered=
for algorithm in $(algorithms); do
    for ranks in 1 2 7 18 61; do
        input="--ranks $ranks --pattern random"
        [ "$algorithm" != redist ] || input="--redistribute 5,$ranks,3,$ranks,4000"
        # The input is a list of words.
        # shellcheck disable=SC2086
        good check --algorithm "$algorithm" $input --unit 3 &&
            [ "$(grep -c -E '^(lemma1|lemma3|theorem1|delivered)=ok$' "$scratch/out")" -eq 4 ] ||
            undelivered="$undelivered $algorithm:$ranks"
    done
done
[ -n "$(algorithms)" ] && [ -z "$undelivered" ]
report $? "every algorithm delivers and keeps its bounds$undelivered"

good check --algorithm a1 --redistribute 2,6,3,6 --unit 1 && [ "$(lines '^lmax=6$')" -eq 1 ] &&
    [ "$(lines '^traffic_bytes_max=6$')" -eq 1 ]
report $? "a redistribution"
good check --redistribute 2,6,3,6 --unit 1 && [ "$(value makespan_bytes)" -eq 9 ] &&
    [ "$(value async_bytes)" -eq 6 ] && [ "$(value permutations)" -eq 6 ] && cp "$scratch/out" "$scratch/two" &&
    good check --algorithm redist --redistribute 2,6,3,6 --unit 1 &&
    [ "$(grep -v _ms= "$scratch/two")" = "$(grep -v _ms= "$scratch/out")" ]
report $? "a redistribution has steps of its own: example 2 of Guo and Pan takes 9 units, or 6"
good check --algorithm redist --redistribute 4,5,3,5 --unit 1 --scale 100 &&
    [ "$(value permutations)" -eq 5 ] && [ "$(value makespan_bytes)" -eq 1200 ]
report $? "example 1, too, whose steps are equally long; scaled"
# step LINE: of the only message of the last print --json.
step() {
    sed -n 's/^{"stage":1,"step":\([0-9]*\),.*/\1/p' "$scratch/out"
}
file far '8 8 1' '3 2 9'
good print --algorithm lp --matrix "$scratch/far" --json && [ "$(step)" -eq 3 ] &&
    good print --algorithm lp --matrix "$scratch/far" --json --shift && [ "$(step)" -eq 7 ]
report $? "lp shifts if asked to"

# ---- save and load ----

cat > "$scratch/expected" << 'END'
irr_schedule 1
# algorithm optimal
3 3 6
1 0 1 0 30 1
1 1 2 0 20
1 2 0 0 20
2 1 0 0 20 1
3 0 2 0 10
3 2 1 0 10
end
END
good check --algorithm optimal --matrix "$scratch/triangle" --save "$scratch/saved" &&
    cmp -s "$scratch/expected" "$scratch/saved"
report $? "a schedule is saved"
lost=
for algorithm in lp rs_n rs_n_sort rs_nh optimal redist aapc; do
    good check --algorithm $algorithm --redistribute 4,9,3,16 --save "$scratch/all" &&
        grep -v _ms= "$scratch/out" > "$scratch/two" && good check --load "$scratch/all" &&
        grep -v -e _ms= -e '^lmax=' "$scratch/out" > "$scratch/out2" &&
        grep -v '^lmax=' "$scratch/two" | cmp -s - "$scratch/out2" || lost="$lost $algorithm"
done
[ -z "$lost" ]
report $? "what is loaded has the figures of what was saved$lost"
good print --algorithm optimal --matrix "$scratch/triangle" --json &&
    sed 's/"optimal"/"file"/' "$scratch/out" > "$scratch/expected"
prints "the messages of a loaded schedule" print --load "$scratch/saved" --json
prints "beside its matrix" print --load "$scratch/saved" --matrix "$scratch/triangle" --json
good draw --load "$scratch/saved" -o "$scratch/loaded.svg" && good draw --algorithm optimal \
    --matrix "$scratch/triangle" && grep '^<g><title>' "$scratch/out" > "$scratch/bars" &&
    grep '^<g><title>' "$scratch/loaded.svg" | cmp -s - "$scratch/bars" &&
    grep -q -F ">file, 3 ranks<" "$scratch/loaded.svg" &&
    grep -q -F ">schedule $scratch/saved<" "$scratch/loaded.svg"
report $? "the drawing of one"
good check --algorithm rs_nh --ranks 4 --pattern random --save "$scratch/all" &&
    good check --load "$scratch/all" --pattern random &&
    good check --load "$scratch/all" --pattern random --ranks 4
report $? "a pattern for the ranks of a schedule"
printf 'irr_schedule 1\n2 2147483647 1\n2147483647 0 1 0 5\nend\n' > "$scratch/late"
(ulimit -v 200000 && good check --load "$scratch/late" && [ "$(value permutations)" -eq 2147483647 ] &&
    good print --load "$scratch/late" && good draw --load "$scratch/late" && good draw --async --load "$scratch/late")
report $? "a late step costs nothing"
printf 'irr_schedule 1\n2 2147483647 1\n2147483646 0 1 0 5 1\nend\n' > "$scratch/late"
(ulimit -v 200000 && good check --load "$scratch/late" && good draw --load "$scratch/late")
report $? "a late message that goes on costs nothing"

# ---- draw ----

good draw --algorithm a1 --ranks 5 && [ "$(lines '^<g><title>.*class="cell s0"')" -eq 20 ] &&
    [ "$(lines 'class="title".*>a1, 5 ranks<')" -eq 1 ] && [ "$(tail -n 1 "$scratch/out")" = '</svg>' ]
report $? "a cell for each message"
[ "$(lines 'class="rank".*>4<')" -eq 2 ] && [ "$(lines 'class="step".*>')" -eq 4 ]
report $? "ranks and steps are named"
good draw --algorithm ac --ranks 5 && [ "$(lines '^<g><title>.*class="cell contended s0"')" -eq 20 ]
report $? "contention is marked"
good draw --algorithm a4 --ranks 61 && [ "$(lines 'class="stage".*>stage [1-4]<')" -eq 4 ] &&
    [ "$(lines '^<g><title>stage 4.*class="cell s3"')" -gt 0 ] &&
    [ "$(lines '^<g><title>.*class="cell contended')" -eq 0 ]
report $? "each stage has a heading and a colour"
good draw --algorithm a1 --matrix "$scratch/pair" &&
    [ "$(lines '<title>stage 1 step 1: 0 to 1, 5 bytes</title>')" -eq 1 ]
report $? "a cell tells what its message is"
cp "$scratch/pair" "$scratch/a&b<c"
good draw --algorithm a1 --matrix "$scratch/a&b<c" && [ "$(lines 'a&amp;b&lt;c<')" -eq 1 ]
report $? "names are escaped"
good draw --algorithm a1 --ranks 1 && [ "$(lines '^<g><title>')" -eq 0 ]
report $? "one rank has nothing to draw"
good draw --algorithm optimal --matrix "$scratch/triangle" &&
    [ "$(lines '<title>step 1: 0 to 1, bytes 0 to 30</title>.* s0" x="88.00" y="203" width="675.00"')" -eq 1 ] &&
    [ "$(lines '<title>step 2: 1 to 0, bytes 0 to 20</title>.* s0" x="538.00" y="243" width="450.00"')" -eq 1 ] &&
    [ "$(lines '<title>step 3: 2 to 1, bytes 0 to 10</title>.* s0" x="763.00" y="283" width="225.00"')" -eq 1 ] &&
    [ "$(lines '^<g><title>')" -eq 6 ] && [ "$(tail -n 1 "$scratch/out")" = '</svg>' ]
report $? "a schedule is drawn over time"
[ "$(lines 'step 1: 0 to 1.* s0 from" x="88.00" y="259" width="675.00".*>0</text></g>$')" -eq 1 ] &&
    [ "$(lines ' from" x=')" -eq 6 ]
report $? "with what each rank receives"
[ "$(lines '^<text class="rank number" x="46" y="302">2</text>$')" -eq 1 ] &&
    [ "$(lines 'class="idle" x="88"')" -eq 6 ] && [ "$(lines 'class="barrier"')" -eq 3 ] &&
    [ "$(lines '^<path class="bound" d="M988.00 194V322"/>$')" -eq 1 ] &&
    [ "$(lines 'in 8.3 % of the 40 bytes of 3 steps<')" -eq 1 ]
report $? "with what is idle, the ends of its steps and the bound"
good draw --redistribute 2,6,3,6 --unit 1 --async && [ "$(lines 'class="barrier"')" -eq 0 ] &&
    [ "$(lines 'in 16.7 % of the 6 bytes of 6 steps<')" -eq 1 ] &&
    [ "$(lines '<title>step 2: 1 to 5, bytes 0 to 1</title>.* s0" x="238.00"')" -eq 1 ]
report $? "without steps, if asked for"
file nothing '2 2 0'
good draw --algorithm rs_nh --matrix "$scratch/nothing" && [ "$(lines '^<g><title>')" -eq 0 ] &&
    good draw --algorithm lp --ranks 1 && [ "$(tail -n 1 "$scratch/out")" = '</svg>' ]
report $? "an empty schedule has nothing to draw"

good draw --algorithm a3 --ranks 256 && [ "$(lines '^<g><title>')" -eq 0 ] &&
    [ "$(wc -c < "$scratch/out")" -lt 100000 ] &&
    [ "$(lines '>a3, 256 ranks in a grid of 16 x 16; a cell: bytes that a rank sends in a step<')" -eq 2 ] &&
    [ "$(lines '>stage [12]: 3840 messages in 15 steps, the largest of 16384 bytes<')" -eq 2 ] &&
    [ "$(lines '^<path d="M0 0h15M0 1h15.*M0 255h15" class="l31"/>$')" -eq 2 ]
report $? "many messages are a heat map"
good draw --algorithm a1 --ranks 1024 --pattern random && [ "$(wc -c < "$scratch/out")" -lt 500000 ] &&
    [ "$(lines '>a1, 1024 ranks; a cell: the most bytes that one of 4 ranks sends in one of 8 steps<')" -eq 2 ] &&
    [ "$(lines 'class="rank e".*>960<')" -eq 1 ] && [ "$(tail -n 1 "$scratch/out")" = '</svg>' ]
report $? "whose cells are of several ranks and steps"
refused "times of too many messages" "draw --async shows at most 4096 messages, not " \
    draw --algorithm rs_nh --ranks 100 --async

# ---- boards ----

cat > "$scratch/expected" << 'END'
{"algorithm": "node", "ranks": 4, "stages": 3, "messages": [
{"stage":1,"step":1,"from":0,"to":1,"board":true,"bytes":8,"slices":[[0,1,0,8]]},
{"stage":1,"step":1,"from":2,"to":3,"board":true,"bytes":8,"slices":[[2,3,0,8]]},
{"stage":1,"step":3,"from":1,"to":0,"board":true,"bytes":24,"slices":[[1,0,0,8],[1,2,0,8],[1,3,0,8]]},
{"stage":1,"step":3,"from":3,"to":2,"board":true,"bytes":24,"slices":[[3,2,0,8],[3,0,0,8],[3,1,0,8]]},
{"stage":2,"step":1,"from":0,"to":2,"bytes":32,"slices":[[0,2,0,8],[0,3,0,8],[1,2,0,8],[1,3,0,8]]},
{"stage":2,"step":1,"from":2,"to":0,"bytes":32,"slices":[[2,0,0,8],[2,1,0,8],[3,0,0,8],[3,1,0,8]]},
{"stage":3,"step":1,"from":0,"to":1,"board":true,"bytes":16,"slices":[[2,1,0,8],[3,1,0,8]]},
{"stage":3,"step":1,"from":2,"to":3,"board":true,"bytes":16,"slices":[[0,3,0,8],[1,3,0,8]]}
]}
END
prints "one message from node to node, and the rest over boards" \
    print --algorithm node --ranks 4 --ranks-per-node 2 --unit 8 --json
cat > "$scratch/expected" << 'END'
plan rank 1 of 4, 3 stages, 4 steps, 0 scratch bytes
stage 1 step 1    read from 0              8 bytes  output[0,8)
stage 1 step 3    put for   0             24 bytes  input[0,8) input[16,24) input[24,32)
stage 3 step 1    read from 0             16 bytes  output[16,24) output[24,32)
stage 1 step 0    copy on   1              8 bytes  input[8,16) -> output[8,16)
END
prints "what a rank puts and reads" print --algorithm node --ranks 4 --ranks-per-node 2 --unit 8 --rank 1
cat > "$scratch/expected" << 'END'
ranks=64
stages=3
steps=4
messages_sent_max=4
messages_received_max=4
message_bytes_max=128
scratch_bytes_max=768
traffic_bytes_max=512
lmax=512
board_bytes_max=760
header_bytes=7680
contention=0
lemma1=ok
lemma3=ok
theorem1=ok
delivered=ok
END
prints "each rank serves as many nodes" check --algorithm node --ranks 64 --ranks-per-node 4 --unit 8
ok=0
for ranks in 1 5 12 30; do
    for options in "--ranks-per-node 1" "--ranks-per-node 4" "--ranks-per-node 5 --board-bytes 4001" --board-block=150 \
        "--ranks-per-node 7 --board-bytes 0" "--board-bytes 0 --no-lending" --no-boards; do
        for algorithm in node board; do
            # An option is one word or several.
            # shellcheck disable=SC2086
            good check --algorithm $algorithm --ranks $ranks $options --pattern random --unit 50 &&
                [ "$(lines '^delivered=ok$')" -eq 1 ] || ok=1
        done
    done
done
report $ok "boards deliver, whatever fits on them"
good check --algorithm board --ranks 8 && [ "$(value messages_sent_max)" -eq 0 ] &&
    good check --algorithm board --ranks 8 --unit 40000 --no-lending && [ "$(value messages_sent_max)" -eq 7 ] &&
    good check --algorithm board --ranks 8 --unit 40000 --board-block 40000 --no-lending &&
    [ "$(value messages_sent_max)" -eq 0 ] &&
    good check --algorithm board --ranks 8 --board-bytes 8192 --no-lending && [ "$(value messages_sent_max)" -eq 3 ]
report $? "what is too long for a board, or has no room there, goes directly"
good check --algorithm board --ranks 8 --unit 40000 && [ "$(value messages_sent_max)" -eq 0 ] &&
    [ "$(value board_bytes_max)" -eq 280000 ] && good check --algorithm board --ranks 8 --board-bytes 0 &&
    [ "$(value messages_sent_max)" -eq 0 ] &&
    good check --algorithm node --ranks 8 --ranks-per-node 4 --unit 2000 --board-block 1000 &&
    [ "$(value messages_sent_max)" -eq 4 ]
report $? "within a node it is lent"
good check --algorithm node --ranks 8 --ranks-per-node 4 --unit 1024 && [ "$(value messages_sent_max)" -eq 1 ] &&
    good check --algorithm node --ranks 8 --ranks-per-node 4 --unit 1025 && [ "$(value messages_sent_max)" -eq 4 ]
report $? "and so does it from node to node"
good check --algorithm board --ranks 8 --no-boards && [ "$(value messages_sent_max)" -eq 7 ] &&
    [ "$(lines '^board_bytes_max')" -eq 0 ] &&
    good check --algorithm node --ranks 8 --ranks-per-node 4 --no-boards && [ "$(value stages)" -eq 2 ] &&
    [ "$(value messages_sent_max)" -eq 4 ]
report $? "without boards node is a grid, and board a1"
good draw --algorithm node --ranks 8 --ranks-per-node 4 && [ "$(lines '^<g><title>.*class="cell boarded s0"')" -eq 24 ] &&
    [ "$(lines '^<g><title>stage 2.*class="cell s1"')" -eq 2 ] && [ "$(lines '>stage 3: 6 over boards in 1 step<')" -eq 1 ]
report $? "what goes over boards is drawn as such"
printf 'SwitchName=s Nodes=n[0-3]\n' > "$scratch/hosts"
good check --algorithm node --topology "$scratch/hosts" --ranks 8 --unit 8 && [ "$(value load)" -eq 96 ] &&
    [ "$(value messages_sent_max)" -eq 2 ] &&
    good print --algorithm node --topology "$scratch/hosts" --ranks 8 --json && [ "$(lines '"board":true')" -eq 20 ]
report $? "the hosts of a topology are nodes"
good check --algorithm node --topology "$scratch/hosts" --ranks 16 --ranks-per-node 2 && [ "$(value stages)" -eq 3 ]
report $? "or parts of them are"
refused "a node on several hosts" "--ranks-per-node 3: ranks 1 and 2 are not on one host" \
    check --algorithm node --topology "$scratch/hosts" --ranks 8 --ranks-per-node 3
refused "nodes of a grid" "--ranks-per-node goes with the algorithms node and board only" \
    check --algorithm a3 --ranks 8 --ranks-per-node 2
refused "no boards of a1" "--no-boards goes with the algorithms node and board only" \
    check --algorithm a1 --ranks 8 --no-boards
refused "nodes of nobody" "--ranks-per-node '0' is not an integer from 1" \
    check --algorithm node --ranks 8 --ranks-per-node 0

# ---- help ----

good check --algorithm a1 --ranks 2 --unit 2k && [ "$(lines '^message_bytes_max=2048$')" -eq 1 ]
report $? "a unit with a suffix"
good --help all && [ "$(lines '^Usage: irr_plan ')" -eq 1 ] && [ "$(lines '^  contention ')" -eq 1 ]
report $? "help"
good -h && [ "$(lines '^  -o, --output FILE')" -eq 1 ]
report $? "help by its letter"
good --version && [ "$(lines '^irr_plan [^ ]*$')" -eq 1 ]
report $? "version"

# ---- bad files ----

file negative '% a comment' '2 2 1' '1 2 -5'
file short '2 2 2' '1 2 5'
file wide '2 2 2' '1 1 4000000000000000000' '1 2 4000000000000000000'
file many '3000 3000 0'
printf 'ranks = 2\n' > "$scratch/foreign"

refused "no file" "$scratch/none: No such file" check --algorithm a1 --matrix "$scratch/none"
refused "a file of another kind" "$scratch/foreign:1: first word" check --algorithm a1 --matrix "$scratch/foreign"
refused "a negative entry" "$scratch/negative:4: entry '-5' is not an integer" \
    check --algorithm a1 --matrix "$scratch/negative"
refused "a file that ends early" "$scratch/short:3: file ends after 1 of the 2" \
    check --algorithm a1 --matrix "$scratch/short"
refused "a row of too many bytes" "$scratch/wide: row 1 has more than" \
    check --algorithm a1 --matrix "$scratch/wide"
refused "a matrix of too many ranks" "$scratch/many: matrix has 3000 rows" \
    check --algorithm a1 --matrix "$scratch/many"
refused "a matrix for other ranks" "$mesh: matrix has 8 rows, --ranks says 9" \
    check --algorithm a1 --ranks 9 --matrix "$mesh"
mkfifo "$scratch/pipe"
cat "$mesh" | "$PLAN" check --algorithm a1 --matrix /dev/stdin > "$scratch/out" 2> "$scratch/err" &&
    [ "$(lines '^ranks=8$')" -eq 1 ]
report $? "a pipe is read"
for option in "--algorithm a1 --matrix" --load "--algorithm a1 --topology"; do
    # An option is one word or several.
    # shellcheck disable=SC2086
    refused "a pipe that nobody writes to, $option" "$scratch/pipe: is a pipe that is empty and that nobody writes to" \
        check $option "$scratch/pipe"
done
refused "a device" "/dev/zero: is a device, only a regular file, or a pipe, is read" \
    check --algorithm a1 --matrix /dev/zero
refused "an output file that cannot be written" "$scratch/none/x: No such file" \
    check --algorithm a1 --ranks 2 -o "$scratch/none/x"
refused "an output file that is full" "/dev/full: output cannot be written" \
    print --algorithm a1 --ranks 2 --json -o /dev/full

printf 'irr_schedule 1\n3000 0 0\nend\n' > "$scratch/huge"
head -c 62 "$scratch/saved" > "$scratch/cut"
refused "no schedule file" "$scratch/none: No such file" check --load "$scratch/none"
refused "a matrix for a schedule" "$scratch/pair:1: first line does not say 'irr_schedule 1'" \
    check --load "$scratch/pair"
refused "a schedule that is cut" "$scratch/cut:5: line has 4 words, it must have 5" check --load "$scratch/cut"
refused "a schedule of too many ranks" "$scratch/huge: schedule is for 3000 ranks, irr_plan plans for at most" \
    check --load "$scratch/huge"
refused "a schedule for other ranks" "$scratch/saved: schedule is for 3 ranks, --ranks says 4" \
    check --load "$scratch/saved" --ranks 4
refused "a schedule of another matrix" \
    "$scratch/saved does not deliver random: 30 bytes are sent from 0 to 1, not " \
    check --load "$scratch/saved" --pattern random
refused "a schedule of a smaller matrix" \
    "$scratch/saved does not deliver $mesh: a schedule for 3 ranks, and a matrix of 8" \
    check --load "$scratch/saved" --matrix "$mesh"
refused "a schedule that cannot be saved" "$scratch/none/x: No such file" \
    check --algorithm lp --ranks 2 --save "$scratch/none/x"
refused "a full disk for it" "/dev/full: output cannot be written" \
    check --algorithm lp --ranks 2 --save /dev/full

# ---- bad options ----

refused "no command" "what to do is missing" --algorithm a1 --ranks 2
refused "an unknown command" "unknown command 'prove', known are print, check, draw" prove --algorithm a1 --ranks 2
refused "two commands" "unexpected argument 'draw'" check draw --algorithm a1 --ranks 2
refused "no algorithm" "--algorithm is missing" check --ranks 2
refused "an unknown algorithm" "unknown algorithm 'a9', known are auto, a1" check --algorithm a9 --ranks 2
refused "an unknown pattern" "unknown pattern 'stripes', known are uniform" \
    check --algorithm a1 --ranks 2 --pattern stripes
refused "no number of ranks" "--ranks or --matrix is missing" check --algorithm a1
refused "no ranks" "--ranks '0' is not an integer from 1 to" check --algorithm a1 --ranks 0
refused "a unit that is no number" "--unit '1kk' is not an integer" check --algorithm a1 --ranks 2 --unit 1kk
refused "a unit of more than 64 bits" "--unit '17179869184g' is not an integer" check --algorithm a1 --ranks 2 \
    --unit 17179869184g
refused "a unit that overflows" "pattern next overflows 64 bits" \
    check --algorithm a1 --ranks 2 --pattern next --unit 9223372036854775807
refused "more bytes than a schedule can have" "next: more than 9223372036854775807 bytes in all" \
    check --algorithm optimal --ranks 300 --pattern next --unit 1000000000000000
refused "a scale of zero" "--scale '0' is not a number above 0" check --algorithm a1 --ranks 2 --scale 0
refused "a matrix and a unit" "--matrix and --unit exclude each other" \
    check --algorithm a1 --matrix "$mesh" --unit 8
refused "a redistribution that is none" "redistribution '2,6,3' is not x,p,y,q" \
    check --algorithm a1 --redistribute 2,6,3
refused "a redistribution and a matrix" "--matrix and --redistribute exclude each other" \
    check --algorithm a1 --matrix "$mesh" --redistribute 2,6,3,6
refused "a redistribution on ranks" "--redistribute and --ranks exclude each other" \
    check --algorithm a1 --ranks 6 --redistribute 2,6,3,6
refused "redist and no redistribution" "algorithm redist needs --redistribute" check --algorithm redist --ranks 6
refused "a row without a schedule" "--save: algorithm a1 has no schedule, only lp to aapc have" \
    check --algorithm a1 --ranks 2 --save "$scratch/none"
refused "an algorithm beside a file" "--load and --algorithm exclude each other" \
    check --algorithm lp --load "$scratch/saved"
refused "loading and saving" "--load and --save exclude each other" \
    check --load "$scratch/saved" --save "$scratch/none"
refused "a unit without a matrix" "--unit needs a matrix beside --load" check --load "$scratch/saved" --unit 8
refused "a scale without a matrix" "--scale needs a matrix beside --load" check --load "$scratch/saved" --scale 2
refused "async steps of no schedule" "--async goes with draw only, and with a schedule" \
    draw --algorithm a1 --ranks 2 --async
refused "a lambda of zero" "--lambda 'fixed:0' is not incremental, " \
    check --algorithm rs_nh --ranks 2 --lambda fixed:0
refused "a latency without end" "--latency '1099511627776' is not an integer" \
    check --algorithm rs_nh --ranks 2 --latency 1099511627776
refused "a limit that is no number" "--max-steps 'few' is not an integer" \
    check --algorithm optimal --ranks 2 --max-steps few
refused "a rank that is none" "--rank 2 is not one of 2 ranks" print --algorithm a1 --ranks 2 --rank 2
refused "a check of one rank" "--rank goes with print only" check --algorithm a1 --ranks 2 --rank 1
refused "a drawing as JSON" "--json goes with print only" draw --algorithm a1 --ranks 2 --json
refused "a drawing of too many ranks" "draw --topology shows at most 512 ranks, not 513" \
    draw --algorithm a1 --ranks 513 --topology "$scratch/hosts"
refused "an unknown option" "unknown option '--fast'" check --fast

# ---- paces ----

cat > "$scratch/expected" << 'END'
plan rank 1 of 3, 1 stage, 9 steps, 0 scratch bytes
stage 1 step 1    recv from 0              8 bytes  output[0,8)
stage 1 step 2    recv from 2              8 bytes  output[16,24)
stage 1 step 0    await     2
stage 1 step 0    await     0
stage 1 step 1    send to   2              8 bytes  input[16,24)  after 2
stage 1 step 2    send to   0              8 bytes  input[0,8)  after 3 4
stage 1 step 0    copy on   1              8 bytes  input[8,16) -> output[8,16)
stage 1 step 0    tell      0
stage 1 step 0    tell      2  after 0
END
prints "what a rank tells and awaits" print --algorithm a1 --ranks 3 --unit 8 --rank 1 --pace grant --grants 1
for pace in free loose grant sync; do
    ok=0
    for algorithm in lp rs_n optimal aapc; do
        good check --algorithm $algorithm --pattern random --ranks 13 --unit 9 --pace $pace &&
            [ "$(lines '^delivered=ok$')" -eq 1 ] || ok=1
    done
    report $ok "pace $pace delivers"
done
ok=0
for pair in "aapc --pace sync" "optimal --pace grant" "rs_n --pace loose" "a1 --pace free" "board --board-block 4096"; do
    # shellcheck disable=SC2086
    good print --algorithm $pair --ranks 6 --unit 6k && mv "$scratch/out" "$scratch/expected" &&
        good print --algorithm ${pair%% *} --ranks 6 --unit 6k && cmp -s "$scratch/expected" "$scratch/out" || ok=1
done
report $ok "what is not said is as in the component"
refused "a pace that is none" "unknown pace 'slow'" check --algorithm a1 --ranks 4 --pace slow
refused "a pace on a grid" "--pace loose goes with direct messages and schedules only" \
    check --algorithm a3 --ranks 4 --pace loose
refused "signals without a schedule" "--pace sync goes with a schedule only" check --algorithm ac --ranks 4 --pace sync
refused "grants of no pace" "--grants goes with --pace grant only" check --algorithm a1 --ranks 4 --grants 3
exit $failed
