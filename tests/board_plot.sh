#!/bin/sh
# board_plot.sh - contrib/board_plot draws and tells what was measured; nothing is measured here.

srcdir=${srcdir:-.}
. "$srcdir/tests/tap.sh"
command -v python3 > /dev/null || {
    echo "1..0 # SKIP python3 was not found"
    exit 0
}

# board_plot ARGUMENT...: no jobs; leaves the exit status in $status, stdout and stderr in $scratch/out and err.
board_plot() {
    python3 -B "$srcdir/contrib/board_plot" --rounds 0 --keep "$scratch/kept" -o "$scratch/plot.svg" "$@" \
        > "$scratch/out" 2> "$scratch/err" < /dev/null
    status=$?
}

# Boards take half of Open MPI's own, but twice as much from 32 KiB on, where direct messages take 1.25 of it.
python3 -c '
import json, sys
sizes = [8 << i for i in range(14)]
long = lambda size: size >= 32768
rows = {"board": {size: [1.5 if long(size) else 0.5] for size in sizes},
        "boarded": {size: [2.0 if long(size) else 0.5] for size in sizes}, "a1": {size: [1.25] for size in sizes}}
json.dump({"2": rows, "4": dict(rows, a1={size: [3.0] for size in sizes})}, open(sys.argv[1], "w"))' "$scratch/kept"

echo 1..4
board_plot --ranks 2,4
[ $status -eq 0 ] && grep -qF '| 2 | +0 % | +0 % | +20 % | +20 % | 32 KiB |' "$scratch/out"
report $? "what the crossover costs"
grep -qF '| 4 | +0 % | +0 % | -25 % | -25 % | not up to 64 KiB |' "$scratch/out"
report $? "or that there is none"
python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$scratch/plot.svg" &&
    [ "$(grep -c '<polyline' "$scratch/plot.svg")" -eq 6 ] && [ "$(grep -c ">direct<" "$scratch/plot.svg")" -eq 1 ]
report $? "a picture with a curve for each row"
board_plot --ranks 8
[ $status -eq 2 ] && grep -q "there is no round of '8'" "$scratch/err"
report $? "what was not measured is not drawn"
exit $failed
