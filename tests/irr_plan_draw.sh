#!/bin/sh
# irr_plan_draw.sh - irr_plan draws plans and schedules.

srcdir=${srcdir:-.}
. "$srcdir/tests/plan_tap.sh"
file pair '3 3 2' '1 2 5' '3 3 7'
file wide '200 200 1' '1 200 5'
file triangle '3 3 6' '1 2 30' '1 3 10' '2 1 20' '2 3 20' '3 1 20' '3 2 10'

command -v python3 > /dev/null || skip_all "python3 was not found"
echo 1..28

good draw --algorithm direct --ranks 5 && counts 20 '^<g><title>.*class="cell s0"' \
        1 'class="title".*>direct, 5 ranks<' && [ "$(tail -n 1 "$scratch/out")" = '</svg>' ]
report $? "each message has a cell"
counts 2 'class="rank".*>4<' 4 'class="step".*>'
report $? "ranks and steps have numbers"
good draw --algorithm natural --ranks 5 && counts 20 '^<g><title>.*class="cell contended s0"'
report $? "contention is marked"
counts 1 '>several ranks send to rank 7 in this step<' && good draw --algorithm balanced-grid --ranks 16 &&
    counts 0 '>rank 7 receives\|>nothing is sent' && good draw --algorithm spread --ranks 16 &&
    counts 1 '>the rank sends nothing in this step<'
report $? "the legend has only marks of the picture"
good draw --algorithm direct --matrix "$scratch/wide" && counts 1 'width="29".*>199</text></g>$'
report $? "a cell is as wide as the number in it"
good draw --algorithm balanced-grid --ranks 61 && counts 4 'class="stage".*>stage [1-4]<' &&
    [ "$(lines '^<g><title>stage 4.*class="cell s3"')" -gt 0 ] && counts 0 '^<g><title>.*class="cell contended'
report $? "each stage has a heading and a colour"
good draw --algorithm direct --matrix "$scratch/pair" && counts 1 '<title>stage 1 step 1: 0 to 1, 5 bytes</title>'
report $? "the tooltip of a cell shows its message"
cp "$scratch/pair" "$scratch/a&b<c"
good draw --algorithm direct --matrix "$scratch/a&b<c" && counts 1 'a&amp;b&lt;c<'
report $? "names are escaped"
good draw --algorithm direct --ranks 1 && counts 0 '^<g><title>'
report $? "one rank has nothing to draw"
good draw --algorithm optimal --matrix "$scratch/triangle" &&
    counts 1 '<title>step 1: 0 to 1, bytes 0 to 30</title>.* s0" x="88.00" y="183" width="675.00"' \
        1 '<title>step 2: 1 to 0, bytes 0 to 20</title>.* s0" x="538.00" y="223" width="450.00"' \
        1 '<title>step 3: 2 to 1, bytes 0 to 10</title>.* s0" x="763.00" y="263" width="225.00"' 6 '^<g><title>' &&
    [ "$(tail -n 1 "$scratch/out")" = '</svg>' ]
report $? "a schedule is drawn over time"
counts 1 ' s0 from" x="88.00" y="239" width="675.00".*>0</text>$' 6 ' from" x='
report $? "a schedule over time shows received messages"
counts 1 '^<text class="rank number" x="46" y="282">2</text>$' 6 'class="idle" x="88"' 3 'class="barrier"' \
        1 '^<path class="bound" d="M988.00 174V302"/>$' 1 'no message: 8.3 % of the time, which is 40 bytes in 3 steps<' \
        0 '>a part of a split'
report $? "a schedule over time shows idle times, ends of steps and the bound"
good draw --redistribute 2,6,3,6 --unit 1 --async && counts 0 'class="barrier"' \
        1 'no message: 16.7 % of the time, which is 6 bytes in 6 steps<' 1 '<title>step 2: 1 to 5, bytes 0 to 1</title>.* s0" x="238.00"'
report $? "with --async there are no ends of steps"
good draw --algorithm random-heap --pattern sparse --ranks 16 &&
    counts 1 '>a part of a split message; there is 1 additional part<'
report $? "the legend uses the singular for one transmission"
file nothing '2 2 0'
good draw --algorithm random-heap --matrix "$scratch/nothing" && counts 0 '^<g><title>' &&
    good draw --algorithm xor --ranks 1 && [ "$(tail -n 1 "$scratch/out")" = '</svg>' ]
report $? "an empty schedule has nothing to draw"

good draw --algorithm grid --ranks 256 && counts 0 '^<g><title>' 0 '>nothing sent<' &&
    [ "$(wc -c < "$scratch/out")" -lt 100000 ] &&
    counts 2 '>grid, 256 ranks in a grid of 16 x 16; a cell: bytes that a rank sends in a step<' \
        2 '>stage [12]: 3840 messages in 15 steps, the largest of 16384 bytes<' \
        2 '^<path d="M0 0h15M0 1h15.*M0 255h15" class="l31"/>$'
report $? "many messages are drawn as a heat map"
good draw --algorithm direct --ranks 1024 --pattern random && [ "$(wc -c < "$scratch/out")" -lt 500000 ] &&
    counts 2 '>direct, 1024 ranks; a cell: the most bytes that one of 4 ranks sends in one of 8 steps<' \
        1 'class="rank e".*>960<' && [ "$(tail -n 1 "$scratch/out")" = '</svg>' ]
report $? "a cell of a heat map may stand for several ranks and steps"
(ulimit -v 450000 && "$PLAN" draw --algorithm balanced-grid --pattern random --ranks 256) > "$scratch/out" 2>&1 &&
    [ "$(lines '^<path d=')" -gt 0 ]
report $? "drawing many pieces needs little memory"
refused "--async with too many messages" "draw --async shows at most 4096 messages, not " \
    draw --algorithm random-heap --ranks 100 --async

for ending in png PDF; do
    refused "a picture named x.$ending" "$scratch/x.$ending: a picture is SVG, so its name must not end in .$ending; use $scratch/x.svg" \
        draw --algorithm direct --ranks 2 -o "$scratch/x.$ending"
done

# ---- irr_chart ----

mkdir "$scratch/bin" "$scratch/none"
cp "$PLAN" "$scratch/bin/irr_plan"
# cannot_draw TEXT: irr_plan draw must print TEXT, end with exit status 1, and leave no file.
cannot_draw() {
    PATH=$scratch/none "$scratch/bin/irr_plan" draw --algorithm direct --ranks 60 -o "$scratch/x.svg" \
        > "$scratch/out" 2>&1
    [ $? -eq 1 ] && [ "$(cat "$scratch/out")" = "$1" ] && [ ! -e "$scratch/x.svg" ]
}
without="irr_plan: a picture needs Python 3 and the script irr_chart in the folder of this program or in PATH"
cannot_draw "$without"
report $? "irr_plan draw fails without irr_chart"
printf '#!/none/python3\n' > "$scratch/bin/irr_chart"
chmod +x "$scratch/bin/irr_chart"
cannot_draw "$without"
report $? "irr_plan draw fails without Python"
printf '#!/bin/sh\necho why >&2\nexit 1\n' > "$scratch/bin/irr_chart"
cannot_draw why
report $? "irr_plan draw fails if irr_chart ends before it has read the input"

# ---- output ----

check "draw keeps an earlier picture until the new one is complete" \
    keeps irr_plan "$scratch/p.svg" "$PLAN" draw --algorithm direct --ranks 40 -o "$scratch/p.svg"
printf '#!/bin/sh\nexec cat > "%s"\n' "$scratch/chart.json" > "$scratch/bin/irr_chart"
"$scratch/bin/irr_plan" draw --algorithm direct --ranks 40 -o /dev/null
chart="python3 $srcdir/contrib/irr_chart $scratch/chart.json"
# shellcheck disable=SC2086
check "irr_chart keeps an earlier picture until the new one is complete" \
    keeps irr_chart "$scratch/c.svg" $chart -o "$scratch/c.svg"
# to_stdout COMMAND...: the command writes the same to a file, to /dev/stdout, which is a file or a pipe, and to -.
to_stdout() {
    "$@" -o "$scratch/1" && "$@" -o /dev/stdout > "$scratch/2" && "$@" -o - > "$scratch/3" &&
        "$@" -o /dev/stdout | cat > "$scratch/4" && "$@" -o /dev/null && [ -c /dev/null ] && [ -s "$scratch/1" ] &&
        for number in 2 3 4; do cmp "$scratch/1" "$scratch/$number" || return; done
}
check "draw writes to stdout and to devices" to_stdout "$PLAN" draw --algorithm direct --ranks 4
# shellcheck disable=SC2086
check "irr_chart writes to stdout and to devices" to_stdout $chart
exit $failed
